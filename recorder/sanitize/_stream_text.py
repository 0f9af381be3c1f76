"""An event stream as fields with their places: what the standard calls lines, fields and blocks, without dispatching.

Rule: every character of a value is in exactly one field; a comment is the field without a name, and a line that is no
field of the standard is a field called "?" with all of the line. Nothing is decoded or discarded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(
    r"data: ?(?P<only>[^\r\n]*)(?:\n\n|\r\n\r\n)"  # most blocks are one data line
    r"|(?:(?P<name>data|event|id|retry|): ?(?P<value>[^\r\n]*)|(?P<other>[^\r\n]+)|)(?:\r\n|\r|\n|\Z)"
)
_EVENTS = re.compile(r"(?:\A|[\r\n])[ \t]*(?:data:|\{|\[[\"{\[])")
JSON_OPENING = re.compile(r"[{\[]")
Span = tuple[int, int]


Field = tuple[str, list[Span]]
"""The name of a field and the place of its value; of `data`, the places in all data lines of a block."""


def holds_events(text: str) -> bool:
    """Whether a body that begins neither like an event stream nor like JSON has lines of data or of JSON.

    The parts of a form are left as they are.
    """
    return not text.startswith("--") and _EVENTS.search(text) is not None


def fields(text: str) -> Iterator[Field]:
    """The fields of an event stream, data lines of a block together, in the order in which blocks end."""
    position = 1 if text.startswith("\ufeff") else 0  # a byte order mark is no part of the first line
    data: list[Span] = []
    for match in _LINE.finditer(text, position):
        if match.lastgroup == "only":
            yield "data", [*data, match.span("only")]
            data = []
        elif (name := match["name"]) == "data":
            data.append(match.span("value"))
        elif name is not None:
            yield name, [match.span("value")]
        elif (other := match["other"]) is not None:
            if other != "data":  # a data field without a colon has no value
                yield "?", [match.span("other")]
        elif data:  # a blank line, or the end
            yield "data", data
            data = []
    if data:
        yield "data", data
