"""The accept loop and the life of one connection: read a request, choose the answer, send it, again.

Rule: everything here runs on one event loop; stopping cancels what is under way and waits for it. It does not know
threads.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from recorder.provider._answer import Answer
from recorder.provider._gate import Gates
from recorder.provider._ledger import Ledger
from recorder.provider._peer import ClientLeft, Peer
from recorder.provider._request import BadRequest, Received, SeenRequest, receive
from recorder.provider._routes import authorized, choose, refusal
from recorder.provider._scenario import AnyScenario
from recorder.provider._wire import PlainWire, TlsWire, Wire


@dataclass(frozen=True, slots=True)
class Config:
    """What the server serves with.

    Args:
        key: the key that opens every path.
        scenarios: by name.
        pace: factor on every delay.
        max_body: bytes of a request body that still pass.
        tls: the server side's context, or None for plain HTTP.
    """

    key: str = field(repr=False)
    scenarios: Mapping[str, AnyScenario] = field(repr=False)
    pace: float
    max_body: int
    tls: ssl.SSLContext | None


class Server:
    """Serves one listening socket until it is told to stop."""

    def __init__(self, config: Config, ledger: Ledger, gates: Gates) -> None:
        self._config = config
        self._ledger = ledger
        self._gates = gates
        self._connections: set[asyncio.Task[None]] = set()
        self.crashes: list[BaseException] = []

    async def serve(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Accept until `stop`, then end every connection. The listener is closed on return."""
        loop = asyncio.get_running_loop()
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
            task = asyncio.create_task(self._connection(sock))
            self._connections.add(task)
            task.add_done_callback(partial(self._ended, sock))

    def _ended(self, sock: socket.socket, task: asyncio.Task[None]) -> None:
        sock.close()  # here, since a task that is cancelled before its first step runs no code of its own
        self._connections.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.crashes.append(error)

    async def _connection(self, sock: socket.socket) -> None:
        tls = self._config.tls
        wire: Wire = PlainWire(sock) if tls is None else TlsWire(sock, tls)
        try:
            await wire.open()
        except OSError:
            return  # no TLS, no trust in this run's authority, or gone
        peer = Peer(wire)
        try:
            await self._requests(peer)
        except ClientLeft:
            return  # while the request was being read
        finally:
            await peer.stop_reading()

    async def _requests(self, peer: Peer) -> None:
        rest = b""
        while True:
            try:
                received = await receive(rest, peer.take, peer.send, self._config.max_body)
            except BadRequest as error:
                await self._not_http(peer, error.status).send()
                return
            if received is None or not await self._answer(peer, received).send():
                return
            rest = received.rest

    def _not_http(self, peer: Peer, status: int) -> Answer:
        request = SeenRequest("", "", "1.1", (), b"")
        answer = refusal(status, "This is not an HTTP/1.1 request.", "bad_request").answer
        return Answer(peer, request, answer, self._ledger.unlisted(request), keep_alive=False, pace=0.0)

    def _answer(self, peer: Peer, received: Received) -> Answer:
        request = replace(received.request, authorized=authorized(received.request, self._config.key))
        choice = choose(request, received.too_large, self._config.scenarios)
        entry = self._ledger.open(request, choice.name)
        gate = self._gates.take() if choice.name is not None else None
        return Answer(peer, request, choice.answer, entry, received.keep_alive, self._config.pace, gate)
