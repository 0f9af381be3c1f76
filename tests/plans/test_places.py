"""Places: what each POS means in bodies of every shape, and what is said where a body lacks it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorder.cassette import Interaction
from recorder.contracts import chat, generation
from recorder.errors import PlanError
from recorder.plans import Deliver, End, Ending, Plan, event_ends, steps

Pieces = Callable[[str, bytes], list[bytes]]

#       0         1          2
#       012345678 9 0123456789 0123456 7 8 9
BODY = b"data: 1\n\n: hi\n\ndata: 2\r\n\r\n"
assert len(BODY) == 26


def place(text: str, body: bytes) -> int:
    """The offset, seen from outside: how much comes before an end at that place."""
    made = steps(Plan(chunks="whole", end=f"eof@{text}"), Interaction.from_body(body))
    return sum(len(step.data) for step in made if isinstance(step, Deliver))


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("0", 0), ("1", 1), ("26", 26), ("byte:7", 7), ("007", 7),
        ("-0", 26), ("-1", 25), ("-26", 0), ("byte:-3", 23),
        ("event:0", 0), ("event:1", 9), ("event:2", 26), ("event:-0", 26), ("event:-1", 9), ("event:-2", 0),
        ("line:0", 0), ("line:1", 8), ("line:2", 9), ("line:3", 14), ("line:4", 15), ("line:5", 24), ("line:6", 26),
        ("line:-1", 24), ("line:-6", 0),
        ("start", 0), ("end", 26),
        ("mid:crlf", 23), ("mid:event", 20),
    ],
)  # fmt: skip
def test_places(text: str, offset: int) -> None:
    """Counted from the start or from the end, or named. The middle event of two is the second: 15 to 26, half is 20."""
    assert place(text, BODY) == offset


@pytest.mark.parametrize(
    ("body", "text", "offset"),
    [
        # a comment-only block is no event, one with only an id neither; comment lines in a block belong to it
        (b": c\n\nid: 1\n\n: x\ndata\n\ndata: 2\n\n", "event:1", 22),
        (b"data: 1\r\rdata: 2\r\r", "event:1", 9),
        (b"data: 1\n\n\n\ndata: 2\n\n", "event:1", 9),
        # what no blank line has ended is no event; a line needs no terminator
        (b"data: 1\n\ndata: 2\n", "event:1", 9),
        (b"data: 1\n\ndata: 2", "line:3", 16),
        (b"data: 1\n\ndata: 2", "line:-1", 9),
        # `dataset` is another field, ` data` too
        (b"dataset: 1\n\n data: 1\n\ndata: 3\n\n", "event:1", 31),
        # a byte order mark is skipped once
        (b"\xef\xbb\xbfdata: 1\n\ndata: 2\n\n", "event:1", 12),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\ndata: 2\n\n", "event:1", 24),
        # code points: of two, three and four bytes; a byte order mark and broken ones are none
        ("data: é\n\n".encode(), "mid:codepoint", 7),
        ("data: 你é\n\n".encode(), "mid:codepoint", 7),
        ("data: 😀\n\n".encode(), "mid:codepoint", 7),
        ("\ufeffdata: é\n\n".encode(), "mid:codepoint", 10),
        (b"data: \xe4\xbd \xff \xc0\x80 \xed\xa0\x80 \xc3\xa9\n\n", "mid:codepoint", 19),
        (b"data: 1\r\rdata: 2\n\r\n", "mid:crlf", 18),
        # three events: the second; one: itself; half is rounded down, comment lines count
        (b"data: 1\n\ndata: 22\n\ndata: 3\n\n", "mid:event", 14),
        (b": no\n\n: c\ndata: 1\n\n", "mid:event", 12),
        (b"\xef\xbb\xbfdata: 1\n\n", "mid:event", 7),
    ],
)
def test_places_in_bodies_of_every_shape(body: bytes, text: str, offset: int) -> None:
    """As the standard reads them."""
    assert place(text, body) == offset


CHAT = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'


STATES = b'data: {"state":"running"}\n\ndata: {"state":"succeeded"}\n\n'


@pytest.mark.parametrize("comment", [b"", b": hi\n\n"])
@pytest.mark.parametrize("inside", [b"", b": c\n"])
@pytest.mark.parametrize("tail", [b"", b": bye\n\n", b"data: more\n\n"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_terminal_is_just_before_the_terminal_event(
    comment: bytes, inside: bytes, tail: bytes, line_end: bytes
) -> None:
    """Before the first line of its block, behind any heartbeat; what comes after it does not matter."""
    before = CHAT + comment
    body = (before + inside + b"data: [DONE]\n\n" + tail).replace(b"\n", line_end)
    assert place("terminal", body) == len(before.replace(b"\n", line_end))


def test_a_contract_says_what_is_terminal(stream: Callable[..., Interaction]) -> None:
    """The finish is, for the contract that takes it as the end; where none is detected a contract can be given."""
    plan = Plan.parse("end=eof@terminal")
    unmarked = stream(CHAT + b": bye\n\n")
    with pytest.raises(PlanError):
        steps(plan, unmarked)
    assert next(steps(plan, unmarked, contract=chat("finish"))) == End(Ending.EOF)
    unknown = stream(b'data: {"x":1}\n\ndata: [DONE]\n\n')
    with pytest.raises(PlanError):
        steps(plan, unknown)
    assert next(steps(plan, stream(STATES), contract=generation())) == Deliver(STATES[:-29])


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("chunks=at:27", "chunks=at:27: '27' is not a place in this body: it has 26 bytes"),
        ("chunks=at:3,-27", "chunks=at:3,-27: '-27' is not a place in this body: it has 26 bytes"),
        ("end=eof@event:3", "end=eof@event:3: 'event:3' is not a place in this body: it has 2 events"),
        ("end=eof@event:-3", "end=eof@event:-3: 'event:-3' is not a place in this body: it has 2 events"),
        ("end=stall@line:7:1s", "end=stall@line:7:1s: 'line:7' is not a place in this body: it has 6 lines"),
        (
            "end=eof@terminal",
            "end=eof@terminal: 'terminal' is not a place in this body: it has no terminal event that is recognised",
        ),
        (
            "edit=lf; chunks=at:mid:crlf",
            "chunks=at:mid:crlf: 'mid:crlf' is not a place in this body: it has no CR LF",
        ),
        (
            "edit=flip@mid:codepoint",
            "edit=flip@mid:codepoint: 'mid:codepoint' is not a place in this body: "
            "it has no code point of several bytes",
        ),
        (
            "edit=drop@event:1,drop@event:1; end=reset@mid:event",
            "end=reset@mid:event: 'mid:event' is not a place in this body: it has no events",
        ),
        (
            "edit=drop@event:1; end=reset@event:2",
            "end=reset@event:2: 'event:2' is not a place in this body: it has 1 event",
        ),
        ("edit=flip@end", "edit=flip@end: 'end' is not a place in this body: it has no byte after it"),
        ("edit=drop@event:3", "edit=drop@event:3: 'event:3' is not an event of this body: it has 2 events"),
        ("edit=lf,dup@event:-3", "edit=dup@event:-3: 'event:-3' is not an event of this body: it has 2 events"),
        (
            "chunks=recorded",
            "chunks=recorded: no chunks were recorded for this body; use whole, bytes:N, events or another",
        ),
        (
            "delay=recorded",
            "delay=recorded: no times were recorded for this body; use fixed:20ms, another or none",
        ),
        (
            "delay=ttft:1s+recorded*2",
            "delay=ttft:1s+recorded*2: no times were recorded for this body; use fixed:20ms, another or none",
        ),
        (
            "end=recorded",
            "end=recorded: no end was recorded for this body; use complete, eof, incomplete, reset or stall",
        ),
    ],
)
def test_what_the_body_does_not_have(plan: str, message: str) -> None:
    """Is said at once, before the first step, with the term that asks for it."""
    with pytest.raises(PlanError) as caught:
        steps(Plan.parse(plan), Interaction.from_body(BODY))
    assert str(caught.value) == message


def test_an_empty_body_has_its_start_and_its_end(pieces: Pieces) -> None:
    """And no line, no event."""
    for text in ("0", "-0", "start", "end", "event:0", "line:0", "line:-0"):
        assert place(text, b"") == 0, text
    for text, has in (("1", "0 bytes"), ("event:1", "0 events"), ("line:1", "0 lines")):
        with pytest.raises(PlanError, match=f"it has {has}$"):
            place(text, b"")


def test_where_events_end() -> None:
    """After the whole blank line, the LF of a final CR LF too."""
    assert event_ends(BODY) == (9, 26)
    assert event_ends(b"data: 1\r\rdata: 2\r\n\r") == (9, 19)
    assert event_ends(b": no\n\nretry: 1\n\n") == ()
