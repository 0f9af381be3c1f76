"""Time for a replay: virtual unless asked otherwise, so that a pause of a minute costs nothing.

Rule: a replay says until when to wait, not how long, so errors do not add up: bytes that are due while the reader is
busy are there when it comes back, and the ones after them come when they would have.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Protocol


class Clock(Protocol):
    """What a replay needs of time."""

    @property
    def now(self) -> float:
        """Seconds since this clock was made."""

    def sleep_until(self, moment: float) -> None:
        """Return when `now` is at least `moment`; at once if it is already."""

    async def asleep_until(self, moment: float) -> None:
        """The same in a coroutine, where other tasks get their turn."""


class VirtualClock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep_until(self, moment: float) -> None:
        """Let time pass up to `moment`, at no cost."""
        if moment > self.now:
            self.now = moment

    async def asleep_until(self, moment: float) -> None:
        """The same; other tasks of an asyncio loop get their turn."""
        self.sleep_until(moment)
        if _in_asyncio():
            await asyncio.sleep(0)


class RealClock:
    """Time on the wall."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._start

    def sleep_until(self, moment: float) -> None:
        """Block this thread until `moment`."""
        while (left := moment - self.now) > 0:
            time.sleep(min(left, _AT_MOST_S))

    async def asleep_until(self, moment: float) -> None:
        """The same without blocking the event loop."""
        while (left := moment - self.now) > 0:
            await _pause(min(left, _AT_MOST_S))


async def _pause(seconds: float) -> None:
    """Wait in the loop that runs here: of asyncio, else of trio, which is loaded where it runs."""
    trio = sys.modules.get("trio")
    if trio is None or _in_asyncio():
        await asyncio.sleep(seconds)
    else:
        await trio.sleep(seconds)


def _in_asyncio() -> bool:
    """Whether a loop of asyncio runs here; under trio, say, virtual time passes all the same."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_AT_MOST_S = 86_400.0  # a day at a time: longer sleeps overflow on some systems
