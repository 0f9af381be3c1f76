"""A budget for one part of an event stream, in the unit a profile states it in.

Rule: a limit names the last amount that still passes, and its unit. It does not know where in a stream it is looked
at; the machine does the counting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["bytes", "code_points", "utf16"]
Counts = Literal["lines", "fields", "raw"]

UNITS: tuple[str, ...] = get_args(Unit)
COUNTS: tuple[str, ...] = get_args(Counts)
_WORDS = {"bytes": "bytes", "code_points": "code points", "utf16": "UTF-16 units"}


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `n` units; `n` itself passes.

    Args:
        n: the number of units that still pass, 0 or more.
        unit: what is counted: bytes as they arrived, code points, or UTF-16 code units. A byte counts when it arrives,
            a character when it is complete. Under the replacing policy an ill-formed sequence is one U+FFFD in code
            points and UTF-16 units, and its own bytes in bytes.
        per_line: (event data only) 0 counts the n-1 line feeds that join n data lines; k counts k for each data line
            instead.
        counts: (lines only) "lines" counts every line, comments included, without a byte order mark; "fields" counts
            only `data`, `event`, `id` and `retry` lines, and a beginning that may still become one; "raw" counts
            every line and the byte order mark too. Line terminators are never counted.

    Raises:
        TypeError: `n` or `per_line` is not an int.
        ValueError: a number is negative, or a word is not one of those above.
    """

    n: int
    unit: Unit = "bytes"
    per_line: int = 0
    counts: Counts = "lines"

    def __post_init__(self) -> None:
        whole_number("Limit.n", self.n)
        whole_number("Limit.per_line", self.per_line)
        one_of("Limit.unit", self.unit, UNITS)
        one_of("Limit.counts", self.counts, COUNTS)

    def __str__(self) -> str:
        return f"{self.n} {_WORDS[self.unit]}"


def whole_number(name: str, value: object) -> int:
    """Give `value` back if it is a non-negative int; a bool is not a number here.

    Raises:
        TypeError, ValueError: with the name, the bad value and what would be right.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int of 0 or more, not {value!r}")
    if value < 0:
        raise ValueError(f"{name} must be 0 or more, not {value!r}")
    return value


def one_of(name: str, value: object, words: tuple[str, ...]) -> None:
    """Check that `value` is one of `words`.

    Raises:
        ValueError: with the name, the bad value and the words that would be right.
    """
    if value not in words:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, words))}, not {value!r}")


def as_limit(name: str, value: object) -> Limit | None:
    """Read a limit argument: an int means bytes, None means no limit.

    Raises:
        TypeError, ValueError: with the argument's name, the bad value and what would be right.
    """
    if value is None or isinstance(value, Limit):
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int (bytes), a recorder.Limit or None, not {value!r}")
    return Limit(whole_number(name, value))
