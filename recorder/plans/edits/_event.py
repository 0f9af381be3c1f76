"""`event:N` as `drop` and `dup` take it: the N-th event, from 1; -1 is the last."""

from __future__ import annotations

import re

from recorder.errors import PlanError
from recorder.plans._structure import Block, structure
from recorder.plans._values import MOST_DIGITS, too_long

_EVENT = re.compile(rf"@event:(-?[0-9]{{1,{MOST_DIGITS}}})")


def event_number(rest: str) -> int:
    """The number in `@event:N`.

    Raises:
        PlanError: it is not that, or 0.
    """
    match = _EVENT.fullmatch(rest)
    if match is None or int(match[1]) == 0:
        raise PlanError(f"needs an event, counted from 1, -1 the last: @event:2{too_long(rest)}")
    return int(match[1])


def event_block(body: bytes, number: int) -> Block:
    """The block of that event.

    Raises:
        PlanError: there are fewer events.
    """
    events = structure(body).events
    if abs(number) > len(events):
        some = f"{len(events)} event{'' if len(events) == 1 else 's'}"
        raise PlanError(f"'event:{number}' is not an event of this body: it has {some}")
    return events[number - 1 if number > 0 else number]
