"""What a capture saw of one exchange, unsanitized.

Rule: a tape lives in memory only. It has no serializer, refuses to be pickled or copied, and its `repr` gives counts.
The sanitize room turns it into something that may be stored.

Times are seconds on a monotonic clock since the request was sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn

Pairs = tuple[tuple[str, str], ...]
TapeEnd = Literal["complete", "eof", "incomplete", "reset", "timeout", "client_closed"]


class _MemoryOnly:
    """Refuses every way in which a value leaves the process or is duplicated behind our back."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds unsanitized bytes and stays in memory: sanitize it to store it")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse


@dataclass(slots=True, repr=False)
class TapedRequest(_MemoryOnly):
    """The request as it left."""

    method: str
    url: str
    headers: Pairs
    body: bytes | None

    def __repr__(self) -> str:
        return f"<TapedRequest {self.method}, {len(self.headers)} headers, {len(self.body or b'')} bytes>"


@dataclass(slots=True, repr=False)
class TapedHead(_MemoryOnly):
    """The head of the response, and when it came."""

    status: int
    reason: str
    http_version: str
    headers: Pairs
    at_s: float

    def __repr__(self) -> str:
        return f"<TapedHead {self.status}, {len(self.headers)} headers>"


@dataclass(slots=True, repr=False)
class Tape(_MemoryOnly):
    """One exchange, filled in while it happens.

    Attributes:
        request, head: None until seen.
        pieces: the raw body bytes as the HTTP library handed them on (transfer framing removed, still content-encoded),
            each with its time of arrival in seconds.
        decoded: the library undid the content-encoding before it handed the pieces on.
        end, end_s: how and when the body ended; None while it has not.
        on_end: called with the tape when it ends, on the thread where it does.
    """

    client: str = ""
    clock: Callable[[], float] = time.monotonic
    request: TapedRequest | None = None
    head: TapedHead | None = None
    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    end: TapeEnd | None = None
    end_s: float = 0.0
    started: float = 0.0
    decoded: bool = False
    on_end: Callable[[Tape], None] | None = None

    def start(self, request: TapedRequest) -> None:
        """The request is about to be sent: time zero."""
        self.request, self.started = request, self.clock()

    def now(self) -> float:
        """Seconds since the request was sent."""
        return self.clock() - self.started

    def answer(self, status: int, reason: str, http_version: str, headers: Sequence[tuple[str, str]]) -> None:
        """The head has arrived."""
        self.head = TapedHead(status, reason, http_version, tuple(headers), self.now())

    def piece(self, data: bytes) -> None:
        """A piece of the body has arrived; an empty one is not a piece, and what comes after the end is not kept."""
        if data and self.end is None:
            self.pieces.append((self.now(), data))

    def finish(self, end: TapeEnd) -> None:
        """The body has ended; what is said first stands, but a time limit is the reason for the close it causes."""
        if self.end is None or (self.end, end) == ("client_closed", "timeout"):
            first = self.end is None
            self.end, self.end_s = end, self.now()
            if first and self.on_end is not None:
                self.on_end(self)

    def clean_end(self) -> TapeEnd:
        """What a body came to that ended without an exception: to its proper end, or to that of the connection.

        RFC 9112 section 6.3: some answers have no body, others say how long it is or come in transfer chunks; without
        either, and before HTTP/2, it lasts until the connection is closed.
        """
        if self.head is None or self.request is None:
            return "eof"
        bodiless = self.request.method == "HEAD" or self.head.status in (204, 304)
        framed = self.header("content-length") or "chunked" in self.header("transfer-encoding").lower()
        return "complete" if bodiless or framed or not self.head.http_version.startswith("1") else "eof"

    def header(self, name: str) -> str:
        """The response header `name`, values joined with a comma; "" when absent."""
        pairs = self.head.headers if self.head else ()
        return ", ".join(value for key, value in pairs if key.lower() == name)

    def __repr__(self) -> str:
        size = sum(len(data) for _, data in self.pieces)
        return f"<Tape {self.head!r}, {len(self.pieces)} pieces, {size} bytes, end {self.end}>"
