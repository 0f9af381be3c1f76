"""`chunks=`: where the bytes are cut. One file a value."""

from __future__ import annotations

from functools import lru_cache

from recorder.plans._values import REMEMBERED, parsed
from recorder.plans.partitions._at import At
from recorder.plans.partitions._bytes import Bytes
from recorder.plans.partitions._events import Events
from recorder.plans.partitions._hostile import Hostile
from recorder.plans.partitions._lines import Lines
from recorder.plans.partitions._protocol import Partition
from recorder.plans.partitions._random import Random, random_cuts, random_sums
from recorder.plans.partitions._recorded import Recorded
from recorder.plans.partitions._whole import Whole

PARTITIONS: dict[str, type[Partition]] = {
    "whole": Whole,
    "recorded": Recorded,
    "bytes": Bytes,
    "at": At,
    "events": Events,
    "lines": Lines,
    "random": Random,
    "hostile": Hostile,
}

__all__ = ["PARTITIONS", "Partition", "partition", "random_cuts", "random_sums"]


@lru_cache(maxsize=REMEMBERED)
def partition(text: str) -> Partition:
    """The partition that `text` writes.

    Raises:
        PlanError: it is not a value of `chunks=`.
    """
    return parsed("chunks", text, PARTITIONS)
