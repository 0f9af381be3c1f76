"""Bytes in, verdict out: drives a parser and a contract's run over whatever delivers the bytes.

Rule: nothing the bytes or their source do becomes an exception. The first byte that decides, decides, so the verdict
does not depend on the chunking; after it no chunk is asked for, and the source is closed however things end. The two
loops differ in `await` only; everything else is `_Reading`.

It does not know any dialect, and keeps no clock: deadlines are the caller's, told through `interrupt`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from recorder.contracts._body import SNIFFED, body_kind
from recorder.contracts._protocol import Contract
from recorder.contracts._verdict import Rejected, Verdict
from recorder.errors import FaultCode, StreamFault
from recorder.sse import Event

Interrupt = Callable[[], FaultCode | None]
BytesLike = bytes | bytearray | memoryview

_NO_MORE: Final = object()


def read(chunks: Iterable[BytesLike] | BytesLike, contract: Contract, *, interrupt: Interrupt | None = None) -> Verdict:
    """Read one event stream to its end and say whether it was complete.

    Args:
        chunks: the decoded body, in pieces of any size; one bytes object counts as one piece. What has a `close()` is
            closed on every outcome; an error from `close()` itself changes nothing.
        contract: what the stream must be, such as `recorder.contracts.chat()`.
        interrupt: looked at before each event, before the end of the stream counts, when the source fails, and once
            more before accepting. A fault code it gives (`stream_timeout` for a deadline that has fired, `cancelled`)
            is the verdict.

    Returns:
        `Accepted` or `Rejected`. An exception from the source before the terminal event is a rejection:
        `stream_timeout` for a `TimeoutError` or a class named like one, else `stream_read_failed`; the exception is
        its `cause` and is chained to nothing. What is no `Exception` (an interrupt from the keyboard) passes.

    Raises:
        TypeError: an argument is not what it should be: text instead of bytes, an async source, no contract.
    """
    reading = _Reading(contract, interrupt)
    source = _iterator(chunks)
    opened = (source, chunks)
    del chunks  # a traceback through here must not show a list of them
    try:
        while True:
            try:
                chunk: Any = next(source, _NO_MORE)
            except Exception as error:
                failure = error
                break
            verdict = reading.end() if chunk is _NO_MORE else reading.feed(chunk)
            if verdict is not None:
                return verdict
            chunk = None
        return reading.failed(failure)
    finally:
        _close(opened)


async def aread(
    chunks: AsyncIterable[BytesLike] | BytesLike, contract: Contract, *, interrupt: Interrupt | None = None
) -> Verdict:
    """`read` for an asynchronous source, which is closed with `aclose()` or `close()`.

    A cancelled task is no verdict: `asyncio.CancelledError` passes, after the source was closed.
    """
    reading = _Reading(contract, interrupt)
    source = _async_iterator(chunks)
    opened = (source, chunks)
    del chunks
    try:
        while True:
            try:
                chunk: Any = await anext(source, _NO_MORE)
            except Exception as error:
                failure = error
                break
            verdict = reading.end() if chunk is _NO_MORE else reading.feed(chunk)
            if verdict is not None:
                return verdict
            chunk = None
        return reading.failed(failure)
    finally:
        await _aclose(opened)


class _Reading:
    """One stream being read: what both loops share."""

    __slots__ = ("_contract", "_interrupt", "_parser", "_prefix", "_pulled", "_run")

    def __init__(self, contract: Contract, interrupt: Interrupt | None) -> None:
        if not (hasattr(contract, "parser") and hasattr(contract, "start")):
            raise TypeError(f"contract={contract!r}: a contract such as recorder.contracts.chat() would be right")
        self._contract = contract
        self._interrupt = interrupt
        self._parser = contract.parser()
        self._run = contract.start()
        self._pulled = 0
        self._prefix: bytes | None = b""  # the first bytes, kept while no event has come

    def feed(self, chunk: Any) -> Verdict | None:
        """Judge what one chunk completes."""
        if type(chunk) is not bytes:
            chunk = _as_bytes(chunk)
        before = self._run.events
        self._pulled += len(chunk)
        fault: tuple[FaultCode, int] | None = None
        try:
            events: Sequence[Event] = self._parser.feed(chunk)
        except StreamFault as caught:
            events, fault = caught.events, (caught.code, caught.offset)
        if events:
            self._prefix = None
            verdict = self._judge(events, chunk, before)
            if verdict is not None:
                return verdict
        elif self._prefix is not None and len(self._prefix) < SNIFFED:
            self._prefix += chunk[: SNIFFED - len(self._prefix)]
        return None if fault is None else self._rejected(*fault, self._parser.offset)

    def _judge(self, events: Sequence[Event], chunk: bytes, before: int) -> Verdict | None:
        if self._interrupt is None:
            verdict = self._run.several(events)
            return None if verdict is None else self._placed(verdict, chunk, before)
        for event in events:
            code = self._interrupt()
            if code is not None:
                return self._stopped(code)
            verdict = self._run.event(event)
            if verdict is not None:
                return self._placed(verdict, chunk, before)
        return None

    def _placed(self, verdict: Verdict, chunk: bytes, before: int) -> Verdict:
        """A verdict about an event, with the byte that dispatched it."""
        end = self._parser.event_end(self._run.events - before - 1)
        return self._settled(dataclasses.replace(verdict, bytes_read=end), end - 1, chunk)

    def end(self) -> Verdict:
        """Judge the end of the stream."""
        fault: tuple[FaultCode, int] | None = None
        try:
            self._parser.close()
        except StreamFault as caught:
            fault = caught.code, caught.offset
        if fault is not None:
            return self._rejected(*fault, self._parser.offset)
        code = self._interrupt() if self._interrupt is not None else None
        if code is not None:
            return self._stopped(code)
        return self._settled(dataclasses.replace(self._run.eof(), bytes_read=self._pulled), self._pulled, b"")

    def failed(self, error: Exception) -> Verdict:
        """Judge an exception from the source. It keeps its traceback, from the source's frame on."""
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without our frame, which would hold it in a cycle
        code = self._interrupt() if self._interrupt is not None else None
        if code is None:
            code = FaultCode.STREAM_TIMEOUT if _is_timeout(error) else FaultCode.STREAM_READ_FAILED
        return self._stopped(code, cause=error)

    def _settled(self, verdict: Verdict, offset: int, chunk: bytes) -> Verdict:
        if isinstance(verdict, Rejected):
            body = body_kind(self._prefix) if self._prefix is not None and self._run.events == 0 else None
            return dataclasses.replace(verdict, offset=offset, body=body)
        code = self._interrupt() if self._interrupt is not None else None
        if code is not None:
            return self._stopped(code)
        return dataclasses.replace(verdict, later_bytes=_later(chunk, self._pulled - verdict.bytes_read))

    def _stopped(self, code: FaultCode, cause: Exception | None = None) -> Verdict:
        return self._rejected(FaultCode(code), self._pulled, self._pulled, cause)

    def _rejected(self, code: FaultCode, offset: int, bytes_read: int, cause: Exception | None = None) -> Verdict:
        return Rejected(
            code,
            offset=offset,
            events=self._run.events,
            bytes_read=bytes_read,
            partial=self._run.partial,
            cause=cause,
            contract=self._contract.name,
            job_id=getattr(self._contract, "job_id", None),
        )


