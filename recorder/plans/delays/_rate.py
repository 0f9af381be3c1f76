"""`delay=rate:N/s`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import after, factor

_NEEDS = "chunks a second: rate:50/s"


@dataclass(frozen=True, slots=True)
class Rate:
    r"""N chunks a second: 1/N s before every chunk.

    rate:50/s    0.02 s data: 1\n\n | 0.02 s data: 2\n\n
    """

    form: ClassVar[str] = "rate:N/s"
    a_second: float

    @classmethod
    def parse(cls, rest: str) -> Self:
        text = after(":", rest, _NEEDS)
        chunks = factor(text.removesuffix("/s"), _NEEDS) if text.endswith("/s") else 0.0
        if not chunks:
            raise PlanError(f"needs {_NEEDS}")
        return cls(chunks)

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        return repeat(1 / self.a_second)

    def end_after(self, recorded_s: float) -> float:
        return 0.0
