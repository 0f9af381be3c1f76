"""HTTP/1.1: one request after the other on a connection, and every way to end a body (RFC 9112 sections 6 to 9).

Rule: the head is one send and each chunk is one. HTTP is written here by hand because half of the ends are what a
library that writes HTTP refuses to do. It does not know what is answered.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from math import inf

from recorder.adapters._message import Message
from recorder.adapters._wire import head_bytes, last_bytes, transfer_chunk
from recorder.adapters.loopback import BadRequest, Peer, Presence, Received, receive
from recorder.adapters.server._log import Delivery
from recorder.adapters.server._perform import MAX_BODY, App
from recorder.plans import Ending, Framing

GAP_S = 0.005  # between two chunks that are to be two reads, where the system does not tell


class After(Enum):
    """What is left to do with the connection when an answer is through."""

    KEEP = "keep"
    LINGER = "linger"  # our side is closed, the client's is not
    GONE = "gone"


class Http1Sink:
    """One exchange.

    Attributes:
        presence: the client.
        entry: where the answer is noted.
        after: what becomes of the connection.
    """

    def __init__(self, peer: Peer, version: str, keep_alive: bool, exact: bool = False) -> None:
        self.presence: Presence = peer
        self.entry: Delivery | None = None
        self.after = After.KEEP if keep_alive else After.LINGER
        self._peer = peer
        self._version = version
        self._exact = exact
        self._framing: Framing | None = None
        self._headed = False

    async def head(self, message: Message) -> None:
        """Send the head."""
        if message.framing is Framing.CHUNKED and self._version == "1.0":  # it knows no chunks, RFC 9112 section 7.1
            message = replace(message, framing=Framing.CLOSE)
        closes = self.after is not After.KEEP and message.framing is not Framing.CLOSE
        self._framing = message.framing
        if message.framing is Framing.CLOSE:
            self.after = After.LINGER
        self._headed = True
        await self._peer.send(head_bytes(message, [("connection", "close")] if closes else ()))

    async def chunk(self, data: bytes) -> None:
        """Send one chunk, one transfer chunk where there are any; where exact, when the one before was taken."""
        if self._exact:
            await self._peer.taken(inf, GAP_S)
        await self._peer.send(transfer_chunk(data) if self._framing is Framing.CHUNKED else data)

    async def end(self, ending: Ending) -> None:
        """End that way."""
        if self._headed and (last := last_bytes(self._framing, ending)):
            await self._peer.send(last)
        if ending is Ending.RESET:
            if self._headed:
                await self._peer.settle()
            await self._peer.reset()
            self.after = After.GONE
        elif ending is Ending.INCOMPLETE:
            self._peer.wire.cut()
            self.after = After.LINGER
        elif not self._headed or self.after is After.LINGER:
            await self._peer.wire.finish()
            self.after = After.LINGER


async def http1(peer: Peer, before: bytes, app: App, exact: bool) -> None:
    """Serve a connection.

    Args:
        peer: the client.
        before: bytes already read.
        app: answers the requests.
        exact: a chunk is sent when the client has taken the one before from its socket.
    """
    rest = before
    sink: Http1Sink | None = None
    try:
        while True:
            received = await _receive(peer, rest)
            if received is None:
                return
            if isinstance(received, BadRequest):
                sink = Http1Sink(peer, "1.1", keep_alive=False)
                there = await app.refuse(sink, received.status)
            else:
                sink = Http1Sink(peer, received.request.http_version, received.keep_alive, exact)
                rest = received.rest
                there = await (app.refuse(sink, 413) if received.too_large else app.respond(sink, received.request))
            if there and sink.after is After.LINGER:
                await peer.linger()
            if not there or sink.after is not After.KEEP:
                return
            app.over(sink)
    finally:
        if sink is not None:
            app.over(sink)


async def _receive(peer: Peer, rest: bytes) -> Received | BadRequest | None:
    try:
        return await receive(rest, peer.take, peer.send, MAX_BODY)
    except BadRequest as error:
        return error
