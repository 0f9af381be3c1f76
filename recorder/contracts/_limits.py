"""Budgets of a contract: the profile's own unless the caller says otherwise.

Rule: a plain number keeps the unit and the way of counting of the profile it stands over; a `Limit` replaces both;
None lifts the limit. N itself passes.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Final

from recorder.sse import Limit


class Own(Enum):
    """The default of every budget argument: what the profile itself says."""

    LIMIT = "the profile's own"


OWN: Final = Own.LIMIT
Budget = int | Limit | None | Own

JOINED = {"bytes": 2, "code_points": 1, "utf16": 0}
"""Units saved where two surrogate halves from consecutive pieces join into one code point."""


def budget(name: str, given: Budget, own: Limit | None) -> Limit | None:
    """The limit in force.

    Raises:
        TypeError, ValueError: the argument is not a budget; the message names it and says what would be.
    """
    if given is OWN:
        return own
    if given is None or isinstance(given, Limit):
        return given
    count = budget_count(name, given)
    return Limit(count) if own is None else dataclasses.replace(own, n=count)


def event_budget(given: int | Own | None, own: int | None) -> int | None:
    """The number of events allowed, None for any number."""
    if given is OWN:
        return own
    return None if given is None else budget_count("max_events", given)


def budget_count(name: str, given: object) -> int:
    """A plain, non-negative number of things."""
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name}={given!r}: a number, a recorder.Limit, or None for no limit would be right")
    if given < 0:
        raise ValueError(f"{name}={given!r}: a limit cannot be negative; None means no limit")
    return given


def units(text: str, unit: str) -> int:
    """The length of a text in "bytes" (UTF-8), "code_points" or "utf16" units; a lone surrogate counts as it is."""
    if unit == "code_points" or text.isascii():
        return len(text)
    if unit == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))
