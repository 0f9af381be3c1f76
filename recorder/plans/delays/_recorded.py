"""`delay=recorded[*X]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._splices import Timeline
from recorder.plans._values import after, factor

_NEEDS = "a factor: recorded*0.5"


@dataclass(frozen=True, slots=True)
class RecordedDelay:
    r"""Every byte comes when it came, X times as slow; a chunk is due when its last byte is, whatever the cuts.

    Where the recorded end is replayed too, it comes as long after the last chunk as it did.

    chunks: [[500, 9], [250, 9]]; chunks=recorded          0.5 s data: 1\n\n | 0.25 s data: 2\n\n
    chunks: [[500, 9], [250, 9]]; chunks=bytes:6           0.5 s data: 1 | 0.25 s \n\ndata | : 2\n\n
    """

    form: ClassVar[str] = "recorded[*X]"
    scale: float = 1.0

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(factor(after("*", rest, _NEEDS), _NEEDS)) if rest else cls()

    def waits(self, edited: Edited, ends: Iterable[int]) -> Iterator[float] | None:
        timeline = edited.timeline()
        if timeline is None:
            raise PlanError("no times were recorded for this body; use fixed:20ms, another or none")
        return _waits(timeline, ends, self.scale)

    def end_after(self, recorded_s: float) -> float:
        return recorded_s * self.scale


def _waits(timeline: Timeline, ends: Iterable[int], scale: float) -> Iterator[float]:
    pieces = zip(timeline.bounds, timeline.delays, strict=True)
    arrived = 0
    for end in ends:
        if end <= arrived:
            yield 0.0
            continue
        waited = 0.0
        while arrived < end:
            arrived, delay = next(pieces)
            waited += delay
        yield waited * scale
