"""Where in a piece of a stream its events were dispatched, found out afterwards.

Rule: nobody pays for it who does not ask. The parser keeps its latest piece and the little it needs to know about what
came before; this reads the piece again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What stood before a piece: its `line`, `has_data`, `after_cr` and `at_start`.
Standing = tuple[bytes, bool, bool, bool]

LINE_END = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the stream, and what stood before them.

    Attributes:
        start: absolute offset of the first byte.
        data: the bytes.
        line: what the line they begin in has so far, as far as it matters (at most a field's name and colon).
        has_data: whether the block they begin in has a data line already.
        after_cr: whether the byte before them was a CR that ended a line.
        at_start: whether `line` and `data` begin the stream, perhaps with a byte order mark.
    """

    start: int
    data: bytes
    line: bytes = b""
    has_data: bool = False
    after_cr: bool = False
    at_start: bool = False

    def dispatches(self) -> Iterator[int]:
        """The absolute offset just after each byte that dispatches an event: the first of a blank line's terminator."""
        text = self.line + self.data
        shift = self.start - len(self.line)
        at = 3 if self.at_start and text.startswith(b"\xef\xbb\xbf") else 0
        if self.after_cr and text.startswith(b"\n"):
            at = 1
        has_data = self.has_data
        for end in LINE_END.finditer(text, at):
            line = text[at : min(end.start(), at + 5)]
            if not line:
                if has_data:
                    yield shift + end.start() + 1
                has_data = False
            elif line == b"data:" or (line == b"data" and end.start() == at + 4):
                has_data = True
            at = end.end()
