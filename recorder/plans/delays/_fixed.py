"""`delay=fixed:20ms`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._values import after, seconds


@dataclass(frozen=True, slots=True)
class Fixed:
    r"""The same wait before every chunk.

    fixed:20ms    0.02 s data: 1\n\n | 0.02 s data: 2\n\n
    """

    form: ClassVar[str] = "fixed:20ms"
    seconds: float

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(seconds(after(":", rest, "a duration: fixed:20ms")))

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        return repeat(self.seconds)

    def end_after(self, recorded_s: float) -> float:
        return 0.0
