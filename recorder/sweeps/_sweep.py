"""Sweeps: one reader under families of plans, and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recorder.contracts import Contract
from recorder.plans import Boundary, Plan, boundary_classes
from recorder.sweeps._families import KINDS, NEED_A_CONTRACT, Family, Sample
from recorder.sweeps._job import Job, Sweeping
from recorder.sweeps._report import Report
from recorder.sweeps._runs import Accepts, Reader, finish_of, success
from recorder.sweeps._shown import AROUND, MORE
from recorder.sweeps._sources import Source, Stream, streams
from recorder.sweeps._story import reader_name
from recorder.sweeps._truth import contract_of
from recorder.sweeps._via import Via, way
from recorder.sweeps._watchdog import can_watch, watching

HUNG_AFTER = 10.0
Progress = Callable[[int, int, str], None]


def sweep(
    reader: Reader,
    source: Source,
    *,
    kind: str = "cuts",
    sample: Sample = None,
    key: Callable[[Any], Any] | None = None,
    finish: Callable[[Any], Any] | None = None,
    accepts: Accepts | None = None,
    contract: Contract | None = None,
    plans: Iterable[Plan | str] | None = None,
    via: str | Via = "chunks",
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
            yields is its result.
        source: the bytes of a body, an interaction, a cassette, the path of one, or several of these.
        kind: "cuts" (all N+1 two-part deliveries), "pairs" (two cuts), "bytewise", "random" (200 partitions, with and
            without pauses), "truncations" (a clean end at all N offsets), the same with another end: "incomplete",
            "reset", "stall"; "ends" (every end at the places that matter), "edits" (changes that must not matter,
            and changes that must be rejected), or "all" of these. Several are written with commas.
        sample: None runs all (2,000 of the pairs); "all" all pairs too; "classes" a few of each boundary class; a
            number so many of each kind, evenly spread.
        key: what of a result is compared; the result itself unless given. Exceptions compare by class and `code`.
        finish: the finish that a result claims; its attribute or key `finish` or `finish_reason` unless given.
        accepts: whether a returned result claims success; anything but a rejected verdict unless given.
        contract: decides where a stream is complete; detected unless given.
        plans: just these deliveries instead of a kind.
        via: "chunks", or "client": the reader takes no argument and makes its real client call, which the cassette
            (a path) answers, rewound for each run; or an object that opens a way of its own.
        hung_after: seconds after which a run is broken off; None never does.
        show_text: stories show more of the results than the first difference.
        progress: called with the runs done, their number, and what is going on.

    Returns:
        The report; after Ctrl-C, of what was done until then.

    Raises:
        ValueError: `kind` is unknown, a source has no event stream, or nothing says where a stream is complete that
            is to be stopped early.
        PlanError: one of `plans` is not in the grammar, or does not fit the stream.
    """
    asked = None if plans is None else tuple(map(Plan.of, plans))
    kinds = ("plans",) if asked is not None else _kinds(kind)
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
            way(via),
        )
        for stream in streams(source)
    ]
    report.absent = _absent(jobs)
    if hung_after is not None and not can_watch():
        report.notes.append("hung readers are not noticed: that needs the main thread")
    try:
        with watching(hung_after) as watchdog:
            for job in jobs:
                with job.opened() as perform:
                    _one(job, kinds, kind == "all", report, Sweeping(job, perform, watchdog), progress)
    except KeyboardInterrupt:
        report.interrupted = True
        report.notes.append("broken off from the keyboard: the numbers are of the runs until then")
    return report


def _one(
    job: Job, kinds: tuple[str, ...], lenient: bool, report: Report, sweeping: Sweeping, progress: Progress | None
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
            sweeping.sweep(family, tally, 0, family.total, _told(progress, family, job.stream))
            sweeping.smaller(tally)
        finally:
            report.add(tally)
        if sweeping.stopped:
            report.notes.append(f"{job.stream.name}: broken off after {sweeping.hung} runs that hung")
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
        progress(done, family.total, f"{stream.name}, {family.kind}")

    return tell


def _kinds(kind: str) -> tuple[str, ...]:
    if kind == "all":
        return tuple(KINDS)
    kinds = tuple(each.strip() for each in kind.split(","))
    for each in kinds:
        if each not in KINDS:
            raise ValueError(f"kind={each!r} is unknown: use {', '.join(KINDS)} or all")
    return kinds


def _absent(jobs: Iterable[Job]) -> tuple[Boundary, ...]:
    present: set[Boundary] = set()
    for job in jobs:
        present.update(boundary_classes(job.stream.interaction.response.body))
    return tuple(each for each in Boundary if each not in present)


def check_reader(reader: Reader, source: Source, *, kind: str = "all", **options: Any) -> None:
    """Sweep and fail: the one line for a test.

    Args:
        reader, source: as for `sweep`.
        kind: the family to run, all of them unless given.
        options: further arguments of `sweep`.

    Raises:
        AssertionError: a run was not right; tells the minimized story.
        KeyboardInterrupt: the sweep was broken off.
    """
    report = sweep(reader, source, kind=kind, **options)
    if report.interrupted:
        raise KeyboardInterrupt
    if not report.ok:
        raise AssertionError(str(report))
