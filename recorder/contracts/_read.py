"""Bytes in, verdict out: drives a parser and a contract's run over whatever delivers the bytes.

Rule: nothing the bytes or their source do becomes an exception. The first byte that decides, decides, so the verdict
does not depend on the chunking; after it no chunk is asked for, and the source is closed however things end. The two
loops differ in `await` only; everything else is `_Reading`.

It does not know any dialect, and keeps no clock: deadlines are the caller's, told through `interrupt`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import AsyncIterable, Callable, Generator, Iterable, Sequence
from typing import Any

from recorder.contracts._body import SNIFFED, BodyKind, body_kind
from recorder.contracts._protocol import Contract, check_contract
from recorder.contracts._source import BytesLike, aclose, async_iterator, close, in_parts, is_timeout, iterator
from recorder.contracts._verdict import Rejected, Verdict
from recorder.errors import FaultCode, StreamFault
from recorder.sse import CR, LF, Event

Interrupt = Callable[[], FaultCode | None]

_AT_ONCE = 16 * 1024


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
    source = iterator(chunks)
    opened = (source, chunks)
    del chunks  # a traceback through here must not show a list of them
    core = reading.feeding()
    feed, chunk, ready = core.send, None, False
    parser = reading.parser
    held, strict = parser._held, parser._strict
    next(core)
    try:
        try:
            for chunk in source:
                if ready and chunk.__class__ is bytes:  # what feeding would come to, for the chunks most streams have
                    if LF in chunk or CR in chunk:
                        taken = parser.offer(chunk)
                        if taken == len(chunk):
                            continue
                        chunk = chunk[taken:]
                    elif not strict or (chunk.isascii() and not parser._utf8):
                        held += chunk
                        if len(held) <= parser._room:
                            continue
                        chunk = b""
                verdict = feed(chunk)
                if verdict is not None:
                    return verdict
                if not ready:
                    ready = parser.offset >= SNIFFED or reading.run.events > 0
        except Exception as error:
            if _has_ended(core):  # then it was raised in there, and not by the source
                raise
            failure = error
        else:
            return reading.end()
        return reading.failed(failure)
    except BaseException:
        chunk, held = None, bytearray()  # what passes through here must not show them
        raise
    finally:
        close(opened)


async def aread(
    chunks: AsyncIterable[BytesLike] | BytesLike, contract: Contract, *, interrupt: Interrupt | None = None
) -> Verdict:
    """`read` for an asynchronous source, which is closed with `aclose()` or `close()`.

    A cancelled task is no verdict: `asyncio.CancelledError` passes, after the source was closed.
    """
    reading = _Reading(contract, interrupt)
    source = async_iterator(chunks)
    opened = (source, chunks)
    del chunks
    core = reading.feeding()
    feed, chunk, ready = core.send, None, False
    parser = reading.parser
    held, strict = parser._held, parser._strict
    next(core)
    try:
        try:
            async for chunk in source:
                if ready and chunk.__class__ is bytes:  # what feeding would come to, for the chunks most streams have
                    if LF in chunk or CR in chunk:
                        taken = parser.offer(chunk)
                        if taken == len(chunk):
                            continue
                        chunk = chunk[taken:]
                    elif not strict or (chunk.isascii() and not parser._utf8):
                        held += chunk
                        if len(held) <= parser._room:
                            continue
                        chunk = b""
                verdict = feed(chunk)
                if verdict is not None:
                    return verdict
                if not ready:
                    ready = parser.offset >= SNIFFED or reading.run.events > 0
        except Exception as error:
            if _has_ended(core):
                raise
            failure = error
        else:
            return reading.end()
        return reading.failed(failure)
    except BaseException:
        chunk, held = None, bytearray()
        raise
    finally:
        await aclose(opened)


class _Reading:
    """One stream being read: what both loops share."""

    __slots__ = ("_contract", "_interrupt", "_prefix", "parser", "run")

    def __init__(self, contract: Contract, interrupt: Interrupt | None) -> None:
        check_contract(contract)
        self._contract = contract
        self._interrupt = interrupt
        self.parser = contract.parser()
        self.run = contract.start()
        self._prefix = bytearray()  # the first bytes, as long as no event has come

    def feeding(self) -> Generator[Verdict | None, Any, None]:
        """A coroutine: sent a chunk, it gives the verdict that chunk leads to, or None. This loop is the hot path.

        A large chunk is taken a little at a time, so what comes after the terminal event is not even parsed.
        """
        parser, run = self.parser, self.run
        parse = parser.feed
        judge = run.several if self._interrupt is None else self._each
        if self._interrupt is None:
            parser.taker = getattr(run, "plain", None)
        rest: list[bytes] = []  # of a large chunk, its last part first
        events: Sequence[Event] = ()
        verdict: Verdict | None = None
        while verdict is None:
            chunk = rest.pop() if rest else (yield None)
            if chunk.__class__ is not bytes or (size := len(chunk)) > _AT_ONCE:
                whole, chunk, events = [chunk], None, ()  # a traceback must show nothing of the stream
                rest = in_parts(whole, _AT_ONCE)
                continue
            pulled = parser.offset + size
            fault: tuple[FaultCode, int] | None = None
            try:
                events = parse(chunk)
            except StreamFault as caught:
                events, fault = caught.events, (caught.code, caught.offset)
            if events:
                before = run.events
                verdict = judge(events)
                if verdict is not None:
                    verdict = self._placed(verdict, chunk, pulled, before, rest)
            elif pulled < SNIFFED + size and not run.events:
                self._prefix += chunk[: SNIFFED + size - pulled]
            if fault is not None and verdict is None:
                del self._prefix[self.parser.offset :]  # what follows the fault depends on the chunking
                verdict = self._faulted(*fault)
        yield verdict

    def _each(self, events: Iterable[Event]) -> Verdict | None:
        """As a run's `several`, with a look at the interrupt before each event."""
        for event in events:
            code = self._asked()
            verdict = self.run.event(event) if code is None else self._stopped(code)
            if verdict is not None:
                return verdict
        return None

    def _asked(self) -> FaultCode | None:
        return None if self._interrupt is None else self._interrupt()

    def _placed(self, verdict: Verdict, chunk: bytes, pulled: int, before: int, rest: list[bytes]) -> Verdict:
        """A verdict about an event, with the byte that dispatched it; one that no event gave is placed already."""
        if isinstance(verdict, Rejected) and verdict.offset is not None:
            return verdict
        end = self.parser.event_end(self.run.events - before - 1)
        return self._settled(dataclasses.replace(verdict, bytes_read=end), end - 1, _later(chunk, pulled - end, rest))

    def end(self) -> Verdict:
        """Judge the end of the stream."""
        fault: tuple[FaultCode, int] | None = None
        try:
            self.parser.close()
        except StreamFault as caught:
            fault = caught.code, caught.offset
        if fault is not None:
            return self._faulted(*fault)
        code = self._asked()
        if code is not None:
            return self._stopped(code)
        total = self.parser.offset
        return self._settled(dataclasses.replace(self.run.eof(), bytes_read=total), total, 0)

    def failed(self, error: Exception) -> Verdict:
        """Judge an exception from the source. It keeps its traceback, from the source's frame on."""
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without our frame, which would hold it in a cycle
        code = self._asked()
        if code is None:
            code = FaultCode.STREAM_TIMEOUT if is_timeout(error) else FaultCode.STREAM_READ_FAILED
        return self._stopped(code, cause=error)

    def _settled(self, verdict: Verdict, offset: int, later: int) -> Verdict:
        if isinstance(verdict, Rejected):
            return dataclasses.replace(verdict, offset=offset, body=self._body())
        code = self._asked()
        if code is not None:
            return self._stopped(code)
        return dataclasses.replace(verdict, later_bytes=later)

    def _body(self) -> BodyKind | None:
        return None if self.run.events else body_kind(bytes(self._prefix))

    def _faulted(self, code: FaultCode, offset: int) -> Verdict:
        return dataclasses.replace(self._rejected(code, offset, self.parser.offset), body=self._body())

    def _stopped(self, code: FaultCode, cause: Exception | None = None) -> Verdict:
        pulled = self.parser.offset
        return self._rejected(FaultCode(code), pulled, pulled, cause)

    def _rejected(self, code: FaultCode, offset: int, bytes_read: int, cause: Exception | None = None) -> Rejected:
        return Rejected(
            code,
            offset=offset,
            events=self.run.events,
            bytes_read=bytes_read,
            unknown=getattr(self.run, "unknown", 0),
            partial=self.run.partial,
            cause=cause,
            contract=self._contract.name,
            job_id=getattr(self._contract, "job_id", None),
        )


def _has_ended(core: Generator[Any, Any, Any]) -> bool:
    return inspect.getgeneratorstate(core) == inspect.GEN_CLOSED


def _later(chunk: bytes, count: int, rest: list[bytes]) -> int:
    """How many bytes came with the terminal event and after it: the last `count` of a chunk, and the rest behind it.

    The event is complete at the CR of a CRLF; its LF is not a later byte.
    """
    place = len(chunk) - count
    following = chunk[place:] or (rest[-1] if rest else b"")
    return count + sum(map(len, rest)) - (chunk[place - 1 : place] + following[:1] == b"\r\n")
