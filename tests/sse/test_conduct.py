"""How the parser behaves towards its caller: twins, chunk types, misuse, faults, places."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from recorder.errors import FaultCode, InvalidUTF8, LimitExceeded, StreamFault
from recorder.sse import Event, EventStreamParser, Limit, aiter_events, iter_events

MARKER = "sk-planted-Zebra"


async def achunks(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


def feed_all(parser: EventStreamParser, stream: bytes, size: int) -> None:
    for at in range(0, len(stream), size):
        parser.feed(stream[at : at + size])


def collect_sync(chunks: list[bytes], **options: Any) -> tuple[list[tuple[str, ...]], StreamFault | None]:
    events: list[tuple[str, ...]] = []
    try:
        for event in iter_events(chunks, **options):
            events.append(tuple(event))
    except StreamFault as fault:
        return events, fault
    return events, None


def collect_async(chunks: list[bytes], **options: Any) -> tuple[list[tuple[str, ...]], StreamFault | None]:
    async def collect() -> tuple[list[tuple[str, ...]], StreamFault | None]:
        events: list[tuple[str, ...]] = []
        try:
            async for event in aiter_events(achunks(chunks), **options):
                events.append(tuple(event))
        except StreamFault as fault:
            return events, fault
        return events, None

    return asyncio.run(collect())


twins = pytest.mark.parametrize("collect", [collect_sync, collect_async], ids=["iter_events", "aiter_events"])
Collect = Callable[..., tuple[list[tuple[str, ...]], StreamFault | None]]


# -- the twins


@twins
def test_twins_give_events_in_order(collect: Collect) -> None:
    """Events of several chunks, and none of an unfinished block."""
    chunks = [b"data: a\n\ndata: b\n", b"\nid: 1\nevent: e\nda", b"ta: c\n\ndata: lost\n"]
    assert collect(chunks) == ([("message", "a", ""), ("message", "b", ""), ("e", "c", "1")], None)


@twins
@pytest.mark.parametrize("size", [1, 4, 100])
def test_twins_give_events_before_a_fault(collect: Collect, size: int) -> None:
    """What was complete before the fault is given first, then the fault is raised."""
    stream = b"data: a\n\ndata: b\n\ndata: \xff\n\ndata: c\n\n"
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    events, fault = collect(chunks, utf8="strict")
    assert events == [("message", "a", ""), ("message", "b", "")]
    assert isinstance(fault, InvalidUTF8)
    assert (fault.code, fault.offset) == (FaultCode.INVALID_UTF8, 24)


@twins
def test_twins_raise_what_the_end_makes_certain(collect: Collect) -> None:
    """A code point cut short by the end is a fault after the last event."""
    events, fault = collect([b"data: a\n\n", b"data: \xe4\xb8"], utf8="strict")
    assert events == [("message", "a", "")]
    assert fault is not None
    assert (fault.code, fault.offset) == (FaultCode.INVALID_UTF8, 15)


@twins
def test_twins_pass_options(collect: Collect) -> None:
    """Comments and limits work as on the parser."""
    comments: list[str] = []
    events, fault = collect([b": c\n\ndata: a\n\ndata: b\n\n"], max_events=1, on_comment=comments.append)
    assert events == [("message", "a", "")]
    assert comments == [" c"]
    assert fault is not None
    assert (fault.code, fault.offset) == (FaultCode.EVENT_COUNT_LIMIT, 22)


@twins
def test_twins_take_no_chunks(collect: Collect) -> None:
    """An empty source and empty chunks give nothing."""
    assert collect([]) == ([], None)
    assert collect([b"", b""]) == ([], None)


@twins
def test_twins_refuse_a_wrong_chunk(collect: Collect) -> None:
    """Text is not bytes."""
    with pytest.raises(TypeError, match="str"):
        collect(["data: a\n\n"])


def test_twins_check_options_at_the_call() -> None:
    """A wrong option raises before anything is iterated."""
    with pytest.raises(ValueError, match="ignore"):
        iter_events([], utf8="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ignore"):
        aiter_events(achunks([]), utf8="ignore")  # type: ignore[arg-type]


def test_iter_events_is_lazy() -> None:
    """The next chunk is asked for only when the last one's events are used up."""
    asked: list[int] = []

    def source() -> Iterator[bytes]:
        for number in range(3):
            asked.append(number)
            yield b"data: a\n\ndata: b\n\n"

    events = iter_events(source())
    assert asked == []
    assert [next(events).data for _ in range(2)] == ["a", "b"]
    assert asked == [0]
    next(events)
    assert asked == [0, 1]


