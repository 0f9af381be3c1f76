"""What a delay is: how long to wait before each chunk.

Rule: a pure sequence of seconds, one for each chunk. Who waits, and on which clock, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from recorder.plans._edited import Edited
from recorder.plans._values import Value


class Delay(Value, Protocol):
    """A value of `delay=`."""

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        """The seconds before each chunk, at least as many as there are chunks; None: no chunk waits.

        Args:
            ends: the offset at which each chunk ends.

        Raises:
            PlanError: nothing was recorded that this needs.
        """
        ...

    def end_after(self, recorded_s: float) -> float:
        """The seconds between the last chunk and a recorded end that came `recorded_s` seconds after it."""
        ...
