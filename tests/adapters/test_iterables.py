"""Replay for plain iterables: chunks, ends as exceptions, and time that costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Iterator
from typing import Any

import pytest

import recorder
from recorder.adapters import RealClock, VirtualClock, areplay, replay
from recorder.cassette import Chunk, EndKind, Headers, Interaction, Request, Response, StreamEnd
from recorder.contracts import chat, chat_text, generation, read
from recorder.errors import PlanError, ReplayIncomplete, ReplayReset, ReplayStalled, ReplayTimeout
from recorder.plans import Plan

BODY = b"data: 1\n\ndata: 2\n\n"
CHAT = (
    b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)


async def gather(chunks: AsyncIterable[bytes]) -> list[bytes]:
    return [chunk async for chunk in chunks]


def broken(kind: EndKind, body: bytes = CHAT[:100], seen: bool | None = None) -> Interaction:
    """A recording that ended that way."""
    response = Response(200, Headers(), body, (Chunk(0.5, len(body)),), StreamEnd(kind, 1.0, seen))
    return Interaction(Request("POST", "https://api.example.com/"), response)


def test_a_body_comes_in_the_pieces_of_the_plan() -> None:
    """Sync and async alike; without a plan, whole."""
    assert list(replay(BODY)) == [BODY]
    assert list(replay(BODY, "chunks=at:9")) == [b"data: 1\n\n", b"data: 2\n\n"]
    assert list(replay(BODY, Plan(chunks="events"))) == [b"data: 1\n\n", b"data: 2\n\n"]
    assert list(replay(Interaction.from_body(BODY), "chunks=events")) == [b"data: 1\n\n", b"data: 2\n\n"]
    assert asyncio.run(gather(areplay(BODY, "chunks=at:9"))) == [b"data: 1\n\n", b"data: 2\n\n"]


def test_an_encoding_takes_no_effect_here() -> None:
    """No header travels with these bytes, so they come decoded; the other edits are done."""
    assert list(replay(BODY, "chunks=at:3; edit=bom,gzip")) == [b"\xef\xbb\xbf", BODY]


@pytest.mark.parametrize(
    ("end", "error", "standard"),
    [
        ("reset@9", ReplayReset, ConnectionResetError),
        ("incomplete@9", ReplayIncomplete, EOFError),
        ("stall@9", ReplayStalled, Exception),
    ],
)
def test_an_end_is_raised_where_it_stands(end: str, error: type[Exception], standard: type[Exception]) -> None:
    """After the bytes before it, and only then; it says under which plan."""
    chunks = replay(BODY, f"end={end}")
    assert next(chunks) == b"data: 1\n\n"
    with pytest.raises(error) as caught:
        next(chunks)
    assert caught.value.__notes__ == [f"plan: end={end}"]
    assert issubclass(error, standard)
    with pytest.raises(error) as caught:
        asyncio.run(gather(areplay(BODY, f"end={end}")))
    assert caught.value.__notes__ == [f"plan: end={end}"]


@pytest.mark.parametrize("end", ["reset", "incomplete", "stall"])
def test_before_the_head_is_before_everything(end: str) -> None:
    """An iterable has no head: the first thing it does is raise."""
    error = {"reset": ReplayReset, "incomplete": ReplayIncomplete, "stall": ReplayStalled}[end]
    with pytest.raises(error):
        next(replay(BODY, f"end={end}@head"))
    assert list(replay(BODY, "end=eof@head")) == []
    clock = VirtualClock()
    assert list(replay(BODY, "end=stall@head:7s", clock)) == [BODY]
    assert clock.now == 7.0


def test_a_clean_end_is_the_end_of_the_iterator() -> None:
    """Complete or cut short: an iterable cannot tell."""
    assert list(replay(BODY, "end=complete")) == [BODY]
    assert list(replay(BODY, "end=eof@9")) == [b"data: 1\n\n"]


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (EndKind.RESET, ReplayReset),
        (EndKind.INCOMPLETE, ReplayIncomplete),
        (EndKind.TIMEOUT, ReplayStalled),
        (EndKind.CLIENT_CLOSED, ReplayIncomplete),
    ],
)
def test_a_recorded_broken_stream_replays_broken(kind: EndKind, error: type[Exception]) -> None:
    """Without being asked to."""
    chunks = replay(broken(kind))
    assert next(chunks) == CHAT[:100]
    with pytest.raises(error) as caught:
        next(chunks)
    assert caught.value.__notes__ == ["plan: as recorded"]
    code = read(replay(broken(kind)), chat_text()).code
    assert str(code) == "stream_read_failed"
    timed_out = read(replay(broken(EndKind.TIMEOUT), timeout=10.0), chat_text())
    assert str(timed_out.code) == "stream_timeout"


def test_a_recorded_clean_end_before_the_terminal_event() -> None:
    """Is not an exception, and still no complete answer."""
    assert str(read(replay(broken(EndKind.EOF)), chat_text()).code) == "missing_terminal"
    assert read(replay(broken(EndKind.CLIENT_CLOSED, CHAT, seen=True)), chat_text()).ok


def test_time_is_virtual() -> None:
    """A pause of a day costs nothing, and shows on the clock."""
    clock = VirtualClock()
    assert list(replay(BODY, "chunks=at:9; end=stall@9:86400s; delay=fixed:500ms", clock)) == [
        b"data: 1\n\n",
        b"data: 2\n\n",
    ]
    assert clock.now == 86401.0
    clock = VirtualClock()
    assert asyncio.run(gather(areplay(BODY, "chunks=at:9; delay=fixed:500ms", clock))) == [
        b"data: 1\n\n",
        b"data: 2\n\n",
    ]
    assert clock.now == 1.0


def test_the_clock_shows_when_each_chunk_comes() -> None:
    """The first at its time, later ones at their distance; what a reader does in between takes no virtual time."""
    clock = VirtualClock()
    seen = [clock.now for _ in replay(BODY, "chunks=bytes:6; delay=ttft:200ms+fixed:20ms", clock)]
    assert seen == pytest.approx([0.2, 0.22, 0.24])
    recorded = Response(200, Headers(), b"abcdef", (Chunk(1.0, 3), Chunk(2.0, 3)), StreamEnd(EndKind.COMPLETE, 4.0))
    interaction = Interaction(Request("POST", "https://api.example.com/"), recorded)
    clock = VirtualClock()
    assert [clock.now for _ in replay(interaction, "chunks=bytes:2; delay=recorded*0.5", clock)] == [0.5, 1.5, 1.5]
    assert clock.now == 3.5


def test_a_replay_counts_from_when_it_is_first_asked() -> None:
    """Not from when it was made, nor from when the clock was."""
    clock = VirtualClock()
    chunks = replay(BODY, "delay=fixed:1s", clock)
    clock.sleep_until(100.0)
    assert next(chunks) == BODY
    assert clock.now == 101.0


def test_bytes_wait_for_a_slow_reader() -> None:
    """What became due while the reader was busy is there at once, and the rest comes when it would have."""
    clock = VirtualClock()
    seen = []
    for number, _ in enumerate(replay(BODY, "chunks=bytes:3; delay=fixed:1s", clock)):
        seen.append(clock.now)
        if number == 1:
            clock.sleep_until(4.5)
    assert seen == [1.0, 2.0, 4.5, 4.5, 5.0, 6.0]


@pytest.mark.parametrize(
    ("plan", "timeout", "before", "at"),
    [
        ("end=stall@9", 10.0, [b"data: 1\n\n"], 10.0),
        ("end=stall@9:30s", 10.0, [b"data: 1\n\n"], 10.0),
        ("chunks=events; delay=fixed:6s; end=stall@9:30s", 10.0, [b"data: 1\n\n"], 16.0),
        ("end=stall@0", 0.5, [], 0.5),
        ("end=stall@head:1s", 0.5, [], 0.5),
    ],
)
def test_a_reader_s_timeout_comes_first(plan: str, timeout: float, before: list[bytes], at: float) -> None:
    """A stall longer than it ends in a timeout, at the moment it is over, and at no cost."""
    clock = VirtualClock()
    seen: list[bytes] = []
    with pytest.raises(ReplayTimeout) as caught:
        seen.extend(replay(BODY, plan, clock, timeout=timeout))
    assert (seen, clock.now) == (before, at)
    assert str(caught.value) == f"nothing came for {timeout:g} s, the reader's timeout"
    assert isinstance(caught.value, TimeoutError)
    clock = VirtualClock()
    with pytest.raises(ReplayTimeout):
        asyncio.run(gather(areplay(BODY, plan, clock, timeout=timeout)))
    assert clock.now == at


def test_a_timeout_that_is_long_enough_is_not_noticed() -> None:
    """Exactly as long is long enough; each chunk starts it anew."""
    clock = VirtualClock()
    assert list(replay(BODY, "chunks=bytes:6; delay=fixed:10s", clock, timeout=10.0)) == [
        b"data: ", b"1\n\ndat", b"a: 2\n\n",
    ]  # fmt: skip
    assert clock.now == 30.0


def test_a_busy_reader_does_not_time_out() -> None:
    """Only waiting counts: bytes that are due are read, however late."""
    clock = VirtualClock()
    chunks = replay(BODY, "chunks=events; delay=fixed:8s", clock, timeout=9.0)
    assert next(chunks) == b"data: 1\n\n"
    clock.sleep_until(1000.0)
    assert next(chunks) == b"data: 2\n\n"


def test_a_real_clock_waits_until_the_due_moment() -> None:
    """Three waits of 10 ms end 30 ms after the start or later, never sooner; sync and async."""
    clock = RealClock()
    assert len(list(replay(BODY, "chunks=bytes:6; delay=fixed:10ms", clock))) == 3
    assert clock.now >= 0.03
    start = clock.now
    assert len(asyncio.run(gather(areplay(BODY, "chunks=bytes:6; delay=fixed:10ms", clock)))) == 3
    assert clock.now >= start + 0.03


def test_the_contract_says_where_the_terminal_event_is() -> None:
    """For `terminal`, where it cannot be detected or another reading is meant."""
    states = b'data: {"status":"x"}\n\ndata: {"state":"succeeded"}\n\n'
    assert list(replay(states, "end=eof@terminal", contract=generation())) == [b'data: {"status":"x"}\n\n']
    unmarked = CHAT[:-14]
    assert list(replay(unmarked, "end=eof@terminal", contract=chat("finish"))) == [CHAT[:79]]
    assert asyncio.run(gather(areplay(unmarked, "end=eof@terminal", contract=chat("finish")))) == [CHAT[:79]]


def test_a_bad_plan_raises_at_once() -> None:
    """Not at the first chunk."""
    for call in (replay, areplay):
        for plan in ("chunks=at:99", "chunks=pieces", "delay=recorded", "edit=drop@event:3"):
            with pytest.raises(PlanError):
                call(BODY, plan)
        with pytest.raises(TypeError, match=r"\.interactions\[0\] is, or the bytes of a body, not str"):
            call("data: 1\n\n")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a Plan or its text, not bytes"):
            call(BODY, b"chunks=whole")  # type: ignore[arg-type]


def test_an_iterator_can_be_left_early() -> None:
    """Nothing is performed that nobody asks for."""
    clock = VirtualClock()
    chunks = replay(BODY, "chunks=bytes:1; delay=fixed:1s; end=reset", clock)
    assert isinstance(chunks, Iterator)
    assert next(chunks) == b"d"
    chunks.close()  # type: ignore[attr-defined]
    assert clock.now == 1.0


def test_the_public_names() -> None:
    """Under `recorder`."""
    assert (recorder.replay, recorder.areplay) == (replay, areplay)
    assert (recorder.RealClock, recorder.VirtualClock) == (RealClock, VirtualClock)
    assert recorder.ReplayTimeout is ReplayTimeout


@pytest.mark.parametrize("perform", [recorder.replay, recorder.areplay])
@pytest.mark.parametrize("timeout", [-1, -0.5, float("nan")])
def test_a_timeout_that_is_none_is_refused(perform: Any, timeout: float) -> None:
    """At once, before a byte is asked for."""
    with pytest.raises(ValueError, match=f"timeout={timeout!r}: seconds, not less than 0, or None for ever"):
        perform(b"data: 1\n\n", "chunks=bytes:1", timeout=timeout)
