"""Each value of each axis, with the steps it gives."""

from __future__ import annotations

import pytest

from recorder.cassette import Chunk, EndKind, Headers, Interaction, Request, Response, StreamEnd
from recorder.errors import PlanError
from recorder.plans import Deliver, End, Ending, Plan, Step, Wait, steps

#       0         1         2
#       0123456789012345678901234567
BODY = b"data: 1\n\n: hi\n\ndata: 2\r\n\r\n"
assert len(BODY) == 26


def stream(chunks: tuple[Chunk, ...] | None = None, end: StreamEnd | None = None, body: bytes = BODY) -> Interaction:
    return Interaction(
        Request("POST", "https://api.example.com/v1"),
        Response(200, Headers({"content-type": "text/event-stream"}), body, chunks=chunks, end=end),
    )


RECORDED = stream((Chunk(0.5, 9), Chunk(0.25, 10), Chunk(0.125, 7)), StreamEnd(EndKind.INCOMPLETE, 1.0))


def sizes(plan: str, interaction: Interaction | None = None) -> list[int]:
    made = steps(Plan.parse(plan), interaction or stream())
    return [len(step.data) for step in made if isinstance(step, Deliver)]


def brief(plan: str, interaction: Interaction | None = None) -> list[Step | int]:
    """The steps, a delivery as its size."""
    made = steps(Plan.parse(plan), interaction or stream())
    return [len(step.data) if isinstance(step, Deliver) else step for step in made]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("whole", [26]),
        ("bytes:1", [1] * 26),
        ("bytes:10", [10, 10, 6]),
        ("bytes:13", [13, 13]),
        ("bytes:26", [26]),
        ("bytes:99", [26]),
        ("at:0", [26]),
        ("at:26", [26]),
        ("at:9", [9, 17]),
        ("at:byte:9", [9, 17]),
        ("at:9,3,9", [3, 6, 17]),
        ("at:-1", [25, 1]),
        ("at:-26", [26]),
        ("at:event:1", [9, 17]),
        ("at:event:0", [26]),
        ("at:event:2", [26]),
        ("at:event:-1", [9, 17]),
        ("at:line:3", [14, 12]),
        ("at:line:-1", [24, 2]),
        ("at:start", [26]),
        ("at:end", [26]),
        ("events", [9, 17]),
        ("events:2", [26]),
        ("lines", [8, 1, 5, 1, 9, 2]),
        ("lines:2", [9, 6, 11]),
        ("random:1,1", [26]),
    ],
)
def test_chunks(value: str, expected: list[int]) -> None:
    """Where the bytes are cut."""
    assert sizes(f"chunks={value}") == expected


def test_random_cuts_are_the_same_everywhere() -> None:
    """The literal sequence guards the generator: `random.Random(7).random()` gives 0.3238, 0.1508, 0.6509."""
    assert sizes("chunks=random:4,7") == [4, 5, 8, 9]


