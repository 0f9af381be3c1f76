"""How and where each value of `end=` stops, and that what was recorded is the default."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorder.cassette import EndKind, Interaction, StreamEnd
from recorder.plans import End, Ending, Wait

Brief = Callable[[str, Interaction], list[object]]
Stream = Callable[..., Interaction]

A, B = b"data: 1\n\n", b"data: 2\n\n"
COMPLETE, EOF, INCOMPLETE, RESET = (End(each) for each in Ending)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("complete", [A + B, COMPLETE]),
        ("eof", [A + B, EOF]),
        ("eof@9", [A, EOF]),
        ("eof@0", [EOF]),
        ("eof@start", [EOF]),
        ("eof@end", [A + B, EOF]),
        ("eof@-1", [A + B[:-1], EOF]),
        ("eof@event:1", [A, EOF]),
        ("eof@mid:event", [A + B[:4], EOF]),
        ("eof@head", [End(Ending.EOF, before_head=True)]),
        ("incomplete", [A + B, INCOMPLETE]),
        ("incomplete@line:2", [A, INCOMPLETE]),
        ("incomplete@0", [INCOMPLETE]),
        ("incomplete@head", [End(Ending.INCOMPLETE, before_head=True)]),
        ("reset", [A + B, RESET]),
        ("reset@event:2", [A + B, RESET]),
        ("reset@3", [A[:3], RESET]),
        ("reset@head", [End(Ending.RESET, before_head=True)]),
        ("stall", [A + B, Wait(None)]),
        ("stall@9", [A, Wait(None)]),
        ("stall@0", [Wait(None)]),
        ("stall@head", [Wait(None, before_head=True)]),
        ("stall@9:30s", [A, Wait(30.0), B, COMPLETE]),
        ("stall@event:1:20ms", [A, Wait(0.02), B, COMPLETE]),
        ("stall@3:1s", [A[:3], Wait(1.0), A[3:] + B, COMPLETE]),
        ("stall@0:1s", [Wait(1.0), A + B, COMPLETE]),
        ("stall@end:1s", [A + B, Wait(1.0), COMPLETE]),
        ("stall@mid:event:1s", [A + B[:4], Wait(1.0), B[4:], COMPLETE]),
        ("stall@head:1s", [Wait(1.0, before_head=True), A + B, COMPLETE]),
        ("stall@9:0ms", [A, B, COMPLETE]),
    ],
)
def test_end(brief: Brief, stream: Stream, end: str, expected: list[object]) -> None:
    """The steps, to the last; an end cuts the chunk it stands in."""
    assert brief(f"chunks=whole; end={end}", stream(A + B)) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("chunks=bytes:4; end=eof@9", [b"data", b": 1\n", b"\n", EOF]),
        ("chunks=bytes:4; end=eof@8", [b"data", b": 1\n", EOF]),
        ("chunks=bytes:4; end=eof@3", [b"dat", EOF]),
        ("chunks=at:4,9,12; end=reset@9", [b"data", b": 1\n\n", RESET]),
        ("chunks=at:4,9,12; end=reset@10", [b"data", b": 1\n\n", b"d", RESET]),
        ("chunks=at:4,9; end=stall@6:1s", [b"data", b": ", Wait(1.0), b"1\n\n", B, COMPLETE]),
        ("chunks=at:4,9; end=stall@9:1s", [b"data", b": 1\n\n", Wait(1.0), B, COMPLETE]),
        ("chunks=bytes:9; end=stall@12:1s", [A, B[:3], Wait(1.0), B[3:], COMPLETE]),
        ("chunks=events; end=stall@18:1s", [A, B, Wait(1.0), COMPLETE]),
    ],
)
def test_an_end_under_a_partition(brief: Brief, stream: Stream, plan: str, expected: list[object]) -> None:
    """No chunk is empty, none is lost, and the place of a stall is a cut."""
    assert brief(plan, stream(A + B)) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        # a rest and the next chunk's own wait are one silence
        ("end=stall@9:30s; delay=fixed:500ms", [Wait(0.5), A, Wait(30.5), B, COMPLETE]),
        ("end=stall@0:30s; delay=fixed:500ms", [Wait(30.5), A, Wait(0.5), B, COMPLETE]),
        ("end=stall@end:30s; delay=fixed:500ms", [Wait(0.5), A, Wait(0.5), B, Wait(30.0), COMPLETE]),
        ("end=stall@head:30s; delay=fixed:1s", [Wait(30.0, True), Wait(1.0), A, Wait(1.0), B, COMPLETE]),
        ("end=stall@9; delay=fixed:500ms", [Wait(0.5), A, Wait(None)]),
        ("end=stall@9:4s; delay=ttft:1s", [Wait(1.0), A, Wait(4.0), B, COMPLETE]),
    ],
)
def test_a_stall_shifts_what_comes_after_it(brief: Brief, stream: Stream, plan: str, expected: list[object]) -> None:
    """Later chunks keep their distance."""
    assert brief(f"chunks=events; {plan}", stream(A + B)) == expected


def test_a_stall_under_recorded_times(brief: Brief, stream: Stream) -> None:
    """Both halves of the chunk it stands in came at the same time."""
    recorded = stream(A + B, [(0.5, 9), (0.25, 9)])
    assert brief("end=stall@12:30s; delay=recorded", recorded) == [
        Wait(0.5), A, Wait(0.25), B[:3], Wait(30.0), B[3:], COMPLETE,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, COMPLETE),
        (StreamEnd(EndKind.COMPLETE), COMPLETE),
        (StreamEnd(EndKind.EOF), EOF),
        (StreamEnd(EndKind.INCOMPLETE), INCOMPLETE),
        (StreamEnd(EndKind.RESET), RESET),
        (StreamEnd(EndKind.TIMEOUT), Wait(None)),
        (StreamEnd(EndKind.CLIENT_CLOSED, 0.0, True), COMPLETE),
        (StreamEnd(EndKind.CLIENT_CLOSED, 0.0, False), INCOMPLETE),
        (StreamEnd(EndKind.CLIENT_CLOSED), INCOMPLETE),
    ],
)
def test_a_recorded_end_is_the_default(
    brief: Brief, stream: Stream, recorded: StreamEnd | None, expected: object
) -> None:
    """A recorded broken stream replays broken; written out it is the same, and any other end can be asked for."""
    interaction = stream(A, end=recorded)
    assert brief("", interaction) == [A, expected]
    if recorded is not None:
        assert brief("end=recorded", interaction) == [A, expected]
    assert brief("end=complete", interaction) == [A, COMPLETE]
    assert brief("end=reset@3", interaction) == [A[:3], RESET]


def test_whether_the_terminal_event_was_seen_is_looked_up(brief: Brief, stream: Stream) -> None:
    """Where a recording of a client that left does not say."""
    chat = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    left = StreamEnd(EndKind.CLIENT_CLOSED)
    assert brief("", stream(chat, end=left))[-1] == COMPLETE
    assert brief("", stream(chat[:-1], end=left))[-1] == INCOMPLETE


def test_an_empty_body_only_ends(brief: Brief, stream: Stream) -> None:
    """Any way there is."""
    for end, expected in (
        ("complete", [COMPLETE]),
        ("eof@end", [EOF]),
        ("reset@0", [RESET]),
        ("stall", [Wait(None)]),
        ("stall@0:1s", [Wait(1.0), COMPLETE]),
    ):
        assert brief(f"end={end}; delay=fixed:1s", stream(b"")) == expected
