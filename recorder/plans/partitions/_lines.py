"""`chunks=lines[:N]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._structure import line_ends
from recorder.plans._values import after, number
from recorder.plans.partitions._protocol import inside

_NEEDS = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Lines:
    r"""N lines a chunk with their terminators, one unless given; a blank line is a line.

    lines       data: 1\n | \n | : hi\n | \n
    lines:2     data: 1\n\n | : hi\n\n
    """

    form: ClassVar[str] = "lines[:N]"
    every: int = 1

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(number(after(":", rest, _NEEDS), _NEEDS, 1)) if rest else cls()

    def cuts(self, edited: Edited) -> Sequence[int]:
        return inside(line_ends(edited.body)[self.every - 1 :: self.every], len(edited.body))
