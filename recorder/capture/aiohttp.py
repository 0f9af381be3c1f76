"""Capture for aiohttp: its own connection, which copies what its parser makes of the bytes to a tape.

Rule: the caller sees what it would see without us: the same pieces at the same time, the same exceptions, the same
connections in the pool. Nothing is held back. A piece is what the parser hands to the response's stream, when it does;
unless the session says otherwise it has undone the content coding by then.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from recorder.tape import Tape, TapeEnd

_TAPE = "_recorder_tape"
_LOST = "_recorder_lost"


def follow(connection: Any, tape: Tape) -> None:
    """Copy the answer that comes over `connection` to `tape`.

    Args:
        connection: an `aiohttp.connector.Connection` over which nothing has been sent yet.
        tape: one that is started with the request.
    """
    tape.client = "aiohttp"
    protocol = connection.protocol
    given = protocol.__dict__
    given[_TAPE], given[_LOST] = tape, None
    set_response_params, feed_data, connection_lost = (
        protocol.set_response_params,
        protocol.feed_data,
        protocol.connection_lost,
    )

    def parameters(**options: Any) -> None:
        given.pop("set_response_params", None)
        tape.decoded = options.get("auto_decompress", True)
        set_response_params(**options)

    def message(parsed: Any, *size: Any) -> None:
        head, payload = parsed
        if head.code >= 200:
            given.pop("feed_data", None)
            _answered(tape, head, payload)
        feed_data(parsed, *size)

    def lost(error: BaseException | None) -> None:
        given.pop("connection_lost", None)
        given[_LOST] = error
        connection_lost(error)

    given.update(set_response_params=parameters, feed_data=message, connection_lost=lost)


def _answered(tape: Tape, head: Any, payload: Any) -> None:
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in head.raw_headers]
    version = f"{head.version.major}.{head.version.minor}"
    tape.answer(head.code, head.reason or "", version, pairs)
    buffered = list(getattr(payload, "_buffer", ()))
    for piece in buffered:  # it came in the same segment as the head
        tape.piece(piece)
    if payload.is_eof():
        tape.finish(tape.clean_end())
    elif type(payload) is _reader():
        payload.__class__ = _captured()


@cache
def _reader() -> Any:
    from aiohttp import StreamReader

    return StreamReader


@cache
def _captured() -> Any:
    from aiohttp import ClientOSError, ClientPayloadError

    def broken_end(error: BaseException, lost: BaseException | None) -> TapeEnd:
        if isinstance(error, TimeoutError):
            return "timeout"
        if isinstance(error, ClientOSError) or (isinstance(error, ClientPayloadError) and isinstance(lost, OSError)):
            return "reset"
        return "incomplete" if isinstance(error, ClientPayloadError) else "client_closed"

    class Captured(_reader()):  # type: ignore[misc]  # its base is Any to mypy
        """The stream of a response, which tells its tape what it is fed; made by aiohttp, and of the same layout."""

        __slots__ = ()

        @property
        def _tape(self) -> Tape:
            tape: Tape = self._protocol.__dict__[_TAPE]
            return tape

        def feed_data(self, data: bytes, *size: Any) -> Any:
            self._tape.piece(bytes(data))
            return super().feed_data(data, *size)

        def feed_eof(self) -> None:
            self._tape.finish(self._tape.clean_end())
            super().feed_eof()

        def set_exception(self, exc: BaseException, *cause: Any) -> None:
            self._tape.finish(broken_end(exc, self._protocol.__dict__.get(_LOST)))
            super().set_exception(exc, *cause)

        async def _wait(self, func_name: str) -> None:
            try:
                await super()._wait(func_name)
            except TimeoutError:
                self._tape.finish("timeout")
                raise

    Captured.__name__, Captured.__qualname__ = _reader().__name__, _reader().__qualname__
    return Captured
