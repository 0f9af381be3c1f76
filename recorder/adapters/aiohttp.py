"""Replay for aiohttp: its own protocol and parser read a connection that plays the plan.

Rule: the caller gets aiohttp's own response, exceptions and causes, because its own code makes them: only the transport
is ours. Nothing leaves the process. A piece arrives when the reader waits for one, so none is joined to another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from recorder.adapters._clock import Clock
from recorder.adapters._line import Line, Lost, reset_error
from recorder.adapters._notes import with_plan
from recorder.cassette import Headers, Interaction, Request
from recorder.plans import Contract, Plan


async def request_of(request: Any) -> Request:
    """What aiohttp is about to send; a body that can be read only once is kept, so that it can still be sent.

    Args:
        request: the `aiohttp.ClientRequest` that `connector.connect` is given.
    """
    pairs = [(str(name), str(value)) for name, value in request.headers.items()]
    return Request(request.method, str(request.url), Headers(pairs), await _bytes(request.body) or None)


async def _bytes(body: Any) -> bytes | None:
    if isinstance(body, bytes):
        return body
    if hasattr(body, "as_bytes"):
        return bytes(await body.as_bytes())
    value = getattr(body, "_value", None)  # aiohttp before 3.12; there, what is made while it is sent is not known
    return value if isinstance(value, bytes) else None


def connection(
    connector: Any,
    request: Any,
    interaction: Interaction,
    plan: Plan,
    *,
    timeout: Any = None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
) -> Any:
    """A connection that answers one request, as `aiohttp.BaseConnector.connect` returns it.

    That method is the seam: a session that gets its connection here does everything else itself.

    Args:
        connector: the session's; the connection is given back to it.
        request: the `aiohttp.ClientRequest`.
        timeout: the `aiohttp.ClientTimeout` that `connect` is given; `total` holds on `clock`, and so does `sock_read`.
        clock: virtual unless given.
        on_close: called once, when the connection is let go: the response read to its end, closed, or failed.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit the interaction.
    """
    from aiohttp.connector import Connection

    loop = asyncio.get_running_loop()
    line = Line(interaction, plan, method=request.method, clock=clock, contract=contract)
    protocol = _classes().Protocol(loop, line, getattr(timeout, "total", None))
    protocol.connection_made(_classes().Transport(protocol, loop))
    made = Connection(connector, request.connection_key, protocol, loop)
    if on_close is not None:
        made.add_callback(on_close)
    return made


@cache
def _classes() -> SimpleNamespace:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.helpers import BaseTimerContext, TimerNoop

    class Pulling(BaseTimerContext):
        """aiohttp enters this wherever a reader of the body waits for bytes: that is when the next piece comes."""

        def __init__(self, protocol: Any, inner: BaseTimerContext) -> None:
            self._protocol, self._inner = protocol, inner

        def assert_timeout(self) -> None:
            self._inner.assert_timeout()

        def __enter__(self) -> BaseTimerContext:
            self._inner.__enter__()
            self._protocol.pull()
            return self

        def __exit__(self, *error: Any) -> bool | None:
            try:
                return self._inner.__exit__(*error)
            except TimeoutError as total:
                with_plan(total, self._protocol.line.plan)
                raise

    class Protocol(ResponseHandler):
        def __init__(self, loop: asyncio.AbstractEventLoop, line: Line, total_s: float | None) -> None:
            super().__init__(loop)
            self.line = line
            self._deadline = line.clock.now + total_s if total_s else None
            self._inner: Any = TimerNoop()
            self._waiting: asyncio.Task[None] | None = None

        @property
        def should_close(self) -> bool:
            """Never to be used again: the next request has its own connection."""
            return True

        def set_response_params(self, *, timer: Any = None, **given: Any) -> None:
            self._inner = timer or TimerNoop()
            super().set_response_params(timer=Pulling(self, self._inner), **given)

        async def read(self) -> Any:
            """The head, for a response that starts."""
            while not len(self) and self.exception() is None:
                await self._next()
            return await super().read()

        def pull(self) -> None:
            """Feed the waiting reader: now when something is due now, else in a task that waits."""
            payload = self._payload
            before = payload.total_bytes if payload is not None else 0
            while payload is not None and payload.total_bytes == before:
                if payload.is_eof() or payload.exception() is not None:
                    return
                data = self.line.read_now()
                if data is None:
                    if self._waiting is None or self._waiting.done():
                        self._waiting = self._loop.create_task(self._pull(payload, before))
                    return
                self._received(data)

        async def _pull(self, payload: Any, before: int) -> None:
            try:
                while payload.total_bytes == before and not payload.is_eof() and payload.exception() is None:
                    if not await self._next():
                        return
            except Exception as error:  # nobody awaits this task: the reader is to know
                payload.set_exception(error)

        def stop(self) -> None:
            """The connection is closed: nothing more comes."""
            if self._waiting is not None and self._waiting is not asyncio.current_task(self._loop):
                self._waiting.cancel()

        async def _next(self) -> bool:
            """Wait for what comes next, and hand it on; False when the total time is up."""
            left = None if self._deadline is None else max(self._deadline - self.line.clock.now, 0.0)
            timeouts = [seconds for seconds in (self.read_timeout or None, left) if seconds is not None]
            data = await self.line.aread(min(timeouts, default=None))
            if data is not Lost.TIMED_OUT:
                self._received(data)
            elif left is None or left > min(timeouts):
                self._on_read_timeout()
                self._noted(self._payload)
            else:
                self._inner.timeout()  # cancels the reader
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError as error:  # here, that is a response that starts
                    with_plan(error, self.line.plan)
                    raise
                return False
            return True

        def _received(self, data: bytes | Lost) -> None:
            payload = self._payload
            if isinstance(data, bytes) and data:
                self.data_received(data)
                return
            reset = reset_error() if data is Lost.RESET else None
            self.connection_lost(reset)
            failed = self.exception()
            if failed is not None and reset is not None:
                failed.__cause__ = reset  # as it is where a reader of the head was waiting
            self._noted(payload)

        def _noted(self, payload: Any) -> None:
            for error in (self.exception(), payload.exception() if payload is not None else None):
                if error is not None:
                    with_plan(error, self.line.plan)

    class Transport(asyncio.Transport):
        """As much of a transport as the protocol asks for; what is written goes nowhere."""

        def __init__(self, protocol: Any, loop: asyncio.AbstractEventLoop) -> None:
            super().__init__()
            self._protocol, self._loop, self._closing = protocol, loop, False

        def write(self, data: Any) -> None:
            pass

        def is_closing(self) -> bool:
            return self._closing

        def close(self) -> None:
            if not self._closing:
                self._closing = True
                self._protocol.stop()
                self._loop.call_soon(self._protocol.connection_lost, None)

        def abort(self) -> None:
            self.close()

        def pause_reading(self) -> None:
            pass

        def resume_reading(self) -> None:
            pass

    return SimpleNamespace(Protocol=Protocol, Transport=Transport)
