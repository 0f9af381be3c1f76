"""A run as code: what is written runs as it stands, and says the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import recorder
from recorder.notebook import event_streams, make_run

HELLO = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
BODY = HELLO + b"data: [DONE]\n\n"


def run_of(source: Any, plan: str, number: int = 1, **options: Any) -> Any:
    return make_run(event_streams(source)[number - 1], recorder.Plan.parse(plan), **options)


def perform(test: str) -> None:
    """Run the one test that `test` defines."""
    space: dict[str, Any] = {}
    exec(test, space)
    (found,) = [value for name, value in space.items() if name.startswith("test_")]
    found()


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ("", "accepted"),
        ("chunks=bytes:1; delay=recorded", "accepted"),
        ("end=eof@event:3", "missing_terminal"),
        ("end=reset@mid:event; edit=crlf", "stream_read_failed"),
        ("end=stall@event:3", "stream_timeout"),
        ("edit=insert@event:1:%22%3A%0A%0A", "accepted"),
    ],
)
def test_a_test_and_a_command(plan: str, code: str) -> None:
    """Both expect what was seen, timeouts included; the command says it in its exit status."""
    run = run_of("chat-lf", plan, timeout=30)
    assert f'("{code}", {run.verdict.events})' in run.test
    perform(run.test)
    with pytest.raises(AssertionError):
        perform(run.test.replace(f'"{code}"', '"another"'))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "-c", run.command]
    done = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if code == "accepted" else 1), done.stderr
    assert f": {code} after {run.verdict.events} events" in done.stdout


def test_the_second_stream_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is named by its place in the file, and as the command counts."""
    page = recorder.Interaction(recorder.Request("GET", "https://a.example/"), recorder.Response(200, {}, b"<p>"))
    first, second = map(recorder.Interaction.from_body, (b"data: 1\n\n", BODY))
    monkeypatch.chdir(tmp_path)
    recorder.save_cassette(recorder.Cassette((page, first, second)), "my 'own'.yaml")
    run = run_of("my 'own'.yaml", "chunks=bytes:1", 2)
    assert run.stream.python == "recorder.load_cassette(\"my 'own'.yaml\").interactions[2]"
    assert run.command.endswith("--contract chat --interaction 2")
    perform(run.test)


def test_a_reader_of_a_module_is_imported() -> None:
    """And asked whether it makes of this delivery what it makes of the whole."""
    from recorder.cli.naive_reader import read

    right = run_of("chat-lf", "chunks=whole", reader=read)
    assert "from recorder.cli.naive_reader import read" in right.test
    perform(right.test)
    with pytest.raises(UnicodeDecodeError):
        perform(run_of("chat-lf", "chunks=at:mid:codepoint", reader=read).test)


def test_what_cannot_be_named_is_left_to_fill_in() -> None:
    """Bytes, a contract with limits of its own, a function of the notebook."""
    run = run_of(BODY, "chunks=bytes:1", contract=recorder.contracts.chat_text(max_output=7), reader=lambda chunks: 1)
    assert "stream = ...  # the interaction or the bytes" in run.test
    assert "contract = ...  # the contract that explore() was given" in run.test
    assert "# put" in run.test
    assert run.command.startswith("# save the cassette to a file")
    compile(run.test, "test", "exec")


def test_an_async_reader_is_run() -> None:
    """With asyncio.run and the async replay."""

    async def count(chunks: Any) -> int:
        return sum([len(chunk) async for chunk in chunks])

    count.__qualname__ = "count"
    test = run_of("chat-lf", "chunks=bytes:1", reader=count).test
    assert test.startswith("import asyncio\n\nimport recorder\n")
    assert 'asyncio.run(count(recorder.areplay(stream, "chunks=bytes:1"))) == expected' in test
