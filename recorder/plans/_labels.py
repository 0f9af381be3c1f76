"""Painting the boundary classes of a body: one number for each offset.

Rule: a cut at `offset` lies before `body[offset]`. Lines first, then what is inside them, then what takes precedence.
Time is linear in the body.
"""

from __future__ import annotations

import re

from recorder.plans._boundary import CLASSES, NUMBERS, Boundary
from recorder.plans._places import MULTI_BYTE
from recorder.plans._structure import Block, Line, Structure, data_of, structure, value_start

_BOUNDARY = tuple(bytes([number]) for number in NUMBERS.values())  # one painted offset
_CODE_POINTS = {
    2: bytes([NUMBERS[Boundary.CODE_POINT_1_OF_2]]),
    3: bytes([NUMBERS[Boundary.CODE_POINT_1_OF_3], NUMBERS[Boundary.CODE_POINT_2_OF_3]]),
    4: bytes(NUMBERS[each] for each in CLASSES if each.endswith("of 4")),
}
# What begins like a code point of three or four bytes and is not one: the standard's decoder replaces it as one.
_MULTI_BYTE_OR_BROKEN = re.compile(
    MULTI_BYTE.pattern + rb"|((?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]?"
    rb"|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])"
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_TOKEN = re.compile(rb'("[^"\\]*+(?:\\.?+[^"\\]*+)*+"?)|(-?[0-9][0-9.eE+-]*)|[A-Za-z]+', re.DOTALL)
_IN_TOKEN = {  # by the group of `_TOKEN`
    1: _BOUNDARY[NUMBERS[Boundary.JSON_STRING]],
    2: _BOUNDARY[NUMBERS[Boundary.JSON_NUMBER]],
    None: _BOUNDARY[NUMBERS[Boundary.JSON_LITERAL]],
}
_WRITTEN_AS_JSON = re.compile(rb'[ \t\n]*[{\["]')
_ESCAPE = re.compile(rb"\\u[0-9A-Fa-f]{4}|\\.", re.DOTALL)
_HIGH = re.compile(rb"\\u[dD][89abAB]")
_LOW = re.compile(rb"\\u[dD][c-fC-F]")


class _Canvas:
    """One label for each offset of a body, all to be painted."""

    __slots__ = ("body", "labels")

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.labels = bytearray(len(body) + 1)

    def fill(self, boundary: Boundary, start: int, stop: int) -> None:
        """Paint the offsets from `start` up to, and without, `stop`."""
        if start < stop:
            self.labels[start:stop] = _BOUNDARY[NUMBERS[boundary]] * (stop - start)

    def dot(self, boundary: Boundary, at: int) -> None:
        """Paint one offset."""
        self.labels[at] = NUMBERS[boundary]


def labels(body: bytes) -> bytes:
    """For each offset of `body` the number of its class."""
    canvas = _Canvas(body)
    found = structure(body)
    _lines(canvas, found)
    for block in found.blocks:
        _block(canvas, block)
    _code_points(canvas)
    for line in found.lines:
        if line.stop - line.end == 2:
            canvas.dot(Boundary.CR_LF, line.end + 1)
    if found.text:
        canvas.fill(Boundary.BYTE_ORDER_MARK, 1, found.text)
        canvas.dot(Boundary.AFTER_BYTE_ORDER_MARK, found.text)
    canvas.dot(Boundary.END, len(body))
    canvas.dot(Boundary.START, 0)
    return bytes(canvas.labels)


def _lines(canvas: _Canvas, found: Structure) -> None:
    """The offset before each line."""
    said = False  # whether the line before says something
    for start, end, _ in found.lines:
        blank = start == end
        if not said:
            canvas.dot(Boundary.BETWEEN_EVENTS, start)
        else:
            canvas.dot(Boundary.BLANK_LINE if blank else Boundary.BETWEEN_LINES, start)
        said = not blank


def _block(canvas: _Canvas, block: Block) -> None:
    """What is inside the lines of a block."""
    body = canvas.body
    data = frozenset(block.data)
    json = bool(block.data) and _WRITTEN_AS_JSON.match(data_of(body, block)) is not None
    for line in block.lines:
        colon = body.find(b":", line.start, line.end)
        if colon == line.start:
            canvas.fill(Boundary.COMMENT, line.start + 1, line.end + 1)
            continue
        canvas.dot(Boundary.LINE_END, line.end)
        if colon < 0:
            canvas.fill(Boundary.FIELD_NAME, line.start + 1, line.end)
            continue
        canvas.fill(Boundary.FIELD_NAME, line.start + 1, colon)
        canvas.dot(Boundary.BEFORE_COLON, colon)
        _value(canvas, line, line in data, json)
        canvas.dot(Boundary.AFTER_COLON, colon + 1)


def _value(canvas: _Canvas, line: Line, data: bool, json: bool) -> None:
    """What is inside the value of a field, and the offset it begins at."""
    body, start, end = canvas.body, value_start(canvas.body, line), line.end
    if data and body[start:end] == b"[DONE]":
        canvas.fill(Boundary.TERMINAL_MARKER, start + 1, end)
    elif data and json:
        _json(canvas, start, end)
    else:
        canvas.fill(Boundary.FIELD_VALUE, start + 1, end)
    if body.startswith(b": ", start - 2):
        canvas.dot(Boundary.VALUE_START, start)


def _json(canvas: _Canvas, start: int, end: int) -> None:
    """The tokens of one data line; none goes on in the next line, as JSON strings have no line feeds."""
    canvas.fill(Boundary.JSON_BETWEEN, start + 1, end)
    body, labels = canvas.body, canvas.labels
    escaped = body.find(b"\\", start, end) >= 0
    for token in _TOKEN.finditer(body, start, end):
        first, last = token.span()
        kind = token.lastindex
        labels[first + 1 : last] = _IN_TOKEN[kind] * (last - first - 1)
        if escaped and kind == 1:
            _escapes(canvas, first, last)


def _escapes(canvas: _Canvas, start: int, end: int) -> None:
    """The escapes of one JSON string; the two of a surrogate pair stand next to each other."""
    high_until = -1
    for escape in _ESCAPE.finditer(canvas.body, start, end):
        first, last = escape.span()
        canvas.fill(Boundary.JSON_ESCAPE, first + 1, last)
        if first == high_until and _LOW.match(escape[0]):
            canvas.dot(Boundary.JSON_SURROGATE_PAIR, first)
        high_until = last if _HIGH.match(escape[0]) and len(escape[0]) == 6 else -1


def _code_points(canvas: _Canvas) -> None:
    for beyond_ascii in _BEYOND_ASCII.finditer(canvas.body):  # looked for first: it is much the quicker search
        for match in _MULTI_BYTE_OR_BROKEN.finditer(canvas.body, *beyond_ascii.span()):
            start, stop = match.span()
            if match[1] is None:
                canvas.labels[start + 1 : stop] = _CODE_POINTS[stop - start]
            else:
                canvas.fill(Boundary.BROKEN_CODE_POINT, start + 1, stop)
