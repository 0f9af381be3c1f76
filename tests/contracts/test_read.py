"""The reader around the contracts: sources, exceptions, closing, interrupts, misuse; synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from recorder.contracts import Rejected, Verdict, aread, chat, chat_text, read
from recorder.errors import FaultCode, ReplayTimeout

TEXT = chat_text()


def sse(*datas: str) -> bytes:
    return "".join(f"data: {data}\n\n" for data in datas).encode()


HELLO = sse('{"choices":[{"index":0,"delta":{"content":"hey"}}]}')
STOP = sse('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}')
DONE = sse("[DONE]")
BODY = HELLO + STOP + DONE


class Source:
    """Chunks from a list; an exception in it is raised; every pull and close is written down."""

    def __init__(self, *steps: bytes | BaseException, close_error: BaseException | None = None) -> None:
        self.steps = iter(steps)
        self.close_error = close_error
        self.log: list[str] = []

    def step(self) -> bytes | None:
        self.log.append("pull")
        step = next(self.steps, None)
        if isinstance(step, BaseException):
            raise step
        return step

    def end(self) -> None:
        self.log.append("close")
        if self.close_error is not None:
            raise self.close_error


class SyncSource(Source):
    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        step = self.step()
        if step is None:
            raise StopIteration
        return step

    def close(self) -> None:
        self.end()


class AsyncSource(Source):
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await asyncio.sleep(0)
        step = self.step()
        if step is None:
            raise StopAsyncIteration
        return step

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.end()


class ListSource:
    """Gives whatever is in a list."""

    def __init__(self, steps: tuple[Any, ...]) -> None:
        self.steps = iter(steps)
        self.log: list[str] = []

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self.log.append("pull")
        return next(self.steps)

    def close(self) -> None:
        self.log.append("close")


class AsyncListSource(ListSource):
    """The same, asynchronously."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return self.__next__()

    async def aclose(self) -> None:
        self.close()


class AsyncSourceWithClose(AsyncSource):
    """What has no `aclose`, but a `close` that is a coroutine function or a plain one."""

    aclose = None  # type: ignore[assignment]

    def close(self) -> None:
        self.end()


Reading = Callable[..., tuple[Verdict, list[str]]]


@pytest.fixture(params=["read", "aread", "aread with close()"])
def reading(request) -> Reading:
    """Read the steps; give the verdict and what the source saw."""

    def run(*steps: Any, contract: Any = TEXT, interrupt: Any = None, **options: Any) -> tuple[Verdict, list[str]]:
        if request.param == "read":
            source: Source = SyncSource(*steps, **options)
            return read(source, contract, interrupt=interrupt), source.log
        source = (AsyncSource if request.param == "aread" else AsyncSourceWithClose)(*steps, **options)
        return asyncio.run(aread(source, contract, interrupt=interrupt)), source.log

    return run


def test_the_terminal_event_ends_the_read(reading: Reading) -> None:
    """No further chunk is asked for, and the source is closed."""
    verdict, log = reading(HELLO, STOP + DONE, AssertionError("asked for more"))
    assert (verdict.code, verdict.text, log) == ("accepted", "hey", ["pull", "pull", "close"])


def test_a_rejection_ends_the_read(reading: Reading) -> None:
    """Neither does a rejected stream get read on."""
    verdict, log = reading(HELLO, sse("{"), AssertionError("asked for more"))
    assert (verdict.code, log) == ("invalid_json", ["pull", "pull", "close"])


def test_a_fault_of_the_bytes_ends_the_read(reading: Reading) -> None:
    """The events before it count."""
    verdict, log = reading(HELLO + b"\xff", AssertionError("asked for more"))
    assert (verdict.code, verdict.at_event, verdict.events, verdict.offset) == ("invalid_utf8", None, 1, len(HELLO))
    assert (verdict.bytes_read, log) == (len(HELLO) + 1, ["pull", "close"])


