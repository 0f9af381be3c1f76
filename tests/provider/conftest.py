"""A raw client for the provider's tests: it sees every byte and every way a connection ends, over TCP and over TLS."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from recorder.provider import Provider

TIMEOUT_S = 20.0  # so that a fault fails the test and does not hang it


class RawClient:
    """One connection. Under TLS the socket is read here, not by OpenSSL: FIN, RST and close_notify tell apart."""

    def __init__(self, port: int, tls: ssl.SSLContext | None) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        self.tls: ssl.SSLObject | None = None
        if tls is not None:
            self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self.tls = tls.wrap_bio(self._incoming, self._outgoing, server_hostname="127.0.0.1")
            self._until_done(self.tls.do_handshake)

    def send(self, data: bytes) -> None:
        if self.tls is None:
            self.sock.sendall(data)
        else:
            self.tls.write(data)
            self.sock.sendall(self._outgoing.read())

    def recv(self) -> bytes:
        """The next bytes; empty at an orderly end. SSLEOFError: FIN without close_notify; ConnectionResetError: RST."""
        return self.sock.recv(65536) if self.tls is None else self._until_done(lambda: self.tls.read(65536))

    def read_until(self, mark: bytes) -> bytes:
        data = b""
        while mark not in data:
            more = self.recv()
            assert more, f"the connection ended after {len(data)} bytes"
            data += more
        return data

    def read_all(self) -> tuple[bytes, str]:
        """Everything up to the end, and the kind of end: "closed", "cut" (no close_notify) or "reset"."""
        data = b""
        try:
            while more := self.recv():
                data += more
        except ssl.SSLEOFError:
            return data, "cut"
        except ConnectionResetError:
            return data, "reset"
        return data, "closed"

    def close(self) -> None:
        self.sock.close()

    def _until_done(self, step: Callable[[], Any]) -> Any:
        while True:
            try:
                return step()
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                self._flush()
                if data := self.sock.recv(65536):
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            finally:
                with suppress(BrokenPipeError):  # an alert nobody is there to take
                    self._flush()

    def _flush(self) -> None:
        if self._outgoing.pending:  # sending nothing over a reset connection would be an error of its own
            self.sock.sendall(self._outgoing.read())


def request_bytes(
    key: str,
    body: bytes,
    *,
    method: str = "POST",
    target: str = "/v1/chat/completions",
    version: str = "1.1",
    more: str = "",
) -> bytes:
    head = f"{method} {target} HTTP/{version}\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n{more}"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass(frozen=True)
class RawAnswer:
    head: bytes
    rest: bytes
    end: str

    @property
    def status(self) -> int | None:
        return int(self.head.split()[1]) if self.head else None

    @property
    def error_code(self) -> str:
        return str(json.loads(self.rest)["error"]["code"])

    def chunks(self) -> tuple[list[bytes], bool]:
        """The transfer chunks, and whether the last chunk (RFC 9112, 7.1) came."""
        found: list[bytes] = []
        rest = self.rest
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            length = int(size, 16)
            assert rest[length : length + 2] == b"\r\n", "a transfer chunk is not closed by CR LF"
            if length == 0:
                assert rest == b"\r\n", "bytes after the last chunk"
                return found, True
            found.append(rest[:length])
            rest = rest[length + 2 :]
        return found, False


@pytest.fixture
def connect() -> Iterator[Callable[[Provider], RawClient]]:
    """Opens raw connections to a provider and closes them after the test."""
    clients: list[RawClient] = []

    def connect(provider: Provider) -> RawClient:
        tls = provider.ssl_context() if provider.url.startswith("https:") else None
        clients.append(RawClient(provider.port, tls))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


@pytest.fixture
def ask(connect: Callable[[Provider], RawClient]) -> Callable[..., RawAnswer]:
    """Sends one request on a connection of its own and reads to the connection's end."""

    def ask(
        provider: Provider, model: str | None = None, *, body: bytes | None = None, key: str = "", **how: Any
    ) -> RawAnswer:
        client = connect(provider)
        if body is None:
            body = json.dumps({"stream": True, **({"model": model} if model else {})}).encode()
        how.setdefault("more", "connection: close\r\n")
        client.send(request_bytes(key or provider.key, body, **how))
        data, end = client.read_all()
        head, _, rest = data.partition(b"\r\n\r\n")
        return RawAnswer(head, rest, end)

    return ask


@pytest.fixture
def request_with() -> Callable[..., bytes]:
    """The bytes of one request."""
    return request_bytes


@pytest.fixture(params=[True, False], ids=["tls", "plain"])
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    """A provider without waiting, with TLS and without."""
    with Provider(pace=0, tls=request.param) as provider:
        yield provider


@pytest.fixture
def plain() -> Iterator[Provider]:
    """A provider without waiting and without TLS."""
    with Provider(pace=0, tls=False) as provider:
        yield provider


@pytest.fixture
def secure() -> Iterator[Provider]:
    """A provider without waiting, with TLS."""
    with Provider(pace=0) as provider:
        yield provider
