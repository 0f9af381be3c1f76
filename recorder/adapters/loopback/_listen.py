"""The accept loop, and one task for each connection.

Rule: everything here runs on one event loop; stopping cancels what is under way and waits for it. It does not know
HTTP, nor threads.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from functools import partial

from recorder.adapters.loopback._peer import Peer
from recorder.adapters.loopback._presence import ClientLeft
from recorder.adapters.loopback._unread import Unread
from recorder.adapters.loopback._wire import PlainWire, TlsWire, Wire


class Listening:
    """Serves one listening socket until it is told to stop.

    Args:
        connection: what happens on one connection; it may raise ClientLeft.
        tls: the server side's context, or None for plain TCP.
        at_most: connections beyond so many are closed at once; None: as many as come.

    Attributes:
        crashes: what `connection` raised beyond that.
    """

    def __init__(
        self,
        connection: Callable[[Peer], Awaitable[None]],
        tls: ssl.SSLContext | None,
        at_most: int | None = None,
    ) -> None:
        self._serve_one = connection
        self._tls = tls
        self._at_most = at_most
        self._unread: Unread
        self._connections: set[asyncio.Task[None]] = set()
        self.crashes: list[BaseException] = []

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    async def serve(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Accept until `stop`, then end every connection. The listener is closed on return."""
        loop = asyncio.get_running_loop()
        self._unread = Unread()
        loop.add_reader(listener, self._accept, listener)
        try:
            await stop.wait()
        finally:
            if listener.fileno() >= 0:
                loop.remove_reader(listener)
                listener.close()
            connections = tuple(self._connections)
            for task in connections:
                task.cancel()
            await asyncio.gather(*connections, return_exceptions=True)
            self._unread.close()

    def _accept(self, listener: socket.socket) -> None:
        """Take every connection that waits; a callback, not a task, so that stopping loses no socket in between."""
        while True:
            try:
                sock, _ = listener.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            except OSError as error:  # no sockets left, for one: refuse what follows rather than let it wait for ever
                self.crashes.append(error)
                asyncio.get_running_loop().remove_reader(listener)
                listener.close()
                return
            if self._at_most is not None and len(self._connections) >= self._at_most:
                sock.close()
                continue
            task = asyncio.create_task(self._connection(sock))
            self._connections.add(task)
            task.add_done_callback(partial(self._ended, sock))

    def _ended(self, sock: socket.socket, task: asyncio.Task[None]) -> None:
        sock.close()  # here, since a task that is cancelled before its first step runs no code of its own
        self._connections.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.crashes.append(error)

    async def _connection(self, sock: socket.socket) -> None:
        wire: Wire = PlainWire(sock, self._unread) if self._tls is None else TlsWire(sock, self._unread, self._tls)
        try:
            await wire.open()
        except OSError:
            return  # no TLS, no trust in this run's authority, or gone
        peer = Peer(wire)
        try:
            await self._serve_one(peer)
        except ClientLeft:
            return
        finally:
            await peer.stop_reading()
