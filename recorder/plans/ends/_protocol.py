"""What an end is: where delivery stops, and what the reader meets there.

Rule: a place and a step, worked out before anything is delivered. How a connection is reset or closed inside its
framing is the business of who performs the step.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from recorder.plans._edited import Edited
from recorder.plans._places import PLACES, Place, place
from recorder.plans._step import End, Wait
from recorder.plans._values import Value, after

HEAD = -1  # instead of an offset: before the status line


class Stop(NamedTuple):
    """An end that is worked out for one body.

    Attributes:
        at: the offset up to which is delivered; `HEAD` delivers nothing.
        last: the last step.
        pause_at: the offset at which delivery rests; `HEAD` before the status line; None for no rest.
        pause_s: how long, in seconds.
        recorded_s: how long after the last chunk a recorded end came.
    """

    at: int
    last: End | Wait
    pause_at: int | None = None
    pause_s: float = 0.0
    recorded_s: float = 0.0


class EndValue(Value, Protocol):
    """A value of `end=`."""

    def stop(self, edited: Edited) -> Stop:
        """What this end is for `edited`.

        Raises:
            PlanError: the body does not have the place, or no end was recorded.
        """
        ...


_PLACES = f"{PLACES}, head"


class Where(NamedTuple):
    """`@POS` of an end; None is the head."""

    place: Place | None

    @classmethod
    def parse(cls, text: str) -> Where:
        """`text` after the `@`.

        Raises:
            PlanError: it is no place.
        """
        return cls(None if text == "head" else place(text, _PLACES))

    def offset(self, edited: Edited) -> int:
        """The offset, or `HEAD`."""
        return HEAD if self.place is None else self.place.offset(edited.body, edited.contract)


_AT_THE_END = Where(place("end"))


def optional_place(rest: str) -> Where:
    """`[@POS]` after the name of an end.

    Raises:
        PlanError: something else is there.
    """
    return Where.parse(after("@", rest, "@ before a place: @event:3")) if rest else _AT_THE_END


def ended(end: End, at: int) -> Stop:
    """Delivery up to `at`, then this end."""
    return Stop(at, end if at >= 0 else end._replace(before_head=True))
