"""What the provider answers: a head, pieces with the pauses before them, and a way to end. Values only.

Rule: one piece is one transfer chunk (RFC 9112, 7.1) and one socket write. A scenario is checked when it is made, so
that the server never meets one it cannot send. It does not know dialects, requests or sockets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recorder.provider._request import SeenRequest

HeaderPairs = tuple[tuple[str, str], ...]

EVENT_STREAM_HEADERS: HeaderPairs = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
)

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # RFC 9110, 5.5, without the white space rules
_FRAMING = frozenset({"transfer-encoding", "connection", "keep-alive", "upgrade"})  # the server's business


class End(StrEnum):
    """How an answer stops.

    `complete`: the proper HTTP end. `eof`: no framing, the body ends with the connection. `incomplete`: the
    connection closes inside the framing. `reset`: TCP RST. `stall`: nothing more, the connection stays open until the
    client leaves. `repeat`: the last piece is sent again and again. The `-head` kinds send no head: an orderly close,
    RST, or silence.
    """

    COMPLETE = "complete"
    EOF = "eof"
    INCOMPLETE = "incomplete"
    RESET = "reset"
    STALL = "stall"
    REPEAT = "repeat"
    REFUSE_HEAD = "refuse-head"
    RESET_HEAD = "reset-head"
    STALL_HEAD = "stall-head"


HEADLESS = frozenset({End.REFUSE_HEAD, End.RESET_HEAD, End.STALL_HEAD})


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of one transfer chunk, and the pause before it.

    Args:
        delay_s: seconds since the previous piece (the first: since the head), scaled by the provider's pace.
        data: the bytes; at least one, since an empty transfer chunk would end the body.
    """

    delay_s: float
    data: bytes

    def __post_init__(self) -> None:
        _check_delay("delay_s", self.delay_s)
        if not self.data:
            raise ValueError("Piece.data is empty: an empty transfer chunk ends the body; leave the piece out")

    def __repr__(self) -> str:
        return f"Piece(delay_s={self.delay_s!r}, data=<{len(self.data)} bytes>)"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One answer of the provider.

    Args:
        name: what a request's `model` has to say to get it.
        status: the HTTP status.
        headers: pairs, sent in this order. With `content-length` the body is length-framed, otherwise chunked.
        pieces: the body.
        end: how it stops; see `End`. Text such as "reset" is taken too.
        head_delay_s: seconds before the head.
        end_delay_s: seconds between the last piece and the end.

    Raises:
        ValueError: it could not be sent as written.
    """

    name: str
    status: int = 200
    headers: HeaderPairs = EVENT_STREAM_HEADERS
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    end: End = End.COMPLETE
    head_delay_s: float = 0.0
    end_delay_s: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", _end(self.end))
        object.__setattr__(self, "pieces", tuple(self.pieces))
        object.__setattr__(self, "headers", tuple((str(name), str(value)) for name, value in self.headers))
        if not 200 <= self.status <= 599:
            raise ValueError(f"Scenario.status is {self.status!r}: a final HTTP status is 200 to 599")
        _check_delay("head_delay_s", self.head_delay_s)
        _check_delay("end_delay_s", self.end_delay_s)
        self._check_headers()
        self._check_end()

    @property
    def body(self) -> bytes:
        """The pieces joined."""
        return b"".join(piece.data for piece in self.pieces)

    @property
    def content_length(self) -> int | None:
        """The declared length in bytes, or None when the body is not length-framed."""
        values = [value for name, value in self.headers if name.lower() == "content-length"]
        return int(values[0]) if values else None

    def _check_headers(self) -> None:
        for name, value in self.headers:
            if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
                raise ValueError(
                    f"Scenario.headers: {name!r} is not a header that can be sent (RFC 9110, 5.5 and 5.6.2)"
                )
            if name.lower() in _FRAMING:
                raise ValueError(
                    f"Scenario.headers: {name!r} is the server's to send; choose `end` or `content-length`"
                )
            if name.lower() == "content-length" and not re.fullmatch(r"[0-9]+", value):
                raise ValueError(f"Scenario.headers: content-length {value!r} is not a number of bytes")

    def _check_end(self) -> None:
        size, declared = len(self.body), self.content_length
        if self.end in HEADLESS and self.pieces:
            raise ValueError(f"Scenario.end is {self.end.value!r}, which sends no head: leave the pieces out")
        if self.end is End.REPEAT and not self.pieces:
            raise ValueError("Scenario.end is 'repeat': give at least the piece to repeat")
        if declared is None:
            return
        if self.end in (End.EOF, End.REPEAT):
            raise ValueError(f"Scenario.end is {self.end.value!r}, which has no length: leave content-length out")
        if size > declared or (self.end is End.COMPLETE and size != declared):
            raise ValueError(f"Scenario: content-length is {declared}, the pieces have {size} bytes")


@dataclass(frozen=True, slots=True)
class BuiltScenario:
    """A scenario that depends on the request.

    Args:
        name: what a request's `model` has to say to get it.
        build: called once for each request, on the provider's thread; it must not block.
    """

    name: str
    build: Callable[[SeenRequest], Scenario]

    def __call__(self, request: SeenRequest) -> Scenario:
        """The scenario for this request."""
        return self.build(request)


AnyScenario = Scenario | BuiltScenario


def document(name: str, status: int, content_type: str, body: bytes, headers: HeaderPairs = ()) -> Scenario:
    """A length-framed answer in one piece, such as an error in JSON or a page of HTML."""
    head = (("content-type", content_type), ("content-length", str(len(body))), *headers)
    return Scenario(name, status, head, (Piece(0.0, body),) if body else ())


def _end(value: str) -> End:
    try:
        return End(value)
    except ValueError:
        raise ValueError(f"Scenario.end is {value!r}: one of {', '.join(End)}") from None


def _check_delay(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} is {value!r}: seconds, zero or more")
