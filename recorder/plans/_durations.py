"""Durations in a plan: a number and its unit."""

from __future__ import annotations

import re

from recorder.errors import PlanError

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")


def seconds(text: str) -> float:
    """`20ms` or `1.5s` in seconds.

    Raises:
        PlanError: not a number with a unit.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise PlanError(f"{text!r} is not a duration: write a number and its unit, 20ms or 1.5s")
    return float(match.group(1)) / (1000 if match.group(2) == "ms" else 1)
