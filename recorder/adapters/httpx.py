"""Replay for httpx and httpx2: their own HTTP/1.1 code reads a connection that plays the plan.

Rule: the caller gets this library's own response, exceptions and causes, because its own code makes them: only the
network stream is ours. Nothing leaves the process.

Both packages have the same interface but separate classes, and each client accepts only its own: the classes are made
once for each package, from this one description.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

from recorder.adapters._clock import Clock
from recorder.adapters._line import Line, ReadTimedOut
from recorder.adapters._notes import with_plan
from recorder.cassette import Interaction, Request
from recorder.plans import Contract, Plan

_CORES = {"httpx2": "httpcore2", "httpx": "httpcore"}


def request_of(request: Any) -> Request:
    """What this library is about to send; reads its body into memory, from where it is still sent.

    Args:
        request: a request of either package, of a sync client.
    """
    return _request(request, request.read())


async def arequest_of(request: Any) -> Request:
    """`request_of` for a request of an async client."""
    return _request(request, await request.aread())


def _request(request: Any, body: bytes) -> Request:
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
    return Request(request.method, str(request.url), pairs, body or None)  # type: ignore[arg-type]


def respond(
    request: Any,
    interaction: Interaction,
    plan: Plan,
    *,
    package: str | None = None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
) -> Any:
    """The response of `interaction` under `plan`, as a transport's `handle_request` returns it.

    Args:
        request: the live one; its read timeout holds, on `clock`.
        package: "httpx" or "httpx2"; that of the request unless given.
        clock: virtual unless given.
        on_close: called once, when the response is read to its end, closed, or failed.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit the interaction.
        httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError: the plan fails before the head is complete; later
            ones come from the response. Of the package in question.
        ReplayStalled: the plan stalls for ever and the client has no read timeout.
    """
    made = _classes(package or package_of(request))
    line = Line(interaction, plan, method=request.method, clock=clock, contract=contract)
    try:
        with made.mapped(plan):
            core = made.core.HTTP11Connection(made.origin(request), made.Stream(line)).handle_request(
                made.asked(request)
            )
    except BaseException:
        _call(on_close)
        raise
    return made.response(core, made.Body(core.stream, line, on_close))


async def arespond(
    request: Any,
    interaction: Interaction,
    plan: Plan,
    *,
    package: str | None = None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
) -> Any:
    """`respond` for an async transport's `handle_async_request`; the same arguments and errors."""
    made = _classes(package or package_of(request))
    line = Line(interaction, plan, method=request.method, clock=clock, contract=contract)
    try:
        with made.mapped(plan):
            connection = made.core.AsyncHTTP11Connection(made.origin(request), made.AsyncStream(line))
            core = await connection.handle_async_request(made.asked(request))
    except BaseException:
        _call(on_close)
        raise
    return made.response(core, made.AsyncBody(core.stream, line, on_close))


def package_of(value: Any) -> str:
    """Which of the two packages `value` belongs to.

    Raises:
        TypeError: neither.
    """
    roots = [base.__module__.partition(".")[0] for base in type(value).__mro__]
    for package in _CORES:
        if package in roots:
            return package
    raise TypeError(f"{type(value).__name__} is not of httpx or httpx2")


def _call(on_close: Callable[[], None] | None) -> None:
    if on_close is not None:
        on_close()


@cache
def _classes(package: str) -> SimpleNamespace:
    library: Any = importlib.import_module(package)
    core: Any = importlib.import_module(_CORES[package])

    class mapped:  # noqa: N801 - a context manager, as the library's own
        """The core's exceptions as the library's, by their names, which are the same; the plan goes along."""

        def __init__(self, plan: Plan) -> None:
            self._plan = plan

        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
            if type(error).__module__.partition(".")[0] == core.__name__:
                raise with_plan(getattr(library, type(error).__name__)(str(error)), self._plan) from error

    class Stream(core.NetworkStream):  # type: ignore[misc]
        def __init__(self, line: Line) -> None:
            self._line = line

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            """A piece of the plan whole, whatever its size: the boundaries are what is under test."""
            try:
                return self._line.read(timeout)
            except ReadTimedOut:
                error: OSError = TimeoutError("timed out")
                raise core.ReadTimeout(error) from error
            except ConnectionResetError as reset:
                raise core.ReadError(reset) from reset

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            pass

        def close(self) -> None:
            pass

        def get_extra_info(self, info: str) -> Any:
            return None

    class AsyncStream(core.AsyncNetworkStream):  # type: ignore[misc]
        def __init__(self, line: Line) -> None:
            self._line = line

        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            import anyio

            try:
                return await self._line.aread(timeout)
            except ReadTimedOut:
                error: Exception = TimeoutError()
                raise core.ReadTimeout(error) from error
            except ConnectionResetError as reset:
                error = anyio.BrokenResourceError()
                error.__cause__ = reset
                raise core.ReadError(error) from error

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:
            pass

        async def aclose(self) -> None:
            pass

        def get_extra_info(self, info: str) -> Any:
            return None

    class Body(library.SyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, line: Line, on_close: Callable[[], None] | None) -> None:
            self._inner, self._line, self._on_close = inner, line, on_close

        def __iter__(self) -> Iterator[bytes]:
            try:
                with mapped(self._line.plan):
                    yield from self._inner
            except Exception:
                _call(self._on_close)
                raise

        def close(self) -> None:
            _call(self._on_close)
            self._inner.close()

    class AsyncBody(library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, line: Line, on_close: Callable[[], None] | None) -> None:
            self._inner, self._line, self._on_close = inner, line, on_close

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                with mapped(self._line.plan):
                    async for piece in self._inner:
                        yield piece
            except Exception:
                _call(self._on_close)
                raise

        async def aclose(self) -> None:
            _call(self._on_close)
            await self._inner.aclose()

    def url(request: Any) -> Any:
        asked = request.url
        return core.URL(scheme=asked.raw_scheme, host=asked.raw_host, port=asked.port, target=asked.raw_path)

    return SimpleNamespace(
        library=library,
        core=core,
        mapped=mapped,
        Stream=Stream,
        AsyncStream=AsyncStream,
        Body=Body,
        AsyncBody=AsyncBody,
        origin=lambda request: url(request).origin,
        asked=lambda request: core.Request(
            method=request.method,
            url=url(request),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        ),
        response=lambda answered, body: library.Response(
            status_code=answered.status, headers=answered.headers, stream=body, extensions=answered.extensions
        ),
    )
