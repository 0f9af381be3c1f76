"""Clocks: virtual time costs nothing, real time is waited for, neither goes back."""

from __future__ import annotations

import asyncio
import sys
import time
from types import SimpleNamespace

import pytest

from recorder.adapters import Clock, RealClock, VirtualClock


def test_virtual_time_is_what_is_waited_for() -> None:
    """A moment that has passed is no wait."""
    clock = VirtualClock()
    assert clock.now == 0.0
    clock.sleep_until(86_400.0)
    assert clock.now == 86_400.0
    clock.sleep_until(5.0)
    assert clock.now == 86_400.0
    asyncio.run(clock.asleep_until(86_401.5))
    assert clock.now == 86_401.5


def test_other_tasks_get_their_turn() -> None:
    """Each virtual wait in a coroutine lets the others run once."""
    seen: list[str] = []

    async def task(name: str, clock: Clock) -> None:
        for moment in (1.0, 2.0):
            seen.append(name)
            await clock.asleep_until(moment)

    async def both() -> None:
        await asyncio.gather(task("a", VirtualClock()), task("b", VirtualClock()))

    asyncio.run(both())
    assert seen == ["a", "b", "a", "b"]


@pytest.mark.parametrize("real", [False, True])
def test_a_clock_is_a_clock(real: bool) -> None:
    """`now` starts near 0 and grows; a moment is reached, never missed."""
    clock: Clock = RealClock() if real else VirtualClock()
    before = clock.now
    clock.sleep_until(before + 0.01)
    middle = clock.now
    assert middle >= before + 0.01
    asyncio.run(clock.asleep_until(middle + 0.01))
    assert clock.now >= middle + 0.01
    clock.sleep_until(0.0)
    asyncio.run(clock.asleep_until(-1.0))


def test_a_real_clock_aims_at_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sleep that comes back early is repeated, one that comes back late is not added up; long ones are divided."""
    now = 100.0
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(seconds)
        now += seconds / 2 if len(slept) == 1 else seconds + 0.5

    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "sleep", sleep)
    clock = RealClock()
    clock.sleep_until(4.0)
    assert slept == [4.0, 2.0]
    assert clock.now == 4.5
    clock.sleep_until(6.0)
    assert slept == [4.0, 2.0, 1.5]
    clock.sleep_until(200_000.0)
    assert slept[3:] == [86_400.0, 86_400.0, 27_192.5]


def test_virtual_time_needs_no_loop_of_asyncio() -> None:
    """Under trio, or driven by hand as here, a coroutine that waits for it goes on at once."""
    clock = VirtualClock()
    with pytest.raises(StopIteration):
        clock.asleep_until(5.0).send(None)
    assert clock.now == 5.0


def test_real_time_under_trio(monkeypatch: pytest.MonkeyPatch) -> None:
    """There no loop of asyncio runs; trio is loaded, and waits."""
    waited: list[float] = []
    clock = RealClock()

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        clock._start -= seconds

    monkeypatch.setitem(sys.modules, "trio", SimpleNamespace(sleep=sleep))
    with pytest.raises(StopIteration):
        clock.asleep_until(5.0).send(None)  # driven by hand: it does not come to wait for anything but trio
    assert sum(waited) == pytest.approx(5.0, abs=0.5)
