"""The notebooks: each runs from top to bottom under nbmake, and is kept with outputs that anybody may read."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PRIVATE = re.compile(
    r"/tmp|/home|/root|/Users|/var/folders|[A-Z]:\\\\|site-packages"
    r"|sk-[0-9a-z]{8}|sk-loopback|127\.0\.0\.1:\d|Bearer (?!\{)"
)


def code_cells(path: Path) -> list[Any]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_six() -> None:
    """Numbered in the order to read them."""
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]


def test_they_run(missing: Any) -> None:
    """Each in a kernel of its own; a cell that fails fails the test. One run for all, as starting takes the time."""
    if importlib.util.find_spec("nbmake") is None:
        missing("nbmake")
    plugins = [word for name in ("randomly", "cacheprovider", "xdist", "recorder") for word in ("-p", f"no:{name}")]
    options = ["-q", "--nbmake", "--nbmake-timeout=120", *plugins, "--override-ini", "filterwarnings="]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *map(str, NOTEBOOKS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "6 passed" in done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_its_outputs(path: Path) -> None:
    """All of them, in order, without an error, small, with nothing private; HTML in it is inert and needs no widget."""
    assert path.stat().st_size < 200_000
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs
    assert {output["output_type"] for output in outputs} <= {"stream", "execute_result", "display_data"}
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    shown = json.dumps(outputs)
    assert PRIVATE.findall(shown) == []
    assert "<script" not in shown
    assert "widget-view" not in shown


def test_what_is_private_is_noticed() -> None:
    """The pattern itself can fail."""
    for text in ("/tmp/x", "C:\\\\x", "sk-0123456789", "127.0.0.1:8888", "Bearer abc"):
        assert PRIVATE.search(text), text
