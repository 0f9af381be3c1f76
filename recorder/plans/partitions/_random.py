"""`chunks=random:PARTS,SEED`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import floor
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import after, number

_NEEDS = "PARTS,SEED: random:5,1"
_AT_LEAST = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Random:
    r"""PARTS chunks of random sizes; as many as there are bytes where the body is shorter than that.

    `random.Random(SEED).random()` is all that is asked: Python keeps its sequence between versions. Each chunk has one
    byte, and its share of the others: as large as the number drawn for it, of the sum of all numbers.

    random:3,1    d | ata: |  1\n\n
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
        size = len(edited.body)
        return random_cuts(size, random_sums(self.seed, min(self.parts, size)))


def random_sums(seed: int, count: int) -> Sequence[float]:
    """The first `count` numbers of a seed, each with those before it: so many parts are sized by them."""
    draw = random.Random(seed).random
    return list(accumulate([draw() for _ in range(count)]))


def random_cuts(size: int, sums: Sequence[float]) -> Sequence[int]:
    """Where a body of `size` bytes is cut into as many parts as there are sums; at most `size`."""
    if len(sums) <= 1:
        return ()
    scale = (size - len(sums)) / sums[-1]
    return [number + floor(share * scale) for number, share in enumerate(sums[:-1], 1)]
