"""Who may import whom: the table of rooms, held against every import statement in the package."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "recorder"

TOP = {"pytest_plugin", "notebook", "cli", "truth"}
BELOW_TOP = {
    "errors", "markup", "sse", "contracts", "coding", "tape", "cassette", "sanitize", "plans", "matching", "capture",
    "adapters", "record", "vcr", "sweeps", "inspect", "strategies", "provider",
}  # fmt: skip
ROOMS: dict[str, set[str]] = {
    "errors": set(),
    "markup": set(),
    "sse": {"errors"},
    "contracts": {"sse", "errors", "markup"},
    "coding": {"errors"},
    "tape": {"errors"},
    "cassette": {"sse", "errors", "markup"},
    "sanitize": {"tape", "cassette", "contracts", "coding", "sse", "errors"},
    "plans": {"contracts", "cassette", "sse", "errors", "markup"},
    "matching": {"sanitize", "cassette", "errors"},
    "capture": {"tape", "coding", "errors"},
    "adapters": {"plans", "matching", "coding", "cassette", "errors"},
    "record": {"capture", "adapters", "sanitize", "cassette", "contracts", "coding", "sse", "tape", "errors"},
    "vcr": {
        "capture", "adapters", "matching", "sanitize", "cassette", "plans", "contracts", "coding", "sse", "tape",
        "errors",
    },
    "sweeps": {"vcr", "adapters", "plans", "contracts", "cassette", "sse", "errors", "markup"},
    "inspect": {"cassette", "sanitize", "contracts", "plans", "sse", "errors"},
    "strategies": {"plans", "cassette", "sse", "errors"},
    "provider": {"adapters", "contracts", "coding", "sse", "errors"},
    **dict.fromkeys(TOP, BELOW_TOP | TOP),
    "__main__": {"cli"},
}  # fmt: skip
LIBRARIES: dict[str, set[str]] = {
    "contracts": {"msgspec"},
    "coding": {"brotli", "zstandard"},
    "cassette": {"yaml"},
    "capture": {"httpx", "httpx2", "urllib3", "aiohttp"},
    "adapters": {"httpx", "httpx2", "h11", "h2", "trustme", "requests", "urllib3", "aiohttp", "anyio"},
    "matching": {"vcr"},
    "record": {"httpx2", "h11"},
    "vcr": {"vcr"},
    "inspect": {"rich", "vcr"},
    "strategies": {"hypothesis"},
    "pytest_plugin": {"pytest"},
    "notebook": {"ipywidgets", "anywidget", "traitlets", "IPython", "matplotlib", "altair"},
    "cli": {"typer", "rich", "distributed"},
}
DOORS_WITH_MODULES = {"capture", "adapters"}  # `capture.<lib>` and `adapters.<lib>` are doors too
STORE = "recorder.cassette._store"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module a file imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            if node.module == "recorder":
                yield from ((f"recorder.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield str(node.module), node.lineno


def faults(path: Path) -> Iterator[str]:
    room = room_of(path)
    for name, line in imports(path):
        where = f"{path.relative_to(PACKAGE.parent)}:{line}: {name}"
        root, *rest = name.split(".")
        if root == "recorder" and rest and rest[0] != room:
            if rest[0] not in ROOMS[room]:
                yield f"{where}: the room {room} may not import {rest[0]}"
            door = len(rest) == 1 or (rest[0] in DOORS_WITH_MODULES and not rest[1].startswith("_"))
            owns_saving = name == STORE and path.name == "_save.py" and room == "sanitize"
            if not (door or owns_saving):
                yield f"{where}: a room is imported through its door"
        elif root != "recorder" and root not in sys.stdlib_module_names and root not in LIBRARIES.get(room, set()):
            yield f"{where}: the room {room} may not import this library"


@pytest.mark.parametrize(
    "path", [path for path in modules() if path.parent != PACKAGE or path.stem != "__init__"], ids=str
)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    """The table is the law, for our rooms and for libraries."""
    assert list(faults(path)) == []


def test_every_room_is_in_the_table() -> None:
    """A new room needs a row."""
    assert {room_of(path) for path in modules()} - {"__init__"} <= set(ROOMS)


def test_only_saving_reaches_the_store() -> None:
    """Raw bytes have exactly one way to disk."""
    users = [
        path.relative_to(PACKAGE).as_posix() for path in modules() if any(name == STORE for name, _ in imports(path))
    ]
    assert users == ["sanitize/_save.py"]


def test_no_module_is_crowded() -> None:
    """500 lines is where a module is split by idea."""
    crowded = {path.name: count for path in modules() if (count := len(path.read_text("utf-8").splitlines())) > 500}
    assert crowded == {}


def test_no_module_has_the_name_of_a_public_function() -> None:
    """`recorder.sweep` is a function, so no module is called sweep."""
    import recorder

    names = {path.stem for path in modules()} | {path.parent.name for path in modules()}
    assert names & set(recorder.__all__) - {"contracts"} == set()


def test_yaml_is_imported_by_the_codec_alone() -> None:
    """Importers of foreign formats go through the codec."""
    users = {path.name for path in modules() if any(name.split(".")[0] == "yaml" for name, _ in imports(path))}
    assert users <= {"_yaml.py", "_codec.py"}


def test_a_forbidden_import_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself can fail: an import against the table, past a door, and of a library."""
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path / "recorder")
    bad = tmp_path / "recorder" / "plans" / "_bad.py"
    bad.parent.mkdir(parents=True)
    bad.write_text("from recorder.capture import x\nfrom recorder.sse._parser import y\nimport yaml\n")
    assert [fault.rpartition(": ")[2] for fault in faults(bad)] == [
        "the room plans may not import capture",
        "a room is imported through its door",
        "the room plans may not import this library",
    ]
