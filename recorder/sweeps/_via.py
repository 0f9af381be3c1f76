"""How a plan reaches the reader: as an iterable of chunks, or through the reader's own client call.

Rule: a way gives one function from a plan to a run, open for as long as the sweep; anything that has `open` is a way,
so that a reader in another language needs nothing here but an object of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Protocol

from recorder.adapters import adeliver, areplay, deliver, replay
from recorder.cassette import Request
from recorder.contracts import Contract
from recorder.plans import Plan, delivery
from recorder.sweeps._command import Command
from recorder.sweeps._runs import Accepts, Reader, Run, check_called, failed, is_async, returned
from recorder.sweeps._sources import Stream
from recorder.sweeps._variants import Variant, plan_of

Perform = Callable[[Plan], Run] | Callable[[Plan], Awaitable[Run]]
PerformAny = Callable[[Plan | Variant], Any]  # the same, of more


class Via(Protocol):
    """A way to a reader.

    Attributes:
        name: how `via=` and a command name it.
        headers_travel: whether the reader sees headers, so that a content encoding takes effect.
    """

    name: str
    headers_travel: bool

    def open(
        self, reader: Any, stream: Stream, contract: Contract | None, accepts: Accepts
    ) -> AbstractContextManager[Perform]:
        """What performs plans on one stream, a coroutine function where the reader is one, until it is left."""
        ...


class Chunks:
    """The reader takes an iterable of chunks."""

    name = "chunks"
    headers_travel = False

    @contextmanager
    def open(self, reader: Reader, stream: Stream, contract: Contract | None, accepts: Accepts) -> Iterator[PerformAny]:
        interaction = stream.interaction
        whole = delivery(Plan(chunks="whole"), interaction, contract=contract)

        def perform(asked: Plan | Variant) -> Run:
            if isinstance(asked, Plan):
                chunks = replay(interaction, asked, contract=contract)
            else:
                chunks = deliver(asked.of(whole), asked)
            try:
                value = reader(chunks)
                if hasattr(value, "__next__"):
                    value = list(value)
            except BaseException as error:
                return failed(error)
            return returned(value, accepts)

        async def aperform(asked: Plan | Variant) -> Run:
            chunks: Any
            if isinstance(asked, Plan) or asked.waits:  # a wait gives other tasks their turn
                chunks = areplay(interaction, plan_of(asked), contract=contract)
            else:
                chunks = adeliver(asked.of(whole), asked)
            made = await _awaited(reader, (chunks,), accepts)
            if getattr(chunks, "ag_frame", None) is not None:  # left early; else the loop closes it, when it gets to it
                with suppress(RuntimeError):  # some task of the reader reads on
                    await chunks.aclose()
            return made

        yield aperform if is_async(reader) else perform


class Client:
    """The reader makes its own request, without an argument; a cassette answers it, as the plan says."""

    name = "client"
    headers_travel = True

    @contextmanager
    def open(self, reader: Reader, stream: Stream, contract: Contract | None, accepts: Accepts) -> Iterator[Perform]:
        from recorder.vcr import use_cassette

        if stream.file is None:
            raise ValueError('via="client" needs the path of a cassette: recorder.save_cassette makes one')
        asked = 0
        current = Plan()

        def choose(request: Request, index: int) -> Plan:
            """The plan for the stream under test, counted among the event streams that are asked for."""
            nonlocal asked
            asked += 1
            return current if asked == stream.number or stream.alone else Plan()

        def begin(plan: Plan) -> None:
            nonlocal asked, current
            asked, current = 0, plan
            session.rewind()

        def checked(run: Run) -> Run:
            if session.misses:
                raise ValueError(f"the cassette does not answer a request of the reader: {session.misses[0]}")
            if not asked:
                raise ValueError("the reader asked for no event stream of the cassette: it is a call that makes one")
            return run

        def perform(plan: Plan) -> Run:
            begin(plan)
            try:
                value = reader()
                if isinstance(value, Iterator):
                    value = list(value)
            except BaseException as error:
                return checked(failed(error))
            return checked(returned(value, accepts))

        async def aperform(plan: Plan) -> Run:
            begin(plan)
            return checked(await _awaited(reader, (), accepts))

        with use_cassette(stream.file, "none", plan=choose, allow_playback_repeats=True) as session:
            yield aperform if is_async(reader) else perform


async def _awaited(reader: Reader, arguments: tuple[Any, ...], accepts: Accepts) -> Run:
    try:
        value = reader(*arguments)
        value = [each async for each in value] if isinstance(value, AsyncIterator) else await value
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # it is the sweep that is cancelled, not the reader that cancelled itself
        return failed(error)
    except GeneratorExit:
        raise  # this coroutine is closed
    except BaseException as error:
        return failed(error)
    return returned(value, accepts)


def opened(
    via: Via, reader: Any, stream: Stream, contract: Contract | None, accepts: Accepts
) -> AbstractContextManager[PerformAny]:
    """What `via` opens; a way that knows plans only is given plans."""
    if isinstance(via, Chunks):
        return via.open(reader, stream, contract, accepts)
    return _plans_only(via.open(reader, stream, contract, accepts))


@contextmanager
def _plans_only(opening: AbstractContextManager[Perform]) -> Iterator[PerformAny]:
    with opening as perform:
        yield lambda asked: perform(plan_of(asked))


_WAYS: dict[str, Via] = {"chunks": Chunks(), "client": Client()}
_GIVEN = {"chunks": ("the chunks",), "client": ()}


def way(via: str | Via, reader: object) -> Via:
    """The way that `via=` names, or is; a command is its own.

    Raises:
        ValueError: there is none of that name.
        TypeError: it is neither a name nor a way; the reader cannot be called so.
    """
    if isinstance(reader, Command):
        return reader
    if not callable(reader):
        raise TypeError(f"a reader is a function or a recorder.sweeps.Command, not {type(reader).__name__}")
    if isinstance(via, str):
        if via not in _WAYS:
            raise ValueError(f"via={via!r} is unknown: use {' or '.join(map(repr, _WAYS))}")
        check_called(reader, *_GIVEN[via])
        return _WAYS[via]
    if not hasattr(via, "open"):
        raise TypeError(f"via={via!r}: use {' or '.join(map(repr, _WAYS))}, or an object that opens a way of its own")
    return via
