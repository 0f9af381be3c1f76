"""`chunks=events[:N]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._structure import event_ends
from recorder.plans._values import after, number
from recorder.plans.partitions._protocol import inside

_NEEDS = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Events:
    r"""N events a chunk, one unless given; comment-only blocks go with the event after them.

    events      data: 1\n\n | : hi\n\ndata: 2\n\n
    """

    form: ClassVar[str] = "events[:N]"
    every: int = 1

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(number(after(":", rest, _NEEDS), _NEEDS, 1)) if rest else cls()

    def cuts(self, edited: Edited) -> Sequence[int]:
        return inside(event_ends(edited.body)[self.every - 1 :: self.every], len(edited.body))
