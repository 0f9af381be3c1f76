"""What plays a line for either package: a network stream for its HTTP/1.1 code, and a body for its response.

Both packages have the same interface but separate classes, and each client accepts only its own: the classes are made
once for each package, from this one description.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

from recorder.adapters._line import Line, Lost, reset_error
from recorder.adapters._notes import with_plan
from recorder.plans import Plan

_LATE = {False: "timed out", True: "The read operation timed out"}  # what a socket says, and what `ssl` does
_CORES = {"httpx2": "httpcore2", "httpx": "httpcore"}


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


def call(on_close: Callable[[], None] | None) -> None:
    """`on_close()`, if there is one."""
    if on_close is not None:
        on_close()


@cache
def library_of(package: str) -> SimpleNamespace:
    """The classes of "httpx" or "httpx2" that play a line, and what else depends on which of them it is."""
    library: Any = importlib.import_module(package)
    core: Any = importlib.import_module(_CORES[package])

    class mapped:  # noqa: N801 - a context manager, as the library's own
        """The core's exceptions as the library's, by their names, which are the same; the plan goes along."""

        def __init__(self, plan: Plan) -> None:
            self._plan = plan

        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
            if type(error).__module__.partition(".")[0] == core.__name__:
                raise with_plan(getattr(library, type(error).__name__)(str(error)), self._plan) from error

    class Stream(core.NetworkStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, line: Line, secure: bool) -> None:
            self._line, self._late = line, _LATE[secure]

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            """A piece of the plan whole, whatever its size: the boundaries are what is under test."""
            data = self._line.read(timeout)
            if isinstance(data, bytes):
                return data
            if data is Lost.RESET:
                error: OSError = reset_error()
                raise core.ReadError(error) from error
            error = TimeoutError(self._late)
            raise core.ReadTimeout(error) from error

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            pass

        def close(self) -> None:
            pass

        def get_extra_info(self, info: str) -> Any:
            return None

    class AsyncStream(core.AsyncNetworkStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, line: Line) -> None:
            self._line = line

        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            import anyio

            data = await self._line.aread(timeout)
            if isinstance(data, bytes):
                return data
            if data is Lost.RESET:
                error = anyio.BrokenResourceError()
                error.__cause__ = reset_error()
                raise core.ReadError(error) from error
            try:
                with anyio.fail_after(0):  # the time is up, on the line's clock
                    await anyio.sleep_forever()
            except TimeoutError as timed_out:
                raise core.ReadTimeout(timed_out) from timed_out
            raise AssertionError("it slept for ever")

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:
            pass

        async def aclose(self) -> None:
            pass

        def get_extra_info(self, info: str) -> Any:
            return None

    class Backend(core.NetworkBackend):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, line: Line, secure: bool) -> None:
            self._line, self._secure = line, secure

        def connect_tcp(self, *address: Any, **options: Any) -> Any:
            return Stream(self._line, self._secure)

    class AsyncBackend(core.AsyncNetworkBackend):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, line: Line) -> None:
            self._line = line

        async def connect_tcp(self, *address: Any, **options: Any) -> Any:
            return AsyncStream(self._line)

    class Body(library.SyncByteStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, line: Line, on_close: Callable[[], None] | None) -> None:
            self._inner, self._line, self._on_close = inner, line, on_close

        def __iter__(self) -> Iterator[bytes]:
            try:
                with mapped(self._line.plan):
                    yield from self._inner
            except BaseException:  # also when its iterator is dropped: then the core lets go of the connection
                call(self._on_close)
                raise

        def close(self) -> None:
            call(self._on_close)
            self._inner.close()

    class AsyncBody(library.AsyncByteStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, line: Line, on_close: Callable[[], None] | None) -> None:
            self._inner, self._line, self._on_close = inner, line, on_close

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                with mapped(self._line.plan):
                    async for piece in self._inner:
                        yield piece
            except BaseException:
                call(self._on_close)
                raise

        async def aclose(self) -> None:
            call(self._on_close)
            await self._inner.aclose()

    def asked(request: Any) -> Any:
        """The request for the core; over plain HTTP always, since there is no need for TLS in memory."""
        asked = request.url
        return core.Request(
            method=request.method,
            url=core.URL(scheme=b"http", host=asked.raw_host, port=asked.port, target=asked.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )

    def response(answered: Any, body: Any) -> Any:
        return library.Response(
            status_code=answered.status, headers=answered.headers, stream=body, extensions=answered.extensions
        )

    return SimpleNamespace(
        mapped=mapped,
        asked=asked,
        response=response,
        pool=lambda line, secure: core.ConnectionPool(network_backend=Backend(line, secure)),
        async_pool=lambda line: core.AsyncConnectionPool(network_backend=AsyncBackend(line)),
        Body=Body,
        AsyncBody=AsyncBody,
    )
