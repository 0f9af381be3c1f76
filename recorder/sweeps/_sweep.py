"""Sweeps: one reader under families of plans, and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from typing import Any, Protocol

from recorder.contracts import Contract
from recorder.plans import Boundary, Plan, boundary_classes
from recorder.sweeps._again import HUNG_AFTER, options, reader_name
from recorder.sweeps._command import Command
from recorder.sweeps._families import KINDS, NEED_A_CONTRACT, NEVER_END, Family, Sample, checked
from recorder.sweeps._job import Job, Sweeping
from recorder.sweeps._report import Report
from recorder.sweeps._result import Result
from recorder.sweeps._runs import Accepts, Reader, finish_of, success
from recorder.sweeps._shown import AROUND, MORE
from recorder.sweeps._sources import Source, Stream, streams
from recorder.sweeps._spread import Spread, travels
from recorder.sweeps._tally import Tally
from recorder.sweeps._truth import contract_of
from recorder.sweeps._via import Via, way
from recorder.sweeps._watchdog import Watchdog, can_watch, watching

Progress = Callable[[int, int, str], None]


def sweep(
    reader: Reader | Command,
    source: Source,
    *,
    kind: str = "cuts",
    sample: Sample = None,
    key: Callable[[Any], Any] | None = None,
    finish: Callable[[Any], Any] | None = None,
    accepts: Accepts | None = None,
    contract: Contract | None = None,
    plans: Iterable[Plan | str] | Plan | str | None = None,
    interaction: int | None = None,
    via: str | Via = "chunks",
    executor: Any = None,
    hung_after: float | None = HUNG_AFTER,
    show_text: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Run `reader` under every plan of a family, and judge each run.

    What is right: the reader's own result on the whole body, for every partition of the same bytes; no success before
    the stream is complete, and no failure after; and on the whole, success where the contract accepts, none where it
    rejects.

    Args:
        reader: a callable over an iterable of bytes, or a coroutine function over an async one; what an iterator
            yields is its result. Or a `recorder.sweeps.Command`, for a reader in any language.
        source: the bytes of a body, an interaction, a cassette, the path of one, or several of these.
        kind: "cuts" (all N+1 two-part deliveries), "pairs" (two cuts), "bytewise", "random" (200 partitions, with and
            without pauses), "truncations" (a clean end at all N offsets), the same with another end: "incomplete",
            "reset", "stall" (these count the whole too where it is not right); "ends" (every end at the places that
            matter), "edits" (changes that must not matter, and changes that must be rejected), or "all" of these.
            Several are written with commas.
        sample: None runs all (2,000 of the pairs); "all" all pairs too; "classes" a few of each boundary class; a
            number so many of each kind, evenly spread.
        key: what of a result is compared; the result itself unless given. Exceptions compare by class and `code`. A
            result that it raises about equals no other; so with the next two, but about the whole's they may not raise.
        finish: the finish that a result claims, or those of its choices; its attribute or key `finish` or
            `finish_reason` unless given. None where it raises.
        accepts: whether a returned result claims success; anything but a rejected verdict unless given. It does not
            where this raises.
        contract: decides where a stream is complete; detected unless given.
        plans: just these deliveries, or this one, instead of a kind.
        interaction: only this event stream of each cassette, from 1.
        via: "chunks", or "client": the reader takes no argument and makes its real client call, which the cassette
            (a path) answers, rewound for each run; or an object that opens a way of its own.
        executor: workers: any `concurrent.futures.Executor` or `dask.distributed.Client`. The report is the same as
            without; the reader must be one that can be sent there.
        hung_after: seconds after which a run is broken off; None never does. On workers that are threads (a pool of
            threads, a Dask worker) no run can be.
        show_text: stories show more of the results than the first difference.
        progress: called with the runs done, their number, and what is going on.

    Returns:
        The report; after Ctrl-C, of what was done until then.

    Raises:
        ValueError: `kind` or `sample` is unknown, a source has no event stream, or not that many, or nothing says where
            a stream is complete that is to be stopped early.
        TypeError: an argument is of another kind than it has to be, or two results cannot be compared with `==`.
        PlanError: one of `plans` is not in the grammar, or does not fit the stream.
    """
    asked = None if plans is None else tuple(map(Plan.of, [plans] if isinstance(plans, Plan | str) else plans))
    kinds = ("plans",) if asked is not None else _kinds(kind)
    sample = checked(sample)
    if hung_after is not None and not hung_after > 0:
        raise ValueError(f"hung_after={hung_after!r}: seconds above 0, or None")
    more = options(contract, hung_after, key=key, finish=finish, accepts=accepts)
    report = Report(kind if asked is None else "plans", reader=reader_name(reader))
    jobs = [
        Job(
            reader,
            stream,
            contract or contract_of(stream.interaction),
            sample,
            key,
            finish or finish_of,
            accepts or success,
            MORE if show_text else AROUND,
            asked,
            way(via, reader),
            more,
        )
        for stream in streams(source, interaction)
    ]
    report.absent = _absent(jobs)
    try:
        with _runner(executor, hung_after, jobs, report) as runner:
            for job in jobs:
                _one(job, kinds, len(kinds) == len(KINDS), report, runner, progress)
    except KeyboardInterrupt:
        report.interrupted = True
        report.notes.append("broken off from the keyboard: the numbers are of the runs until then")
    return report


