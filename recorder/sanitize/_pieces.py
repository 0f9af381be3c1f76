"""A piece of text inside a body, and the way back to the characters it was written with.

Rule: places are positions in the *base*: the body as text, one character a code point, bytes that are not UTF-8 as lone
surrogates. A piece knows its own escapes and the `data:` lines it is spread over.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from recorder.sanitize._views import View

JSON_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Kind(IntEnum):
    """How a piece is written, which decides what may replace it."""

    TEXT = 0  # inside a JSON string, or free text
    NAME = 1  # a JSON member's name
    NUMBER = 2  # a JSON number: replaced whole, by a number
    LINE = 3  # the value of an event stream field: it must not become empty, or the event would not be dispatched


class Spot(NamedTuple):
    """A stretch of the base; `whole` says that it is all of its piece."""

    start: int
    end: int
    kind: Kind
    whole: bool


class Lines:
    """The data of an event that has several data lines: joined with line feeds, as the standard says.

    Args:
        spans: where the lines' values are in the base.
        base: the text of the body.
    """

    __slots__ = ("_at", "_starts", "text")

    def __init__(self, base: str, spans: Sequence[tuple[int, int]]) -> None:
        self._at = spans
        self._starts: list[int] = []
        position = 0
        for start, end in spans:
            self._starts.append(position)
            position += end - start + 1
        self.text = "\n".join([base[start:end] for start, end in spans])

    def spots(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The stretches of the base in which `text[start:end]` is written."""
        for number in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            shift = self._at[number][0] - self._starts[number]
            low, high = max(start + shift, self._at[number][0]), min(end + shift, self._at[number][1])
            if low < high:
                yield low, high
            if self._starts[number] >= end:
                return


class Piece(NamedTuple):
    """A decoded string, name, number or line: `text` is written at `start` to `end` of the base, or of `lines`.

    `view` is the way from the text to what is written, where that has escapes.
    """

    text: str
    start: int
    end: int
    kind: Kind
    raw: str
    lines: Lines | None = None
    view: View | None = None

    @classmethod
    def of(cls, raw: str, start: int, kind: Kind, lines: Lines | None) -> Piece:
        """What is written with the escapes of JSON, at `start`."""
        text = decoded(raw)
        view = None if len(text) == len(raw) else View(text, View(raw), JSON_ESCAPES, undo_json)
        return cls(text, start, start + len(raw), kind, raw, lines, view)

    def spots(self, start: int, end: int) -> list[Spot]:
        """Where `text[start:end]`, which is not empty, is written."""
        whole = end - start == len(self.text)
        if self.kind is Kind.NUMBER:  # also when its text is the byte that it means
            low, high = 0, len(self.raw)
        else:
            low, high = (start, end) if self.view is None else self.view.back(start, end)
        low, high = self.start + low, self.start + high
        if self.lines is None:
            return [Spot(low, high, self.kind, whole)]
        return [Spot(at, to, self.kind, whole) for at, to in self.lines.spots(low, high)]


def undo_json(escape: str) -> str:
    """What a JSON escape stands for; an invalid one stands for the character it escapes."""
    if escape[1] != "u" or len(escape) < 6:
        return _SIMPLE.get(escape[1], escape[1])
    if len(escape) == 12:
        return chr(0x10000 + ((int(escape[2:6], 16) - 0xD800) << 10) + (int(escape[8:], 16) - 0xDC00))
    return chr(int(escape[2:], 16))


def _undo_match(match: re.Match[str]) -> str:
    return undo_json(match.group())


def decoded(raw: str) -> str:
    """The text of what stands between the quotation marks of a JSON string."""
    return JSON_ESCAPES.sub(_undo_match, raw) if "\\" in raw else raw
