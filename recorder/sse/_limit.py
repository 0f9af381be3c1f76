"""A budget for one part of an event stream, in the unit a profile states it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["bytes", "code_points", "utf16"]
Counts = Literal["lines", "fields", "raw"]


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `n` units; `n` itself passes.

    Args:
        n: the number of units that still pass.
        unit: what is counted: UTF-8 bytes, code points, or UTF-16 code units.
        per_line: (event data only) 0 counts the n-1 line feeds that join n data lines; k counts k for each data line instead.
        counts: (lines only) "lines" counts every line, comments included, without a byte order mark; "fields" counts only
            `data`, `event`, `id` and `retry` lines; "raw" counts every line and the byte order mark too.
    """

    n: int
    unit: Unit = "bytes"
    per_line: int = 0
    counts: Counts = "lines"
