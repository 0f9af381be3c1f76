"""From a delivery that fails to the smallest one that still does.

Rule: fewest chunks, then the shortest prefix, then the simplest edit. Every step tries plans in a fixed order and keeps
the first that fails in the same way, so the answer is the same on every machine; the number of runs is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.plans import Deliver, Plan, boundary_classes, event_ends, steps
from recorder.sweeps._oracle import Judge, Judged
from recorder.sweeps._result import alike
from recorder.sweeps._runs import Run
from recorder.sweeps._variants import STOPS

MOST_RUNS = 400
_MOST_CUTS = 20_000  # a longer list of cuts is not halved any more
_MOST_EVENTS = 64  # after which a shorter prefix is looked for
_END_KINDS = tuple(STOPS)  # the simplest first


@dataclass(frozen=True, slots=True)
class Smallest:
    """A failing plan with what came of it."""

    plan: Plan
    run: Run
    judged: Judged


Search = Generator[Plan, Run, Smallest]
Candidates = Callable[[Plan], Iterator[Plan]]


def minimized(start: Smallest, judge: Judge, interaction: Interaction) -> Search:
    """The smallest failing plan on the way down from `start`; `start` itself when there is no smaller one."""
    search = _Searching(start, judge, interaction)
    for candidates in (_without, search.fewer_cuts, search.unedited, search.lower_cuts, search.shorter):
        yield from search.through(candidates)
    return search.best


class _Searching:
    def __init__(self, start: Smallest, judge: Judge, interaction: Interaction) -> None:
        self.best = start
        self._judge, self._interaction = judge, interaction
        self._left = MOST_RUNS
        self._tried: set[Plan] = {start.plan}

    def through(self, candidates: Candidates) -> Generator[Plan, Run, None]:
        """Try what `candidates` makes of the best plan, and begin again from each that fails."""
        better = True
        while better:
            better = False
            for plan in candidates(self.best.plan):
                if self._left and plan not in self._tried and (yield from self._fails(plan)):
                    better = True
                    break

    def _fails(self, plan: Plan) -> Generator[Plan, Run, bool]:
        self._tried.add(plan)
        if self._cuts(plan) is None:
            return False
        self._left -= 1
        run = yield plan
        judged = yield from self._judge.any(plan, run)
        if not alike(judged.result, self.best.judged.result):
            return False
        self.best = Smallest(plan, run, judged)
        return True

    def fewer_cuts(self, plan: Plan) -> Iterator[Plan]:
        """One cut at the first place of each boundary class; then without a half of the cuts, a quarter, and so on."""
        cuts = self._cuts(plan) or ()
        if len(cuts) < 2:
            return
        yield from (replace(plan, chunks=f"at:{at}") for at in self._firsts(plan))
        if len(cuts) > _MOST_CUTS:
            return
        size = len(cuts) // 2
        while size:
            for start in range(0, len(cuts), size):
                yield replace(plan, chunks=_at(cuts[start : start + size]))
                yield replace(plan, chunks=_at([*cuts[:start], *cuts[start + size :]]))
            size //= 2

    def unedited(self, plan: Plan) -> Iterator[Plan]:
        """No edit, and one cut at the first place of each boundary class: an edit moves the place that fails."""
        if plan.edits and plan.end is None and self._cuts(plan):
            yield from (Plan(chunks=f"at:{at}") for at in self._firsts(Plan()))

    def lower_cuts(self, plan: Plan) -> Iterator[Plan]:
        """One of at most a few cuts moved to the first place of a class before it."""
        cuts = self._cuts(plan) or ()
        if not 1 <= len(cuts) <= 3:
            return
        for number, cut in enumerate(cuts):
            for at in self._firsts(plan):
                if at < cut and at not in cuts:
                    yield replace(plan, chunks=_at(sorted({*cuts[:number], at, *cuts[number + 1 :]})))

    def shorter(self, plan: Plan) -> Iterator[Plan]:
        """A simpler end, or the same one at an earlier place."""
        if plan.end is None or "@" not in plan.end or self.best.judged.place is None:
            return
        kind, place = plan.end.partition("@")[0], self.best.judged.place
        for simpler in _END_KINDS[: _END_KINDS.index(kind)]:
            yield replace(plan, end=f"{simpler}@{place}")
        ends = event_ends(self._judge.body(plan.edits))[:_MOST_EVENTS]
        for at in sorted({0, *self._firsts(plan), *ends}):
            if at < place:
                yield replace(plan, end=f"{kind}@{at}")

    def _cuts(self, plan: Plan) -> tuple[int, ...] | None:
        return cuts_of(plan, self._interaction, self._judge.truth.contract)

    def _firsts(self, plan: Plan) -> Sequence[int]:
        return boundary_classes(self._judge.body(plan.edits)).firsts


def _without(plan: Plan) -> Iterator[Plan]:
    """The whole body; then without one term, or one edit."""
    yield Plan(chunks="whole")
    yield replace(plan, delay=None)
    yield replace(plan, end=None)
    yield replace(plan, edits=())
    if len(plan.edits) > 1:
        yield from (replace(plan, edits=plan.edits[:n] + plan.edits[n + 1 :]) for n in range(len(plan.edits)))
    yield replace(plan, chunks="whole")


def cuts_of(plan: Plan, interaction: Interaction, contract: Contract | None) -> tuple[int, ...] | None:
    """The offsets between the chunks of a plan; None when it does not fit."""
    try:
        sizes = [len(step.data) for step in steps(plan, interaction, contract=contract) if isinstance(step, Deliver)]
    except PlanError:
        return None
    at, cuts = 0, []
    for size in sizes[:-1]:
        at += size
        cuts.append(at)
    return tuple(cuts)


def _at(cuts: Sequence[int]) -> str:
    return f"at:{','.join(map(str, cuts))}" if cuts else "whole"
