"""The README is a promise that is executed: every block runs here, but the two that set up and test: CI runs those."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recorder.contracts import dialect_table, explanation_table

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)
SHELL = [code for language, code in BLOCKS if language == "sh"]
PYTHON = [code for language, code in BLOCKS if language == "python"]
SET_UP, TEST = SHELL[:2]


def test_the_two_commands_are_the_ones_that_ci_runs() -> None:
    """The first sets up and runs the main job, the second runs the tests; .ci/run takes both from here."""
    assert SET_UP == "python -m venv .venv && . .venv/bin/activate && pip install -e . && recorder demo\n"
    assert TEST == "pip install -e '.[test]' && pytest -n auto\n"
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'eval "$(readme 1)"' in script
    assert 'eval "$(readme 2)"' in script


@pytest.mark.parametrize("code", SHELL[2:], ids=[code.splitlines()[0] for code in SHELL[2:]])
def test_a_shell_block_runs(code: str, tmp_path: Path) -> None:
    """With the command of this installation first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("code", PYTHON, ids=[f"block {number}" for number in range(1, len(PYTHON) + 1)])
def test_a_python_block_runs(code: str, tmp_path: Path) -> None:
    """In a fresh interpreter and an empty folder; a block that defines tests is run by pytest."""
    (tmp_path / "test_block.py").write_text(code)
    command = ["-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "test_block.py"]
    is_test = "def test_" in code and "\ntest_" not in code
    done = subprocess.run(
        [sys.executable, "-W", "error", *(command if is_test else ["test_block.py"])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_called_by_its_full_name_is_found_under_it() -> None:
    """By `import recorder` alone, whatever was used before."""
    names = sorted(set(re.findall(r"\b(recorder\.\w+\.\w+)\(", README)))
    assert "recorder.inspect.diff" in names
    for name in names:
        subprocess.run([sys.executable, "-c", f"import recorder; {name}"], check=True)


def test_the_fault_codes_are_the_ones_of_the_code() -> None:
    """The table in the README is the table of explanations."""
    assert explanation_table() in README


def test_the_dialects_are_the_ones_of_the_code() -> None:
    """The table in the README is made from the contracts."""
    assert dialect_table() in README


def test_the_map_names_every_room() -> None:
    """Each folder and module of the package has a row."""
    rooms = {path.name for path in (ROOT / "recorder").iterdir() if path.is_dir() and not path.name.startswith("_")}
    for room in sorted(rooms | {"tape.py"}):
        assert f"`recorder/{room}" in README, room


def test_the_demo_in_the_readme_is_what_the_demo_prints() -> None:
    """All but the seconds of the recording."""
    shown = re.search(r"```text\n(.*?)```", README, re.S)
    assert shown is not None
    environment = os.environ | {"COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "recorder", "demo"], env=environment, capture_output=True, text=True, check=True
    )
    assert _timeless(done.stdout) == _timeless(shown.group(1))


def _timeless(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "N s", "\n".join(line.rstrip() for line in text.strip().splitlines()))
