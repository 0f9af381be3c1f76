"""`end=`: where delivery stops, and how. One file a value."""

from __future__ import annotations

from functools import lru_cache

from recorder.plans._values import REMEMBERED, parsed
from recorder.plans.ends._complete import Complete
from recorder.plans.ends._eof import Eof
from recorder.plans.ends._incomplete import Incomplete
from recorder.plans.ends._protocol import HEAD, EndValue, Stop
from recorder.plans.ends._recorded import Recorded
from recorder.plans.ends._reset import Reset
from recorder.plans.ends._stall import Stall

ENDS: dict[str, type[EndValue]] = {
    "complete": Complete,
    "recorded": Recorded,
    "eof": Eof,
    "incomplete": Incomplete,
    "reset": Reset,
    "stall": Stall,
}

__all__ = ["ENDS", "HEAD", "EndValue", "Stop", "end"]


@lru_cache(maxsize=REMEMBERED)
def end(text: str) -> EndValue:
    """The end that `text` writes.

    Raises:
        PlanError: it is not a value of `end=`.
    """
    return parsed("end", text, ENDS)
