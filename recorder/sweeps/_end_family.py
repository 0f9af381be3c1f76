"""The kind `ends`: every way a stream can stop, at the places that matter."""

from __future__ import annotations

from collections.abc import Iterator

from recorder.errors import PlanError
from recorder.plans import HEAD, event_ends, place_offset
from recorder.sweeps._variants import STOPS, RestedAt, StoppedAt

_NAMED = ("start", "mid:codepoint", "mid:crlf", "mid:event", "-1", "end")
_EVENTS = 24  # after so many events at most, evenly spread


def ends(body: bytes) -> Iterator[StoppedAt | RestedAt]:
    """Four ends at every place of the list that the body has; a rest of 1 s, which is no end; and before the head."""
    for name in (*_NAMED, *(f"event:{number}" for number in _events(len(event_ends(body))))):
        try:
            place = place_offset(name, body)
        except PlanError:
            continue  # the body does not have it
        for end in STOPS:
            yield StoppedAt(end, place, name)
        yield RestedAt(place, name)
    for end in STOPS:
        if end != "eof":
            yield StoppedAt(end, HEAD, "head")


def _events(count: int) -> Iterator[int]:
    """Numbers of events from 1, at most so many, the last ones among them."""
    step = max(1, -(-count // _EVENTS))
    return (number for number in range(1, count + 1) if (count - number) % step == 0)
