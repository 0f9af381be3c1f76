"""POS: a place in a body, written as a number, counted in events or lines, or named.

Rule: a place is a byte offset from 0 (before everything) to the length of the body. One that the body does not have is
a `PlanError` that says what there is instead. `head` is a place of `end=` alone, and read there.

    data: 1\\n \\n data: 2\\n \\n        the body of these examples has 18 bytes, 4 lines, 2 events
    0         8  9         17 18       byte:9, event:1 and line:2 are all 9; -1 is 17; event:-1 is 9
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from recorder.contracts import Contract, terminal_offset
from recorder.errors import PlanError
from recorder.plans._structure import KEPT, event_ends, line_ends, structure
from recorder.plans._values import MOST_DIGITS, too_long

COUNTED = ("N", "byte:N", "event:N", "line:N")
NAMED = ("start", "end", "terminal", "mid:codepoint", "mid:crlf", "mid:event")
PLACES = f"{', '.join(COUNTED)} (N may be negative: all but the last N), {', '.join(NAMED)}"

# UTF-8 as Unicode defines it, table 3-7: no surrogates, nothing overlong, nothing above U+10FFFF.
MULTI_BYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]"
    rb"|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]"
    rb"|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}"
)


_tuple = tuple.__new__  # makes a `Place` without a call into Python


class Place(NamedTuple):
    """A place as written; `text` is the name, or `unit` and `number` say how many of what.

    Attributes:
        from_end: all but the last `number`, instead of the first.
    """

    text: str
    unit: str = ""
    number: int = 0
    from_end: bool = False

    def offset(self, body: bytes, contract: Contract | None = None) -> int:
        """The byte offset in `body`.

        Args:
            contract: says which event is the terminal one; detected unless given.

        Raises:
            PlanError: the body does not have that place.
        """
        if self.unit == "byte":
            size = len(body)
            at = size - self.number if self.from_end else self.number
            if 0 <= at <= size:
                return at
            raise self._absent(size)
        if self.unit:
            return self._counted(_ENDS[self.unit](body))
        return _NAMED[self.text](body, contract)

    def _counted(self, ends: Sequence[int]) -> int:
        count = len(ends) - self.number if self.from_end else self.number
        if not 0 <= count <= len(ends):
            raise self._absent(len(ends))
        return ends[count - 1] if count else 0

    def _absent(self, count: int) -> PlanError:
        return not_there(self.text, f"it has {count} {self.unit}{'' if count == 1 else 's'}")


def not_there(text: str, why: str) -> PlanError:
    """The error for a place a body does not have."""
    return PlanError(f"{text!r} is not a place in this body: {why}")


def _start(body: bytes, contract: Contract | None) -> int:
    return 0


def _end(body: bytes, contract: Contract | None) -> int:
    return len(body)


@lru_cache(maxsize=KEPT)
def _terminal(body: bytes, contract: Contract | None) -> int:
    """Before the first line of the block that is the terminal event: `data: 1\\n\\n|data: [DONE]\\n\\n`."""
    decided = terminal_offset(body, contract)
    before = [event.start for event in structure(body).events if decided is not None and event.start < decided]
    if not before:
        raise not_there("terminal", "it has no terminal event that is recognised")
    return before[-1]


def _mid_code_point(body: bytes, contract: Contract | None) -> int:
    """After the first byte of the first multi-byte code point: `\\xe4|\\xbd\\xa0`. A byte order mark is not text."""
    match = MULTI_BYTE.search(body, structure(body).text)
    if match is None:
        raise not_there("mid:codepoint", "it has no code point of several bytes")
    return match.start() + 1


def _mid_cr_lf(body: bytes, contract: Contract | None) -> int:
    """Inside the first CR LF: `\\r|\\n`."""
    at = body.find(b"\r\n")
    if at < 0:
        raise not_there("mid:crlf", "it has no CR LF")
    return at + 1


def _mid_event(body: bytes, contract: Contract | None) -> int:
    """Half of the middle event (of 2, the second; of 3, the second): `data|: 2\\n\\n`."""
    events = structure(body).events
    if not events:
        raise not_there("mid:event", "it has no events")
    event = events[len(events) // 2]
    return (event.start + event.stop) // 2


_ENDS: dict[str, Callable[[bytes], Sequence[int]]] = {"event": event_ends, "line": line_ends}
_NAMED: dict[str, Callable[[bytes, Contract | None], int]] = {
    "start": _start,
    "end": _end,
    "terminal": _terminal,  # type: ignore[dict-item]  # a contract is a frozen value, so it hashes
    "mid:codepoint": _mid_code_point,
    "mid:crlf": _mid_cr_lf,
    "mid:event": _mid_event,
}
_COUNTED = re.compile(rf"(?:(byte|event|line):)?(-?)([0-9]{{1,{MOST_DIGITS}}})")
_HERE = re.compile(rf"(?:head|{'|'.join(_NAMED)}|{_COUNTED.pattern})(?=:|$)")


def place(text: str, allowed: str = PLACES) -> Place:
    """The place that `text` writes.

    Args:
        allowed: what the message lists.

    Raises:
        PlanError: it is not in the grammar.
    """
    if text.isdecimal() and text.isascii() and len(text) <= MOST_DIGITS:  # most places
        return _tuple(Place, (text, "byte", int(text), False))
    match = _COUNTED.fullmatch(text)
    if match is not None:
        return Place(text, match[1] or "byte", int(match[3]), match[2] == "-")
    if text == "head":
        raise PlanError("'head' is a place for end= only")
    if text not in _NAMED:
        raise PlanError(f"{text!r} is not a place: use {allowed}{too_long(text)}")
    return Place(text)


def place_offset(text: str, body: bytes) -> int:
    """The byte offset of the place that `text` writes.

    Raises:
        PlanError: it is not in the grammar, or the body does not have it.
    """
    return place(text).offset(body)


def leading_place(text: str) -> tuple[str, str | None]:
    """The place that `text` begins with and what follows the colon after it: `event:2:ping` is `event:2` and `ping`.

    Returns:
        None for the latter when there is no such colon; all of `text` and None when it does not begin with a place.
    """
    match = _HERE.match(text)
    if match is None or match.end() == len(text):
        return text, None
    return match[0], text[match.end() + 1 :]
