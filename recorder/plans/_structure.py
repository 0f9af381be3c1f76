"""The lines, blocks and events of a body, with their places.

Rule: as the WHATWG standard reads them: one byte order mark is skipped; a line ends with CR LF, LF or CR; a blank line
ends a block; a block with a `data` field is an event. What no blank line has ended is no event. One pass for a body.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LINE_END = re.compile(rb"\r\n?|\n")
KEPT = 8  # bodies whose structure is remembered: a sweep asks for the same one thousands of times


class Line(NamedTuple):
    """`body[start:end]` is what it says, `body[end:stop]` its terminator, empty where the body ends first."""

    start: int
    end: int
    stop: int


class Block(NamedTuple):
    """Lines up to and with the blank line that ends them.

    Attributes:
        start, stop: the whole of it, comment lines and the blank line included.
        lines: all but the blank one.
        data: those with a `data` field.
        dispatched: whether it is an event; the last block of a body may lack its blank line.
    """

    start: int
    stop: int
    lines: tuple[Line, ...]
    data: tuple[Line, ...]
    dispatched: bool


class Structure(NamedTuple):
    """What `structure` finds in a body.

    Attributes:
        text: where the text begins: 3 after a byte order mark, else 0.
        lines: all lines, blank ones included.
        blocks: the blocks that say something, comment-only ones included.
        events: the blocks that are events.
    """

    text: int
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...]
    events: tuple[Block, ...]


@lru_cache(maxsize=KEPT)
def structure(body: bytes) -> Structure:
    """The lines, blocks and events of `body`."""
    text = len(BYTE_ORDER_MARK) if body.startswith(BYTE_ORDER_MARK) else 0
    lines = _lines(body, text)
    blocks = _blocks(body, lines)
    return Structure(text, lines, blocks, tuple(block for block in blocks if block.dispatched))


def _lines(body: bytes, start: int) -> tuple[Line, ...]:
    lines = []
    for match in LINE_END.finditer(body, start):
        end, stop = match.span()
        lines.append(Line(start, end, stop))
        start = stop
    if start < len(body):
        lines.append(Line(start, len(body), len(body)))
    return tuple(lines)


def _blocks(body: bytes, lines: tuple[Line, ...]) -> tuple[Block, ...]:
    blanks = [number for number, line in enumerate(lines) if line.start == line.end]
    found = []
    for before, blank in pairwise((-1, *blanks)):
        if before + 1 < blank:
            found.append(_block(body, lines[before + 1 : blank], lines[blank].stop, ended=True))
    rest = lines[blanks[-1] + 1 if blanks else 0 :]
    if rest:
        found.append(_block(body, rest, rest[-1].stop, ended=False))
    return tuple(found)


def _block(body: bytes, lines: tuple[Line, ...], stop: int, ended: bool) -> Block:
    data = tuple(line for line in lines if _is_data(body, line))
    return Block(lines[0].start, stop, lines, data, ended and bool(data))


def _is_data(body: bytes, line: Line) -> bool:
    start = line.start
    return body.startswith(b"data", start) and (line.end == start + 4 or body.startswith(b":", start + 4))


def value_start(body: bytes, line: Line) -> int:
    """Where the value of a field line begins: after the colon and one space; `line.end` if it has no colon."""
    colon = body.find(b":", line.start, line.end)
    if colon < 0:
        return line.end
    return colon + 2 if body.startswith(b" ", colon + 1) else colon + 1


def data_of(body: bytes, block: Block) -> bytes:
    """The data of a block before it is decoded: the values of its data lines, joined with LF."""
    return b"\n".join([body[value_start(body, line) : line.end] for line in block.data])


def own_line_end(body: bytes) -> bytes:
    """The line end the stream itself uses: its first; LF where there is none."""
    match = LINE_END.search(body)
    return match[0] if match else b"\n"


@lru_cache(maxsize=KEPT)
def event_ends(body: bytes) -> tuple[int, ...]:
    """For each event of `body`, the offset just after its blank line (after the LF of a final CR LF too)."""
    return tuple([event.stop for event in structure(body).events])


@lru_cache(maxsize=KEPT)
def line_ends(body: bytes) -> tuple[int, ...]:
    """For each line of `body`, the offset just after its terminator; an unterminated last line ends with the body."""
    return tuple([line.stop for line in structure(body).lines])
