"""A plan and an interaction give steps: deliver these bytes, wait so long, end like this. Nothing else happens here.

Rule: the same steps for the same plan and interaction, on every machine. Everything that can be wrong is found out
before the first step. The body is not copied, only cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import NamedTuple

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._plan import Plan
from recorder.plans._step import Deliver, End, Step, Wait
from recorder.plans.delays import delay
from recorder.plans.ends import HEAD, Stop, end
from recorder.plans.partitions import partition

_new = object.__new__  # makes a `Deliver` without a call into Python,
_tuple = tuple.__new__  # and this a `Wait`
_NO_DELAY = delay("none")


def steps(plan: Plan, interaction: Interaction, *, contract: Contract | None = None) -> Iterator[Step]:
    """The steps of `plan` for `interaction`: the same ones each time, on every machine.

    Args:
        plan: what it leaves out is as recorded, where that is known, and without delay.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit this interaction; raised at once, before the first step.
    """
    made = _made(plan, interaction, contract)
    return _at_once(*made) if isinstance(made, AtOnce) else _in_time(*made)


class AtOnce(NamedTuple):
    """A delivery without a wait before its end: what a sweep asks for thousands of times.

    Attributes:
        body: what is delivered, cut at `cuts`, up to `at`; at least one byte.
        last: the last step.
    """

    body: bytes
    cuts: Sequence[int]
    at: int
    last: Step


def at_once(plan: Plan, interaction: Interaction, *, contract: Contract | None = None) -> AtOnce | None:
    """The same delivery as `steps` gives, as one value, where it has no wait before its end; else None.

    Raises:
        PlanError: the plan does not fit this interaction.
    """
    made = _made(plan, interaction, contract)
    return made if isinstance(made, AtOnce) else None


def _made(
    plan: Plan, interaction: Interaction, contract: Contract | None
) -> AtOnce | tuple[Edited, Sequence[int], Stop, str | None]:
    edited = Edited(interaction.response, plan.edits, contract)
    stop = _stop(plan.end, edited)
    cuts = _before(_cuts(plan.chunks, edited), stop.at)
    if plan.delay is None and stop.pause_at is None and stop.at > 0:
        return AtOnce(edited.body, cuts, stop.at, stop.last)
    return edited, cuts, stop, plan.delay


def edited_body(plan: Plan, interaction: Interaction, *, contract: Contract | None = None) -> bytes:
    """The body after the edits of `plan`: what its places mean, and all that can be delivered.

    Raises:
        PlanError: an edit does not fit this interaction.
    """
    return Edited(interaction.response, plan.edits, contract).body


def _stop(text: str | None, edited: Edited) -> Stop:
    if text is None:
        text = "complete" if edited.response.end is None else "recorded"
    try:
        return end(text).stop(edited)
    except PlanError as error:
        raise PlanError(f"end={text}: {error}") from None


def _cuts(text: str | None, edited: Edited) -> Sequence[int]:
    if text is None:
        text = "whole" if edited.response.chunks is None else "recorded"
    try:
        return partition(text).cuts(edited)
    except PlanError as error:
        raise PlanError(f"chunks={text}: {error}") from None


def _before(cuts: Sequence[int], at: int) -> Sequence[int]:
    """The cuts inside the first `at` bytes."""
    return cuts[: bisect_left(cuts, at)] if cuts and cuts[-1] >= at else cuts


def _at_once(body: bytes, cuts: Sequence[int], at: int, last: Step) -> Iterator[Step]:
    start = 0
    for cut in cuts:
        step = _new(Deliver)
        step.data = body[start:cut]
        yield step
        start = cut
    yield Deliver(body[start:at])
    yield last


def _in_time(edited: Edited, cuts: Sequence[int], stop: Stop, text: str | None) -> Iterator[Step]:
    """The same with waits: the delay's, and the rest that a stall takes before it goes on."""
    at, rest = stop.at, stop.pause_at
    if rest is not None and 0 < rest < at:
        cuts = _with_cut(cuts, rest)
    waits, after_s = _waits(text, edited, cuts, stop)
    if rest == at:
        after_s += stop.pause_s
    elif rest is not None and rest != HEAD:
        waits = _with_rest(waits, bisect_left(cuts, rest) + 1 if rest else 0, stop.pause_s)
    made = _paced(edited.body, _ends(cuts, at), waits, after_s, stop.last)
    return chain((Wait(stop.pause_s, before_head=True),), made) if rest == HEAD and stop.pause_s else made


def _waits(text: str | None, edited: Edited, cuts: Sequence[int], stop: Stop) -> tuple[Iterator[float], float]:
    """The seconds before each chunk, and those before the end."""
    value = _NO_DELAY if text is None else delay(text)
    try:
        waits = value.waits(edited, _ends(cuts, stop.at))
    except PlanError as error:
        raise PlanError(f"delay={text}: {error}") from None
    return repeat(0.0) if waits is None else waits, value.end_after(stop.recorded_s)


def _ends(cuts: Sequence[int], at: int) -> Iterable[int]:
    """Where each chunk ends; there is none before the first byte."""
    return chain(cuts, (at,)) if at > 0 else ()


def _with_cut(cuts: Sequence[int], cut: int) -> Sequence[int]:
    number = bisect_left(cuts, cut)
    there = number < len(cuts) and cuts[number] == cut
    return cuts if there else [*cuts[:number], cut, *cuts[number:]]


def _with_rest(waits: Iterator[float], number: int, rest_s: float) -> Iterator[float]:
    """`waits` with so much more before the chunk of that number."""
    longer = (wait_s + rest_s for wait_s in islice(waits, 1))
    return chain(islice(waits, number), longer, waits)


def _paced(body: bytes, ends: Iterable[int], waits: Iterator[float], after_s: float, last: Step) -> Iterator[Step]:
    start = 0
    last_s, wait = 0.0, Wait(0.0)
    for end_of_chunk, wait_s in zip(ends, waits, strict=False):
        if wait_s:
            if wait_s != last_s:
                last_s, wait = wait_s, _tuple(Wait, (wait_s, False))
            yield wait
        step = _new(Deliver)
        step.data = body[start:end_of_chunk]
        yield step
        start = end_of_chunk
    if after_s and last.__class__ is End:
        yield Wait(after_s)
    yield last