def test_recorded_chunks_are_the_default_where_there_are_some() -> None:
    """And the whole body where there are none."""
    assert sizes("", RECORDED) == [9, 10, 7]
    assert sizes("chunks=recorded", RECORDED) == [9, 10, 7]
    assert sizes("") == [26]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("chunks=at:9; delay=none", [9, 17, End(Ending.COMPLETE)]),
        ("chunks=at:9; delay=fixed:20ms", [Wait(0.02), 9, Wait(0.02), 17, End(Ending.COMPLETE)]),
        ("chunks=at:9; delay=fixed:1.5s", [Wait(1.5), 9, Wait(1.5), 17, End(Ending.COMPLETE)]),
    ],
)
def test_delay(plan: str, expected: list[Step | int]) -> None:
    """A fixed pause before every chunk."""
    assert brief(plan) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("delay=recorded; end=complete", [Wait(0.5), 9, Wait(0.25), 10, Wait(0.125), 7, End(Ending.COMPLETE)]),
        ("delay=recorded*2; end=complete", [Wait(1.0), 9, Wait(0.5), 10, Wait(0.25), 7, End(Ending.COMPLETE)]),
        ("delay=recorded*0; end=complete", [9, 10, 7, End(Ending.COMPLETE)]),
        # a chunk is due when its last byte is: 12 ends in the second recorded piece, 26 in the third
        ("chunks=at:12; delay=recorded*0.5; end=complete", [Wait(0.375), 12, Wait(0.0625), 14, End(Ending.COMPLETE)]),
        # several chunks of one recorded piece come together
        ("chunks=at:3,9; delay=recorded; end=complete", [Wait(0.5), 3, 6, Wait(0.375), 17, End(Ending.COMPLETE)]),
    ],
)
def test_recorded_times_travel_with_the_bytes(plan: str, expected: list[Step | int]) -> None:
    """Whatever the partition."""
    assert brief(plan, RECORDED) == expected


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("complete", [26, End(Ending.COMPLETE)]),
        ("eof", [26, End(Ending.EOF)]),
        ("eof@9", [9, End(Ending.EOF)]),
        ("eof@0", [End(Ending.EOF)]),
        ("eof@start", [End(Ending.EOF)]),
        ("eof@-1", [25, End(Ending.EOF)]),
        ("eof@event:1", [9, End(Ending.EOF)]),
        ("incomplete@line:2", [9, End(Ending.INCOMPLETE)]),
        ("incomplete", [26, End(Ending.INCOMPLETE)]),
        ("reset@event:2", [26, End(Ending.RESET)]),
        ("stall", [26, Wait(None)]),
        ("stall@9", [9, Wait(None)]),
        ("stall@9:30s", [9, Wait(30.0), 17, End(Ending.COMPLETE)]),
        ("stall@event:1:20ms", [9, Wait(0.02), 17, End(Ending.COMPLETE)]),
        ("stall@0:1s", [Wait(1.0), 26, End(Ending.COMPLETE)]),
        ("stall@end:1s", [26, Wait(1.0), End(Ending.COMPLETE)]),
    ],
)
def test_end(end: str, expected: list[Step | int]) -> None:
    """How and where delivery stops."""
    assert brief(f"chunks=whole; end={end}") == expected


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, End(Ending.COMPLETE)),
        (StreamEnd(EndKind.COMPLETE), End(Ending.COMPLETE)),
        (StreamEnd(EndKind.EOF), End(Ending.EOF)),
        (StreamEnd(EndKind.INCOMPLETE), End(Ending.INCOMPLETE)),
        (StreamEnd(EndKind.RESET), End(Ending.RESET)),
        (StreamEnd(EndKind.TIMEOUT), Wait(None)),
        (StreamEnd(EndKind.CLIENT_CLOSED, 0.0, True), End(Ending.COMPLETE)),
        (StreamEnd(EndKind.CLIENT_CLOSED, 0.0, False), End(Ending.INCOMPLETE)),
    ],
)
def test_a_recorded_end_is_the_default(recorded: StreamEnd | None, expected: Step) -> None:
    """A recorded broken stream replays broken."""
    assert brief("", stream(end=recorded)) == [26, expected]


def test_an_empty_body_delivers_nothing() -> None:
    """An empty chunk is never delivered."""
    for plan in (
        "",
        "chunks=bytes:1",
        "chunks=events",
        "chunks=lines",
        "chunks=random:3,1",
        "chunks=at:0; end=eof@end",
    ):
        ending = Ending.EOF if "eof" in plan else Ending.COMPLETE
        assert brief(plan, stream(body=b"")) == [End(ending)], plan


def test_a_delivery_shows_no_content() -> None:
    """Its repr is a count."""
    assert repr(Deliver(b"PLANTED")) == "Deliver(7 bytes)"


CHAT = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def test_terminal_is_just_before_the_terminal_event() -> None:
    """For a chat stream, before `data: [DONE]`, whose 14 bytes are the last."""
    assert brief("chunks=whole; end=eof@terminal", stream(body=CHAT)) == [len(CHAT) - 14, End(Ending.EOF)]
    crlf = CHAT.replace(b"\n", b"\r\n")
    assert brief("chunks=whole; end=eof@terminal", stream(body=crlf)) == [len(crlf) - 16, End(Ending.EOF)]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("chunks=at:27", "'27' is not a place in this body: it has 26 bytes"),
        ("chunks=at:-27", "'-27' is not a place in this body: it has 26 bytes"),
        ("end=eof@event:3", "'event:3' is not a place in this body: it has 2 events"),
        ("end=eof@line:7", "'line:7' is not a place in this body: it has 6 lines"),
        ("end=eof@terminal", '"terminal" is not a place in this body: it has no terminal event that is recognised'),
        ("chunks=recorded", "chunks=recorded: no chunks were recorded for this body"),
        ("delay=recorded", "delay=recorded: no times were recorded for this body"),
        ("end=recorded", "end=recorded: no end was recorded for this body"),
    ],
)
def test_what_the_body_does_not_have(plan: str, message: str) -> None:
    """Is said at once, before the first step."""
    with pytest.raises(PlanError) as caught:
        steps(Plan.parse(plan), stream())
    assert str(caught.value).startswith(message)
