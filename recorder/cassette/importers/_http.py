"""HTTP/1.x messages out of bytes: heads, and bodies with their transfer framing undone.

Rule: LF is taken for a line end as well as CR LF; a head is bounded. Not known here: where the bytes come from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recorder.cassette._model import Headers

MAX_HEAD = 1024 * 1024
_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/(\d(?:\.\d)?) (\d{3})(?: (.*))?")
_REQUEST = re.compile(r"([A-Za-z-]+) (\S+)(?: HTTP/(\d(?:\.\d)?))?")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_DOTTED_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n.]*)?(?:\r\n|\.\.)")
_PARTIAL_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}\r?\Z")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a message: its first line, its headers, and where its body begins."""

    line: str
    headers: Headers
    end: int

    def status(self) -> tuple[int, str, str] | None:
        """Code, reason and HTTP version, if this is the head of a response."""
        match = _STATUS.fullmatch(self.line)
        return None if match is None else (int(match[2]), (match[3] or "").strip(), match[1].removesuffix(".0"))

    def request(self) -> tuple[str, str, str] | None:
        """Method, target and HTTP version, if this is the head of a request."""
        match = _REQUEST.fullmatch(self.line)
        return None if match is None else (match[1].upper(), match[2], (match[3] or "").removesuffix(".0"))


def head_at(data: bytes, start: int = 0) -> Head | None:
    """The head that begins at `start`; None when none ends there."""
    end = _END.search(data, start, start + MAX_HEAD)
    if end is None:
        return None
    first, *lines = _text(data[start : end.start()]).replace("\r\n", "\n").split("\n")
    pairs: list[tuple[str, list[str]]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and pairs:
            pairs[-1][1].append(line.strip())  # an obsolete fold
        elif colon and name.strip():
            pairs.append((name.strip(), [value.strip()]))
    headers = Headers([(name, " ".join(value)) for name, value in pairs])
    return Head(first.strip(), headers, end.end())


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def response_head(data: bytes, start: int = 0) -> Head | None:
    """The head of the final response: interim ones (1xx), redirects and proxy answers before it are passed over."""
    head = head_at(data, start)
    while head is not None and head.status() is not None and data.startswith(b"HTTP/", head.end):
        further = head_at(data, head.end)
        if further is None or further.status() is None:
            break
        head = further
    return head if head is not None and head.status() is not None else None


@dataclass(frozen=True, slots=True)
class Framing:
    """Where the content stands in the bytes of a body.

    Attributes:
        pieces: from, to; in order.
        ended: whether the body came to its end by its framing; None when it has none.
        broken_at: the offset at which the framing is no framing any more.
    """

    pieces: list[tuple[int, int]]
    ended: bool | None
    broken_at: int | None = None

    def content(self, body: bytes) -> bytes:
        """The content in `body`."""
        return b"".join([body[start:end] for start, end in self.pieces])


def framing(headers: Headers, body: bytes, *, dots: bool = False) -> Framing:
    """How a body is framed (RFC 9112 section 6). Many tools keep the header and drop the chunked framing.

    Args:
        headers: of the message.
        body: its bytes.
        dots: a line end between two reads may be shown as two dots.
    """
    whole = [(0, len(body))] if body else []
    length = headers.first("content-length")
    if "chunked" in headers.first("transfer-encoding").lower():
        size = _DOTTED_SIZE if dots else _SIZE
        return _chunked(body, size) if size.match(body) else Framing(whole, None)
    if length.isascii() and length.isdigit() and len(length) < 20:
        return Framing(whole, len(body) >= int(length))
    return Framing(whole, None)


def _chunked(body: bytes, size: re.Pattern[bytes]) -> Framing:
    pieces: list[tuple[int, int]] = []
    at = 0
    while match := size.match(body, at):
        length = int(match[1], 16)
        if length == 0:
            return Framing(pieces, True)
        end = match.end() + length
        pieces.append((match.end(), min(end, len(body))))
        if end + 2 > len(body):
            return Framing([piece for piece in pieces if piece[0] < piece[1]], False)
        if body[end : end + 2] not in ((b"\r\n",) if size is _SIZE else (b"\r\n", b"..")):
            return Framing(pieces, False, end)
        at = end + 2
    return Framing(pieces, False, None if at == len(body) or _PARTIAL_SIZE.match(body, at) else at)


def unframed(headers: Headers, body: bytes) -> bytes:
    """The body without the chunked framing, if it is in it and whole."""
    found = framing(headers, body)
    return found.content(body) if found.ended else body
