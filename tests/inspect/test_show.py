"""Showing a cassette: facts without content, content only on request, and nothing that steers a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from recorder.cassette import Cassette, Chunk, EndKind, Headers, Interaction, Recording, Request, Response, StreamEnd
from recorder.inspect import describe, show, show_json

HOSTILE = "PLANTED \x1b]0;title\x07 \u202e [bold]markup[/bold]"
BODY = f"event: [red]x\x1b[0m\ndata: {HOSTILE}\n\ndata: 2\r\n\r\n".encode()


def cassette() -> Cassette:
    request = Request("POST", "https://api.example.com/[b]\x1b[31m", body=b"PLANTED")
    response = Response(
        200,
        Headers({"content-type": "text/event-stream"}),
        BODY,
        chunks=(Chunk(0.0, 10), Chunk(1.5, len(BODY) - 10)),
        end=StreamEnd(EndKind.EOF, 0.0),
        reason="OK",
        recording=Recording(recorded="2026-05-04T12:00:00Z", outcome={"contract": "chat", "code": "missing_terminal"}),
    )
    return Cassette((Interaction(request, response),))


def printed(renderable: Any) -> str:
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def test_facts_hold_no_content() -> None:
    """Shapes, counts and times."""
    assert describe(cassette()) == [
        {
            "method": "POST",
            "uri": "https://api.example.com/[b]\x1b[31m",
            "request_bytes": 7,
            "status": 200,
            "content_type": "text/event-stream",
            "bytes": len(BODY),
            "events": 2,
            "dialect": None,
            "chunks": 2,
            "seconds": 1.5,
            "end": "eof",
            "recorded": "2026-05-04T12:00:00Z",
            "outcome": {"contract": "chat", "code": "missing_terminal"},
        }
    ]
    assert json.loads(show_json(cassette())) == describe(cassette())


@pytest.mark.parametrize("events", [False, True])
def test_nothing_steers_the_terminal(events: bool) -> None:
    """No control character, no reordering, no markup is obeyed."""
    text = printed(show(cassette(), events=events))
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "https://api.example.com/[b]\\x1b[31m" in text
    assert ("PLANTED" in text) == events
    assert ("[bold]markup[/bold]" in text) == events


def test_events_have_their_place() -> None:
    """Number, type, and the byte at which each starts."""
    lines = printed(show(cassette(), events=True)).splitlines()
    assert [line.split()[:3] for line in lines[-2:]] == [
        ["1", "[red]x\\x1b[0m", "0"],
        ["2", "message", str(len(BODY) - 11)],
    ]


def test_what_is_not_known_is_said() -> None:
    """A foreign cassette has no chunks and no end."""
    text = printed(show(Cassette((Interaction.from_body(b""),))))
    assert "0 events  chunks unknown  dialect ?  end ?" in text
    assert printed(show(Cassette(()))) == "an empty cassette: no interactions\n"
