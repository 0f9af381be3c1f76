"""`delay=`: how long to wait before each chunk. One file a value."""

from __future__ import annotations

from functools import lru_cache

from recorder.plans._values import REMEMBERED, parsed
from recorder.plans.delays._protocol import Delay
from recorder.plans.delays._ttft import OTHERS, FirstAfter

DELAYS: dict[str, type[Delay]] = {**OTHERS, "ttft": FirstAfter}

__all__ = ["DELAYS", "Delay", "delay"]


@lru_cache(maxsize=REMEMBERED)
def delay(text: str) -> Delay:
    """The delay that `text` writes.

    Raises:
        PlanError: it is not a value of `delay=`.
    """
    return parsed("delay", text, DELAYS)
