"""Real readers in Node through the replay server: fetch with eventsource-parser, and the openai package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recorder.adapters.server import ReplayServer, serve
from recorder.cassette import gallery, load_cassette

Read = Callable[..., list[dict[str, Any]]]
FIRST_THREE = "Ελληνικά, Русский, עברית. नमस्ते, ไทย, 한국어. "


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with serve(gallery()["chat-multilingual"], match_on=["path"], repeat=True, exact=True) as server:
        yield server


def size(name: str) -> int:
    return len(load_cassette(gallery()[name]).interactions[-1].response.body)


def test_every_cut_gives_fetch_the_same(read: Read, server: ReplayServer) -> None:
    """Each of the 2,154 deliveries, in one Node process; but for the two that cut nothing they really came in two."""
    cuts = range(size("chat-multilingual") + 1)
    readings = read([f"{server.url}/~chunks=at:{cut}" for cut in cuts], "fetch", "--counts")
    assert len(readings) == 2154
    chunks = [reading.pop("chunks") for reading in readings]
    text = readings[0]["text"]
    assert text.startswith(FIRST_THREE)
    assert readings == [{"text": text, "finish": "stop", "events": 9, "done": True, "error": None}] * 2154
    assert (chunks[0], chunks[-1], set(chunks)) == (1, 1, {1, 2})
    if sys.platform == "linux":
        assert chunks.count(2) > 2100  # all 2,152, unless Node itself puts two together


def test_a_reader_that_decodes_each_chunk_by_itself_is_caught(read: Read, server: ReplayServer) -> None:
    """At every cut inside a code point, and nowhere else."""
    body = load_cassette(gallery()["chat-multilingual"]).interactions[0].response.body
    inside = [cut for cut in range(len(body)) if body[cut] & 0xC0 == 0x80]
    outside = [cut for cut in range(0, len(body), 7) if body[cut] & 0xC0 != 0x80]
    cuts = inside + outside
    readings = read([f"{server.url}/~chunks=at:{cut}" for cut in cuts], "fetch", "--broken")
    right = read([f"{server.url}"], "fetch")[0]["text"]
    assert [reading["text"] == right for reading in readings] == [False] * len(inside) + [True] * len(outside)
    assert len(inside) > 100


def test_every_cut_gives_the_openai_package_the_same(read: Read) -> None:
    """Each of the 1,144 deliveries of the stream with usage, in one Node process."""
    with serve(gallery()["chat-usage"], match_on=["path"], repeat=True, exact=True) as server:
        readings = read([f"{server.url}/~chunks=at:{cut}" for cut in range(size("chat-usage") + 1)], "openai")
    assert len(readings) == 1144
    assert readings == [readings[0]] * 1144
    assert (readings[0]["finish"], readings[0]["error"]) == ("stop", None)


INCOMPLETE, RESET, TIMEOUT = "SocketError UND_ERR_SOCKET", "Error ECONNRESET", "TimeoutError 23"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "fetch",
            {
                "end=eof@event:3": "no terminal event",
                "end=incomplete@event:3": f"TypeError < {INCOMPLETE}",
                "end=incomplete@event:3;framing=length": f"TypeError < {INCOMPLETE}",
                "end=reset@event:3": f"TypeError < {RESET}",
                "end=stall@event:3": TIMEOUT,
                "end=eof@head": f"TypeError < {INCOMPLETE}",
                "end=reset@head": f"TypeError < {RESET}",
                "end=stall@head": TIMEOUT,
            },
        ),
        (
            "openai",
            {
                "end=eof@event:3": "no terminal event",
                "end=incomplete@event:3": f"TypeError < {INCOMPLETE}",
                "end=incomplete@event:3;framing=length": f"TypeError < {INCOMPLETE}",
                "end=reset@event:3": f"TypeError < {RESET}",
                "end=stall@event:3": TIMEOUT,
                "end=eof@head": f"Error < TypeError < {INCOMPLETE}",
                "end=reset@head": f"Error < TypeError < {RESET}",
                "end=stall@head": f"Error < {TIMEOUT}",
            },
        ),
    ],
)
def test_the_ends_are_told_apart(read: Read, server: ReplayServer, kind: str, expected: dict[str, Any]) -> None:
    """The same three events each time, and then the error that this end has in Node; none has a finish."""
    readings = read([f"{server.url}/~{plan}" for plan in expected], kind, "--counts", timeout_ms=3000)
    assert [reading["error"] for reading in readings] == list(expected.values())
    seen = [("", 0) if "head" in plan else (FIRST_THREE, 3) for plan in expected]
    assert [(reading["text"], reading["events"]) for reading in readings] == seen
    assert {reading["finish"] for reading in readings} == {None}
    assert [entry.end for entry in server.wait_quiet(count=8)] == [
        *("eof", "incomplete", "incomplete", "reset", "stall", "eof", "reset", "stall")
    ]


def test_one_reading_a_process(read: Read, server: ReplayServer) -> None:
    """With the address as the argument."""
    (reading,) = read([], "fetch", "--counts", f"{server.url}/~chunks=events")
    assert (reading["events"], reading["finish"], reading["error"]) == (9, "stop", None)