def test_iter_events_does_not_wait_for_the_lf_of_a_crlf() -> None:
    """A block ended by CR CR is there at the second CR."""

    def source() -> Iterator[bytes]:
        yield b"data: a\r\r"
        raise AssertionError("asked for more")

    assert next(iter_events(source())) == ("message", "a", "")


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), TimeoutError(), KeyboardInterrupt()], ids=repr)
def test_iter_events_passes_the_sources_error(error: BaseException) -> None:
    """What the source raises comes through as it is, after the events before it."""

    def source() -> Iterator[bytes]:
        yield b"data: a\n\ndata: lost\n"
        raise error

    events: list[Event] = []
    with pytest.raises(type(error)) as raised:
        events.extend(iter_events(source()))
    assert raised.value is error
    events_again = iter_events(source())
    assert next(events_again).data == "a"


# -- when events come


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\n\r", b"\r\n\r", b"\r\n\n"], ids=repr)
def test_dispatched_at_the_first_byte_that_ends_the_block(end: bytes) -> None:
    """Byte by byte the event comes with the last byte of its end, not one byte later."""
    parser = EventStreamParser()
    stream = b"data: a" + end
    given = [parser.feed(stream[at : at + 1]) for at in range(len(stream))]
    assert given == [[]] * (len(stream) - 1) + [[("message", "a", "")]]


def test_a_line_feed_after_the_dispatching_cr_belongs_to_it() -> None:
    """CR CR LF in three chunks is one blank line; the next block is not cut by it."""
    parser = EventStreamParser()
    assert parser.feed(b"data: a\r\r") == [("message", "a", "")]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"data: b\r\r") == [("message", "b", "")]
    assert parser.feed(b"\ndata: c\r\n\r") == [("message", "c", "")]
    assert parser.feed(b"\n\r\n") == []


def test_comment_is_told_when_its_line_ends() -> None:
    """Not before, and not at the block's end."""
    told: list[str] = []
    parser = EventStreamParser(on_comment=told.append)
    parser.feed(b"data: a\n:one")
    assert told == []
    parser.feed(b"\r")
    assert told == ["one"]
    parser.feed(b"\n:two\n")
    assert told == ["one", "two"]


def test_comments_and_events_come_in_the_streams_order() -> None:
    """A comment after an event in the same chunk is still told within that feed."""
    told: list[str] = []
    parser = EventStreamParser(on_comment=told.append)
    assert parser.feed(b":a\ndata: 1\n\n:b\ndata: 2\n\n:c\n:d") == [("message", "1", ""), ("message", "2", "")]
    assert told == ["a", "b", "c"]


def test_properties_while_the_stream_runs() -> None:
    """The reconnection time counts from its line's end, the last event ID from its block's."""
    parser = EventStreamParser()
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("", None, 0)
    parser.feed(b"id: 1\nretry: 25")
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("", None, 15)
    parser.feed(b"\n")
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("", 25, 16)
    parser.feed(b"\n")
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("1", 25, 17)
    parser.feed(b"id: 2\n")
    parser.close()
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("1", 25, 23)


# -- chunks


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: memoryview(bytearray(data))])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_takes_every_kind_of_bytes(kind: Callable[[bytes], Any], size: int) -> None:
    """bytes, bytearray and memoryview give the same."""
    stream = "event: é\ndata: 中😀\r\n\r\ndata: x\n\n".encode()
    parser = EventStreamParser()
    events = [event for at in range(0, len(stream), size) for event in parser.feed(kind(stream[at : at + size]))]
    assert events == [("é", "中😀", ""), ("message", "x", "")]
    with_iterator = iter_events([kind(stream[at : at + size]) for at in range(0, len(stream), size)])
    assert list(with_iterator) == events


def test_takes_a_strided_memoryview() -> None:
    """A view with gaps is read as its own bytes."""
    assert EventStreamParser().feed(memoryview(b"d.a.t.a.:.x.\n.\n.")[::2]) == [("message", "x", "")]


def test_takes_a_subclass_of_bytes() -> None:
    """A bytes subclass is bytes, whatever it overrides."""

    class Odd(bytes):
        def __contains__(self, _item: object) -> bool:
            return False

    assert EventStreamParser().feed(Odd(b"data: x\n\n")) == [("message", "x", "")]


def test_does_not_keep_the_callers_buffer() -> None:
    """A buffer that is filled again does not change what was fed, nor stays locked."""
    parser = EventStreamParser()
    buffer = bytearray(b"data: one")
    parser.feed(buffer)
    parser.feed(memoryview(buffer)[:0])
    buffer[:] = b"XXXXXXXXXXXXXXXX"
    assert parser.feed(b"\n\n") == [("message", "one", "")]


