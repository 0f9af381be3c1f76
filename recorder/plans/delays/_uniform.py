"""`delay=uniform:LO,HI,SEED`."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import after, number, seconds

_NEEDS = "LO,HI,SEED: uniform:5ms,80ms,1"


@dataclass(frozen=True, slots=True)
class Uniform:
    r"""A random wait from LO up to HI before every chunk: LO + r * (HI - LO), r from `random.Random(SEED).random()`.

    uniform:0ms,1s,7    0.3238... s data: 1\n\n | 0.1508... s data: 2\n\n
    """

    form: ClassVar[str] = "uniform:LO,HI,SEED"
    low: float
    high: float
    seed: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        parts = after(":", rest, _NEEDS).split(",")
        if len(parts) != 3:
            raise PlanError(f"needs {_NEEDS}")
        low, high = seconds(parts[0]), seconds(parts[1])
        if low > high:
            raise PlanError("needs LO no longer than HI")
        return cls(low, high, number(parts[2], _NEEDS))

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        return _waits(self.low, self.high - self.low, self.seed)

    def end_after(self, recorded_s: float) -> float:
        return 0.0


def _waits(low: float, width: float, seed: int) -> Iterator[float]:
    draw = random.Random(seed).random  # not made before the first wait: where nobody sees time pass, there is none
    while True:
        yield low + draw() * width
