"""Text and bytes of a stream as they may be shown: nothing in them steers a terminal or its reading order.

Rule: what is not printable, in Unicode's sense, is written as an escape: controls, ESC, bidirectional overrides,
joiners, separators of lines and paragraphs, lone surrogates. Not known here: markup, which is never read from a text.
"""

from __future__ import annotations

import json
from typing import Any


def safe(text: str) -> str:
    """Text in which nothing steers a terminal or its reading order."""
    return "".join([char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text])


def safe_bytes(data: bytes) -> str:
    """Bytes so that each can be told: printable UTF-8 as it is, all else and the backslash as escapes."""
    text = data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return safe(text)


def json_text(value: Any) -> str:
    """JSON text in ASCII, which is safe to print and says everything exactly."""
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")
