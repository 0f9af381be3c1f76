"""The plans of a family that differ in a number or two: delivered as they are, written down when somebody asks.

Rule: a variant delivers what the plan it writes delivers, byte for byte and to the same end. There is one for every run
of a sweep, and most are never looked at again.
"""

from __future__ import annotations

from recorder.plans import Delivery, End, Ending, Plan, Wait

STOPS: dict[str, End | Wait] = {
    "eof": End(Ending.EOF),
    "incomplete": End(Ending.INCOMPLETE),
    "reset": End(Ending.RESET),
    "stall": Wait(None),
}


class CutAt:
    """The whole body, cut at these places; increasing."""

    __slots__ = ("places",)

    def __init__(self, *places: int) -> None:
        self.places = places

    def __str__(self) -> str:
        return f"chunks=at:{','.join(map(str, self.places))}"

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`."""
        return whole.cut_at(self.places)


class StoppedAt:
    """The first bytes in one chunk, and one of `STOPS`."""

    __slots__ = ("end", "place")

    def __init__(self, end: str, place: int) -> None:
        self.end, self.place = end, place

    def __str__(self) -> str:
        return f"chunks=whole; end={self.end}@{self.place}"

    def of(self, whole: Delivery) -> Delivery:
        """The same of `whole`."""
        return whole.stopped_at(self.place, STOPS[self.end])


Variant = CutAt | StoppedAt


def plan_of(asked: Plan | Variant) -> Plan:
    """The plan itself."""
    return asked if isinstance(asked, Plan) else Plan.parse(str(asked))
