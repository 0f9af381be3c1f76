"""Noticing a reader that does not come back: one timer for a whole sweep, nothing for each run.

Rule: the timer ticks on the main thread; a run that has not come back when its time is over is broken off there, and
again while it does not let go. It cannot break off what does not return to Python, nor what goes on whatever is raised.
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
    """What the loop tells the timer, and the timer the loop.

    Attributes:
        ticks: of the timer since the run began; the loop puts 0 there when one begins, None when it is over.
        broke_off: whether the run has had its time; what a reader makes of that is no result of its own.
    """

    __slots__ = ("broke_off", "ticks")

    def __init__(self) -> None:
        self.ticks: int | None = None
        self.broke_off = False

    def tick(self) -> None:
        """Raises:
        Hung: the run has been going on for two ticks and a part of one.
        """
        if self.ticks is None:
            return
        self.ticks += 1
        if self.ticks > _TICKS:
            self.ticks, self.broke_off = 0, True
            raise Hung

    def rest(self) -> None:
        """No run is going on."""
        self.ticks, self.broke_off = None, False


_TICKS = 2


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
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds / _TICKS, seconds / _TICKS)
    try:
        yield watchdog
    finally:
        watchdog.rest()
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, before)
