"""The kind `ends`: every way a stream can stop, at the places that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recorder.cassette import Interaction
from recorder.errors import PlanError
from recorder.plans import Plan, event_ends, steps

_KINDS = ("eof", "incomplete", "reset", "stall")
_NAMED = ("start", "mid:codepoint", "mid:crlf", "mid:event", "-1", "end")
_EVENTS = 24  # after so many events at most, evenly spread


def end_plans(interaction: Interaction) -> Sequence[Plan]:
    """Four ends at every place of the list that the body has; a rest of 1 s, which is no end; and before the head."""
    places = [*_NAMED, *(f"event:{number}" for number in _events(len(event_ends(interaction.response.body))))]
    written = [f"{kind}@{place}" for place in places for kind in _KINDS]
    written += [f"stall@{place}:1s" for place in places]
    written += [f"{kind}@head" for kind in _KINDS[1:]]
    return [plan for plan in map(_plan, written) if _fits(plan, interaction)]


def _plan(end: str) -> Plan:
    return Plan(chunks="whole", end=end)


def _events(count: int) -> Iterator[int]:
    """Numbers of events from 1, at most so many, the last ones among them."""
    step = max(1, -(-count // _EVENTS))
    return (number for number in range(1, count + 1) if (count - number) % step == 0)


def _fits(plan: Plan, interaction: Interaction) -> bool:
    try:
        steps(plan, interaction)
    except PlanError:
        return False
    return True
