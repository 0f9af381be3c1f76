"""Budgets of a contract: the profile's own unless the caller says otherwise.

Rule: a plain number keeps the unit and the way of counting of the profile it stands over; a `Limit` replaces both;
None lifts the limit. N itself passes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from recorder.sse import Limit


class Own(Enum):
    """The default of every budget argument: what the profile itself says."""

    LIMIT = "the profile's own"


OWN: Final = Own.LIMIT
Budget = int | Limit | None | Own


def _utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


MEASURES: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {"code_points": len, "utf16": _utf16_units, "bytes": _utf8_bytes}
)
"""How long a text is in each unit; a lone surrogate counts as it is."""

JOINED: Mapping[str, int] = MappingProxyType({"code_points": 1, "utf16": 0, "bytes": 2})
"""Units saved where two surrogate halves from consecutive pieces join into one code point."""


def budget(name: str, given: Budget, own: Limit) -> Limit | None:
    """The limit in force.

    Raises:
        TypeError, ValueError: the argument is not a budget; the message names it and says what would be.
    """
    if given is OWN:
        return own
    if given is None or isinstance(given, Limit):
        return given
    return dataclasses.replace(own, n=budget_count(name, given))


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
