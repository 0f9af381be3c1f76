"""Capture for urllib3, and so for requests: its own response, which copies what it reads from the connection to a tape.

Rule: the caller sees what it would see without us: the same pieces at the same time, the same exceptions, the same
connections in the pool. Nothing is buffered, nothing is read that the caller does not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from recorder.tape import Tape, TapedRequest

_VERSIONS = {10: "1.0", 11: "1.1", 20: "2"}


def send(call: Callable[[], Any], request: TapedRequest, tape: Tape) -> Any:
    """The response that `call` gives, and what passes on the tape.

    Args:
        call: makes the request with `preload_content=False` and returns urllib3's response.
        request: what it sends.
        tape: an empty one.
    """
    tape.client = "urllib3"
    tape.start(request)
    response = call()
    version = _VERSIONS.get(response.version, str(response.version))
    tape.answer(response.status, response.reason or "", version, tuple(response.headers.items()))
    if isinstance(response, _base()):
        kind: Any = type(response)
        response.__class__ = _captured(kind)
        response.follow(tape)
    else:  # its HTTP/2 reads a body whole
        tape.piece(response.data)
        tape.finish("complete")
    return response


def taped(method: str, url: str, headers: Mapping[str, str | bytes], body: bytes | None) -> TapedRequest:
    """A request as it goes on a tape; header values may be bytes, as requests has them."""
    pairs = [(str(name), _text(value)) for name, value in headers.items()]
    return TapedRequest(method, url, tuple(pairs), body or None)


def whole_body(body: Any) -> bytes | None:
    """The bytes of what urllib3 may be given for a body; files and iterators are read, so pass on what this returns.

    Raises:
        TypeError: it is nothing that urllib3 sends: no text, no bytes, no file, no buffer, no iterable.
    """
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    if hasattr(body, "read"):
        data = body.read()
        return data.encode("utf-8") if isinstance(data, str) else bytes(data)
    try:
        return bytes(memoryview(body))
    except TypeError:  # no buffer, so pieces
        return b"".join([piece.encode("utf-8") if isinstance(piece, str) else bytes(piece) for piece in body])


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@cache
def _base() -> Any:
    from urllib3 import HTTPResponse

    return HTTPResponse


@cache
def _captured(base: Any) -> Any:
    """A class like `base` whose reads from the connection go to the tape; its objects are made by `base`."""
    from urllib3.util.response import is_fp_closed

    class Captured(base):  # type: ignore[misc]  # its base is Any to mypy
        _tape: Tape
        _failing = False

        def follow(self, tape: Tape) -> None:
            self._tape = tape
            if self.length_remaining == 0:  # no body at all: an answer to HEAD, a 204
                tape.finish(tape.clean_end())
            self._look_for_end()

        def _raw_read(self, amt: int | None = None, **options: Any) -> Any:
            data = super()._raw_read(amt, **options)
            self._tape.piece(data or b"")
            self._look_for_end()
            return data

        def _update_chunk_length(self) -> None:
            self._failing = True  # it closes the response first, then says what is wrong
            super()._update_chunk_length()
            self._failing = False

        def _handle_chunk(self, amt: int | None) -> Any:
            chunk = super()._handle_chunk(amt)
            self._tape.piece(chunk or b"")
            return chunk

        def read_chunked(self, amt: int | None = None, decode_content: bool | None = None) -> Iterator[bytes]:
            yield from super().read_chunked(amt, decode_content)
            self._look_for_end()

        @contextmanager
        def _error_catcher(self) -> Iterator[None]:
            try:
                with super()._error_catcher():
                    yield
            except BaseException as error:  # that of a generator that is closed early as well
                _broken(self._tape, error)
                raise

        def close(self) -> None:
            if not self._failing:
                self._look_for_end()
                self._tape.finish("client_closed")
            super().close()

        def _look_for_end(self) -> None:
            """The library closes its file when the body has come to its end, by its framing or with the connection."""
            if self._fp is None or is_fp_closed(self._fp):
                self._tape.finish(self._tape.clean_end())

    Captured.__name__, Captured.__qualname__, Captured.__module__ = base.__name__, base.__qualname__, base.__module__
    return Captured


def _broken(tape: Tape, error: BaseException) -> None:
    """By what is at the bottom: urllib3 wraps several kinds in its ProtocolError."""
    from urllib3.exceptions import ReadTimeoutError

    below = error.__cause__ or error.__context__
    partial = getattr(below, "partial", None)
    if isinstance(partial, bytes):
        tape.piece(partial)  # it arrived, though the library does not hand it on
    if not isinstance(error, Exception):
        tape.finish("client_closed")
    elif isinstance(error, ReadTimeoutError):
        tape.finish("timeout")
    else:
        tape.finish("reset" if isinstance(below, OSError) else "incomplete")
