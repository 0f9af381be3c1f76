"""`chunks=random:PARTS,SEED`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import after, number

_NEEDS = "PARTS,SEED: random:5,1"
_AT_LEAST = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Random:
    r"""PARTS chunks, cut at random; as many as there are bytes where the body is shorter than that.

    `random.Random(SEED).random()` is all that is asked: Python keeps its sequence between versions. Each number gives
    one offset inside the body; one that has been drawn before is drawn again. Where more than half of all offsets are
    wanted, those that are not cut are drawn.

    random:3,1    data: 1 | \n | \n
    """

    form: ClassVar[str] = "random:PARTS,SEED"
    parts: int
    seed: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        parts, comma, seed = after(":", rest, _NEEDS).partition(",")
        if not comma:
            raise PlanError(f"needs {_NEEDS}")
        return cls(number(parts, _AT_LEAST, 1), number(seed, _NEEDS))

    def cuts(self, edited: Edited) -> Sequence[int]:
        offsets = len(edited.body) - 1
        wanted = min(self.parts - 1, offsets)
        if wanted <= 0:
            return ()
        drawn = _drawn(min(wanted, offsets - wanted), offsets, self.seed)
        return sorted(drawn) if len(drawn) == wanted else [each for each in range(1, offsets + 1) if each not in drawn]


def _drawn(count: int, offsets: int, seed: int) -> set[int]:
    """`count` different numbers from 1 to `offsets`."""
    draw = random.Random(seed).random
    drawn = {1 + int(draw() * offsets) for _ in range(count)}
    while len(drawn) < count:
        drawn.add(1 + int(draw() * offsets))
    return drawn
