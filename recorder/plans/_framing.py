"""`framing=`: how HTTP/1.1 says where the body ends (RFC 9112 section 6). It matters to the server alone."""

from __future__ import annotations

from enum import StrEnum

from recorder.errors import PlanError


class Framing(StrEnum):
    """The values, the default first."""

    CHUNKED = "chunked"  # transfer-encoding: chunked, one transfer chunk a chunk
    LENGTH = "length"  # content-length
    CLOSE = "close"  # neither: the end of the connection is the end of the body


def framing(text: str) -> Framing:
    """The framing that `text` writes.

    Raises:
        PlanError: it is not a value of `framing=`.
    """
    try:
        return Framing(text)
    except ValueError:
        raise PlanError(f"framing={text}: unknown; use {', '.join(Framing)}") from None
