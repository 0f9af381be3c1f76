"""From a failing run to its story: the places of the plan, what the results show, and how to run it again."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from recorder.plans import Plan, boundary_classes
from recorder.sweeps._again import again, reader_name
from recorder.sweeps._command import Command
from recorder.sweeps._failure import Cut, Failure
from recorder.sweeps._minimize import Smallest, cuts_of
from recorder.sweeps._oracle import Judge, Judged
from recorder.sweeps._result import Result
from recorder.sweeps._runs import HUNG, Run
from recorder.sweeps._shown import AROUND, brief, difference, is_plain, named

if TYPE_CHECKING:
    from recorder.sweeps._job import Job

_MOST_CUTS = 2


def story(failing: Smallest, job: Job, judge: Judge, kind: str, found: Plan | None = None) -> Failure:
    """The story of a failing run.

    Args:
        found: the larger plan that failed first.
    """
    plan, run, judged = failing.plan, failing.run, failing.judged
    expected, actual = _results(judged, run, judge, job.around)
    stream = job.stream
    if isinstance(job.via, Command):
        words, reader = job.via.words, f"recorder.sweeps.{job.via.text}"
    else:
        name = reader_name(job.reader)
        words, reader = ("--reader", name or "MODULE:READER"), name.rpartition(":")[2] or "reader"
    command, line = again(plan, stream, words, reader, job.via.name, job.options)
    return Failure(
        plan,
        judged.result,
        stream.name,
        (run.error[0] if is_plain(run.error[0]) else "error") if run.error else "",
        expected,
        actual,
        _cuts(plan, job, judge, judged),
        found,
        kind,
        command,
        line,
        judged.base is not None and judged.base.own,
    )


def _cuts(plan: Plan, job: Job, judge: Judge, judged: Judged) -> tuple[Cut, ...]:
    body = judge.body(plan.edits)
    places = cuts_of(plan, job.stream.interaction, job.contract) or ()
    if judged.place is not None:
        places = (judged.place,)
    if len(places) > _MOST_CUTS:
        return ()
    classes = boundary_classes(body)
    return tuple(Cut(at, str(classes.at(at)), body[max(0, at - AROUND) : at], body[at : at + AROUND]) for at in places)


def _results(judged: Judged, run: Run, judge: Judge, around: int) -> tuple[str, str]:
    """What was expected and what came, each in a few words."""
    base, result = judged.base, judged.result
    if run is HUNG:
        return "a result", "none in time"
    if base is None:
        return "no success: the stream is not complete", _said(run, judge, around)
    if result is Result.FALSE_ALARM:
        return "success: the stream is complete", _said(run, judge, around)
    if result is Result.LIE:
        truth = base.truth
        code, by = getattr(truth.verdict, "code", ""), truth.contract.name if truth.contract else ""
        return f"no success: {by} says {code}", _said(run, judge, around)
    if run.error is None and base.expected.error is None:
        one, other = difference(base.value, judge.keyed(run), around)
        return one, other
    return _said(base.expected, judge, around), _said(run, judge, around)


def _said(run: Run, judge: Judge, around: int) -> str:
    if run.error is not None:
        name, code = map(named, run.error[:2])
        file, line = run.raised_at
        at = f" at {named(PurePath(file).name)}:{line}" if file else ""
        return f"raised {name}" + (f" ({code})" if code else "") + at
    if not run.claims:
        code = named(str(getattr(run.value, "code", None) or ""))
        return f"a rejection ({code})" if code else "a failure"
    return f"success, {brief(judge.keyed(run), around)}"
