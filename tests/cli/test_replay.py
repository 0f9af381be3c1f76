"""The command `replay`: what it says of a delivery, for people and for machines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import recorder
from recorder.cli._app import app

NAIVE = "recorder.cli.naive_reader:read"
BODY = recorder.load_cassette(recorder.gallery()["chat-lf"]).interactions[0].response.body


def replay(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["replay", "chat-lf", *arguments])


def told(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = replay(*arguments, "--json")
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("chunks=whole", BODY),
        ("chunks=bytes:100; delay=fixed:3600s", BODY),
        ("chunks=hostile; end=eof@300", BODY[:300]),
        ("edit=bom,crlf; end=eof@25", b"\xef\xbb\xbf: loopback heartbeat\r\n"),
    ],
)
def test_the_bytes_go_to_standard_output(plan: str, expected: bytes) -> None:
    """Edited and cut as the plan says, in no time."""
    done = replay("--plan", plan)
    assert (done.exit_code, done.stdout_bytes) == (0, expected)


@pytest.mark.parametrize(
    ("plan", "more", "said"),
    [
        ("end=reset@20", [], "the plan resets the connection here"),
        ("end=incomplete@20", [], "the plan closes the connection here, inside the HTTP framing"),
        ("end=stall@20", [], "the plan stalls here for ever, and this reader has no timeout"),
        ("end=stall@20", ["--timeout", "2.5"], "nothing came for 2.5 s, the reader's timeout"),
    ],
)
def test_a_broken_end_is_said(plan: str, more: list[str], said: str) -> None:
    """After the bytes that came before it; exit 1."""
    done = replay("--plan", plan, *more)
    assert (done.exit_code, done.stdout_bytes) == (1, BODY[:20])
    assert said in done.stderr


@pytest.mark.parametrize(
    ("plan", "more", "first", "second"),
    [
        ("", [], "chat_text/openai: accepted after 12 events, 2440 bytes", "The stream was complete by its contract."),
        ("end=eof@terminal", [], "missing_terminal after 11 events", "The stream ended without its terminal event"),
        ("edit=flip@event:1; end=eof@event:3", [], "missing_terminal after 3 events", "The stream ended without"),
        ("end=stall@100", ["--timeout", "5"], "stream_timeout after 0 events, 100 bytes", "The stream stalled"),
        ("end=reset@100", [], "stream_read_failed after 0 events, 100 bytes", "Reading the body failed"),
    ],
)
def test_a_contract_gives_its_verdict_and_what_it_means(plan: str, more: list[str], first: str, second: str) -> None:
    """The code and the counts, then the explanation."""
    done = replay("--plan", plan, "--contract", "chat_text", *more)
    lines = done.stdout.splitlines()
    assert first in lines[0]
    assert second in lines[1]
    assert done.exit_code == (0 if "accepted" in first else 1)


def test_a_verdict_as_json() -> None:
    """The same without having to read it, and without any content."""
    status, found = told("--plan", "end=eof@event:3", "--contract", "chat_text")
    assert status == 1
    assert found.pop("explanation").startswith("The stream ended without its terminal event")
    assert found == {
        "plan": "end=eof@event:3",
        "contract": "chat_text/openai",
        "ok": False,
        "code": "missing_terminal",
        "events": 3,
        "bytes_read": 674,
        "at_event": None,
        "offset": 674,
    }
    status, found = told("--contract", "chat")
    assert (status, found["ok"], found["code"], found["at_event"]) == (0, True, "accepted", None)


def test_steps_as_json() -> None:
    """Without a contract or a reader: what would be delivered, as sizes, seconds and the end."""
    status, found = told("--plan", "chunks=at:28; delay=ttft:200ms; end=stall@head:1s")
    assert (status, found) == (
        0,
        {
            "plan": "chunks=at:28; delay=ttft:200ms; end=stall@head:1s",
            "steps": [
                {"wait_s": 1.0, "before_head": True},
                {"wait_s": 0.2},
                {"deliver": 28},
                {"deliver": 2412},
                {"end": "complete"},
            ],
        },
    )
    assert told("--plan", "end=reset@head")[1]["steps"] == [{"end": "reset", "before_head": True}]
    assert told("--plan", "end=stall@0")[1]["steps"] == [{"wait_s": None}]


def test_a_reader_is_compared_with_itself_on_the_whole() -> None:
    """Another result is exit 1."""
    done = replay("--plan", "chunks=at:28", "--reader", NAIVE)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"reader {NAIVE} under: chunks=at:28",
        "  whole body: reported success",
        "  this plan:  raised JSONDecodeError; another result",
    ]
    assert replay("--reader", NAIVE).stdout.startswith(f"reader {NAIVE} under: no plan, as recorded\n")
    status, found = told("--plan", "chunks=at:28", "--reader", NAIVE)
    assert (status, found) == (
        1,
        {
            "plan": "chunks=at:28",
            "reader": NAIVE,
            "async": False,
            "same": False,
            "whole": {"ok": True, "raised": None, "code": None, "explanation": None},
            "this_plan": {"ok": False, "raised": "JSONDecodeError", "code": None, "explanation": None},
        },
    )


READERS = """
import asyncio
import recorder

