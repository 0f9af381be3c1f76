"""Replay for plain iterables: chunks, ends as exceptions, and time that costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable

import pytest

from recorder.adapters import RealClock, VirtualClock, areplay, replay
from recorder.errors import PlanError, ReplayIncomplete, ReplayReset, ReplayStalled

BODY = b"data: 1\n\ndata: 2\n\n"


async def gather(chunks: AsyncIterable[bytes]) -> list[bytes]:
    return [chunk async for chunk in chunks]


def test_a_body_comes_in_the_pieces_of_the_plan() -> None:
    """Sync and async alike; without a plan, whole."""
    assert list(replay(BODY)) == [BODY]
    assert list(replay(BODY, "chunks=at:9")) == [b"data: 1\n\n", b"data: 2\n\n"]
    assert asyncio.run(gather(areplay(BODY, "chunks=at:9"))) == [b"data: 1\n\n", b"data: 2\n\n"]


@pytest.mark.parametrize(
    ("end", "error", "standard"),
    [
        ("reset@9", ReplayReset, ConnectionResetError),
        ("incomplete@9", ReplayIncomplete, EOFError),
        ("stall@9", ReplayStalled, Exception),
    ],
)
def test_an_end_is_raised_where_it_stands(end: str, error: type[Exception], standard: type[Exception]) -> None:
    """After the bytes before it, and only then."""
    chunks = replay(BODY, f"end={end}")
    assert next(chunks) == b"data: 1\n\n"
    with pytest.raises(error):
        next(chunks)
    assert issubclass(error, standard)
    with pytest.raises(error):
        asyncio.run(gather(areplay(BODY, f"end={end}")))


def test_a_clean_end_is_the_end_of_the_iterator() -> None:
    """Complete or cut short: an iterable cannot tell."""
    assert list(replay(BODY, "end=complete")) == [BODY]
    assert list(replay(BODY, "end=eof@9")) == [b"data: 1\n\n"]


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


def test_a_real_clock_waits_until_the_due_moment() -> None:
    """Three waits of 10 ms end 30 ms after the start or later, never sooner."""
    clock = RealClock()
    assert len(list(replay(BODY, "chunks=bytes:6; delay=fixed:10ms", clock))) == 3
    assert clock.now >= 0.03


def test_a_bad_plan_raises_at_once() -> None:
    """Not at the first chunk."""
    with pytest.raises(PlanError):
        replay(BODY, "chunks=at:99")
    with pytest.raises(PlanError):
        areplay(BODY, "chunks=pieces")