def _later(chunk: bytes, count: int) -> int:
    """How many of the last `count` bytes of a chunk come after the line end that completed the terminal event.

    The event is complete at the CR of a CRLF; its LF is not a later byte.
    """
    place = len(chunk) - count
    return count - 1 if count > 0 and chunk[place - 1 : place + 1] == b"\r\n" else count


def _is_timeout(error: BaseException) -> bool:
    """A `TimeoutError`, a class named like one, or what a library wrapped around it.

    The name counts because no two HTTP libraries share a class (httpx `ReadTimeout`, urllib3 `ReadTimeoutError`), and
    requests passes a read timeout on as the argument of a `ConnectionError`.
    """
    return any(isinstance(each, TimeoutError) or _is_named_timeout(each) for each in (error, *error.args))


def _is_named_timeout(error: object) -> bool:
    names = (kind.__name__.removesuffix("Error").removesuffix("Exception") for kind in type(error).__mro__)
    return isinstance(error, Exception) and any(name.endswith("Timeout") for name in names)


def _as_bytes(chunk: Any) -> bytes:
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(
        f"a chunk is {type(chunk).__name__}, not bytes: pass the raw body in pieces, "
        "such as response.iter_bytes(), not decoded text, lines or numbers"
    )


def _iterator(chunks: Any) -> Iterator[Any]:
    if isinstance(chunks, bytes | bytearray | memoryview):
        return iter((bytes(chunks),))
    if isinstance(chunks, str) or not hasattr(chunks, "__iter__"):
        hint = "use aread()" if hasattr(chunks, "__aiter__") else "pass an iterable of bytes, such as a list of chunks"
        raise TypeError(f"chunks is {type(chunks).__name__}: {hint}")
    return iter(chunks)


def _async_iterator(chunks: Any) -> AsyncIterator[Any]:
    if isinstance(chunks, bytes | bytearray | memoryview):
        return _once(bytes(chunks))
    if not hasattr(chunks, "__aiter__"):
        hint = "use read()" if hasattr(chunks, "__iter__") and not isinstance(chunks, str) else "pass chunks of bytes"
        raise TypeError(f"chunks is {type(chunks).__name__}, not an asynchronous iterable of bytes: {hint}")
    return aiter(chunks)


async def _once(chunk: bytes) -> AsyncIterator[bytes]:
    yield chunk


def _close(opened: tuple[Any, Any]) -> None:
    """Close the iterator and, where it is another object, what it came from. The verdict stands whatever they raise."""
    for each in _distinct(opened):
        close = getattr(each, "close", None)
        if callable(close):
            with contextlib.suppress(Exception):
                close()


async def _aclose(opened: tuple[Any, Any]) -> None:
    for each in _distinct(opened):
        close = getattr(each, "aclose", None) or getattr(each, "close", None)
        if callable(close):
            with contextlib.suppress(Exception):
                waiting = close()
                if inspect.isawaitable(waiting):
                    await waiting


def _distinct(opened: tuple[Any, Any]) -> tuple[Any, ...]:
    source, given = opened
    return (source,) if given is source else (source, given)
