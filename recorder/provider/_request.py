"""What a client sent, as a value, and the one place where a request is read off the wire (with h11).

Rule: a request holds a credential and a prompt, so its repr shows neither and it has no serializer. It does not know
routes.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import parse_qs

import h11

MAX_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as the provider received it.

    Attributes:
        method, target, http_version: of the request line; the version is "1.1" or "1.0".
        headers: pairs in order, names in lower case.
        body: content without transfer framing; cut short when it was over the provider's limit.
        authorized: whether it carried this run's key.
    """

    method: str
    target: str = field(repr=False)
    http_version: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    authorized: bool = False

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next((value for key, value in self.headers if key == name.lower()), None)

    def query(self, name: str) -> str | None:
        """The first value of a query parameter, decoded, or None."""
        return parse_qs(self.target.partition("?")[2]).get(name, [None])[0]

    @property
    def bearer(self) -> str | None:
        """The credential of `Authorization: Bearer ...` (RFC 6750, 2.1), or None."""
        scheme, _, credential = (self.header("authorization") or "").partition(" ")
        return credential.strip() if scheme.lower() == "bearer" and credential.strip() else None

    @property
    def credential(self) -> str | None:
        """What the client sent as its key, wherever providers look for one, or None."""
        return self.bearer or self.header("x-api-key") or self.header("x-goog-api-key") or self.query("key")

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ValueError: it is not JSON.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise ValueError("the request body is not JSON") from None

    def __repr__(self) -> str:
        return (
            f"SeenRequest({self.method} {self.path}, HTTP/{self.http_version}, {len(self.headers)} headers, "
            f"{len(self.body)} bytes, authorized={self.authorized})"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SeenRequest holds a credential and is never serialized")


class BadRequest(Exception):
    """The bytes are not an HTTP/1 request; `.status` is what to answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"not an HTTP/1 request ({status})")
        self.status = status


@dataclass(frozen=True, slots=True)
class Received:
    """A request off the wire, and what became of the connection while reading it.

    Attributes:
        request: not yet looked at for its key.
        too_large: the body went over the limit; the rest of it is unread.
        keep_alive: the connection may carry another request.
        rest: bytes read beyond the request.
    """

    request: SeenRequest
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
            return Received(_seen(head, bytes(body[:max_body])), too_large, keep, connection.trailing_data[0])


def _next(connection: h11.Connection) -> Any:
    try:
        return connection.next_event()
    except h11.RemoteProtocolError as error:
        raise BadRequest(error.error_status_hint) from None


def _seen(head: h11.Request, body: bytes) -> SeenRequest:
    headers = tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in head.headers)
    return SeenRequest(
        head.method.decode("ascii"), head.target.decode("latin-1"), head.http_version.decode(), headers, body
    )
