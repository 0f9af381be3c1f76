"""Beside pytest-asyncio, pytest-recording and pytest-vcr, in one run; collected only with RECORDER_COMPAT=1.

They are installed into a folder of their own, which is on the path for these runs alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.cassette._store import locked

TEST = """
import asyncio, app, pytest

@pytest.mark.sse_cassette("chat.yaml")
def test_ours():
    assert app.ask(read=lambda pieces: len(list(pieces))) > 5

@pytest.mark.vcr
def test_theirs():
    assert app.ask(read=lambda pieces: len(list(pieces))) == 1
"""
ASYNC = """
import httpx, pytest

@pytest.mark.asyncio
@pytest.mark.sse_cassette("chat.yaml", plan="chunks=bytes:1")
async def test_ours():
    async with httpx.AsyncClient() as client:
        body = {"model": "chat-lf", "stream": True,
                "messages": [{"role": "user", "content": "Say hello in five languages."}]}
        async with client.stream("POST", "https://loopback.invalid/v1/chat/completions", json=body) as response:
            assert {len(piece) async for piece in response.aiter_raw()} == {1}

@pytest.mark.asyncio
@pytest.mark.sse_cassette("chat.yaml")
@pytest.mark.sse_partitions("cuts")
async def test_cuts(sse_replay):
    assert len(b"".join([piece async for piece in sse_replay()])) == 2440
"""


def installed(*packages: str) -> Path:
    """A folder with these packages and nothing they need."""
    folder = Path(tempfile.gettempdir()) / f"sse-recorder-beside-{'-'.join(packages)}-{sys.version_info.minor}"
    folder.mkdir(exist_ok=True)
    with locked(folder / "lock"):
        if not any(folder.glob("*.dist-info")):
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), *packages]
            subprocess.run(command, check=True, env=os.environ | {"PIP_CONSTRAINT": ""})
    return folder


def outcomes(folder: Path, pytester: pytest.Pytester, *options: str) -> dict[str, int]:
    """Run the project with what is in `folder`."""
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *options]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=pytester.path, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    return pytest.RunResult(0, done.stdout.splitlines(), [], 0).parseoutcomes()


@pytest.mark.parametrize("package", ["pytest-recording", "pytest-vcr"])
def test_both_plugins_in_one_run(project: Callable[..., pytest.Pytester], package: str) -> None:
    theirs = "test_it/test_theirs.yaml" if package == "pytest-recording" else "test_theirs.yaml"
    made = project(TEST, cassettes={"chat.yaml": "chat-lf", theirs: "chat-lf"})
    assert outcomes(installed(package), made) == {"passed": 2}


def test_pytest_recordings_suite_gains_streaming_by_one_line(project: Callable[..., pytest.Pytester]) -> None:
    test = TEST.partition("@pytest.mark.vcr")[0].replace('sse_cassette("chat.yaml")', "vcr")
    made = project(test, "sse_adopt_vcr = true", {"test_it/test_ours.yaml": "chat-lf"})
    assert outcomes(installed("pytest-recording"), made) == {"passed": 1}


def test_pytest_asyncio(project: Callable[..., pytest.Pytester]) -> None:
    made = project(ASYNC, cassettes={"chat.yaml": "chat-lf"})
    assert outcomes(installed("pytest-asyncio"), made) == {"passed": 2}
