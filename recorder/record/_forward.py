"""One connection of the recording proxy: what is refused, what goes on to the one upstream, and what comes back.

Rule: every piece is handed on when it arrives, in the framing it came in; the connection ends as the upstream's did.
Only a path is taken from the client, never a host: there is one upstream, and it was named at the start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from recorder.adapters.loopback import ClientLeft, HttpRequest, Peer, Received
from recorder.capture.httpx import asend
from recorder.record._quiet import quiet
from recorder.record._source import Deadline
from recorder.tape import Tape

Pairs = list[tuple[str, str]]
_HOP_BY_HOP = frozenset(
    {
        "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""RFC 9110 section 7.6.1: about one connection, not about the message."""

_LAST_CHUNK = b"0\r\n\r\n"


class Limits:
    """Seconds and bytes of one exchange."""

    __slots__ = ("deadline", "idle", "max_bytes")

    def __init__(self, deadline: float, idle: float | None, max_bytes: int) -> None:
        self.deadline, self.idle, self.max_bytes = deadline, idle, max_bytes


def refusal(received: Received, port: int) -> tuple[int, str] | None:
    """Why a request is not forwarded: a status and a sentence; None when it is.

    Args:
        received: the request.
        port: the proxy's own.
    """
    request = received.request
    if received.too_large:
        return 413, "the request body is too large"
    if request.method == "CONNECT":
        return 405, "this proxy records one upstream and makes no tunnels: use its URL as the base URL"
    if not request.target.startswith("/"):
        return 421, "this proxy has one upstream and takes a path, not a URL: use its URL as the base URL"
    if (request.header("host") or "").lower() not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return 421, "this proxy has one upstream: the host must be its own"
    return None


async def refuse(peer: Peer, status: int, said: str) -> None:
    """Answer with a status and a sentence, and close."""
    body = f"{said}\n".encode()
    headers = [("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(body)))]
    await peer.send(_head(status, "Refused", headers) + body)
    await peer.wire.finish()
    await peer.linger()


async def forward(peer: Peer, request: HttpRequest, upstream: Any, transport: Any, tape: Tape, limits: Limits) -> None:
    """Send the request on and hand its answer back; `tape` then holds the exchange.

    Args:
        peer: the client.
        request: what it asked.
        upstream: the URL of the upstream, whose path comes before the request's.
        transport: an async one of httpx2.
        tape: an empty one.
        limits: of the exchange.

    Raises:
        ClientLeft: the client did not wait for the end.
    """
    faults: list[Exception] = []

    async def whole() -> None:  # what is raised in `until` would be lost
        try:
            await _exchange(peer, request, upstream, transport, tape, limits)
        except ClientLeft:
            return
        except Exception as error:
            faults.append(error)

    await peer.until(whole())
    if faults:
        raise faults[0]
    await peer.linger()


async def _exchange(
    peer: Peer, request: HttpRequest, upstream: Any, transport: Any, tape: Tape, limits: Limits
) -> None:
    import httpx2

    deadline = Deadline(limits.deadline)
    with quiet():
        try:
            async with asyncio.timeout(deadline.left(limits.idle)):
                response = await asend(transport.handle_async_request, _outgoing(request, upstream), tape)
        except TimeoutError:
            await refuse(peer, 504, "the upstream did not answer in time")
            return
        except httpx2.HTTPError:
            await refuse(peer, 502, "the upstream could not be reached, or broke the connection")
            return
        try:
            await _answer(peer, request, response, tape, deadline, limits)
        finally:
            await response.aclose()


def _outgoing(request: HttpRequest, upstream: Any) -> Any:
    import httpx2

    prefix = upstream.raw_path.rstrip(b"/")
    url = upstream.copy_with(raw_path=prefix + request.target.encode("latin-1"))
    framed = request.header("content-length") is not None or request.header("transfer-encoding") is not None
    headers = [(name, value) for name, value in _end_to_end(request.headers) if name != "content-length"]
    content = request.body if framed else None
    return httpx2.Request(request.method, url, headers=headers, content=content)


def _end_to_end(headers: Iterable[tuple[str, str]]) -> Pairs:
    pairs = [(name.lower(), value) for name, value in headers]
    named = {each.strip().lower() for name, value in pairs if name == "connection" for each in value.split(",")}
    return [(name, value) for name, value in pairs if name not in _HOP_BY_HOP and name not in named]


def _head(status: int, reason: str, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers), "connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


async def _answer(
    peer: Peer, request: HttpRequest, response: Any, tape: Tape, deadline: Deadline, limits: Limits
) -> None:
    assert tape.head is not None
    headers = _end_to_end(tape.head.headers)
    if tape.header("transfer-encoding"):  # RFC 9112 section 6.3: it counts, and a length beside it does not
        headers = [(name, value) for name, value in headers if name != "content-length"]
    is_framed = tape.header("transfer-encoding") != "" or tape.head.http_version.startswith("2")
    has_body = request.method != "HEAD" and tape.head.status not in (204, 304)
    has_length = any(name == "content-length" for name, _ in headers)
    # a body that ends with the connection ends so here too; and HTTP/1.0 knows no chunks
    chunked = is_framed and has_body and request.http_version == "1.1" and not has_length
    if chunked:
        headers.append(("transfer-encoding", "chunked"))
    await peer.send(_head(tape.head.status, tape.head.reason, headers))
    await _body(peer, response, tape, deadline, limits, chunked)
    await _end(peer, tape, chunked)


async def _body(peer: Peer, response: Any, tape: Tape, deadline: Deadline, limits: Limits, chunked: bool) -> None:
    import httpx2

    pieces, size = aiter(response.aiter_raw()), 0
    while True:
        try:
            async with asyncio.timeout(deadline.left(limits.idle)):
                piece: bytes = await anext(pieces)
        except (StopAsyncIteration, httpx2.HTTPError):
            return  # how it ended is on the tape
        except TimeoutError:
            tape.finish("timeout")
            return
        size += len(piece)
        if size > limits.max_bytes:
            tape.finish("client_closed")
            return
        if piece:
            await peer.send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)


async def _end(peer: Peer, tape: Tape, chunked: bool) -> None:
    """The end of the client's connection is the end of the upstream's."""
    if tape.end in ("complete", "eof"):
        if chunked:
            await peer.send(_LAST_CHUNK)
        await peer.wire.finish()
    elif tape.end == "reset":
        await peer.settle()
        await peer.reset()
    else:
        peer.wire.cut()  # between two transfer chunks, without the last one (RFC 9112 section 8)