@pytest.mark.parametrize(("bad", "after"), [
    ((b"\xff",), 0), ((b"x\xff",), 1), ((b"\xe4", b"x"), 1), ((b"\xe4", b"\xb8", b"x"), 2), ((b"x\xe4", b"\n"), 2),
])  # fmt: skip
def test_a_fault_inside_a_line_that_goes_on(reading: Reading, bad: tuple[bytes, ...], after: int) -> None:
    """What is no UTF-8 is seen at the byte that shows it, in chunks without a line end too; no more is asked for."""
    verdict, log = reading(HELLO, b"data: a", b"b", *bad, AssertionError("asked for more"))
    assert (verdict.code, verdict.bytes_read) == ("invalid_utf8", len(HELLO) + 8 + after + 1)
    assert log == ["pull"] * (3 + len(bad)) + ["close"]


@pytest.mark.parametrize(("chunks", "code"), [
    ((b"data: ", b"x" * 54), "missing_terminal"), ((b"data: ", b"x" * 55), "line_limit"),
    ((b"data: ", b"x" * 54, b"y"), "line_limit"), ((b"data: ", b"\xc3", b"\xa9" + b"x" * 52), "missing_terminal"),
    ((b"data: ", b"\xc3", b"\xa9" + b"x" * 53), "line_limit"),
])  # fmt: skip
def test_a_limit_passed_inside_a_line_that_goes_on(reading: Reading, chunks: tuple[bytes, ...], code: str) -> None:
    """N bytes of a line pass; the next one decides when it comes, and no more is asked for."""
    for profile in ("openai", "flowbar"):
        contract = chat_text(profile, max_line=60)
        verdict, log = reading(HELLO, *chunks, contract=contract)
        assert (verdict.code, verdict.bytes_read) == (code, len(HELLO) + 60 + (code == "line_limit"))
        assert log == ["pull"] * (1 + len(chunks) + (code != "line_limit")) + ["close"]


def test_the_end_of_the_source(reading: Reading) -> None:
    """Empty chunks are no end; the end is."""
    verdict, log = reading(HELLO, b"", STOP)
    assert (verdict.code, log) == ("missing_terminal", ["pull"] * 4 + ["close"])


class ReadTimeout(Exception):
    """As in httpx and requests."""


class ReadTimeoutError(Exception):
    """As in urllib3; no TimeoutError."""


class PoolTimeoutException(ReadTimeout):
    """Named by its base class."""


class Deadline(ReadTimeout):
    """Named like nothing, derived from a timeout."""


class TimeoutSettings(Exception):
    """Begins with the word and is none."""


@pytest.mark.parametrize(("error", "code"), [
    (TimeoutError(), "stream_timeout"),
    (ReplayTimeout(), "stream_timeout"),
    (ReadTimeout(), "stream_timeout"),
    (ReadTimeoutError(), "stream_timeout"),
    (PoolTimeoutException(), "stream_timeout"),
    (Deadline(), "stream_timeout"),
    (ConnectionError(ReadTimeoutError()), "stream_timeout"),
    (TimeoutSettings(), "stream_read_failed"),
    (ConnectionResetError(), "stream_read_failed"),
    (EOFError(), "stream_read_failed"),
    (ValueError("timeout"), "stream_read_failed"),
    (ConnectionError(OSError("timed out")), "stream_read_failed"),
    (Exception(), "stream_read_failed"),
], ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value)  # fmt: skip
def test_a_source_that_raises(reading: Reading, error: Exception, code: str) -> None:
    """A verdict, with the exception as its cause, chained to nothing."""
    verdict, log = reading(HELLO, error)
    assert isinstance(verdict, Rejected)
    assert (verdict.code, verdict.cause, verdict.events, verdict.at_event) == (code, error, 1, None)
    assert (verdict.offset, verdict.bytes_read, verdict.partial.text) == (len(HELLO), len(HELLO), "hey")
    assert (error.__cause__, error.__context__, log) == (None, None, ["pull", "pull", "close"])


