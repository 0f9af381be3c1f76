"""A plan carried out on paper: which bytes would arrive when, and how it would end.

Rule: pure; time is added up, never waited for. What the picture shows is what `recorder.replay` gives a reader that
has the same timeout.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.plans import Deliver, Plan, Wait, edited_body, steps

MOST_CHUNKS = 50_000


class TooManyChunksError(ValueError):
    """The plan is fine, but its picture would be of more pieces than anybody can look at."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a plan delivers.

    Attributes:
        body: after the edits; what the plan delivers of it is its first `size` bytes.
        chunk_ends: for each chunk the offset after its last byte, increasing.
        chunk_ms: when it arrives, in ms from the start.
        ending: "complete", "eof", "incomplete", "reset", "stall" (for ever) or "timeout" (the reader gave up).
        end_ms: when that is.
    """

    body: bytes
    chunk_ends: array[int]
    chunk_ms: array[float]
    ending: str
    end_ms: float

    @property
    def size(self) -> int:
        """Bytes that arrive."""
        return self.chunk_ends[-1] if self.chunk_ends else 0


def delivery(
    interaction: Interaction, plan: Plan, contract: Contract | None = None, timeout: float | None = None
) -> Delivery:
    """Carry out `plan`.

    Args:
        contract: says which event is the terminal one; detected unless given.
        timeout: the reader's idle read timeout in seconds, None for one that waits for ever.

    Raises:
        PlanError: the plan does not fit this stream.
        TooManyChunksError: more than 50,000 chunks.
    """
    ends, times = array("I"), array("d")
    at, now, ending = 0, 0.0, "complete"
    for step in steps(plan, interaction, contract=contract):
        if isinstance(step, Deliver):
            if len(ends) == MOST_CHUNKS:
                raise TooManyChunksError(_too_many(len(interaction.response.body)))
            at += len(step.data)
            ends.append(at)
            times.append(now * 1000)
        elif not isinstance(step, Wait):
            ending = str(step.ending)
        elif timeout is not None and (step.seconds is None or step.seconds > timeout):
            now, ending = now + timeout, "timeout"
            break
        elif step.seconds is None:
            ending = "stall"
        else:
            now += step.seconds
    return Delivery(edited_body(plan, interaction, contract=contract), ends, times, ending, now * 1000)


def _too_many(size: int) -> str:
    return (
        f"this plan cuts {size:,} bytes into more than {MOST_CHUNKS:,} chunks, too many to look at: choose larger "
        "chunks here, and let recorder.sweep try the small ones"
    )
