"""What is written where a secret was: `org-REDACTED-0001`.

Rule: the same value has the same stand-in across a cassette; numbers follow the first appearance and are never derived
from the value; a cassette that already holds stand-ins is continued after its highest numbers. A stand-in is plain
ASCII that needs no escape in JSON or a URI, no rule hits it, and it does not look like what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

REDACTED = "REDACTED"
"""What stands in a credential header; it needs no number."""

_NUMBER = r"(?:0[0-9]{3}|[1-9][0-9]{3,8})"  # behind four digits with a leading zero, digits are other text
STAND_IN = re.compile(rf"(?:(?<![a-z0-9])|(?<=-REDACTED-[0-9]{{4}}))[a-z][a-z0-9]{{0,31}}-REDACTED-{_NUMBER}")
_GLUED = re.compile(rf"([a-z0-9]{{1,64}})-REDACTED-({_NUMBER})")  # also right behind other text
_MARK = "-REDACTED-"
_NAMED = "secret-"
_LARGEST_NUMBER = 9999
"""A JSON number at an identifier's place is replaced by its stand-in's number; up to here it is taken for one."""


def is_stand_in(text: str) -> bool:
    """Whether a whole value is one of ours (in matching, it equals any value at its place)."""
    return text == REDACTED or STAND_IN.fullmatch(text) is not None


def holds_stand_in(text: str) -> bool:
    """Whether a stand-in is somewhere in the text."""
    return _MARK in text and STAND_IN.search(text) is not None


def is_number_stand_in(text: str) -> bool:
    """Whether a JSON number is small enough to stand for an identifier."""
    return text.isascii() and text.isdigit() and int(text[:9]) <= _LARGEST_NUMBER and len(text) < 9


def stand_in_spans(text: str) -> list[tuple[int, int]]:
    """Where stand-ins are in the text."""
    return [match.span() for match in STAND_IN.finditer(text)] if _MARK in text else []


Numbered = tuple[str, int]
"""What stands before a stand-in's mark, and its number."""


def numbered(texts: Iterable[str]) -> set[Numbered]:
    """The stand-ins in some texts."""
    found = {match.groups() for text in texts if _MARK in text for match in _GLUED.finditer(text)}
    return {(name, int(number)) for name, number in found}


class StandIns:
    """The stand-ins of one cassette.

    Args:
        texts: everything in the cassette that may hold stand-ins already; numbers continue after them.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._before = numbered(texts)
        self._highest: dict[str, int] = {}
        self._given: dict[str, str] = {}

    def copy(self) -> StandIns:
        """One that goes on from here, apart from this one."""
        other = StandIns()
        other._before, other._highest, other._given = set(self._before), dict(self._highest), dict(self._given)
        return other

    def follow(self, found: Iterable[Numbered]) -> None:
        """Continue after these too."""
        new = set(found) - self._before
        self._before |= new
        for kind, highest in self._highest.items():
            self._highest[kind] = max([highest, *[number for name, number in new if name.endswith(kind)]])

    def of(self, kind: str, value: str) -> str:
        """The stand-in of a value; the kind counts when it is seen for the first time."""
        if value not in self._given:
            if kind not in self._highest:
                self._highest[kind] = max((number for name, number in self._before if name.endswith(kind)), default=0)
            self._highest[kind] += 1
            self._given[value] = f"{kind}{_MARK}{self._highest[kind]:04d}"
        return self._given[value]


def fits(stored: str, live: str) -> bool:
    """Whether a live text is what a stored one was, where each stand-in stands for any value that is not empty.

    A whole text is a value; in a longer one it has no white space, so that nothing more can be said beside it.

    Args:
        stored: from a sanitized cassette.
        live: what was not sanitized, or was with other numbers.
    """
    if stored in (live, REDACTED):
        return live != "" or stored == ""
    first, *parts = STAND_IN.split(stored)
    if not parts or not live.startswith(first):
        return False
    position = len(first)
    stands = STAND_IN.findall(stored)
    *between, last = parts
    for stand, part in zip(stands, between, strict=False):
        found = live.find(part, position + 1)
        if found < 0 or not _may_stand(stand, live[position:found]):
            return False
        position = found + len(part)
    end = len(live) - len(last)
    return (
        live.endswith(last) and end > position and (stored == stands[0] or _may_stand(stands[-1], live[position:end]))
    )


def _may_stand(stand_in: str, value: str) -> bool:
    """Whether it is one value: what detectors find has no white space; what users name may have any form."""
    return stand_in.startswith(_NAMED) or not any(map(str.isspace, value))
