"""Noticing a reader that does not come back: one timer for a whole sweep, nothing for each run.

Rule: the timer ticks on the main thread; a run that is still the same one when its time is over is broken off there. It
cannot break off what does not return to Python.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Hung(BaseException):
    """Raised inside a reader that has had its time; no Exception, so that the reader does not take it for one."""


class Watchdog:
    """What the loop tells the timer: the run that is going on, None between two."""

    __slots__ = ("_seen", "_ticks", "running")

    def __init__(self) -> None:
        self.running: object = None
        self._seen: object = None
        self._ticks = 0

    def tick(self) -> None:
        """Raises:
        Hung: the same run has been going on for the last two ticks.
        """
        if self.running is None or self.running is not self._seen:
            self._seen, self._ticks = self.running, 0
            return
        self._ticks += 1
        if self._ticks >= 2:
            self._seen = self.running = None
            raise Hung


def can_watch() -> bool:
    """Whether there is a timer for this thread: only the main thread gets signals."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def watching(seconds: float | None) -> Iterator[Watchdog]:
    """A watchdog that allows each run about so many seconds (at most half as many more); None allows for ever.

    The timer and the handler of `SIGALRM` that were there are put back.
    """
    watchdog = Watchdog()
    if seconds is None or not can_watch():
        yield watchdog
        return

    def handler(number: int, frame: FrameType | None) -> None:
        watchdog.tick()

    before = signal.signal(signal.SIGALRM, handler)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds / 2, seconds / 2)
    try:
        yield watchdog
    finally:
        watchdog.running = None
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)