@pytest.mark.parametrize("wrong", ["data: x\n\n", None, 5, ["data"], [1, 2]], ids=repr)
def test_refuses_what_is_not_bytes(wrong: Any) -> None:
    """TypeError names the type, not the value; the parser is as before."""
    parser = EventStreamParser()
    parser.feed(b"data: a\n")
    with pytest.raises(TypeError, match=type(wrong).__name__):
        parser.feed(wrong)
    assert parser.feed(b"\n") == [("message", "a", "")]


def test_text_is_not_echoed() -> None:
    """The error about a text chunk does not carry the text."""
    with pytest.raises(TypeError) as raised:
        EventStreamParser().feed(MARKER)  # type: ignore[arg-type]
    assert MARKER not in str(raised.value)


def test_events_are_named_tuples() -> None:
    """An event has names and equals a tuple."""
    (event,) = EventStreamParser().feed(b"event: e\nid: 1\ndata: d\n\n")
    assert isinstance(event, Event)
    assert (event.type, event.data, event.last_event_id) == tuple(event) == ("e", "d", "1")


def test_parsers_are_independent() -> None:
    """Two parsers share nothing."""
    one, other = EventStreamParser(), EventStreamParser()
    one.feed(b"id: 1\nevent: a\ndata: x\n")
    assert other.feed(b"data: y\n\n") == [("message", "y", "")]
    assert one.feed(b"\n") == [("a", "x", "1")]
    assert other.last_event_id == ""


# -- the end


@pytest.mark.parametrize("before", [b"", b"data: a\n\n", b"data: a\n", b"data: a\r\r", b"da", b"\xef\xbb"], ids=repr)
def test_no_feed_after_close(before: bytes) -> None:
    """RuntimeError, for an empty chunk with a line end or without one."""
    parser = EventStreamParser()
    parser.feed(before)
    parser.close()
    for chunk in (b"data: a\n\n", b"x", b"\n"):
        with pytest.raises(RuntimeError, match="close"):
            parser.feed(chunk)


def test_close_twice_does_nothing() -> None:
    """The second close neither raises nor changes anything."""
    parser = EventStreamParser()
    parser.feed(b"id: 1\ndata: a\n\nretry: 5\n")
    parser.close()
    parser.close()
    assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("1", 5, 24)


# -- faults

FAULTS: list[tuple[str, dict[str, Any], bytes, str, int]] = [
    ("invalid_utf8", {"utf8": "strict"}, b"data: \xff", "InvalidUTF8", 15),
    ("line_limit", {"max_line": 7}, b"data: ab", "LimitExceeded", 16),
    ("event_size_limit", {"max_event": 1}, b"data: ab", "LimitExceeded", 16),
    ("event_name_limit", {"max_event_name": 1}, b"event: ab", "LimitExceeded", 17),
    ("event_count_limit", {"max_events": 1}, b"data: b\n\n", "LimitExceeded", 17),
    ("byte_limit", {"max_bytes": 12}, b"data: b\n\n", "LimitExceeded", 12),
]
faults = pytest.mark.parametrize(("code", "options", "after", "kind", "offset"), FAULTS, ids=[one[0] for one in FAULTS])


@faults
@pytest.mark.parametrize("exact", [False, True])
def test_stays_refused(exact: bool, code: str, options: dict[str, Any], after: bytes, kind: str, offset: int) -> None:
    """The fault comes at once with the events before it; every later call raises the same without events."""
    made = type("Made", (EventStreamParser,), {"_shortcuts": not exact, "__slots__": ()})
    parser = made(**options)
    with pytest.raises(StreamFault) as raised:
        parser.feed(b"data: a\n\n" + after + b"\n\ndata: c\n\n")
    first = raised.value
    assert (type(first).__name__, str(first.code), first.offset) == (kind, code, offset)
    assert first.events == (("message", "a", ""),)
    for again in (lambda: parser.feed(b"data: d\n\n"), lambda: parser.feed(b"x"), lambda: parser.close()):
        with pytest.raises(StreamFault) as raised:
            again()
        assert (type(raised.value), raised.value.code, raised.value.offset) == (type(first), first.code, offset)
        assert raised.value.events == ()


@faults
def test_events_of_earlier_calls_are_not_told_again(
    code: str, options: dict[str, Any], after: bytes, kind: str, offset: int
) -> None:
    """A fault carries the events of its own call only."""
    parser = EventStreamParser(**options)
    assert parser.feed(b"data: a\n\n") == [("message", "a", "")]
    with pytest.raises(StreamFault) as raised:
        parser.feed(after)
    assert (str(raised.value.code), raised.value.offset, raised.value.events) == (code, offset, ())


