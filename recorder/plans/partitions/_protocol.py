"""What a partition is: the cuts of a body.

Rule: cuts are strictly increasing and lie inside the body, so no chunk is empty. A partition knows nothing of time or
ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recorder.plans._edited import Edited
from recorder.plans._values import Value


class Partition(Value, Protocol):
    """A value of `chunks=`."""

    def cuts(self, edited: Edited) -> Sequence[int]:
        """The offsets between two chunks.

        Raises:
            PlanError: the body does not have what this needs.
        """
        ...


def inside(ends: Sequence[int], size: int) -> Sequence[int]:
    """`ends` without the last, where that is the end of the body."""
    return ends[:-1] if ends and ends[-1] == size else ends
