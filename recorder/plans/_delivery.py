"""A plan worked out for one interaction: where the body is cut, how long each chunk is waited for, and how it ends.

Rule: the same delivery for the same plan and interaction, on every machine. Everything that can be wrong is found out
here, before the first byte. The body is not copied.
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
from recorder.plans._step import End, Wait
from recorder.plans.delays import delay
from recorder.plans.ends import HEAD, Stop, end
from recorder.plans.partitions import partition

_tuple = tuple.__new__  # makes a `Delivery` without a call into Python


class Delivery(NamedTuple):
    """What a plan is for one body. It can be performed once: the waits are used up by that.

    Attributes:
        body: after the edits.
        cuts: strictly increasing offsets inside the first `at` bytes.
        at: how many bytes are delivered; negative: not even the head is.
        last: how it ends, or a wait for ever.
        waits: the seconds before each chunk; None: no chunk waits.
        after_s: the seconds between the last chunk and the end; 0 where there is none.
        head_s: the seconds before the head.
    """

    body: bytes
    cuts: Sequence[int]
    at: int
    last: End | Wait
    waits: Iterator[float] | None = None
    after_s: float = 0.0
    head_s: float = 0.0

    @property
    def takes_no_time(self) -> bool:
        """Whether nothing is waited for, not even the end."""
        return self.waits is None and not self.after_s and not self.head_s and self.last.__class__ is End

    @property
    def ends(self) -> Iterable[int]:
        """Where each chunk ends."""
        return chunk_ends(self.cuts, self.at)

    def cut_at(self, places: Sequence[int]) -> Delivery:
        """The same without waits, cut at increasing `places`; one at the start or the end divides nothing."""
        if places and (places[0] <= 0 or places[-1] >= self.at):
            places = [place for place in places if 0 < place < self.at]
        return _tuple(Delivery, (self.body, places, self.at, self.last, None, 0.0, 0.0))

    def stopped_at(self, place: int, last: End | Wait) -> Delivery:
        """The first `place` bytes in one chunk, without waits; then `last`."""
        return _tuple(Delivery, (self.body, (), place, last, None, 0.0, 0.0))


def chunk_ends(cuts: Sequence[int], at: int) -> Iterable[int]:
    """Where each chunk of the first `at` bytes ends; there is none before the first byte."""
    return chain(cuts, (at,)) if at > 0 else ()


def delivery(plan: Plan, interaction: Interaction, *, contract: Contract | None = None) -> Delivery:
    """What `plan` is for `interaction`; what it leaves out is as recorded, where that is known, and without delay.

    Args:
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit this interaction.
    """
    edited = Edited(interaction.response, plan.edits, contract)
    stop = _stop(plan.end, edited)
    cuts = _before(_cuts(plan.chunks, edited), stop.at)
    if plan.delay is None and stop.pause_at is None:
        return Delivery(edited.body, cuts, stop.at, stop.last)
    return _timed(edited, cuts, stop, plan.delay or "none")


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


def _timed(edited: Edited, cuts: Sequence[int], stop: Stop, text: str) -> Delivery:
    """The same with waits: the delay's, and the rest that a stall takes before it goes on."""
    at, rest, rest_s = stop.at, stop.pause_at, stop.pause_s
    if rest is not None and 0 < rest < at:
        cuts = _with_cut(cuts, rest)
    value = delay(text)
    try:
        waits = value.waits(edited, chunk_ends(cuts, at))
    except PlanError as error:
        raise PlanError(f"delay={text}: {error}") from None
    after_s = value.end_after(stop.recorded_s) if isinstance(stop.last, End) else 0.0
    head_s = 0.0
    if rest == HEAD:
        head_s = rest_s
    elif rest == at:
        after_s += rest_s
    elif rest is not None:
        waits = _with_rest(waits or repeat(0.0), bisect_left(cuts, rest) + 1 if rest else 0, rest_s)
    return Delivery(edited.body, cuts, at, stop.last, waits, after_s, head_s)


def _with_cut(cuts: Sequence[int], cut: int) -> Sequence[int]:
    number = bisect_left(cuts, cut)
    there = number < len(cuts) and cuts[number] == cut
    return cuts if there else [*cuts[:number], cut, *cuts[number:]]


def _with_rest(waits: Iterator[float], number: int, rest_s: float) -> Iterator[float]:
    """`waits` with so much more before the chunk of that number."""
    longer = (wait_s + rest_s for wait_s in islice(waits, 1))
    return chain(islice(waits, number), longer, waits)