class _Runner(Protocol):
    """Who runs the plans: this thread, or workers."""

    def sweep(self, job: Job, family: Family, tally: Tally, progress: Callable[[int], None] | None) -> None: ...

    def smaller(self, job: Job, tally: Tally) -> None: ...


class _Here:
    """This thread."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._stack = ExitStack()
        self._busy: tuple[Job, Sweeping] | None = None

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def sweep(self, job: Job, family: Family, tally: Tally, progress: Callable[[int], None] | None) -> None:
        self._sweeping(job).sweep(family, tally, 0, family.total, progress)

    def smaller(self, job: Job, tally: Tally) -> None:
        self._sweeping(job).smaller(tally)

    def _sweeping(self, job: Job) -> Sweeping:
        if self._busy is None or self._busy[0] is not job:
            self._stack.close()
            sweeping = Sweeping(job, self._stack.enter_context(job.opened()))
            sweeping.watchdog = self._watchdog
            self._busy = job, sweeping
        return self._busy[1]


@contextmanager
def _runner(executor: Any, hung_after: float | None, jobs: Sequence[Job], report: Report) -> Iterator[_Runner]:
    """The workers of `executor`; without one this thread, where its timer works, else a process of its own."""
    if executor is not None:
        with Spread(executor, hung_after) as spread:
            yield spread
    elif hung_after is None or can_watch():
        with watching(hung_after) as watchdog, _Here(watchdog) as here:
            yield here
    elif all(travels(job) for job in jobs):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool, Spread(pool, hung_after) as spread:
            report.notes.append("run in a process of its own, where a reader that hangs is noticed")
            yield spread
    else:
        report.notes.append("readers that hang are not noticed: that needs the main thread, or a reader in a module")
        with _Here(Watchdog()) as here:
            yield here


def _one(
    job: Job, kinds: tuple[str, ...], lenient: bool, report: Report, runner: _Runner, progress: Progress | None
) -> None:
    """Every kind on one stream."""
    for kind in kinds:
        if job.contract is None and kind in NEED_A_CONTRACT:
            if not lenient:
                raise ValueError(
                    "where this stream is complete is not known: pass contract=, its dialect is not recognised"
                )
            continue
        family = job.family(kind)
        tally = job.tally(family)
        try:
            runner.sweep(job, family, tally, _told(progress, family, job.stream))
            runner.smaller(job, tally)
        finally:
            report.add(tally)
        if tally.stopped:
            report.notes.append(
                f"{job.stream.name}, {kind}: broken off after {tally.row.counts[Result.HUNG]} runs that hung"
            )
            if kind not in NEVER_END:
                return
    if job.contract is None and lenient:
        report.notes.append(f"{job.stream.name}: not stopped early anywhere: no dialect is recognised, pass contract=")


def _told(progress: Progress | None, family: Family, stream: Stream) -> Callable[[int], None] | None:
    if progress is None:
        return None
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        progress(min(done, family.total), family.total, f"{stream.name}, {family.kind}")

    return tell


def _kinds(kind: str) -> tuple[str, ...]:
    if not isinstance(kind, str):
        raise TypeError(f"kind={kind!r}: a str, such as 'cuts' or 'cuts,truncations'")
    kinds = tuple(dict.fromkeys(each.strip() for each in kind.split(",")))
    for each in kinds:
        if each not in KINDS and each != "all":
            raise ValueError(f"kind={each!r} is unknown: use {', '.join(KINDS)} or all")
    return tuple(KINDS) if "all" in kinds else kinds


def _absent(jobs: Iterable[Job]) -> tuple[Boundary, ...]:
    present: set[Boundary] = set()
    for job in jobs:
        present.update(boundary_classes(job.stream.interaction.response.body))
    return tuple(each for each in Boundary if each not in present)


def check_reader(reader: Reader | Command, source: Source, *, kind: str = "all", **options: Any) -> None:
    """Sweep and fail: the one line for a test.

    Args:
        reader, source: as for `sweep`.
        kind: the family to run, all of them unless given.
        options: further arguments of `sweep`.

    Raises:
        AssertionError: a run was not right; tells the minimized story.
        KeyboardInterrupt: the sweep was broken off.
    """
    __tracebackhide__ = True  # pytest shows the line of the test, and what is said there
    report = sweep(reader, source, kind=kind, **options)
    if report.interrupted:
        raise KeyboardInterrupt
    if not report.ok:
        raise AssertionError(str(report))
