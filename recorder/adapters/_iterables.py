"""A plan performed for a plain iterable of bytes, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from recorder.adapters._clock import Clock, VirtualClock
from recorder.adapters._notes import STALLED, with_plan
from recorder.cassette import Interaction
from recorder.errors import ReplayIncomplete, ReplayReset, ReplayStalled, ReplayTimeout
from recorder.plans import AtOnce, Contract, Deliver, End, Ending, Plan, Step, Wait, at_once, steps


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
        ReplayReset, ReplayIncomplete: from the iterator, where the plan ends the stream that way.
        ReplayTimeout: from the iterator, when nothing has come for `timeout` seconds.
        ReplayStalled: from the iterator, where the plan stalls for ever and there is no timeout.
    """
    parsed, interaction = Plan.of(plan), _interaction(source)
    made = at_once(parsed, interaction, contract=contract)
    if made is not None and made.last.__class__ is End:
        return _deliver(made, parsed)
    return _perform(steps(parsed, interaction, contract=contract), parsed, clock, timeout)


def areplay(
    source: Interaction | bytes,
    plan: Plan | str | None = None,
    clock: Clock | None = None,
    *,
    timeout: float | None = None,
    contract: Contract | None = None,
) -> AsyncIterator[bytes]:
    """`replay` for `async for`; the same arguments, chunks and errors."""
    parsed, interaction = Plan.of(plan), _interaction(source)
    made = at_once(parsed, interaction, contract=contract)
    if made is not None and made.last.__class__ is End:
        return _adeliver(made, parsed)
    return _aperform(steps(parsed, interaction, contract=contract), parsed, clock, timeout)


def _interaction(source: Interaction | bytes) -> Interaction:
    if isinstance(source, Interaction):
        return source
    if isinstance(source, bytes):
        return Interaction.from_body(source)
    raise TypeError(f"replay takes an interaction or the bytes of a body, not {type(source).__name__}")


def _deliver(made: AtOnce, plan: Plan) -> Iterator[bytes]:
    """What a sweep asks for thousands of times: nothing to wait for, so the body is only cut."""
    body, cuts, at, last = made
    start = 0
    for cut in cuts:
        yield body[start:cut]
        start = cut
    yield body[start:at] if start or at < len(body) else body
    _finish(last.ending, plan)  # type: ignore[union-attr]  # it is an end


async def _adeliver(made: AtOnce, plan: Plan) -> AsyncIterator[bytes]:
    for chunk in _deliver(made, plan):
        yield chunk


def _perform(todo: Iterator[Step], plan: Plan, clock: Clock | None, timeout: float | None) -> Iterator[bytes]:
    start, waiting = 0.0 if clock is None else clock.now, None
    for step in todo:
        if isinstance(step, Deliver):
            yield step.data
        elif isinstance(step, Wait):
            waiting = waiting or _Waiting(plan, clock or VirtualClock(), timeout, start)
            waiting.clock.sleep_until(waiting.until(step.seconds))
            if waiting.gives_up:
                raise waiting.timeout()
        else:
            _finish(step.ending, plan)


async def _aperform(
    todo: Iterator[Step], plan: Plan, clock: Clock | None, timeout: float | None
) -> AsyncIterator[bytes]:
    start, waiting = 0.0 if clock is None else clock.now, None
    for step in todo:
        if isinstance(step, Deliver):
            yield step.data
        elif isinstance(step, Wait):
            waiting = waiting or _Waiting(plan, clock or VirtualClock(), timeout, start)
            await waiting.clock.asleep_until(waiting.until(step.seconds))
            if waiting.gives_up:
                raise waiting.timeout()
        else:
            _finish(step.ending, plan)


class _Waiting:
    """How long a reader with this timeout waits for what the plan sends; both count from `start`, on `clock`."""

    __slots__ = ("_due", "_plan", "_timeout", "clock", "gives_up")

    def __init__(self, plan: Plan, clock: Clock, timeout: float | None, start: float) -> None:
        self.clock, self._plan, self._timeout = clock, plan, timeout
        self._due = start
        self.gives_up = False

    def until(self, seconds: float | None) -> float:
        """The moment the next wait is over: the bytes are due, or the reader gives up.

        Raises:
            ReplayStalled: neither ever happens.
        """
        if seconds is not None:
            self._due += seconds
            if self._timeout is None:
                return self._due
        elif self._timeout is None:
            raise with_plan(ReplayStalled(STALLED), self._plan)
        last = self.clock.now + self._timeout
        self.gives_up = seconds is None or self._due > last
        return last if self.gives_up else self._due

    def timeout(self) -> Exception:
        """The error when it gives up."""
        return with_plan(ReplayTimeout(f"nothing came for {self._timeout:g} s, the reader's timeout"), self._plan)


def _finish(ending: Ending, plan: Plan) -> None:
    """Raises:
    ReplayReset, ReplayIncomplete: the stream ends that way.
    """
    if ending is Ending.RESET:
        raise with_plan(ReplayReset("the plan resets the connection here"), plan)
    if ending is Ending.INCOMPLETE:
        raise with_plan(ReplayIncomplete("the plan closes the connection here, inside the HTTP framing"), plan)
