"""One reader on one stream: everything a worker needs, as a value that travels, and the runs of a range of plans.

Rule: a range of a family gives the same tally wherever it is run. The core asks for runs by yielding plans; two
drivers answer it, one with a call and one with an await.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any
from uuid import uuid4

from recorder.contracts import Contract
from recorder.plans import Boundary, Plan, boundary_classes
from recorder.sweeps._again import GIVEN_NONE, Options
from recorder.sweeps._command import Command
from recorder.sweeps._families import KINDS, Family, Sample, Subject, listed
from recorder.sweeps._loop import in_a_loop
from recorder.sweeps._minimize import Smallest, minimized
from recorder.sweeps._oracle import WHOLE, Judge, Judged
from recorder.sweeps._result import Result
from recorder.sweeps._runs import HUNG, Accepts, Reader, Run, finish_of, is_async, success
from recorder.sweeps._shown import AROUND
from recorder.sweeps._sources import Stream
from recorder.sweeps._story import story
from recorder.sweeps._tally import COLUMNS, KEPT, Row, Tally
from recorder.sweeps._variants import Variant, plan_of
from recorder.sweeps._via import Chunks, Perform, Via, opened
from recorder.sweeps._watchdog import Hung, Watchdog

Core = Generator[Plan | Variant, Run, Any]
Progress = Callable[[int], None]
TICK = 64  # runs between two looks at the progress display
_LOOP_EVERY_S = 0.02  # so soon is Ctrl-C noticed, which asyncio takes for itself


@dataclass(frozen=True, slots=True)
class Job:
    """A reader, a stream, and how results are taken.

    Attributes:
        around: how many characters around a first difference a story shows.
        plans: delivered instead of a family, when given.
        via: how they reach the reader.
        options: what a story says so that a run is judged the same way again.
        token: what a worker knows the job by.
    """

    reader: Reader | Command
    stream: Stream
    contract: Contract | None
    sample: Sample = None
    key: Callable[[Any], Any] | None = None
    finish: Callable[[Any], Any] = finish_of
    accepts: Accepts = success
    around: int = AROUND
    plans: tuple[Plan, ...] | None = None
    via: Via = field(default_factory=Chunks)
    options: Options = GIVEN_NONE
    token: str = field(default_factory=lambda: uuid4().hex)

    def family(self, kind: str) -> Family:
        """The plans of a kind."""
        if self.plans is not None:
            return listed(kind, self.plans)
        return KINDS[kind](Subject(self.stream.interaction, self.contract, self.via.headers_travel), self.sample)

    def opened(self) -> AbstractContextManager[Perform]:
        """What performs plans on the reader."""
        return opened(self.via, self.reader, self.stream, self.contract, self.accepts)

    def tally(self, family: Family) -> Tally:
        """A tally of no runs of a family."""
        columns = min(COLUMNS, self.size + 1) if family.offsets else 0
        row = Row(self.stream.name, family.kind, self.size, Counter(), bytearray(columns), family.note)
        return Tally(row, family.stops)

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.stream.interaction.response.body)


class Sweeping:
    """The runs of one job in this process.

    Args:
        perform: from a plan to a run; a coroutine function where the reader is one.

    Attributes:
        watchdog: notices a run that does not end; one that never does, unless another is put here.
    """

    def __init__(self, job: Job, perform: Any) -> None:
        self._job, self._perform = job, perform
        self.watchdog = Watchdog()
        self._judge = Judge(job.stream.interaction, job.contract, job.key, job.finish)
        self._begun = False

    def sweep(self, family: Family, tally: Tally, start: int, stop: int, progress: Progress | None = None) -> None:
        """Run a range of a family into `tally`, which is right at every moment, an interrupt included.

        Args:
            progress: called now and then with the number of runs since it was called last.
        """
        self._drive(self._core(family, tally, start, stop, progress))

    def smaller(self, tally: Tally) -> None:
        """Minimize the first failure of each word in `tally`."""
        self._drive(self._smaller(tally))

    def _core(self, family: Family, tally: Tally, start: int, stop: int, progress: Progress | None) -> Core:
        yield from self._begin()
        judge, counts = self._judge, tally.row.counts
        judge.knows(family.truths)
        if family.stops and not start:
            self._whole_too(tally, family)
        right = done = 0
        wrong: Counter[Boundary] = Counter()
        try:
            for asked, at in family.cases(start, stop):
                run = yield asked
                if isinstance(asked, Plan):
                    judged = yield from judge.any(asked, run)
                    result = judged.result
                else:
                    result = asked.judged(judge, run)
                done += 1
                if result is Result.RIGHT:
                    right += 1
                else:
                    counts[result] += 1
                    if at >= 0:
                        wrong[self._misplaced(tally, at, result)] += 1
                    if len(tally.failures) < KEPT:
                        plan = plan_of(asked)
                        judged = yield from judge.any(plan, run)
                        tally.keep(story(Smallest(plan, run, judged), self._job, judge, family.kind))
                    if tally.stopped:
                        break
                if progress is not None and done % TICK == 0:
                    progress(TICK)
        finally:
            counts.update({Result.RIGHT: right} if right else {})
            self._places(tally, wrong, family.offsets[start : start + done])
            if progress is not None:
                progress(done % TICK)

    def _begin(self) -> Core:
        if not self._begun:
            yield from self._judge.begin()
            self._begun = True

    def _whole_too(self, tally: Tally, family: Family) -> None:
        """Count the whole body too where it is not right: no plan that stops delivers it, and failing is no honesty."""
        judge = self._judge
        if judge.of_whole is not Result.RIGHT:
            tally.row.counts[judge.of_whole] += 1
            judged = Judged(judge.of_whole, judge.of_all)
            tally.keep(story(Smallest(WHOLE, judge.expected, judged), self._job, judge, family.kind))

    def _misplaced(self, tally: Tally, at: int, result: Result) -> Boundary:
        boundary = boundary_classes(self._judge.truth.body).at(at)
        tally.in_class(boundary, result)
        tally.row.mark(at, result)
        return boundary

    def _places(self, tally: Tally, wrong: Counter[Boundary], tried: Sequence[int]) -> None:
        """Count by class, and mark as right, the places that were tried and did not fail."""
        if not tried:
            return
        class_at = boundary_classes(self._judge.truth.body).at
        for boundary, number in Counter(map(class_at, tried)).items():
            tally.in_class(boundary, Result.RIGHT, number - wrong[boundary])
        tally.row.mark_right(tried)

    def _smaller(self, tally: Tally) -> Core:
        yield from self._begin()
        firsts: dict[Result, int] = {}
        for number, failure in enumerate(tally.failures):
            firsts.setdefault(failure.result, number)
        tally.smallest = firsts
        for number in firsts.values():
            failure = tally.failures[number]
            if failure.result is Result.HUNG:
                continue
            run = yield failure.plan
            judged = yield from self._judge.any(failure.plan, run)
            if judged.result is not failure.result:
                tally.failures[number] = replace(failure, once_more=judged.result)
                continue
            start = Smallest(failure.plan, run, judged)
            best = yield from minimized(start, self._judge, self._job.stream.interaction)
            if best is not start:
                tally.failures[number] = story(best, self._job, self._judge, failure.kind, found=failure.plan)

    def _drive(self, core: Core) -> None:
        if is_async(self._job.reader):
            self._drive_async(core)
            return
        perform, watchdog = self._perform, self.watchdog
        try:
            asked = next(core)
            while True:
                try:
                    watchdog.ticks = 0
                    run = perform(asked)
                    watchdog.ticks = None
                except Hung:
                    run = HUNG
                if watchdog.broke_off:
                    watchdog.rest()
                    run = HUNG
                asked = core.send(run)
        except StopIteration:
            return
        finally:
            watchdog.rest()
            core.close()

    def _drive_async(self, core: Core) -> None:
        """All runs in one event loop; a new one after a run that hung."""
        waiting = _Waiting(core)
        try:
            while not waiting.over:
                try:
                    in_a_loop(partial(self._answer, waiting, waiting.turn))
                except Hung:
                    self.watchdog.rest()
                    waiting.turn += 1
                    waiting.send(HUNG)
        finally:
            self.watchdog.rest()
            core.close()

    async def _answer(self, waiting: _Waiting, turn: int) -> None:
        perform, watchdog = self._perform, self.watchdog
        loop_at = monotonic()
        while not waiting.over and waiting.turn == turn:
            try:
                watchdog.ticks = 0
                run = await perform(waiting.asked)
                watchdog.ticks = None
            except Hung:
                run = HUNG
            if waiting.turn != turn:
                return  # this loop was left behind, with a run that hung
            if watchdog.broke_off:
                watchdog.rest()
                run = HUNG
            waiting.send(run)
            if (now := monotonic()) > loop_at + _LOOP_EVERY_S:  # a reader that never waits keeps the loop busy
                await asyncio.sleep(0)
                loop_at = now


class _Waiting:
    """A core, the plan it waits for, and how many loops were left behind."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.over = False
        self.turn = 0
        self.asked: Plan | Variant = Plan()
        self._advance(lambda: next(core))

    def send(self, run: Run) -> None:
        """Answer, and wait for the next plan."""
        self._advance(lambda: self._core.send(run))

    def _advance(self, step: Callable[[], Plan | Variant]) -> None:
        try:
            self.asked = step()
        except StopIteration:
            self.over = True
