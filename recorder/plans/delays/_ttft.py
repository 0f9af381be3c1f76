"""`delay=ttft:200ms[+DELAY]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import after, parsed, seconds
from recorder.plans.delays._fixed import Fixed
from recorder.plans.delays._none import NoDelay
from recorder.plans.delays._protocol import Delay
from recorder.plans.delays._rate import Rate
from recorder.plans.delays._recorded import RecordedDelay
from recorder.plans.delays._uniform import Uniform

OTHERS: dict[str, type[Delay]] = {
    "none": NoDelay,
    "recorded": RecordedDelay,
    "fixed": Fixed,
    "uniform": Uniform,
    "rate": Rate,
}


@dataclass(frozen=True, slots=True)
class FirstAfter:
    r"""The first chunk is due then ("time to first token"); the later ones keep the waits of the other delay, if any.

    ttft:200ms               0.2 s data: 1\n\n | data: 2\n\n
    ttft:200ms+fixed:20ms    0.2 s data: 1\n\n | 0.02 s data: 2\n\n | 0.02 s data: 3\n\n
    """

    form: ClassVar[str] = "ttft:200ms[+DELAY]"
    first: float
    then: Delay

    @classmethod
    def parse(cls, rest: str) -> Self:
        first, plus, other = after(":", rest, "a duration: ttft:200ms").partition("+")
        if plus and other.startswith("ttft"):
            raise PlanError("needs another delay than ttft after the +")
        return cls(seconds(first), parsed("delay", other, OTHERS) if plus else NoDelay())

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        others = self.then.waits(edited, ends)
        return chain((self.first,), repeat(0.0) if others is None else islice(others, 1, None))

    def end_after(self, recorded_s: float) -> float:
        return self.then.end_after(recorded_s)
