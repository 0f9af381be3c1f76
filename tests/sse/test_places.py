"""Places: where each event ended, and how many bytes were looked at."""

from __future__ import annotations

from typing import Any

import pytest

from recorder.sse import EventStreamParser, Limit

#         0        9   12       21          33             48
PLACES = b"data: a\n\n: c\ndata: b\r\n\r\nevent: e\r\rdata: c\r\rdata\n\n"
ENDS = (9, 23, 43, 49)


def test_event_end_in_every_partition(sse: Any) -> None:
    """Just after the first byte of the blank line's terminator, wherever the chunks are cut."""
    outcome = sse.agreed(PLACES)
    assert [event[1] for event in outcome.events] == ["a", "b", "c", ""]
    assert outcome.ends == ENDS
    assert outcome.consumed == 49


def test_event_end_with_a_byte_order_mark(sse: Any) -> None:
    """The mark's three bytes are counted."""
    outcome = sse.agreed(b"\xef\xbb\xbf" + PLACES)
    assert outcome.ends == (12, 26, 46, 52)
    assert outcome.consumed == 52


@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
def test_event_end_of_each_line_end(sse: Any, line_end: bytes) -> None:
    """CRLF's CR dispatches; its LF comes after the event's end."""
    one = b"data: a" + line_end + line_end
    first = 7 + len(line_end) + 1
    assert sse.agreed(one * 3).ends == (first, first + len(one), first + 2 * len(one))


def test_event_end_before_a_fault(sse: Any) -> None:
    """The events that a fault carries have their places too; the offset is after the byte that made it certain."""
    outcome = sse.agreed(b"data: a\n\ndata: b\r\n\r\ndata: \xe4\xb8\n\n", utf8="strict")
    assert outcome.ends == (9, 19)
    assert outcome.fault == ("InvalidUTF8", "invalid_utf8", 26)
    assert outcome.consumed == 29


def test_event_end_of_no_such_event() -> None:
    """IndexError, for the latest feed only."""
    parser = EventStreamParser()
    with pytest.raises(IndexError):
        parser.event_end(0)
    parser.feed(b"data: a\n\ndata: b\n\n")
    assert (parser.event_end(0), parser.event_end(1)) == (9, 18)
    for index in (2, -1, 100):
        with pytest.raises(IndexError):
            parser.event_end(index)


@pytest.mark.parametrize("chunk", [b"data: c", b"", b"\n", b"id: 5\n\n"], ids=repr)
def test_event_end_is_about_the_latest_feed(chunk: bytes) -> None:
    """A feed that gives no event has none whose end could be asked for."""
    parser = EventStreamParser()
    parser.feed(b"data: a\n\n")
    assert parser.feed(chunk) == []
    with pytest.raises(IndexError):
        parser.event_end(0)


def test_offset_counts_every_byte_fed(sse: Any) -> None:
    """After each byte of a stream the offset is how many there were."""
    stream = b"\xef\xbb\xbf" + PLACES + "data: é".encode()
    parser = EventStreamParser()
    seen = []
    for at in range(len(stream)):
        parser.feed(stream[at : at + 1])
        seen.append(parser.offset)
    assert seen == list(range(1, len(stream) + 1))


@pytest.mark.parametrize(
    ("options", "stream", "fault", "offset"),
    [
        ({"max_line": 7}, b"data: ab\n", 7, 8),
        ({"max_line": Limit(6, "code_points")}, "data: 😀".encode(), 6, 10),
        ({"max_bytes": 5}, b"data: ab\n", 5, 6),
        ({"max_events": 0}, b"data: a\n\n", 8, 9),
        ({"utf8": "strict"}, b"data: \xe4\xb8x", 6, 9),
        ({"utf8": "strict"}, b"data: \xe4\xb8", 6, 8),
    ],
    ids=str,
)
def test_offset_after_a_fault(sse: Any, options: dict[str, Any], stream: bytes, fault: int, offset: int) -> None:
    """It is after the byte that made the fault certain, in every partition."""
    outcome = sse.agreed(stream, **options)
    assert outcome.fault[2] == fault
    assert outcome.consumed == offset
