"""Ctrl-C and SIGTERM while something is under way that must not be lost.

Rule: the first one cancels, and what had come is kept; a further one breaks off whatever is being done.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType, TracebackType
from typing import Any, TypeVar

import typer

from recorder.cli._status import Status

_T = TypeVar("_T")
_STATUS = {signal.SIGINT: Status.INTERRUPTED, signal.SIGTERM: Status.TERMINATED}


class Heard:
    """A context in which the two signals are heard; a signal that is ignored (`nohup`, `&`) stays so.

    Attributes:
        status: the exit status of the first one that came; None while none has.
    """

    def __init__(self) -> None:
        self.status: Status | None = None
        self._runs = False
        self._cancel: Callable[[], Any] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Heard:
        for number in _STATUS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if kind is KeyboardInterrupt and self.status is not None:
            raise typer.Exit(self.status) from None

    def run(self, making: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end; the first signal cancels it, which it may make a result of.

        Raises:
            KeyboardInterrupt: at a further signal.
        """
        self._runs = True
        try:
            return asyncio.run(self._cancellable(making))
        finally:
            self._runs = False

    async def _cancellable(self, making: Coroutine[Any, Any, _T]) -> _T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is not None:
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)  # this also wakes a loop that waits
        try:
            return await making
        finally:
            self._cancel = None

    def _hear(self, number: int, frame: FrameType | None) -> None:
        first, cancel = self.status is None, self._cancel
        self.status = self.status or _STATUS[signal.Signals(number)]
        if not (first and self._runs):
            raise KeyboardInterrupt
        if cancel is not None:
            cancel()
