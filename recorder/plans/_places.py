"""POS: a place in a body, written as a number, counted in events or lines, or named.

Rule: a place is a byte offset from 0 (before everything) to the length of the body. One that the body does not have is
a `PlanError` that says how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from recorder.contracts import terminal_offset
from recorder.errors import PlanError
from recorder.sse import EventStreamParser

_LINE_END = re.compile(rb"\r\n|\n|\r")
_COUNTED = re.compile(r"(?:(byte|event|line):)?(-?\d+)")


@lru_cache(maxsize=8)
def event_ends(body: bytes) -> tuple[int, ...]:
    """For each event of `body`, the offset just after its blank line (after the LF of a final CR LF too)."""
    parser = EventStreamParser(max_line=None, max_event=None)
    ends = []
    start = 0
    for match in _LINE_END.finditer(body):
        ends += [match.end()] * len(parser.feed(body[start : match.end()]))
        start = match.end()
    return tuple(ends)


@lru_cache(maxsize=8)
def line_ends(body: bytes) -> tuple[int, ...]:
    """For each line of `body`, the offset just after its terminator; an unterminated last line ends with the body."""
    ends = [match.end() for match in _LINE_END.finditer(body)]
    if not ends or ends[-1] < len(body):
        ends.append(len(body))
    return tuple(ends)


def _byte_ends(body: bytes) -> Sequence[int]:
    return range(1, len(body) + 1)


def _terminal(body: bytes) -> int:
    """Just before the terminal event: after the event before it."""
    end = terminal_offset(body)
    if end is None:
        raise PlanError('"terminal" is not a place in this body: it has no terminal event that is recognised')
    return max((each for each in event_ends(body) if each < end), default=0)


_ENDS: dict[str, Callable[[bytes], Sequence[int]]] = {"byte": _byte_ends, "event": event_ends, "line": line_ends}
_NAMED: dict[str, Callable[[bytes], int]] = {"start": lambda body: 0, "end": len, "terminal": _terminal}
ALLOWED = "N, byte:N, event:N, line:N (N may be negative: all but the last N), start, end, terminal"


def check_place(text: str) -> None:
    """Raises:
    PlanError: `text` is not a place in the grammar.
    """
    if text not in _NAMED and not _COUNTED.fullmatch(text):
        raise PlanError(f"{text!r} is not a place: use {ALLOWED}")


def resolve_place(text: str, body: bytes) -> int:
    """The byte offset that `text` names in `body`.

    Raises:
        PlanError: the body does not have that place.
    """
    if text in _NAMED:
        return _NAMED[text](body)
    match = _COUNTED.fullmatch(text)
    if match is None:
        raise PlanError(f"{text!r} is not a place: use {ALLOWED}")
    unit, number = match.group(1) or "byte", match.group(2)
    ends = _ENDS[unit](body)
    count = len(ends) + int(number) if number.startswith("-") else int(number)
    if not 0 <= count <= len(ends):
        raise PlanError(f"{text!r} is not a place in this body: it has {len(ends)} {unit}s")
    return ends[count - 1] if count else 0