def test_real_libraries_timeouts() -> None:
    """The classes of the installed HTTP libraries, by their own names."""
    import aiohttp
    import httpx
    import requests
    import urllib3

    timeouts = [
        httpx.ReadTimeout("t"),
        requests.exceptions.ReadTimeout(),
        requests.exceptions.ConnectionError(urllib3.exceptions.ReadTimeoutError(None, "/", "t")),  # type: ignore[arg-type]
        urllib3.exceptions.ReadTimeoutError(None, "/", "t"),  # type: ignore[arg-type]
        aiohttp.SocketTimeoutError(),
    ]
    failures = [
        httpx.ReadError("r"),
        httpx.RemoteProtocolError("r"),
        requests.exceptions.ChunkedEncodingError(urllib3.exceptions.ProtocolError("r", ConnectionResetError())),
        aiohttp.ClientPayloadError(),
    ]
    assert {str(read(SyncSource(each), TEXT).code) for each in timeouts} == {"stream_timeout"}
    assert {str(read(SyncSource(each), TEXT).code) for each in failures} == {"stream_read_failed"}


def test_a_source_that_cannot_even_be_begun() -> None:
    """An exception from making the iterator is the source's, like any other."""

    class Consumed:
        """A response that was read before."""

        closed = False

        def __iter__(self) -> Iterator[bytes]:
            raise ReadTimeout

        def __aiter__(self) -> AsyncIterator[bytes]:
            raise ReadTimeout

        def close(self) -> None:
            self.closed = True

    for run in (read, lambda source, contract: asyncio.run(aread(source, contract))):
        source = Consumed()
        verdict = run(source, TEXT)
        assert (verdict.code, type(verdict.cause), source.closed) == ("stream_timeout", ReadTimeout, True)


def test_an_error_after_the_terminal_event_is_never_seen(reading: Reading) -> None:
    """A reset right behind [DONE] in another chunk: the answer was complete."""
    assert reading(BODY, ConnectionResetError())[0].code == "accepted"


def test_chat_with_terminal_finish_still_wants_a_clean_end(reading: Reading) -> None:
    """A reset after the finish could have cut something."""
    assert reading(HELLO + STOP, ConnectionResetError(), contract=chat("finish"))[0].code == "stream_read_failed"


@pytest.mark.parametrize("error", [OSError("close"), TimeoutError(), RuntimeError()])
@pytest.mark.parametrize("steps", [(BODY,), (sse("{"),), (HELLO,), (HELLO, EOFError())])
def test_a_close_that_fails_changes_nothing(reading: Reading, error: Exception, steps) -> None:
    """The verdict stands, whatever closing the source does."""
    verdict, log = reading(*steps, close_error=error)
    assert (verdict, log[-1]) == (reading(*steps)[0], "close")


class Interrupted(BaseException):
    """What is no Exception."""


@pytest.mark.parametrize("close_error", [None, OSError("close")])
def test_what_is_no_exception_passes(reading: Reading, close_error: Exception | None) -> None:
    """After the source was closed, and with nothing chained to it."""
    error = Interrupted()
    with pytest.raises(Interrupted) as caught:
        reading(HELLO, error, close_error=close_error)
    assert caught.value is error
    assert (error.__cause__, error.__context__) == (None, None)


def test_a_cancelled_task_is_no_verdict() -> None:
    """`CancelledError` passes and the source is closed; `asyncio.timeout` works around a read."""
    log: list[str] = []

    async def never() -> AsyncIterator[bytes]:
        try:
            yield HELLO
            await asyncio.get_running_loop().create_future()
        finally:
            log.append("closed")

    async def main() -> None:
        task = asyncio.ensure_future(aread(never(), TEXT))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert log == ["closed"]


def test_both_the_iterator_and_what_it_came_from_are_closed() -> None:
    """A response whose iteration is a generator of its own."""
    log: list[str] = []

    class Response:
        def __iter__(self) -> Iterator[bytes]:
            try:
                yield BODY
                yield b"more"
            finally:
                log.append("generator")

        def close(self) -> None:
            log.append("response")

    assert read(Response(), TEXT).ok
    assert log == ["generator", "response"]


