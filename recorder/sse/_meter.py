"""Counting a line, an event's data or an event name against its limit, and the characters for those that count them.

Rule: the number of bytes that arrived is never smaller than the number of code points or UTF-16 units they make (an
ill-formed sequence becomes one U+FFFD and has at least one byte), so bytes bound every unit from above.
"""

from __future__ import annotations

from dataclasses import dataclass

from recorder.errors import FaultCode
from recorder.sse._limit import UNITS, Limit
from recorder.sse._utf8 import decode_so_far

# What a piece of text weighs in each unit, in the order of UNITS: bytes, code points, UTF-16 units.
Weight = tuple[int, int, int]


@dataclass(slots=True)
class Meter:
    """How much of a limit is used; `column` is the limit's unit as an index into a `Weight`."""

    code: FaultCode
    n: int
    column: int
    used: int = 0


def meter(code: FaultCode, limit: Limit | None) -> Meter | None:
    """A meter for `limit`; None for no limit."""
    return None if limit is None else Meter(code, limit.n, UNITS.index(limit.unit))


def characters_weight(text: str, size: int) -> Weight:
    """What `text`, which arrived as `size` bytes, weighs."""
    return size, len(text), len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def completed(sequence: bytes, byte: int, at: int) -> tuple[list[tuple[int, str]], int | None]:
    """What one byte completes after the unfinished `sequence` before it.

    The maximal subpart of an ill-formed sequence ends at the byte before the one that cannot continue it (Unicode
    chapter 3, "U+FFFD Substitution of Maximal Subparts"; the WHATWG decoder does the same).

    Args:
        sequence: the bytes of an unfinished, so far well-formed code point; may be empty.
        byte: the byte after it.
        at: the byte's absolute offset.

    Returns:
        the characters now certain, each with the offset it begins at, U+FFFD for what is ill-formed; and where the
        first ill-formed sequence begins, or None.
    """
    pending = sequence + bytes((byte,))
    start = at - len(sequence)
    done: list[tuple[int, str]] = []
    bad: int | None = None
    while pending:
        try:
            text, unfinished = decode_so_far(pending, "strict")
            size = len(pending) - len(unfinished)
        except UnicodeDecodeError as error:
            text, size = "\ufffd", error.end
            bad = start if bad is None else bad
        if not size:
            break
        done.append((start, text))
        start += size
        pending = pending[size:]
    return done, bad
