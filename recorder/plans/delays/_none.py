"""`delay=none`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recorder.plans._edited import Edited
from recorder.plans._values import Bare


class NoDelay(Bare):
    r"""No waiting: the default.

    data: 1\n\n | data: 2\n\n
    """

    __slots__ = ()

    form = "none"

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        return None

    def end_after(self, recorded_s: float) -> float:
        return 0.0