def test_refused_at_close_stays_refused() -> None:
    """A fault from close is raised again by close and feed."""
    parser = EventStreamParser(utf8="strict")
    parser.feed(b"data: a\n\n\xe4\xb8")
    for call in (parser.close, parser.close, lambda: parser.feed(b"\xad")):
        with pytest.raises(InvalidUTF8) as raised:
            call()
        assert (raised.value.offset, raised.value.events) == (9, ())


@pytest.mark.parametrize("end", [b"\n", b"a", b"\x80", b"\xed"], ids=repr)
def test_surrogate_is_refused_at_its_second_byte(end: bytes) -> None:
    """No code point begins ED A0 (table 3-7): the second byte makes it certain; a third is not waited for."""
    parser = EventStreamParser(utf8="strict")
    parser.feed(b"data: \xed")
    with pytest.raises(InvalidUTF8) as raised:
        parser.feed(b"\xa0")
    assert raised.value.offset == 6
    whole = EventStreamParser(utf8="strict")
    with pytest.raises(InvalidUTF8) as raised:
        whole.feed(b"data: \xed\xa0" + end)
    assert (raised.value.offset, whole.offset) == (6, 8)


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(
    "options",
    [
        {"utf8": "strict"},
        {"max_line": 30},
        {"max_event": 20},
        {"max_event_name": 3},
        {"max_events": 1},
        {"max_bytes": 100},
        {"max_line": Limit(30, "code_points")},
        {"max_event": Limit(20, "utf16", 1)},
    ],
    ids=str,
)
def test_faults_carry_no_content(options: dict[str, Any], size: int) -> None:
    """Neither str, repr, args, pickle nor the chain of causes shows any of the stream."""
    text = MARKER.encode()
    stream = b"data: " + text + b"\n\nid: " + text + b"\nevent: " + text + b"\ndata: " + text * 2
    stream += b"\n\n: " + text * 3 + b"\xff" + text
    parser = EventStreamParser(**options)
    with pytest.raises(StreamFault) as raised:
        feed_all(parser, stream, size)
    fault = raised.value
    shown = [
        str(fault),
        repr(fault),
        repr(fault.args),
        repr(pickle.dumps(fault)),
        repr(parser),
        repr(vars(fault)["what"]),
    ]
    cause: BaseException | None = fault
    while cause := (cause.__cause__ or cause.__context__):
        shown += [str(cause), repr(cause)]
    assert [one for one in shown if "planted" in one] == []
    copy = pickle.loads(pickle.dumps(fault))
    assert (type(copy), copy.code, copy.offset, copy.events) == (type(fault), fault.code, fault.offset, ())
    assert str(fault.offset) in str(fault)
    assert str(fault.code) in str(fault)


# -- what on_comment raises


@pytest.mark.parametrize("size", [1, 4, 100])
def test_what_on_comment_raises_passes_through(size: int) -> None:
    """The caller's exception comes out as it is, and the parser cannot be used any more."""
    error = LookupError("mine")

    def refuse(_comment: str) -> None:
        raise error

    parser = EventStreamParser(on_comment=refuse)
    stream = b"data: a\n\n: c\n\ndata: b\n\n"
    with pytest.raises(LookupError) as raised:
        feed_all(parser, stream, size)
    assert raised.value is error
    with pytest.raises(RuntimeError):
        parser.feed(b"data: d\n\n")
    with pytest.raises(RuntimeError):
        parser.feed(b"x")


def test_on_comment_must_not_feed() -> None:
    """A parser that is busy says so."""
    parser: EventStreamParser

    def again(_comment: str) -> None:
        parser.feed(b"data: x\n\n")

    parser = EventStreamParser(on_comment=again)
    with pytest.raises(RuntimeError, match="on_comment"):
        parser.feed(b": c\n")


def test_faults_are_of_two_classes() -> None:
    """Both are StreamFault; a limit is not bad UTF-8."""
    assert issubclass(InvalidUTF8, StreamFault)
    assert issubclass(LimitExceeded, StreamFault)
    assert not issubclass(InvalidUTF8, LimitExceeded)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_whole_body_is_one_chunk(kind: Callable[[bytes], bytes]) -> None:
    """As `read` takes it; iterating over bytes would give numbers."""
    body = kind(b"data: a\n\ndata: b\n\n")

    async def gathered() -> list[Event]:
        return [event async for event in aiter_events(body)]

    assert [event.data for event in iter_events(body)] == ["a", "b"]
    assert [event.data for event in asyncio.run(gathered())] == ["a", "b"]
