"""Weighing lines, event data and event names against their limits, and watching over UTF-8 while at it.

Rule: nothing is kept before it has passed, and what does not pass changes nothing. A byte weighs when it arrives, a
character when it is complete. The number of bytes that arrived is never smaller than the number of code points or
UTF-16 units they make (an ill-formed sequence becomes one U+FFFD and has at least one byte), so bytes bound every unit
from above.

It knows which meters count which kind of line; what a line means is the machine's business.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from recorder.errors import FaultCode
from recorder.sse._limit import UNITS, Limit
from recorder.sse._lines import COMMENT, DATA, EVENT, ID, RETRY, UNKNOWN
from recorder.sse._rules import Rules
from recorder.sse._utf8 import completed, decode_so_far

# What a piece of text weighs in each unit, in the order of UNITS: bytes, code points, UTF-16 units.
Weight = tuple[int, int, int]
# What one byte makes certain: where each bad thing begins, and its code.
Found = list[tuple[int, FaultCode]]


@dataclass(slots=True)
class Meter:
    """How much of a limit is used; `column` is the limit's unit as an index into a `Weight`."""

    code: FaultCode
    n: int
    column: int
    used: int = 0


def _meter(code: FaultCode, limit: Limit | None) -> Meter | None:
    return None if limit is None else Meter(code, limit.n, UNITS.index(limit.unit))


def _weight(text: str, size: int) -> Weight:
    """What `text`, which arrived as `size` bytes, weighs."""
    return size, len(text), len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


class Scales:
    """The meters of one stream, and the code point it stands in the middle of.

    Attributes:
        line, data, name: the meters of the present line, of the present event's data, and of the present event name;
            None where there is no limit.
        by_kind: the meters that count the bytes of each kind of line: of its value, or of the whole line for UNKNOWN;
            for None those of what comes before a value.
        sequence: the bytes of a code point whose rest is still to come. It is kept only where characters matter
            (strict, or a limit in characters); otherwise values are decoded when they are complete.
    """

    __slots__ = ("_decodes", "_rules", "by_kind", "data", "line", "name", "sequence")

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.line = _meter(FaultCode.LINE_LIMIT, rules.line)
        self.data = _meter(FaultCode.EVENT_SIZE_LIMIT, rules.event)
        self.name = _meter(FaultCode.EVENT_NAME_LIMIT, rules.name)
        self.by_kind = self._choose()
        self.sequence = b""
        self._decodes = rules.strict or any(meter and meter.column for meter in (self.line, self.data, self.name))

    def _choose(self) -> dict[bytes | None, tuple[Meter, ...]]:
        line = self.line
        ignored = None if self._rules.line is not None and self._rules.line.counts == "fields" else line
        chosen: dict[bytes | None, tuple[Meter | None, ...]] = {
            None: (line,),
            DATA: (line, self.data),
            EVENT: (line, self.name),
            ID: (line,),
            RETRY: (line,),
            COMMENT: (ignored,),
            UNKNOWN: (ignored,),
        }
        return {kind: tuple(meter for meter in meters if meter) for kind, meters in chosen.items()}

    def slack(self) -> int:
        """How many more bytes, whatever they are, cannot go over a limit as long as no block ends in them."""
        spare = min((meter.n - meter.used for meter in (self.line, self.name) if meter), default=sys.maxsize)
        if self.data:
            spare = min(spare, self._rules.spare_for_event(self.data.used))
        # A code point begun earlier can complete to two units with a single byte.
        return spare - (2 if self.sequence else 0)

    def admit(self, part: bytes, meters: tuple[Meter, ...], whatever: bool = False) -> bool:
        """Count `part` if it passes (or `whatever` it weighs); otherwise change nothing and say so."""
        weight, sequence = self._weigh(part)
        if weight is None:
            return False
        if not whatever and any(meter.used + weight[meter.column] > meter.n for meter in meters):
            return False
        for meter in meters:
            meter.used += weight[meter.column]
        self.sequence = sequence
        return True

    def _weigh(self, part: bytes) -> tuple[Weight | None, bytes]:
        """What `part` weighs, with the sequence it leaves unfinished; no weight if the strict policy refuses it."""
        size = len(part)
        if not self._decodes or (not self.sequence and part.isascii()):
            return (size, size, size), b""
        try:
            text, unfinished = decode_so_far(self.sequence + part, "strict" if self._rules.strict else "replace")
        except UnicodeDecodeError:
            return None, b""
        return _weight(text, size), unfinished

    def faults(self, byte: int, at: int, meters: tuple[Meter, ...]) -> Found:
        """Everything that `byte`, the next of a line, makes certain; `at` is its absolute offset."""
        found: Found = []
        characters: list[tuple[int, str]] = []
        if self._decodes:
            characters, bad = completed(self.sequence, byte, at)
            if bad is not None and self._rules.strict:
                found.append((bad, FaultCode.INVALID_UTF8))
                characters = []
        for meter in meters:
            if meter.column == 0:
                found += [(at, meter.code)] if meter.used + 1 > meter.n else []
            else:
                found += self._first_over(meter, characters)
        return found

    @staticmethod
    def _first_over(meter: Meter, characters: list[tuple[int, str]]) -> Found:
        """Where the first of `characters` that is over the limit begins."""
        used = meter.used
        for start, character in characters:
            used += _weight(character, 0)[meter.column]
            if used > meter.n:
                return [(start, meter.code)]
        return []

    def cut_short(self, at: int, kind: bytes | None) -> Found:
        """What the end of a line or of the stream makes certain: an unfinished code point stays unfinished.

        Args:
            at: the absolute offset of the end.
            kind: the line's kind.
        """
        if not self.sequence:
            return []
        start = at - len(self.sequence)
        self.sequence = b""
        if self._rules.strict:
            return [(start, FaultCode.INVALID_UTF8)]
        meters = [meter for meter in self.by_kind[kind] if meter.column]
        for meter in meters:
            meter.used += 1  # U+FFFD, one unit in both
        return [(start, meter.code) for meter in meters if meter.used > meter.n]
