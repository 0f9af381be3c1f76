"""What a client sent, as a value, and the one place where an HTTP/1 request is read off the wire (with h11).

Rule: a request holds a credential and a prompt, so its repr shows neither.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import h11

MAX_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request as it was received.

    Attributes:
        method, target, http_version: of the request line; the version is "1.1" or "1.0", or "2".
        headers: pairs in order, names in lower case.
        body: content without transfer framing; cut short when it was over the limit.
    """

    method: str
    target: str = field(repr=False)
    http_version: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)

    def header(self, name: str) -> str | None:
        """The first value of a header, its name given in lower case, or None."""
        return next((value for key, value in self.headers if key == name), None)


class BadRequest(Exception):
    """The bytes are not an HTTP/1 request; `.status` is what to answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"not an HTTP/1 request ({status})")
        self.status = status


@dataclass(frozen=True, slots=True)
class Received:
    """A request off the wire, and what became of the connection while reading it.

    Attributes:
        request: what was asked.
        too_large: the body went over the limit; the rest of it is unread.
        keep_alive: the connection may carry another request.
        rest: bytes read beyond the request.
    """

    request: HttpRequest
    too_large: bool
    keep_alive: bool
    rest: bytes


async def receive(
    before: bytes, take: Callable[[], Awaitable[bytes]], send: Callable[[bytes], Awaitable[None]], max_body: int
) -> Received | None:
    """Read one request.

    Args:
        before: bytes already read from the connection.
        take: gives the next bytes; empty at the end of the connection.
        send: writes to the client; used for `100 Continue` only.
        max_body: bytes of content that still pass.

    Returns:
        The request, or None when the connection ended without one.

    Raises:
        BadRequest: the bytes are not an HTTP/1 request, or it ended in the middle.
    """
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
    if before:
        connection.receive_data(before)
    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = _next(connection)
        if event is h11.NEED_DATA:
            connection.receive_data(await take())
        elif isinstance(event, h11.Request):
            head = event
            if not head.http_version.startswith(b"1."):
                raise BadRequest(505)  # RFC 9110, 15.6.6; h11 takes any digit
            if connection.they_are_waiting_for_100_continue:
                await send(b"HTTP/1.1 100 Continue\r\n\r\n")
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.ConnectionClosed):
            return None
        if head is not None and (len(body) > max_body or isinstance(event, h11.EndOfMessage)):
            too_large = len(body) > max_body
            keep = connection.their_state is h11.DONE and not too_large
            return Received(_request(head, bytes(body[:max_body])), too_large, keep, connection.trailing_data[0])


def _next(connection: h11.Connection) -> Any:
    try:
        return connection.next_event()
    except h11.RemoteProtocolError as error:
        raise BadRequest(error.error_status_hint) from None


def _request(head: h11.Request, body: bytes) -> HttpRequest:
    headers = tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in head.headers)
    return HttpRequest(
        head.method.decode("ascii"), head.target.decode("latin-1"), head.http_version.decode(), headers, body
    )
