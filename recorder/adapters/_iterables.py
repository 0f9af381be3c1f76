"""A plan performed for a plain iterable of bytes, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from recorder.adapters._clock import Clock, VirtualClock
from recorder.cassette import Interaction
from recorder.errors import ReplayIncomplete, ReplayReset, ReplayStalled
from recorder.plans import Deliver, End, Ending, Plan, Step, Wait, steps


def replay(source: Interaction | bytes, plan: Plan | str | None = None, clock: Clock | None = None) -> Iterator[bytes]:
    """The body of `source`, delivered as `plan` says.

    Args:
        source: an interaction, or the bytes of a body.
        plan: a plan or its text; None delivers as recorded.
        clock: virtual unless given; `RealClock()` waits.

    Returns:
        An iterator over chunks of content-decoded bytes, none empty.

    Raises:
        PlanError: at once, when the plan is not in the grammar or does not fit the body.
        ReplayReset, ReplayIncomplete: from the iterator, where the plan ends the stream that way.
        ReplayStalled: from the iterator, where the plan stalls for ever: a plain iterable has no timeout.
    """
    return _perform(_steps(source, plan), clock or VirtualClock())


def areplay(
    source: Interaction | bytes, plan: Plan | str | None = None, clock: Clock | None = None
) -> AsyncIterator[bytes]:
    """`replay` for `async for`; the same arguments, chunks and errors."""
    return _aperform(_steps(source, plan), clock or VirtualClock())


def _steps(source: Interaction | bytes, plan: Plan | str | None) -> Iterator[Step]:
    interaction = Interaction.from_body(source) if isinstance(source, bytes) else source
    return steps(Plan.of(plan), interaction)


def _perform(todo: Iterator[Step], clock: Clock) -> Iterator[bytes]:
    for step in todo:
        match step:
            case Deliver(data):
                yield data
            case Wait(seconds):
                clock.sleep(_finite(seconds))
            case End(ending):
                _finish(ending)


async def _aperform(todo: Iterator[Step], clock: Clock) -> AsyncIterator[bytes]:
    for step in todo:
        match step:
            case Deliver(data):
                yield data
            case Wait(seconds):
                await clock.asleep(_finite(seconds))
            case End(ending):
                _finish(ending)


def _finite(seconds: float | None) -> float:
    if seconds is None:
        raise ReplayStalled(
            "the plan stalls here for ever, and this reader has no timeout: a real connection would hang"
        )
    return seconds


def _finish(ending: Ending) -> None:
    if ending is Ending.RESET:
        raise ReplayReset("the plan resets the connection here")
    if ending is Ending.INCOMPLETE:
        raise ReplayIncomplete("the plan closes the connection here, inside the HTTP framing")
