"""Sweeps: two invariants for any reader.

Partition invariance: every partition of the same bytes gives the result of the whole. Truncation honesty: cut before
the terminal event is complete, the reader does not report success; cut after, it does not report failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from recorder.cassette import Cassette, Interaction, load_cassette
from recorder.contracts import Contract, detected, terminal_offset
from recorder.plans import Plan
from recorder.sweeps._families import KINDS, count
from recorder.sweeps._report import AROUND, Failure, Report, Result
from recorder.sweeps._runs import Reader, Run, run, success

Source = bytes | Interaction | Cassette | str | os.PathLike[str]
Track = Callable[[Iterable[Plan], int], Iterable[Plan]]


def event_streams(source: Source) -> tuple[Interaction, ...]:
    """The event streams of a source.

    Raises:
        ValueError: there is none.
    """
    if isinstance(source, bytes):
        return (Interaction.from_body(source),)
    if isinstance(source, Interaction):
        return (source,)
    cassette = source if isinstance(source, Cassette) else load_cassette(source)
    found = tuple(
        each
        for each in cassette.interactions
        if each.response.headers.first("content-type").lower().startswith("text/event-stream")
    )
    if not found:
        raise ValueError("the cassette has no response with the content-type text/event-stream: nothing to sweep")
    return found


def _untracked(plans: Iterable[Plan], total: int) -> Iterable[Plan]:
    return plans


def sweep(
    reader: Reader,
    source: Source,
    *,
    kind: str = "cuts",
    key: Callable[[Any], Any] | None = None,
    accepts: Callable[[Any], bool] = success,
    contract: Contract | None = None,
    track: Track = _untracked,
) -> Report:
    """Run `reader` under every plan of a family.

    Args:
        reader: a callable over an iterable of bytes, or a coroutine function over an async one.
        source: the bytes of a body, an interaction, a cassette or the path of one.
        kind: "cuts" (all N+1), "bytewise", "random" (200, seeded), "truncations" (all N), or "all" of these.
        key: what of a result is compared; the result itself unless given. Exceptions compare by class and `code`.
        accepts: whether a returned result claims success; anything but a rejected verdict unless given.
        contract: decides where the stream is complete; detected unless given.
        track: wraps the plans for a progress display, given their number.

    Returns:
        The report.

    Raises:
        ValueError: `kind` is unknown, the source has no event stream, or nothing says where a truncated one would be
            complete.
    """
    kinds = tuple(KINDS) if kind == "all" else (kind,)
    if kinds[0] not in KINDS:
        raise ValueError(f"kind={kind!r} is unknown: use {', '.join(KINDS)} or all")
    report = Report(kind)
    for interaction in event_streams(source):
        perform = partial(run, reader, interaction, key=key, accepts=accepts)
        size = len(interaction.response.body)
        for each in kinds:
            judge = _judge(each, interaction, perform, contract)
            for plan in track(KINDS[each](size), count(each, size)):
                result, outcome = judge(plan)
                if result is Result.RIGHT:
                    report.counts[result] += 1
                else:
                    report.add(_failure(plan, result, outcome, interaction))
    return report


def check_reader(reader: Reader, source: Source, *, kind: str = "all", **options: Any) -> None:
    """Sweep and fail: the one line for a test.

    Args:
        reader, source: as for `sweep`.
        kind: the family to run, all of them unless given.
        options: further arguments of `sweep`.

    Raises:
        AssertionError: a run was not right; tells the first failure.
    """
    report = sweep(reader, source, kind=kind, **options)
    if not report.ok:
        raise AssertionError(str(report))


def _judge(
    kind: str, interaction: Interaction, perform: Callable[[Plan], Run], contract: Contract | None
) -> Callable[[Plan], tuple[Result, Run]]:
    """What decides whether a run is right: the reader's own result on the whole, and where the stream is complete."""
    body = interaction.response.body
    contract = contract or detected(body)
    if contract is None and kind == "truncations":
        raise ValueError("where this stream is complete is not known: pass contract=, its dialect is not recognised")
    terminal = None if contract is None else terminal_offset(body, contract)
    expected = perform(Plan(chunks="whole"))

    def partition(plan: Plan) -> tuple[Result, Run]:
        actual = perform(plan)
        if terminal is not None and not expected.claims and actual == expected:
            return Result.FALSE_ALARM, actual
        if actual == expected:
            return Result.RIGHT, actual
        return Result.RAISED if actual.error else Result.DIFFERS, actual

    def truncation(plan: Plan) -> tuple[Result, Run]:
        actual = perform(plan)
        if terminal is not None and (_cut_of(plan) or 0) >= terminal:
            return (Result.RIGHT if actual == expected else Result.FALSE_ALARM), actual
        return (Result.SILENT if actual.claims else Result.RIGHT), actual

    return truncation if kind == "truncations" else partition


def _cut_of(plan: Plan) -> int | None:
    """The one place a plan of these families cuts at, if it is one."""
    for value in (plan.end or "", plan.chunks or ""):
        number = value.rpartition("@")[2] if "@" in value else value.removeprefix("at:")
        if number.isdecimal():
            return int(number)
    return None


def _failure(plan: Plan, result: Result, outcome: Run, interaction: Interaction) -> Failure:
    body, offset = interaction.response.body, _cut_of(plan)
    around = (b"", b"") if offset is None else (body[max(0, offset - AROUND) : offset], body[offset : offset + AROUND])
    return Failure(plan, result, offset, outcome.error[0] if outcome.error else "", around)
