"""The plans of a family that differ in a number or two: delivered as they are, written down when somebody asks.

Rule: a variant delivers what the plan it writes delivers, byte for byte and to the same end, and is judged as that plan
is. There is one for every run of a sweep, and most are never looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence

from recorder.plans import Delivery, End, Ending, Plan, Wait, random_cuts
from recorder.sweeps._oracle import Judge
from recorder.sweeps._result import Result
from recorder.sweeps._runs import Run

STOPS: dict[str, End | Wait] = {
    "eof": End(Ending.EOF),
    "incomplete": End(Ending.INCOMPLETE),
    "reset": End(Ending.RESET),
    "stall": Wait(None),
}
_COMPLETE = End(Ending.COMPLETE)


class CutAt:
    """The whole body, cut at these places; increasing."""

    __slots__ = ("places",)
    waits = False

    def __init__(self, *places: int) -> None:
        self.places = places

    def __str__(self) -> str:
        return f"chunks=at:{','.join(map(str, self.places))}"

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`."""
        return whole.cut_at(self.places)

    def judged(self, judge: Judge, run: Run) -> Result:
        """The word for a run."""
        return judge.partition(run)


class CutAtRandom:
    """The whole body in parts of random sizes, with random pauses between them or without.

    Args:
        sums: of the numbers of the seed; the first so many are used.
    """

    __slots__ = ("parts", "seed", "sums", "waits")

    def __init__(self, parts: int, seed: int, sums: Sequence[float], waits: bool) -> None:
        self.parts, self.seed, self.sums, self.waits = parts, seed, sums, waits

    def __str__(self) -> str:
        chunks = f"chunks=random:{self.parts},{self.seed}"
        return f"{chunks}; delay=uniform:0ms,50ms,{self.seed}" if self.waits else chunks

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`, without the waits."""
        return whole.cut_at(random_cuts(len(whole.body), self.sums[: min(self.parts, len(whole.body))]))

    def judged(self, judge: Judge, run: Run) -> Result:
        """The word for a run."""
        return judge.partition(run)


class StoppedAt:
    """The first bytes in one chunk, and one of `STOPS`.

    Args:
        place: how many; `HEAD`: not even the head.
        written: the name of the place, where it has one.
    """

    __slots__ = ("end", "place", "written")
    waits = False

    def __init__(self, end: str, place: int, written: str = "") -> None:
        self.end, self.place, self.written = end, place, written

    def __str__(self) -> str:
        return f"chunks=whole; end={self.end}@{self.written or self.place}"

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`."""
        return whole.stopped_at(self.place, STOPS[self.end])

    def judged(self, judge: Judge, run: Run) -> Result:
        """The word for a run."""
        return judge.truncation(max(self.place, 0), run, self.end == "eof")


class RestedAt:
    """The whole body to a complete end, with a rest of a second at a place of that name."""

    __slots__ = ("place", "written")
    waits = True

    def __init__(self, place: int, written: str) -> None:
        self.place, self.written = place, written

    def __str__(self) -> str:
        return f"chunks=whole; end=stall@{self.written}:1s"

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`, without the wait."""
        return whole.cut_at((self.place,))._replace(last=_COMPLETE)

    def judged(self, judge: Judge, run: Run) -> Result:
        """The word for a run."""
        return judge.completed(run)


Variant = CutAt | CutAtRandom | StoppedAt | RestedAt


def plan_of(asked: Plan | Variant) -> Plan:
    """The plan itself."""
    return asked if isinstance(asked, Plan) else Plan.parse(str(asked))
