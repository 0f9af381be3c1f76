"""The example projects, run as their users run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", [each.name for each in EXAMPLES.iterdir() if (each / "pyproject.toml").is_file()])
def test_an_example(name: str) -> None:
    """`pytest` in its folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--sse-unused"]
    done = subprocess.run(command, cwd=EXAMPLES / name, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 unused files" in done.stdout
