"""A small recorded stream, a server for it, and a raw client that sees every byte and every way a connection ends."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from recorder.adapters.loopback._unread import Unread
from recorder.adapters.server import ReplayServer, serve
from recorder.cassette import Cassette, Headers, Interaction, Request, Response

BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"  # 9 + 9 + 14 = 32 bytes
ASKED = b'{"n":1}'
PATH = "/v1/chat/completions"
TIMEOUT_S = 20.0  # so that a fault fails the test and does not hang it


def interaction(
    body: bytes = BODY,
    *,
    asked: bytes | None = ASKED,
    path: str = PATH,
    method: str = "POST",
    status: int = 200,
    kind: str = "text/event-stream",
    headers: dict[str, str] | None = None,
) -> Interaction:
    request = Request(method, f"https://api.example.com{path}", Headers(), asked)
    return Interaction(request, Response(status, Headers({"content-type": kind} | (headers or {})), body, reason="OK"))


def request_bytes(
    target: str = PATH, body: bytes = ASKED, *, method: str = "POST", version: str = "1.1", more: str = ""
) -> bytes:
    head = f"{method} {target} HTTP/{version}\r\nhost: 127.0.0.1\r\n{more}"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass(frozen=True)
class Answer:
    """What came back on a connection, up to its end: "closed", "cut" (FIN without close_notify) or "reset"."""

    head: bytes
    rest: bytes
    end: str

    @property
    def status(self) -> int:
        return int(self.head.split()[1])

    @property
    def json(self) -> Any:
        return json.loads(self.rest)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.json["error"]
        return found


class RawClient:
    """One TCP connection."""

    def __init__(self, server: ReplayServer) -> None:
        self.sock: socket.socket = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
        if server.url.startswith("https:"):
            context = server.ssl_context()
            self.sock = context.wrap_socket(
                self.sock, server_hostname="127.0.0.1", suppress_ragged_eofs=False, do_handshake_on_connect=True
            )

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def read_until(self, mark: bytes) -> bytes:
        data = b""
        while mark not in data:
            more = self.sock.recv(65536)
            assert more, f"the connection ended after {len(data)} bytes"
            data += more
        return data

    def read_all(self) -> tuple[bytes, str]:
        data = b""
        try:
            while more := self.sock.recv(65536):
                data += more
        except ssl.SSLEOFError:
            return data, "cut"
        except ConnectionResetError:
            return data, "reset"
        return data, "closed"

    def reset(self) -> None:
        """Close with an RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.sock.close()


@pytest.fixture
def connect() -> Iterator[Callable[[ReplayServer], RawClient]]:
    """Opens raw connections and closes them after the test."""
    clients: list[RawClient] = []

    def connect(server: ReplayServer) -> RawClient:
        clients.append(RawClient(server))
        return clients[-1]

    yield connect
    for client in clients:
        client.sock.close()


@pytest.fixture
def ask(connect: Callable[[ReplayServer], RawClient]) -> Callable[..., Answer]:
    """Sends one request on a connection of its own and reads to the end of the connection."""

    def ask(server: ReplayServer, target: str = PATH, body: bytes = ASKED, **how: Any) -> Answer:
        client = connect(server)
        how["more"] = how.get("more", "") + "connection: close\r\n"
        client.send(request_bytes(target, body, **how))
        data, end = client.read_all()
        client.sock.close()
        head, _, rest = data.partition(b"\r\n\r\n")
        return Answer(head, rest, end)

    return ask


@pytest.fixture
def told() -> None:
    """Skips where the system does not tell what the other end of a connection has not read."""
    unread = Unread()
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as here:
        there, _ = listener.accept()
        with there:
            answer = unread.by_the_peer_of(here)
    unread.close()
    if answer is None:
        pytest.skip("the system does not tell what the other end of a connection has not read: Linux does")


@pytest.fixture
def recorded() -> Callable[..., Interaction]:
    """Makes an interaction."""
    return interaction


@pytest.fixture
def asking() -> Callable[..., bytes]:
    """Makes the bytes of a request."""
    return request_bytes


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    """Serves the small stream, again and again."""
    with serve(Cassette((interaction(),)), repeat=True) as server:
        yield server


@pytest.fixture
def secure() -> Iterator[ReplayServer]:
    """The same over TLS."""
    with serve(Cassette((interaction(),)), repeat=True, tls=True) as server:
        yield server
