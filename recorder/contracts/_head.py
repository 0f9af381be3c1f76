"""The response head: is there an event stream to read at all?

Rule: the checks come in the order the source readers have them: redirect, status, media type, body. Only the head is
looked at; `body_kind` looks at the first bytes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Protocol

from recorder.errors import FaultCode

EVENT_STREAM = "text/event-stream"
"""The media type of the WHATWG HTML standard, section "Server-sent events"."""

HeaderValue = str | bytes | Sequence[str] | Sequence[bytes]


class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[str, HeaderValue]]: ...


Headers = Mapping[str, HeaderValue] | _HasItems | Iterable[tuple[str | bytes, HeaderValue]]


def check_head(
    status: int, headers: Headers, accept: Container[int] = range(200, 300), has_body: bool = True
) -> FaultCode | None:
    """Judge a response by its head, before a byte of the body is read.

    Args:
        status: the HTTP status code.
        headers: a mapping of names to a value or a sequence of values, or an iterable of pairs; names in any case,
            text or bytes.
        accept: the status codes to go on with. A 3xx is a redirect and refused whatever this says.
        has_body: False when the library says there is no body.

    Returns:
        None to go on, else `redirect_refused`, `http_error`, `unexpected_content_type` or `missing_body`: the first
        that applies.
    """
    if 300 <= status <= 399:
        return FaultCode.REDIRECT_REFUSED
    if status not in accept:
        return FaultCode.HTTP_ERROR
    types = header_values(headers, "content-type")
    if not types or any(media_type(each) != EVENT_STREAM for each in types):
        return FaultCode.UNEXPECTED_CONTENT_TYPE
    return None if has_body else FaultCode.MISSING_BODY


def media_type(value: str) -> str:
    """The media type of a content-type value: before the first ";", trimmed, in lower case."""
    return value.partition(";")[0].strip(" \t").lower()


def header_values(headers: Headers, name: str) -> list[str]:
    """Every value of one header."""
    pairs = headers.items() if hasattr(headers, "items") else headers
    found: list[str] = []
    for key, value in pairs:
        if _text(key).lower() == name:
            found.extend([_text(value)] if isinstance(value, str | bytes) else map(_text, value))
    return found


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")
