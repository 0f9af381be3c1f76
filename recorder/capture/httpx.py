"""Capture for httpx and httpx2: a transport around a transport, which copies what passes onto a tape.

Rule: the caller sees what it would see without us: the same pieces at the same time, the same exceptions. Nothing is
buffered, nothing is read that the caller does not read.

Both packages have the same interface but separate classes, and each client accepts only its own: the classes are made
once for each package, from this one description.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

from recorder.tape import Tape, TapedRequest, TapeEnd

_PACKAGES = ("httpx2", "httpx")


def CaptureTransport(inner: Any, tape: Tape) -> Any:  # noqa: N802 - stands for the class of the inner transport's package
    """A transport for `httpx.Client` or `httpx2.Client`, which copies the exchange to `tape`.

    Args:
        inner: a transport of either package (`httpx2.HTTPTransport()`).
        tape: an empty tape; one request may pass.

    Raises:
        TypeError: `inner` belongs to neither package.
    """
    return _classes(package_of(inner)).Transport(inner, tape)


def AsyncCaptureTransport(inner: Any, tape: Tape) -> Any:  # noqa: N802  # stands for a class
    """The same for `AsyncClient`."""
    return _classes(package_of(inner)).AsyncTransport(inner, tape)


def send(call: Callable[[Any], Any], request: Any, tape: Tape) -> Any:
    """The response that `call` gives for a request of either package, and what passes on the tape.

    Args:
        call: makes the request: a transport's `handle_request`.
        request: of the package that `call` belongs to.
        tape: an empty one.
    """
    package = package_of(request)
    _begin(tape, request, request.read(), package)
    response = call(request)
    _answered(tape, response)
    response.stream = _classes(package).Stream(response.stream, tape)
    return response


async def asend(call: Callable[[Any], Awaitable[Any]], request: Any, tape: Tape) -> Any:
    """The same for a transport's `handle_async_request`."""
    package = package_of(request)
    _begin(tape, request, await request.aread(), package)
    response = await call(request)
    _answered(tape, response)
    response.stream = _classes(package).AsyncStream(response.stream, tape)
    return response


def taped(request: Any, body: bytes) -> TapedRequest:
    """A request of either package as it goes on a tape.

    Args:
        request: whose body has been read.
        body: that.
    """
    pairs = tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw])
    return TapedRequest(request.method, str(request.url), pairs, body or None)


def package_of(thing: Any) -> str:
    """Which of the two packages a transport or a request belongs to.

    Raises:
        TypeError: to neither.
    """
    roots = [base.__module__.partition(".")[0] for base in type(thing).__mro__]
    for package in _PACKAGES:
        if package in roots:
            return package
    raise TypeError(f"{type(thing).__name__} is not a transport of httpx or httpx2: pass httpx2.HTTPTransport(), say")


def _begin(tape: Tape, request: Any, body: bytes | None, client: str) -> None:
    if tape.request is not None:
        raise RuntimeError("this tape already holds an exchange: use a fresh Tape for each request")
    tape.client = client
    tape.start(taped(request, body or b""))


def _answered(tape: Tape, response: Any) -> None:
    extensions = response.extensions
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw]
    reason = extensions.get("reason_phrase", b"").decode("ascii", "replace")
    version = extensions.get("http_version", b"HTTP/1.1").decode("ascii", "replace").removeprefix("HTTP/")
    tape.answer(response.status_code, reason, version, pairs)


def _broken_end(library: Any, error: Exception) -> TapeEnd:
    if isinstance(error, library.TimeoutException):
        return "timeout"
    return "incomplete" if isinstance(error, library.RemoteProtocolError) else "reset"


@cache
def _classes(package: str) -> SimpleNamespace:
    library: Any = importlib.import_module(package)

    class CapturedStream(library.SyncByteStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner, self._tape = inner, tape

        def __iter__(self) -> Iterator[bytes]:
            try:
                for piece in self._inner:
                    self._tape.piece(piece)
                    yield piece
                self._tape.finish(self._tape.clean_end())
            except Exception as error:
                self._tape.finish(_broken_end(library, error))
                raise

        def close(self) -> None:
            self._tape.finish("client_closed")
            self._inner.close()

    class AsyncCapturedStream(library.AsyncByteStream):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner, self._tape = inner, tape

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for piece in self._inner:
                    self._tape.piece(piece)
                    yield piece
                self._tape.finish(self._tape.clean_end())
            except Exception as error:
                self._tape.finish(_broken_end(library, error))
                raise

        async def aclose(self) -> None:
            self._tape.finish("client_closed")
            await self._inner.aclose()

    class Transport(library.BaseTransport):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner, self._tape = inner, tape

        def handle_request(self, request: Any) -> Any:
            return send(self._inner.handle_request, request, self._tape)

        def close(self) -> None:
            self._inner.close()

    class AsyncTransport(library.AsyncBaseTransport):  # type: ignore[misc]  # its base is Any to mypy
        def __init__(self, inner: Any, tape: Tape) -> None:
            self._inner, self._tape = inner, tape

        async def handle_async_request(self, request: Any) -> Any:
            return await asend(self._inner.handle_async_request, request, self._tape)

        async def aclose(self) -> None:
            await self._inner.aclose()

    return SimpleNamespace(
        Transport=Transport, AsyncTransport=AsyncTransport, Stream=CapturedStream, AsyncStream=AsyncCapturedStream
    )
