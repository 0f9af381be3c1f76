"""One accepted TCP connection, plain or under TLS, on the event loop's bare socket calls.

Rule: `send` returns when the kernel has every byte, so that what comes after it (a FIN, an RST) really comes after.
asyncio's transports buffer and hide the socket, and an orderly TLS shutdown is all they offer. It does not know HTTP.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import struct
from contextlib import suppress
from typing import Protocol

from recorder.adapters.loopback._unread import Unread

READ_SIZE = 64 * 1024
_LINGER_NOT = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)  # close() then sends an RST


class Wire(Protocol):
    """A connection that can also be broken."""

    @property
    def protocol(self) -> str | None:
        """What TLS agreed on to speak here (ALPN), such as "h2"; None without."""

    async def open(self) -> None:
        """Make the connection ready. Raises OSError (ssl.SSLError included) when the peer is no client of ours."""

    async def recv(self) -> bytes:
        """The next bytes; empty when the peer has closed its side. Raises OSError when it broke the connection."""

    async def send(self, data: bytes) -> None:
        """Hand all of `data` to the kernel in one write. Raises OSError when the peer is gone."""

    def unread(self) -> int | None:
        """Bytes that the client has not taken from its socket yet; None where that cannot be told."""

    async def finish(self) -> None:
        """An orderly end of our side: close_notify where there is TLS, then FIN."""

    def cut(self) -> None:
        """FIN without the end that TLS owes."""

    def reset(self) -> None:
        """Close with an RST."""


class PlainWire:
    """TCP without TLS."""

    protocol: str | None = None

    def __init__(self, sock: socket.socket, unread: Unread) -> None:
        self._sock = sock
        self._unread = unread
        self._loop = asyncio.get_running_loop()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def open(self) -> None:
        return None

    async def recv(self) -> bytes:
        return await self._loop.sock_recv(self._sock, READ_SIZE)

    async def send(self, data: bytes) -> None:
        try:
            sent = self._sock.send(data)  # there is room nearly always, and the loop's own way costs more
        except (BlockingIOError, InterruptedError):
            sent = 0
        if sent < len(data):
            await self._loop.sock_sendall(self._sock, memoryview(data)[sent:])

    def unread(self) -> int | None:
        return self._unread.by_the_peer_of(self._sock)

    async def finish(self) -> None:
        self.cut()

    def cut(self) -> None:
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        with suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._sock.close()


class TlsWire(PlainWire):
    """TLS over memory buffers: the records are made here, the socket carries them."""

    def __init__(self, sock: socket.socket, unread: Unread, context: ssl.SSLContext) -> None:
        super().__init__(sock, unread)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._finished = False
        self._sending = asyncio.Lock()  # reader and writer both produce records; they go out one after the other

    async def open(self) -> None:
        try:
            while True:
                try:
                    self._tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    await self._flush()
                if not await self._fill():
                    raise ConnectionAbortedError("the peer left during the TLS handshake")
            self.protocol = self._tls.selected_alpn_protocol()
        finally:
            with suppress(OSError):
                await self._flush()  # the last handshake bytes, or the alert that says why not

    async def recv(self) -> bytes:
        while not self._finished:
            try:
                return self._tls.read(READ_SIZE)
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError:  # an end without close_notify, or records that are none
                break
            if self._outgoing.pending:  # or a writer that waits for the client would keep us from reading
                await self._flush()
            if not await self._fill():
                return b""
        # OpenSSL takes no data after our close_notify; what still comes is only read away, so it need not be understood
        return await super().recv() if self._finished else b""

    async def send(self, data: bytes) -> None:
        self._tls.write(data)
        await self._flush()

    async def finish(self) -> None:
        self._finished = True
        with suppress(OSError):
            self._tls.unwrap()
        with suppress(OSError):
            await self._flush()
        self.cut()

    async def _fill(self) -> bool:
        data = await self._loop.sock_recv(self._sock, READ_SIZE)
        self._incoming.write(data)
        return bool(data)

    async def _flush(self) -> None:
        async with self._sending:
            if self._outgoing.pending:
                await self._loop.sock_sendall(self._sock, self._outgoing.read())
