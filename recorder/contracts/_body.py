"""What a response body is, from its first bytes: an event stream, or something else that came with status 200.

Rule: a guess is made only from bytes that are there; what could still become an event stream is not called anything
else. It never looks at more than the first `SNIFFED` bytes, so the answer does not depend on the chunking.

It does not know the dialects.
"""

from __future__ import annotations

import re
from enum import StrEnum

SNIFFED = 1024
"""How many bytes from the start of a body are looked at."""


class BodyKind(StrEnum):
    """What the first bytes of a body look like."""

    EVENT_STREAM = "event-stream"
    HTML = "html"
    JSON = "json"
    NDJSON = "ndjson"
    AWS_EVENTSTREAM = "aws-eventstream"
    GZIP = "gzip"
    EMPTY = "empty"
    UNKNOWN = "unknown"


_FIELD_LINE = re.compile(rb"(?:^|[\r\n])(?:(?:data|event|id|retry)(?::|[\r\n])|:)")
_HTML = re.compile(rb"<(?:!doctype|html|head|body|\?xml|!--|title|script|meta)\b|<!--", re.IGNORECASE)
_OBJECT_THEN_OBJECT = re.compile(rb"\}[ \t]*\r?\n[ \t]*\{")


def body_kind(prefix: bytes) -> BodyKind:
    """What a body that begins with these bytes is.

    Args:
        prefix: the first bytes of the decoded body; as many as are at hand, a kilobyte is enough.

    Returns:
        `EVENT_STREAM` when a field or comment line of the standard begins in them; otherwise what they look like:
        `UNKNOWN` when they look like nothing in particular, `EMPTY` when there are none but white space.
    """
    head = prefix[:SNIFFED]
    if head.startswith(b"\x1f\x8b"):
        return BodyKind.GZIP
    if _is_aws_prelude(head):
        return BodyKind.AWS_EVENTSTREAM
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if not text:
        return BodyKind.EMPTY
    if text[:1] in (b"{", b"["):
        return BodyKind.NDJSON if text[:1] == b"{" and _OBJECT_THEN_OBJECT.search(text) else BodyKind.JSON
    if _HTML.match(text):
        return BodyKind.HTML
    if _FIELD_LINE.search(head.removeprefix(b"\xef\xbb\xbf")):
        return BodyKind.EVENT_STREAM
    return BodyKind.UNKNOWN


def _is_aws_prelude(head: bytes) -> bool:
    """`application/vnd.amazon.eventstream`: total length, headers length and a CRC, then the first header's name."""
    total, headers = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    return len(head) >= 16 and 16 <= total <= 1 << 24 and headers <= total - 16 and head[13:14] == b":"
