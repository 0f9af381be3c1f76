"""A plan and an interaction give steps: deliver these bytes, wait so long, end like this. Nothing else happens here.

Rule: the same steps for the same plan and interaction, on every machine. Everything that can be wrong is found out
before the first step. The body is not copied, only cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.plans._delivery import Delivery, delivery
from recorder.plans._plan import Plan
from recorder.plans._step import Deliver, Step, Wait


class _Piece(Deliver):
    """A `Deliver` that is filled in after it was made: there is one for every chunk, and this takes less time."""

    __slots__ = ()
    __init__ = object.__init__


class _Pause(Wait):
    """The same for a `Wait`."""

    __slots__ = ()
    __init__ = object.__init__


def steps(plan: Plan, interaction: Interaction, *, contract: Contract | None = None) -> Iterator[Step]:
    """The steps of `plan` for `interaction`: the same ones each time, on every machine.

    Args:
        plan: what it leaves out is as recorded, where that is known, and without delay.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit this interaction; raised at once, before the first step.
    """
    return _steps(delivery(plan, interaction, contract=contract))


def _steps(made: Delivery) -> Iterator[Step]:
    body, last, start = made.body, made.last, 0
    if made.head_s:
        yield Wait(made.head_s, before_head=True)
    if made.waits is None:
        for end in made.ends:
            step = _Piece()
            step.data = body[start:end]
            yield step
            start = end
    else:
        last_s, wait = 0.0, Wait(0.0)
        for end, wait_s in zip(made.ends, made.waits, strict=False):
            if wait_s:
                if wait_s != last_s:
                    wait = _Pause()
                    wait.seconds, wait.before_head = wait_s, False
                    last_s = wait_s
                yield wait
            step = _Piece()
            step.data = body[start:end]
            yield step
            start = end
    if made.after_s:
        yield Wait(made.after_s)
    yield last