def judge(chunks):
    return recorder.read(chunks, recorder.contracts.chat_text())

async def ajudge(chunks):
    return await recorder.aread(chunks, recorder.contracts.chat_text())

async def aevents(chunks):
    async for event in recorder.aiter_events(chunks):
        yield event

def strict(chunks):
    verdict = judge(chunks)
    if not verdict.ok:
        verdict.raise_for_rejection()
    return verdict.text
"""


def test_a_reader_may_be_an_asynchronous_generator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it yields is its result, as in a sweep."""
    (tmp_path / "readers_aevents.py").write_text(READERS)
    monkeypatch.chdir(tmp_path)
    status, found = told("--plan", "chunks=bytes:9", "--reader", "readers_aevents:aevents")
    assert (status, found["same"], found["this_plan"]["ok"]) == (0, True, True)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        ("judge", "rejected (missing_terminal); another result"),
        ("ajudge", "rejected (missing_terminal); another result"),
        ("strict", "raised RejectedStream (missing_terminal); another result"),
    ],
)
def test_a_reader_s_rejection_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, said: str
) -> None:
    """A code of ours, returned or raised, has its explanation; an async reader is run too."""
    name = f"readers_{reader}"
    (tmp_path / f"{name}.py").write_text(READERS)
    monkeypatch.chdir(tmp_path)
    done = replay("--plan", "end=eof@event:3", "--reader", f"{name}:{reader}")
    lines = done.stdout.splitlines()
    assert done.exit_code == 1
    assert lines[2] == f"  this plan:  {said}"
    assert lines[3].startswith("  missing_terminal: The stream ended without its terminal event")
    status, found = told("--plan", "chunks=bytes:9; delay=fixed:1ms", "--pace", "--reader", f"{name}:{reader}")
    assert (status, found["same"], found["async"]) == (0, True, reader == "ajudge")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plan", "end=eof@event:99", "--reader", NAIVE], "it has 12 events"),
        (["--plan", "end=eof@event:99", "--contract", "chat"], "it has 12 events"),
        (["--plan", "end=eof@event:99", "--json"], "it has 12 events"),
        (["--contract", "chat", "--reader", NAIVE], "--contract and --reader: give one of them"),
    ],
)
def test_a_mistake_is_an_error_of_the_command(arguments: list[str], said: str) -> None:
    """Not a failure of the reader, nor a verdict."""
    done = replay(*arguments)
    assert said in str(done.exception)
    assert done.stdout == ""


def test_a_pipe_that_closes_is_no_traceback() -> None:
    """As with `head`."""
    command = [
        sys.executable,
        "-m",
        "recorder",
        "replay",
        "chat-lf",
        "--plan",
        "chunks=bytes:1; delay=fixed:1ms",
        "--pace",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10) == BODY[:10]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141
