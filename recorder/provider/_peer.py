"""The client at the other end of a wire: what it has sent, and pauses that notice when it leaves.

Rule: somebody always reads the connection, so a client that closes is noticed at once, even while nothing is being
sent. A client that closes its sending side counts as gone, as it does for most servers in front of providers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from recorder.provider._wire import Wire

MAX_UNREAD = 256 * 1024
LINGER_S = 2.0


class ClientLeft(Exception):
    """The client closed the connection before the answer was through."""


class Peer:
    """A wire with a reading task behind it."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._unread = bytearray()
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._left = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def take(self) -> bytes:
        """The bytes that have come and were not taken; waits for some. Empty when the client has left."""
        while not self._unread and not self._left.is_set():
            self._arrived.clear()
            await self._arrived.wait()
        data = bytes(self._unread)
        self._unread.clear()
        self._taken.set()
        return data

    async def send(self, data: bytes) -> None:
        """Write. Raises ClientLeft when nobody is there."""
        try:
            await self.wire.send(data)
        except OSError:
            raise ClientLeft from None

    async def pause(self, seconds: float) -> None:
        """Wait. Raises ClientLeft as soon as the client leaves; zero only gives the other tasks their turn."""
        if not seconds:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._left.wait()
        self._check()

    async def until(self, waited_for: Awaitable[None]) -> None:
        """Wait for something else. Raises ClientLeft as soon as the client leaves."""
        tasks = [asyncio.ensure_future(waited_for), asyncio.ensure_future(self._left.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._check()

    async def gone(self) -> None:
        """Wait for as long as the client stays. Raises ClientLeft then."""
        await self._left.wait()
        self._check()

    async def linger(self) -> None:
        """After our FIN, wait for the client's and drop what it sends: closing over unread bytes would be an RST."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while await self.take():
                    pass

    async def reset(self) -> None:
        """Close with an RST."""
        await self.stop_reading()
        self.wire.reset()

    async def stop_reading(self) -> None:
        """End the reading task; before the socket is closed, or the loop would still watch its number."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    def _check(self) -> None:
        if self._left.is_set():
            raise ClientLeft

    async def _read(self) -> None:
        while data := await self.wire.recv():
            self._unread += data
            self._arrived.set()
            while len(self._unread) > MAX_UNREAD:
                self._taken.clear()
                await self._taken.wait()
        self._left.set()
        self._arrived.set()
