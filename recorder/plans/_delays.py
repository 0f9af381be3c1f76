"""`delay=`: when each chunk is due, in seconds after the head.

Every byte carries its recorded arrival; a chunk is due when its last byte is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

from recorder.cassette import Interaction
from recorder.errors import PlanError
from recorder.plans._durations import seconds

Due = Callable[[int, int], float]  # (number of the chunk from 0, offset of its end) -> seconds after the head

_RECORDED = re.compile(r"recorded(?:\*(\d+(?:\.\d+)?))?")
ALLOWED = "none, recorded, recorded*X, fixed:20ms"


def check_delay(value: str) -> None:
    """Raises:
    PlanError: `value` is not a value of `delay=`.
    """
    name, colon, argument = value.partition(":")
    if name == "fixed" and colon:
        seconds(argument)
    elif value != "none" and not _RECORDED.fullmatch(value):
        raise PlanError(f"delay={value}: unknown; use {ALLOWED}")


def due_times(value: str, interaction: Interaction, ends: Sequence[int]) -> list[float]:
    """When each chunk is due, in seconds after the head; `ends` are the offsets at which the chunks end."""
    if value == "none":
        return [0.0] * len(ends)
    if value.startswith("fixed:"):
        step = seconds(value.partition(":")[2])
        return [step * number for number in range(1, len(ends) + 1)]
    recorded = interaction.response.chunks
    if recorded is None:
        raise PlanError(f"delay={value}: no times were recorded for this body; use fixed:20ms or none")
    scale = float(value.partition("*")[2] or 1)
    arrivals = list(accumulate(chunk.delay_s for chunk in recorded))
    bounds = list(accumulate(chunk.size for chunk in recorded))
    return [arrivals[bisect_left(bounds, end)] * scale for end in ends]
