"""Time for a replay: virtual unless asked otherwise, so that a pause of a minute costs nothing."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What a replay needs of time."""

    @property
    def now(self) -> float:
        """Seconds since this clock was made."""

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""

    async def asleep(self, seconds: float) -> None:
        """The same in a coroutine."""


class VirtualClock:
    """Time that passes only when a replay waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        """Let `seconds` have passed."""
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        """Let `seconds` have passed; other tasks get their turn."""
        self.now += seconds
        await asyncio.sleep(0)


class RealClock:
    """Time on the wall; waits aim at absolute moments, so errors do not add up."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._due = 0.0

    @property
    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._start

    def _left(self, seconds: float) -> float:
        self._due = max(self._due, self.now - _LATE_S) + seconds
        return max(0.0, self._due - self.now)

    def sleep(self, seconds: float) -> None:
        """Wait until `seconds` after the previous wait was due."""
        time.sleep(self._left(seconds))

    async def asleep(self, seconds: float) -> None:
        """The same without blocking the event loop."""
        await asyncio.sleep(self._left(seconds))


_LATE_S = 0.05  # a reader slower than this moves the schedule; a timer that is late by less does not
