"""`chunks=at:POS[,POS...]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._places import Place, place
from recorder.plans._values import after


@dataclass(frozen=True, slots=True)
class At:
    r"""Cut at these places, in any order; a cut at the start or the end divides nothing.

    at:5        data: | 1\n\n
    at:4,-1     data | : 1\n | \n
    """

    form: ClassVar[str] = "at:POS[,POS...]"
    places: tuple[Place, ...]

    @classmethod
    def parse(cls, rest: str) -> Self:
        written = after(":", rest, "places: at:137 or at:event:1,-2")
        return cls(tuple(map(place, written.split(","))))

    def cuts(self, edited: Edited) -> Sequence[int]:
        body, contract, size = edited.body, edited.contract, len(edited.body)
        return sorted({at for each in self.places if 0 < (at := each.offset(body, contract)) < size})
