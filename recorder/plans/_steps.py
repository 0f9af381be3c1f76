"""A plan and an interaction give steps: deliver these bytes, wait so long, end like this. Nothing else happens here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from recorder.cassette import Interaction
from recorder.plans._chunks import cuts
from recorder.plans._delays import due_times
from recorder.plans._ends import Ending, resolve_end
from recorder.plans._plan import Plan


@dataclass(frozen=True, slots=True, repr=False)
class Deliver:
    """Hand these bytes to the reader at once; never empty."""

    data: bytes

    def __repr__(self) -> str:
        return f"Deliver({len(self.data)} bytes)"


@dataclass(frozen=True, slots=True)
class Wait:
    """Let this many seconds pass; None: for ever."""

    seconds: float | None


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more comes, and this is how the reader notices."""

    ending: Ending


Step = Deliver | Wait | End


def steps(plan: Plan, interaction: Interaction) -> Iterator[Step]:
    """The steps of `plan` for `interaction`: the same ones each time, on every machine.

    Args:
        plan: a place in it that the body does not have raises before the first step.

    Raises:
        PlanError: the plan does not fit this interaction.
    """
    end = resolve_end(plan.end, interaction)
    body = interaction.response.body
    stop = len(body) if end.pause_s is not None else end.at
    ends = sorted(
        {cut for cut in (*cuts(plan.chunks, interaction), end.at) if 0 < cut < stop} | ({stop} if stop else set())
    )
    due = due_times(plan.delay or "none", interaction, ends)
    return _walk(body, ends, due, end.ending, end.at, end.pause_s)


def _walk(
    body: bytes, ends: list[int], due: list[float], ending: Ending, at: int, pause_s: float | None
) -> Iterator[Step]:
    start, now = 0, 0.0
    for stop, when in zip(ends, due, strict=True):
        if pause_s is not None and start == at:
            yield Wait(pause_s)
        if when > now:
            yield Wait(when - now)
            now = when
        yield Deliver(body[start:stop])
        start = stop
    if pause_s is not None:
        if at == len(body):
            yield Wait(pause_s)
        yield End(Ending.COMPLETE)
    elif ending is Ending.STALL:
        yield Wait(None)
    else:
        yield End(ending)
