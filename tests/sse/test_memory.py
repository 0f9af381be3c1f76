"""Memory and work stay bounded: shown by counting bytes and lines executed, never by a clock."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from types import FrameType
from typing import Any

import pytest

from recorder.errors import InvalidUTF8, LimitExceeded
from recorder.sse import EventStreamParser, Limit

KIB, MIB = 1024, 1024 * 1024


def peak_of(work: Callable[[], object]) -> int:
    """How many bytes more than before were allocated at the same time while `work` ran."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def left_by(work: Callable[[], object]) -> int:
    """How many bytes more than before are still allocated after `work`."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = work()
        after = tracemalloc.get_traced_memory()[0]
        del kept
        return after - before
    finally:
        tracemalloc.stop()


def feed_all(parser: EventStreamParser, chunks: Iterable[bytes]) -> int:
    """Feed everything; gives how many events there were."""
    return sum(len(parser.feed(chunk)) for chunk in chunks)


def lines_executed(work: Callable[[], object]) -> int:
    """How many lines of the package's Python code `work` executes."""
    count = 0

    def local(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def calls(frame: FrameType, _event: str, _argument: Any) -> Any:
        return local if "/recorder/sse/" in frame.f_code.co_filename.replace("\\", "/") else None

    tracing = sys.gettrace()
    sys.settrace(calls)
    try:
        work()
    finally:
        sys.settrace(tracing)
    return count


def endless(beginning: bytes, chunk: bytes) -> Iterator[bytes]:
    yield beginning
    while True:
        yield chunk


# -- an endless line is refused at the limit

ENDLESS = [b"data: ", b"", b":", b"foo: ", b"id: ", b"event: ", b"retry: "]


@pytest.mark.parametrize("beginning", ENDLESS, ids=repr)
@pytest.mark.parametrize("size", [50, 1000, 16 * KIB])
def test_endless_line_is_refused(beginning: bytes, size: int) -> None:
    """It costs no more than a few times the limit before it is refused at its first byte over."""
    limit = 64 * KIB
    parser = EventStreamParser(max_line=limit, max_event=None)
    chunk = b"x" * size

    def work() -> None:
        with pytest.raises(LimitExceeded) as raised:
            feed_all(parser, endless(beginning, chunk))
        assert (str(raised.value.code), raised.value.offset) == ("line_limit", limit)

    assert peak_of(work) < 4 * limit + 64 * KIB


@pytest.mark.parametrize(
    "chunk", [b"x" * 4096, b"x\n" * 2048, "é".encode() * 2048], ids=["text", "lines", "characters"]
)
@pytest.mark.parametrize("closed", [False, True], ids=["refused", "closed"])
def test_a_parser_that_has_ended_keeps_nothing(closed: bool, chunk: bytes) -> None:
    """Whoever goes on feeding after a fault, or after close, is told so each time and fills no memory."""
    parser = EventStreamParser(max_line=10)
    if closed:
        parser.close()
    else:
        with pytest.raises(LimitExceeded):
            parser.feed(b"data: 67890")
    offset = parser.offset

    def work() -> None:
        for _ in range(100):
            with pytest.raises(RuntimeError if closed else LimitExceeded):
                parser.feed(chunk)

    work()
    assert left_by(work) < 64 * KIB
    assert parser.offset == offset


def test_endless_digits_are_refused() -> None:
    """A number that never ends is a line that never ends."""
    parser = EventStreamParser(max_line=10_000)
    with pytest.raises(LimitExceeded) as raised:
        feed_all(parser, endless(b"retry: ", b"7" * 100))
    assert raised.value.offset == 10_000
    assert parser.reconnection_time is None


@pytest.mark.parametrize("limit", [Limit(8 * KIB), Limit(8 * KIB, "code_points"), Limit(8 * KIB, "utf16", 1)], ids=str)
@pytest.mark.parametrize("line", [b"data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" * 20, b"data:\n" * 100], ids=len)
def test_endless_event_is_refused(limit: Limit, line: bytes) -> None:
    """Data lines without a blank line are refused; empty ones cost a bounded amount each, up to the limit."""
    parser = EventStreamParser(max_event=limit)

    def work() -> None:
        with pytest.raises(LimitExceeded) as raised:
            feed_all(parser, endless(b"", line))
        assert str(raised.value.code) == "event_size_limit"

    assert peak_of(work) < 120 * limit.n


def test_a_chunk_far_larger_than_the_limit_is_refused_cheaply() -> None:
    """One chunk of 8 MiB that begins with a line too long is copied three times at most."""
    chunk = b"data: " + b"x" * (8 * MIB)
    parser = EventStreamParser(max_line=1000)

    def work() -> None:
        with pytest.raises(LimitExceeded) as raised:
            parser.feed(chunk)
        assert raised.value.offset == 1000

    assert peak_of(work) < 3 * 8 * MIB + 64 * KIB


# -- what is ignored is not kept


@pytest.mark.parametrize("beginning", [b":", b"foo: ", b" data: ", b"x"], ids=repr)
@pytest.mark.parametrize("utf8", ["replace", "strict"])
def test_64_mib_that_is_ignored_retains_nothing(beginning: bytes, utf8: Any) -> None:
    """An ignored line of 64 MiB, without a line limit, never needs 4 MiB at once, and leaves less than one."""
    chunk = ("é中😀x" * 6554).encode()  # about 64 KiB, every size of character
    parser = EventStreamParser(utf8=utf8, max_line=None)

    def work() -> None:
        parser.feed(b"data: a\n" + beginning)
        for _ in range(64 * MIB // len(chunk) + 1):
            assert parser.feed(chunk) == []

    assert peak_of(work) < 4 * MIB
    assert left_by(lambda: feed_all(parser, [chunk] * 100) and None) < MIB
    assert parser.offset > 64 * MIB
    assert parser.feed(b"\n\n") == [("message", "a", "")]


def test_blank_lines_and_comments_retain_nothing() -> None:
    """Keepalives for ever leave nothing behind."""
    parser = EventStreamParser(max_line=None)
    chunk = b": keepalive\n\n" * 1000
    parser.feed(chunk)
    assert peak_of(lambda: feed_all(parser, [chunk] * 100)) < 40 * len(chunk)
    assert left_by(lambda: feed_all(parser, [chunk] * 100) and None) < 4 * len(chunk)


@pytest.mark.parametrize(
    "block", [b"data: x\n\n", b"data: x\r\n\r\n", b"event: e\ndata: x\n\n", b"id: 5\n\n"], ids=repr
)
def test_events_given_are_not_kept(block: bytes) -> None:
    """A long stream leaves no more than its latest chunk behind."""
    parser = EventStreamParser()
    chunk = block * 500
    parser.feed(chunk)

    def work() -> None:
        for _ in range(60):
            parser.feed(chunk)

    assert left_by(work) < 4 * len(chunk) + 16 * KIB


# -- empty data lines


@pytest.mark.parametrize(
    ("line", "unit", "size"),
    [(b"data:\n", "bytes", 10**7), (b"data\n", "utf16", 1000), (b"data: \r\n", "code_points", 4096)],
    ids=repr,
)
def test_65537_empty_data_lines_pass_and_one_more_fails(line: bytes, unit: Any, size: int) -> None:
    """65,537 empty lines are joined by 65,536 separators."""
    n = 65_536
    stream = line * (n + 1)
    parser = EventStreamParser(max_event=Limit(n, unit))
    assert feed_all(parser, pieces(stream, size)) == 0
    (event,) = parser.feed(b"\n")
    assert event.data == "\n" * n

    parser = EventStreamParser(max_event=Limit(n, unit))
    assert feed_all(parser, pieces(stream, size)) == 0
    with pytest.raises(LimitExceeded) as raised:
        feed_all(parser, pieces(line, 1))
    assert (str(raised.value.code), raised.value.offset) == (
        "event_size_limit",
        len(stream) + 4,
    )  # its colon, or its end
    assert raised.value.events == ()


def test_empty_data_lines_cannot_grow_memory() -> None:
    """Up to the limit each costs a few machine words at most; then the stream is refused."""
    parser = EventStreamParser(max_event=Limit(10_000, "utf16"))

    def work() -> None:
        with pytest.raises(LimitExceeded) as raised:
            feed_all(parser, endless(b"", b"data:\n" * 1000))
        assert raised.value.offset == 10_001 * 6 + 4

    assert peak_of(work) < 10_001 * 64 + 128 * KIB


def pieces(stream: bytes, size: int) -> Iterator[bytes]:
    return (stream[at : at + size] for at in range(0, len(stream), size))


# -- many tiny chunks


@pytest.mark.parametrize("beginning", [b"data: ", b":", b"foo", b"event: ", b"id: "], ids=repr)
def test_long_line_in_tiny_chunks_is_held_once(beginning: bytes) -> None:
    """A line of 1 MiB that arrives in pieces of 16 bytes never needs more than a few times its size."""
    size = MIB
    parser = EventStreamParser()
    parser.feed(beginning)
    chunk = b"x" * 16

    def work() -> None:
        for _ in range(size // 16):
            parser.feed(chunk)
        parser.feed(b"\n\n")

    assert peak_of(work) < 6 * size


@pytest.mark.parametrize("chunk", [b"x", b"xyzxyzxyz", "é".encode(), "中文".encode(), b"\xff"], ids=repr)
@pytest.mark.parametrize(
    "beginning", [b"data: ", b": ", b"foo: ", b"event: ", b"data: a\ndata: ", b"data: a\r"], ids=repr
)
def test_tiny_chunks_of_a_line_allocate_a_fixed_amount(beginning: bytes, chunk: bytes) -> None:
    """With 300 KiB of a line behind it, hardly any feed allocates anything near that: no copy of the line each time."""
    parser = EventStreamParser()
    parser.feed(beginning)
    long = chunk * (300 * KIB // len(chunk))
    for piece in pieces(long, 1000):
        parser.feed(piece)
    large = 0
    for _ in range(600):
        large += peak_of_feed(parser, chunk) > 150 * KIB
    assert large <= 2


def peak_of_feed(parser: EventStreamParser, chunk: bytes) -> int:
    return peak_of(lambda: parser.feed(chunk))


@pytest.mark.parametrize("size", [1, 16])
@pytest.mark.parametrize(
    ("beginning", "unit", "end"),
    [
        (b"data: ", b"x" * 48, b"\n\n"),
        (b":", b"x" * 48, b"\n"),
        (b"", b"data:\n" * 8, b"\n"),
        (b"", b"data: x\n\n" * 4 + b"dataxxxxxxx\n", b"\n"),
        (b"", b"event: x\r\ndata: y\r\n\r\n" + b"xx\r\nxx\r\nxx\r\nxx\r\nxx\r\nxx\r\nxx\r\n", b"\r\n"),
        (b"", b":\n" * 24, b"\n"),
        (b"", b"\r" * 48, b"\n"),
        (b"\xef\xbb\xbf", "é中😀".encode() * 6, b"\n\n"),
    ],
    ids=["data", "comment", "empty data", "events", "crlf", "comments", "cr", "characters"],
)
@pytest.mark.parametrize("utf8", ["replace", "strict"])
def test_work_is_linear_in_the_bytes(utf8: Any, beginning: bytes, unit: bytes, end: bytes, size: int) -> None:
    """Four times the stream executes about four times the lines of our code, in the smallest chunks too."""

    def lines_for(times: int) -> int:
        stream = beginning + unit * times + end
        return lines_executed(lambda: feed_all(EventStreamParser(utf8=utf8, max_line=None), pieces(stream, size)))

    few, many = lines_for(30), lines_for(120)
    assert many < 5 * few + 500


@pytest.mark.parametrize("utf8", ["replace", "strict"])
@pytest.mark.parametrize(
    "chunk",
    [b"data: x\n\n" * 50, b":\n" * 200, b"data:\n" * 80, b"x\n" * 200, b"id\n\n" * 100, b"\xff" * 400],
    ids=repr,
)
def test_large_chunks_cost_in_proportion(utf8: Any, chunk: bytes) -> None:
    """One chunk of four times the size executes at most about four times the lines of our code."""

    fine = utf8 == "replace" or b"\xff" not in chunk

    def lines_for(times: int) -> int:
        def work() -> None:
            with nullcontext() if fine else pytest.raises(InvalidUTF8):
                EventStreamParser(utf8=utf8, max_line=None).feed(chunk * times)

        return lines_executed(work)

    few, many = lines_for(20), lines_for(80)
    assert many < 5 * few + 500
