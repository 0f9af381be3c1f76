"""The client at the other end of a wire: what it has sent, and whether it is still there.

Rule: somebody always reads the connection, so a client that closes is noticed at once, even while nothing is being
sent. A client that closes its sending side counts as gone, as it does for most servers in front of providers.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from recorder.adapters.loopback._presence import ClientLeft, Leaving, Presence
from recorder.adapters.loopback._wire import Wire

MAX_UNREAD = 256 * 1024
LINGER_S = 2.0
SETTLE_AT_MOST_S = 2.0
SETTLE_S = 0.1  # proved enough
SETTLE_MORE_S = 0.05
QUICK_TURNS = 8
POLL_S = 0.001


class Peer(Presence):
    """A wire with a reading task behind it."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self.wire = wire
        self._unread = bytearray()
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._over = False  # we broke the connection: nothing comes any more
        self._reader = asyncio.create_task(self._read())

    async def take(self) -> bytes:
        """The bytes that have come and were not taken; waits for some. Empty when the connection is over."""
        while not self._unread and self.left is None and not self._over:
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
            self.leave(Leaving.RESET)
            raise ClientLeft from None

    async def taken(self, at_most_s: float, otherwise_s: float) -> None:
        """Wait until the client has taken from its socket what was sent. Raises ClientLeft.

        Args:
            at_most_s: but no longer than so.
            otherwise_s: wait so long where the system does not tell.
        """
        until = asyncio.get_running_loop().time() + at_most_s
        turns = 0
        while unread := self.wire.unread():
            turns += 1
            await self.pause(0 if turns <= QUICK_TURNS else POLL_S)
            if asyncio.get_running_loop().time() >= until:
                return
        if unread is None:
            await self.pause(otherwise_s)

    async def settle(self) -> None:
        """Before an RST, which may destroy what the client has not read: wait until it has. Raises ClientLeft.

        A moment more is for its library, which may drop what the application has not taken from it.
        """
        await self.taken(SETTLE_AT_MOST_S, SETTLE_S)
        await self.pause(SETTLE_MORE_S)

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
        self._over = True
        self._arrived.set()

    async def stop_reading(self) -> None:
        """End the reading task; before the socket is closed, or the loop would still watch its number."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        how = Leaving.CLOSED
        try:
            while data := await self.wire.recv():
                self._unread += data
                self._arrived.set()
                while len(self._unread) > MAX_UNREAD:
                    self._taken.clear()
                    await self._taken.wait()
        except OSError:
            how = Leaving.RESET
        self.leave(how)
        self._arrived.set()
