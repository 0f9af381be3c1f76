"""`import recorder` is light, and its names are where they say they are."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import recorder

HEAVY = ("vcr", "yaml", "ipywidgets", "httpx", "httpx2", "h11", "anywidget", "rich", "typer", "msgspec", "asyncio")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\nbefore = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before), sep='\\n')"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Not one of the libraries that the rooms use."""
    loaded = loaded_by("import recorder")
    assert "recorder" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_parser_needs_the_standard_library_alone() -> None:
    """Bytes to events without any third party."""
    loaded = loaded_by("import recorder; recorder.EventStreamParser")
    assert "recorder.sse" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_every_public_name_is_there() -> None:
    """Each loads, and dir() lists it."""
    assert "inspect" not in recorder.__all__, "`from recorder import *` must not take the name of Python's own"
    for name in (*recorder.__all__, *recorder._OPEN):
        assert getattr(recorder, name) is not None
        assert name in dir(recorder)


def test_a_name_that_is_not_there() -> None:
    """Is an AttributeError with that name."""
    with pytest.raises(AttributeError, match="module 'recorder' has no attribute 'nonsense'"):
        recorder.nonsense  # noqa: B018


def test_type_checkers_see_the_same_names_as_the_interpreter() -> None:
    """The imports under TYPE_CHECKING and the table of rooms agree, room by room."""
    tree = ast.parse(Path(recorder.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        (str(node.module).removeprefix("recorder").removeprefix("."), alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == {(room, name) for room, names in recorder._ROOMS.items() for name in names} | {
        ("", room) for room in recorder._OPEN
    }


def test_the_gallery_is_found_and_loads() -> None:
    """By name, and each file is a cassette of one event stream."""
    shipped = recorder.gallery()
    assert {"chat-lf", "chat-crlf"} <= set(shipped)
    for path in shipped.values():
        assert recorder.load_cassette(path).interactions