def test_both_are_closed_asynchronously_too() -> None:
    """The asynchronous twin."""
    log: list[str] = []

    class Response:
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                yield BODY
                yield b"more"
            finally:
                log.append("generator")

        async def aclose(self) -> None:
            log.append("response")

    assert asyncio.run(aread(Response(), TEXT)).ok
    assert log == ["generator", "response"]


@pytest.mark.parametrize("chunks", [
    BODY, bytearray(BODY), memoryview(BODY), [BODY], (BODY,), iter([BODY]), [bytearray(BODY)], [memoryview(BODY)],
    (part for part in (HELLO, STOP, DONE)),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_what_chunks_may_be(chunks: Any) -> None:
    """Any iterable of bytes-like pieces, or one bytes-like piece."""
    assert read(chunks, TEXT).text == "hey"


def test_one_piece_is_enough_for_aread() -> None:
    """Bytes are bytes there too."""
    assert asyncio.run(aread(BODY, TEXT)).text == "hey"


@pytest.mark.parametrize(("chunks", "says"), [
    ("text", "chunks is str"),
    (None, "chunks is NoneType"),
    (7, "chunks is int"),
    ([BODY.decode()], "a chunk is str, not bytes"),
    ([1, 2], "a chunk is int, not bytes"),
    ([None], "a chunk is NoneType, not bytes"),
    (AsyncSource(BODY), "use aread"),
])  # fmt: skip
def test_misuse_of_chunks(chunks: Any, says: str) -> None:
    """Told at once, and what would be right."""
    with pytest.raises(TypeError, match=says):
        read(chunks, TEXT)


@pytest.mark.parametrize(("chunks", "says"), [
    ("text", "chunks is str, not an asynchronous iterable of bytes: pass chunks of bytes$"),
    (None, "chunks is NoneType, not an asynchronous iterable of bytes: pass chunks of bytes$"),
    ([BODY], "chunks is list, not an asynchronous iterable of bytes: use read"),
])  # fmt: skip
def test_misuse_of_chunks_in_aread(chunks: Any, says: str) -> None:
    """A plain iterable would block the loop."""
    with pytest.raises(TypeError, match=says):
        asyncio.run(aread(chunks, TEXT))


@pytest.mark.parametrize("steps", [("text",), (HELLO, "text"), (HELLO, STOP, None)])
def test_misuse_closes_the_source_too(steps: tuple[Any, ...]) -> None:
    """A source that turns out to give text, at once or later, is no verdict, and neither is one that gives None."""
    source, later = ListSource(steps), AsyncListSource(steps)
    with pytest.raises(TypeError, match=r"^a chunk is (str|NoneType), not bytes: pass the raw body in pieces"):
        read(source, TEXT)
    with pytest.raises(TypeError, match=r"^a chunk is (str|NoneType), not bytes: pass the raw body in pieces"):
        asyncio.run(aread(later, TEXT))
    assert source.log == later.log == ["pull"] * len(steps) + ["close"]


@pytest.mark.parametrize("contract", ["chat", None, chat])
def test_misuse_of_the_contract(contract: Any) -> None:
    """A name or the function is not a contract."""
    with pytest.raises(TypeError, match=r"recorder.contracts.chat\(\) would be right"):
        read([BODY], contract)


def test_the_interrupt_is_looked_at_before_each_event(reading: Reading) -> None:
    """Three events: three looks, and one more before accepting."""
    looks: list[int] = []
    verdict, _ = reading(BODY, interrupt=lambda: looks.append(1))
    assert (verdict.code, len(looks)) == ("accepted", 4)


@pytest.mark.parametrize("code", [FaultCode.STREAM_TIMEOUT, FaultCode.CANCELLED])
@pytest.mark.parametrize(("fires_at", "events"), [(1, 0), (2, 1), (3, 2), (4, 3)])
def test_an_interrupt_that_fires(reading: Reading, code: FaultCode, fires_at: int, events: int) -> None:
    """It is the verdict; no event is to blame."""
    looks = iter([None] * (fires_at - 1) + [code])
    verdict, log = reading(BODY, interrupt=lambda: next(looks))
    assert (verdict.code, verdict.events, verdict.at_event, verdict.text) == (code, events, None, None)
    assert log == ["pull", "close"]


def test_an_interrupt_before_the_end_and_before_a_failure_counts(reading: Reading) -> None:
    """A fired deadline is why the stream ended."""
    for last in ((), (EOFError(),)):
        looks = iter([None, FaultCode.STREAM_TIMEOUT]).__next__
        assert reading(HELLO, *last, interrupt=looks)[0].code == "stream_timeout"


def test_an_interrupt_that_raises_passes(reading: Reading) -> None:
    """The caller's own mistake is the caller's."""

    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        reading(HELLO, EOFError(), interrupt=broken)
    assert caught.value.__context__ is None


def test_a_large_chunk_is_not_parsed_past_the_terminal_event() -> None:
    """Megabytes behind [DONE] cost nothing and break nothing; they are counted as later bytes."""
    later = b"\xff" * 5_000_000
    verdict = read([BODY + later], TEXT)
    assert (verdict.code, verdict.bytes_read, verdict.later_bytes) == ("accepted", len(BODY), len(later))


@pytest.mark.parametrize(("body", "later"), [
    (BODY, 0), (BODY + b"\n", 1), (BODY + DONE, 14), (BODY.replace(b"\n", b"\r\n"), 0), (BODY.replace(b"\n", b"\r"), 0),
    (BODY.replace(b"\n", b"\r\n") + b"\r\n", 2),
])  # fmt: skip
def test_later_bytes(body: bytes, later: int) -> None:
    """What came in the same chunk after the terminal event's blank line; the LF of its CRLF belongs to it."""
    assert read([body], chat()).later_bytes == later
    assert read([body[:-1], body[-1:]], chat()) == read([body], chat())


@pytest.mark.parametrize("at", range(-3, 4))
def test_later_bytes_where_a_large_chunk_is_cut(at: int) -> None:
    """The terminal event's CRLF on either side of where a large chunk is taken in parts."""
    end = (HELLO + STOP + DONE).replace(b"\n", b"\r\n")
    padding = b":" + b"c" * (16_384 + at - len(end) - 3) + b"\r\n"
    for later in (b"", b"\r\n", b"more" * 5000):
        assert read([padding + end + later], TEXT).later_bytes == len(later)


def test_later_bytes_do_not_make_verdicts_differ() -> None:
    """They depend on the chunking."""
    assert read([BODY + DONE], chat()) == read([BODY, DONE], chat())
    assert read([BODY + DONE], chat()).later_bytes != read([BODY, DONE], chat()).later_bytes


def test_large_bodies_in_one_chunk_and_in_many() -> None:
    """Across the places where a large chunk is taken in parts."""
    body = HELLO * 1000 + STOP + DONE + b"tail"
    verdict = read([body], TEXT)
    assert (verdict.text, verdict.events, verdict.bytes_read) == ("hey" * 1000, 1002, len(body) - 4)
    for size in (1, 7, 16_383, 16_384, 16_385, 30_000):
        assert read([body[at : at + size] for at in range(0, len(body), size)], TEXT) == verdict
    for at_event in (1, 500, 1001):
        bad = read([HELLO * (at_event - 1) + sse("{") + body], TEXT)
        assert (bad.at_event, bad.offset) == (at_event, len(HELLO) * (at_event - 1) + len(sse("{")) - 1)


def test_the_cause_keeps_the_source_in_its_traceback_and_not_the_reader() -> None:
    """The frames of the source help; ours would only keep the stream alive."""

    def source() -> Iterator[bytes]:
        yield HELLO
        raise EOFError

    cause = read(source(), TEXT).cause
    frames = []
    traceback = cause.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert frames == ["source"]


def test_a_full_stack_reads_as_well() -> None:
    """A deeply nested chunk under a deeply nested caller."""
    deep = sse('{"choices":[],"x":' + "[" * 60 + "]" * 60 + "}")

    def down(levels: int) -> Verdict:
        return down(levels - 1) if levels else read([HELLO + deep + STOP + DONE], TEXT)

    depth = 0
    frame: Any = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    assert down(sys.getrecursionlimit() - depth - 60).code == "accepted"
