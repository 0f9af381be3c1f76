"""`delay=none`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class NoDelay:
    r"""No waiting: the default.

    data: 1\n\n | data: 2\n\n
    """

    form: ClassVar[str] = "none"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        return None

    def end_after(self, recorded_s: float) -> float:
        return 0.0
