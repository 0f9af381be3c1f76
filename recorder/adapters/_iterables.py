"""A plan performed for a plain iterable of bytes, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import repeat

from recorder.adapters._clock import Clock, VirtualClock
from recorder.adapters._notes import STALLED, with_plan
from recorder.cassette import Interaction
from recorder.errors import ReplayIncomplete, ReplayReset, ReplayStalled, ReplayTimeout
from recorder.plans import Contract, Delivery, End, Ending, Plan, Wait, delivery


def replay(
    source: Interaction | bytes,
    plan: Plan | str | None = None,
    clock: Clock | None = None,
    *,
    timeout: float | None = None,
    contract: Contract | None = None,
) -> Iterator[bytes]:
    """The body of `source`, delivered as `plan` says.

    Args:
        source: an interaction, or the bytes of a body.
        plan: a plan or its text; None delivers as recorded, without delay.
        clock: virtual unless given; `RealClock()` waits.
        timeout: the reader's idle read timeout in seconds; without one it waits for ever.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Returns:
        An iterator over chunks of content-decoded bytes, none empty. An encoding in the plan takes no effect here.

    Raises:
        PlanError: at once, when the plan is not in the grammar or does not fit the body.
        ValueError: at once, when the timeout is negative or no number.
        ReplayReset, ReplayIncomplete: from the iterator, where the plan ends the stream that way.
        ReplayTimeout: from the iterator, when nothing has come for `timeout` seconds.
        ReplayStalled: from the iterator, where the plan stalls for ever and there is no timeout.
    """
    parsed = Plan.of(plan)
    made = delivery(parsed, _interaction(source), contract=contract)
    _check(timeout)
    if made.takes_no_time or (clock is None and timeout is None):
        return deliver(made, parsed)
    return _perform(made, parsed, clock or VirtualClock(), timeout)


def areplay(
    source: Interaction | bytes,
    plan: Plan | str | None = None,
    clock: Clock | None = None,
    *,
    timeout: float | None = None,
    contract: Contract | None = None,
) -> AsyncIterator[bytes]:
    """`replay` for `async for`; the same arguments, chunks and errors."""
    parsed = Plan.of(plan)
    made = delivery(parsed, _interaction(source), contract=contract)
    _check(timeout)
    if made.takes_no_time:
        return adeliver(made, parsed)
    return _aperform(made, parsed, clock or VirtualClock(), timeout)


def _check(timeout: float | None) -> None:
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout={timeout!r}: seconds, not less than 0, or None for ever")


def _interaction(source: Interaction | bytes) -> Interaction:
    if isinstance(source, Interaction):
        return source
    if isinstance(source, bytes):
        return Interaction.from_body(source)
    what = "an interaction, as recorder.load_cassette(path).interactions[0] is, or the bytes of a body"
    raise TypeError(f"replay takes {what}, not {type(source).__name__}")


def deliver(made: Delivery, plan: object) -> Iterator[bytes]:
    """The chunks of `made`, where nobody sees time pass, and its end.

    Args:
        plan: what it was made of, for the note of an error; only its text is looked at, and only then.
    """
    body, cuts, at = made.body, made.cuts, made.at
    start = 0
    for cut in cuts:
        yield body[start:cut]
        start = cut
    if start < at:
        yield body[start:at]
    _finish(made.last, plan)


async def adeliver(made: Delivery, plan: object) -> AsyncIterator[bytes]:
    """`deliver` for `async for`."""
    body, cuts, at = made.body, made.cuts, made.at
    start = 0
    for cut in cuts:
        yield body[start:cut]
        start = cut
    if start < at:
        yield body[start:at]
    _finish(made.last, plan)


def _perform(made: Delivery, plan: Plan, clock: Clock, timeout: float | None) -> Iterator[bytes]:
    waiting = _Waiting(plan, clock, timeout)
    if made.head_s:
        waiting.sleep(made.head_s)
    body, start = made.body, 0
    for end, wait_s in zip(made.ends, made.waits or repeat(0.0), strict=False):
        if wait_s:
            waiting.sleep(wait_s)
        yield body[start:end]
        start = end
    if made.after_s or isinstance(made.last, Wait):
        waiting.sleep(made.after_s if isinstance(made.last, End) else None)
    _finish(made.last, plan)


async def _aperform(made: Delivery, plan: Plan, clock: Clock, timeout: float | None) -> AsyncIterator[bytes]:
    waiting = _Waiting(plan, clock, timeout)
    if made.head_s:
        await waiting.asleep(made.head_s)
    body, start = made.body, 0
    for end, wait_s in zip(made.ends, made.waits or repeat(0.0), strict=False):
        if wait_s:
            await waiting.asleep(wait_s)
        yield body[start:end]
        start = end
    if made.after_s or isinstance(made.last, Wait):
        await waiting.asleep(made.after_s if isinstance(made.last, End) else None)
    _finish(made.last, plan)


class _Waiting:
    """A reader with this timeout, waiting for what the plan sends; both count from now, on `clock`."""

    __slots__ = ("_clock", "_due", "_plan", "_timeout")

    def __init__(self, plan: Plan, clock: Clock, timeout: float | None) -> None:
        self._plan, self._clock, self._timeout = plan, clock, timeout
        self._due = clock.now

    def sleep(self, seconds: float | None) -> None:
        """Let the next wait pass.

        Raises:
            ReplayTimeout: the reader gives up before it is over.
            ReplayStalled: it is for ever, and the reader never gives up.
        """
        moment, gives_up = self._moment(seconds)
        self._clock.sleep_until(moment)
        if gives_up:
            raise self._gave_up()

    async def asleep(self, seconds: float | None) -> None:
        """`sleep` in a coroutine, where other tasks get their turn."""
        moment, gives_up = self._moment(seconds)
        await self._clock.asleep_until(moment)
        if gives_up:
            raise self._gave_up()

    def _moment(self, seconds: float | None) -> tuple[float, bool]:
        """When the next wait is over, and whether it is so because the reader gives up."""
        if seconds is None:
            if self._timeout is None:
                raise with_plan(ReplayStalled(STALLED), self._plan)
            return self._clock.now + self._timeout, True
        self._due += seconds
        if self._timeout is not None and self._due > (last := self._clock.now + self._timeout):
            return last, True
        return self._due, False

    def _gave_up(self) -> Exception:
        return with_plan(ReplayTimeout(f"nothing came for {self._timeout:g} s, the reader's timeout"), self._plan)


def _finish(last: End | Wait, plan: object) -> None:
    """Raises:
    ReplayReset, ReplayIncomplete, ReplayStalled: the stream ends that way.
    """
    if isinstance(last, Wait):
        raise with_plan(ReplayStalled(STALLED), plan)
    if last.ending is Ending.RESET:
        raise with_plan(ReplayReset("the plan resets the connection here"), plan)
    if last.ending is Ending.INCOMPLETE:
        raise with_plan(ReplayIncomplete("the plan closes the connection here, inside the HTTP framing"), plan)
