"""Showing a cassette: facts without content, content only on request, and nothing that steers a terminal."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from rich.console import Console

from recorder.cassette import Cassette, Chunk, EndKind, Headers, Interaction, Recording, Request, Response, StreamEnd
from recorder.inspect import describe, safe, safe_bytes, show, show_json

HOSTILE = "PLANTED \x1b]0;title\x07 \u202e\x7f [bold]markup[/bold]"
BODY = f"event: [red]x\x1b[0m\ndata: {HOSTILE}\n\ndata: 2\r\n\r\n".encode()


def cassette() -> Cassette:
    request = Request("POST", "https://api.example.com/[b]\x1b[31m", body=b"PLANTED")
    response = Response(
        200,
        Headers({"content-type": "text/event-stream"}),
        BODY,
        chunks=(Chunk(0.0, 10), Chunk(1.5, len(BODY) - 10)),
        end=StreamEnd(EndKind.EOF, 0.003),
        reason="OK",
        recording=Recording(
            head_s=0.212,
            wire={"http": "1.1"},
            imported={"format": "raw"},
            recorded="2026-05-04T12:00:00Z",
            outcome={"contract": "chat", "code": "missing_terminal"},
        ),
    )
    return Cassette((Interaction(request, response),))


def printed(renderable: Any, width: int = 200) -> str:
    console = Console(width=width, force_terminal=False, soft_wrap=True)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def test_facts_hold_no_content() -> None:
    """Shapes, counts, heads and times."""
    assert describe(cassette()) == [
        {
            "method": "POST",
            "uri": "https://api.example.com/[b]\x1b[31m",
            "request_headers": {},
            "request_bytes": 7,
            "status": 200,
            "reason": "OK",
            "content_type": "text/event-stream",
            "headers": {"content-type": ["text/event-stream"]},
            "head_seconds": 0.212,
            "bytes": len(BODY),
            "events": 2,
            "dialect": None,
            "chunks": 2,
            "seconds": 1.5,
            "end": "eof",
            "end_after_seconds": 0.003,
            "terminal_seen": None,
            "recorded": "2026-05-04T12:00:00Z",
            "client": {},
            "tool": None,
            "wire": {"http": "1.1"},
            "outcome": {"contract": "chat", "code": "missing_terminal"},
            "imported": {"format": "raw"},
            "extra": {},
        }
    ]
    assert json.loads(show_json(cassette())) == describe(cassette())
    assert "PLANTED" not in show_json(cassette())


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("chunk_bytes", [False, True])
def test_nothing_steers_the_terminal(events: bool, chunk_bytes: bool) -> None:
    """No control character, no reordering, no markup is obeyed."""
    text = printed(show(cassette(), events=events, chunk_bytes=chunk_bytes))
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "https://api.example.com/[b]\\x1b[31m" in text
    assert ("PLANTED" in text) == (events or chunk_bytes)
    assert ("[bold]markup[/bold]" in text) == (events or chunk_bytes)
    told = show_json(cassette(), events=events, chunk_bytes=chunk_bytes)
    assert all(char == "\n" or " " <= char <= "~" for char in told)


def test_everything_there_is_to_say() -> None:
    """A line for each: request, head, timeline, end, and what the recording says of itself."""
    assert [line.rstrip() for line in printed(show(cassette())).splitlines()] == [
        "1  POST https://api.example.com/[b]\\x1b[31m  7 bytes",
        "   200 OK  after 212 ms  http 1.1",
        "     content-type: text/event-stream",
        f"   {len(BODY)} bytes  2 events  2 chunks in 1.500 s  dialect unknown",
        "   ▂" + " " * 58 + "█ 1.50 s",
        "   end eof after 3 ms",
        "   contract chat  code missing_terminal",
        "   imported  format raw",
        "   recorded 2026-05-04T12:00:00Z",
    ]


def test_events_have_their_place_and_time() -> None:
    """Number, second of its last byte, the byte at which it starts, type; however wide the console is."""
    lines = printed(show(cassette(), events=True), width=40).splitlines()
    assert [line.split()[:4] for line in lines[-2:]] == [
        ["1", "1.500", "0", "[red]x\\x1b[0m"],
        ["2", "1.500", str(len(BODY) - 11), "message"],
    ]
    (facts,) = describe(cassette(), events=True)
    assert facts["event_list"] == [
        {"type": "[red]x\x1b[0m", "data": HOSTILE, "offset": 0, "at_seconds": 1.5},
        {"type": "message", "data": "2", "offset": len(BODY) - 11, "at_seconds": 1.5},
    ]


def test_bytes_are_shown_chunk_by_chunk() -> None:
    """Escaped so that each byte can be told; exact in JSON."""
    lines = printed(show(cassette(), chunk_bytes=True)).splitlines()
    assert lines[-4].strip() == "request  PLANTED"
    assert lines[-2].split() == ["1", "0.000", "0", "10", "event:", "[re"]
    assert lines[-1].endswith("[bold]markup[/bold]\\n\\ndata: 2\\r\\n\\r\\n")
    (facts,) = describe(cassette(), chunk_bytes=True)
    assert base64.b64decode(facts["request_base64"]) == b"PLANTED"
    assert [(each["offset"], each["size"], each["at_seconds"]) for each in facts["chunk_list"]] == [
        (0, 10, 0.0),
        (10, len(BODY) - 10, 1.5),
    ]
    assert b"".join(base64.b64decode(each["base64"]) for each in facts["chunk_list"]) == BODY


def test_without_chunks_the_lines_are_shown() -> None:
    """A foreign cassette: no times."""
    foreign = Cassette((Interaction.from_body(b"data: 1\n\ndata: \xff"),))
    lines = printed(show(foreign, events=True, chunk_bytes=True)).splitlines()
    assert [line.split() for line in lines[-5:]] == [
        ["1", "0", "message", "1"],
        ["line", "at", "s", "at", "byte", "size", "bytes"],
        ["1", "0", "8", "data:", "1\\n"],
        ["2", "8", "1", "\\n"],
        ["3", "9", "7", "data:", "\\xff"],
    ]


def test_what_is_no_event_stream_has_no_events() -> None:
    """A page that holds `data:` lines is a page."""
    response = Response(200, Headers({"content-type": "text/html"}), b"<p>\ndata: 1\n\n")
    page = Cassette((Interaction(Request("GET", "https://a.invalid/"), response),))
    assert describe(page, events=True)[0]["event_list"] == []
    text = printed(show(page, events=True))
    assert "0 events" in text
    assert text.endswith("not an event stream: --bytes shows the body\n")


def test_several_interactions_stand_apart() -> None:
    """Numbered, with a blank line between."""
    lines = printed(show(Cassette(cassette().interactions * 2))).splitlines()
    assert [line[0] for line in lines if line[:1].strip()] == ["1", "2"]
    assert lines[len(lines) // 2] == ""


def test_what_is_not_known_is_said() -> None:
    """A foreign cassette has no chunks and no end."""
    text = printed(show(Cassette((Interaction.from_body(b""),))))
    assert "0 events  chunks unknown  dialect unknown\n   end unknown\n" in text
    assert printed(show(Cassette(()))) == "an empty cassette: no interactions\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 你好 é", "plain 你好 é"),
        ("\x1b[2J\x9b31m", "\\x1b[2J\\x9b31m"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("a\u200db\ufeff\u2028\x7f\t\r\n", "a\\u200db\\ufeff\\u2028\\x7f\\t\\r\\n"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\U000e0041"),  # an invisible tag character
    ],
)
def test_what_is_escaped(text: str, shown: str) -> None:
    """Everything that is not printable."""
    assert safe(text) == shown


def test_bytes_can_be_told() -> None:
    """A backslash in the stream is not taken for one of ours."""
    assert safe_bytes(b"\\n \n \xe4\xbd\xa0 \xe4\xbd \xff \x1b") == r"\\n \n 你 \xe4\xbd \xff \x1b"
