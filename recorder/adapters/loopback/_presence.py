"""Whether the other side is still there: pauses that end when it leaves.

Rule: whoever waits for anything waits here, so that a client that goes is noticed at once, and one pause costs one
timer and one future.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from enum import StrEnum


class Leaving(StrEnum):
    """How a client left."""

    CLOSED = "closed"  # an orderly end of its side
    RESET = "reset"


class ClientLeft(Exception):
    """The client left before the answer was through."""


class Presence:
    """One client that answers are sent to; used on the loop's thread only.

    Attributes:
        left: how it left; None while it is there.
    """

    def __init__(self) -> None:
        self.left: Leaving | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting: set[asyncio.Future[None]] = set()

    def leave(self, how: Leaving) -> None:
        """Note that it has left; the first time counts. Everybody who waits is woken."""
        if self.left is None:
            self.left = how
            for future in self._waiting:
                _wake(future)

    def check(self) -> None:
        """Raises ClientLeft when it has left."""
        if self.left is not None:
            raise ClientLeft

    async def pause_until(self, moment: float) -> None:
        """Wait until the loop's clock shows `moment`. Raises ClientLeft as soon as the client leaves."""
        self.check()
        if moment <= self._loop.time():
            return
        future: asyncio.Future[None] = self._loop.create_future()
        timer = self._loop.call_at(moment, _wake, future)
        self._waiting.add(future)
        try:
            await future
        except asyncio.CancelledError:
            timer.cancel()
            raise
        finally:
            self._waiting.discard(future)
        if self.left is not None:
            timer.cancel()
            raise ClientLeft

    async def pause(self, seconds: float) -> None:
        """The same for so long from now; zero only gives the other tasks their turn."""
        if seconds <= 0:
            await asyncio.sleep(0)
        else:
            await self.pause_until(self._loop.time() + seconds)

    async def until(self, waited_for: Awaitable[None]) -> None:
        """Wait for something else. Raises ClientLeft as soon as the client leaves."""
        tasks = [asyncio.ensure_future(waited_for), asyncio.ensure_future(self.departure())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self.check()

    async def departure(self) -> None:
        """Wait for as long as the client stays."""
        if self.left is not None:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
