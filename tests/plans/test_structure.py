"""Lines, blocks and events: by hand, and against the parser for any bytes."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recorder.plans._structure import Block, Line, data_of, event_ends, line_ends, own_line_end, structure
from recorder.sse import EventStreamParser

PARTS = [
    b"data",
    b":",
    b" ",
    b"1",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b"\xef\xbb\xbf",
    b"event",
    b"id",
    b"x",
    b"\xff",
]
bodies = st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)


def test_a_structure_by_hand() -> None:
    """A byte order mark, a comment-only block, an event of two data lines, a block that nothing ends."""
    found = structure(b"\xef\xbb\xbf: a\r\n\r\nid:1\rdata: x\rdata\r\rdata: y")
    comment = Line(3, 6, 8)
    number, first, second, last = Line(10, 14, 15), Line(15, 22, 23), Line(23, 27, 28), Line(29, 36, 36)
    assert found.text == 3
    assert found.lines == (comment, Line(8, 8, 10), number, first, second, Line(28, 28, 29), last)
    event = Block(10, 29, (number, first, second), (first, second), True)
    assert found.blocks == (Block(3, 10, (comment,), (), False), event, Block(29, 36, (last,), (last,), False))
    assert found.events == (event,)


def test_the_data_of_a_block() -> None:
    """One space goes, the rest stays; lines are joined with LF."""
    body = b"data: a \ndata:  b\ndata:\ndata\ndata:c:d\nevent: e\n\n"
    assert data_of(body, structure(body).events[0]) == b"a \n b\n\n\nc:d"


def test_the_stream_s_own_line_end() -> None:
    """The first there is."""
    assert [own_line_end(body) for body in (b"a\r\nb\n", b"a\rb\n", b"a\nb\r\n", b"a\r", b"a", b"")] == [
        b"\r\n", b"\r", b"\n", b"\r", b"\n", b"\n",
    ]  # fmt: skip


def test_where_lines_end() -> None:
    """After their terminators; the last may have none, and an empty body has no line."""
    assert line_ends(b"a\r\n\rb\n\nc") == (3, 4, 6, 7, 8)
    assert line_ends(b"") == ()
    assert line_ends(b"\xef\xbb\xbf") == ()


@settings(deadline=None)
@given(bodies)
@example(b"\xef\xbb\xbf\n\ndata\r\n\r")
def test_it_finds_the_events_the_parser_dispatches(body: bytes) -> None:
    """The same number with the same data, each complete exactly at the end of its block."""
    found = structure(body).events
    dispatched = EventStreamParser().feed(body)
    assert [data_of(body, event).decode("utf-8", "replace") for event in found] == [event.data for event in dispatched]
    for number, stop in enumerate(event_ends(body), 1):
        assert len(EventStreamParser().feed(body[:stop])) == number
        before = 2 if body[stop - 2 : stop] == b"\r\n" else 1
        assert len(EventStreamParser().feed(body[: stop - before])) == number - 1


@settings(deadline=None)
@given(bodies)
def test_lines_and_blocks_cover_the_text(body: bytes) -> None:
    """Lines follow one another without gap; a block is lines and the blank one that ends it."""
    found = structure(body)
    assert [line.start for line in found.lines] == [*([found.text] if found.lines else []), *line_ends(body)[:-1]]
    assert (found.lines[-1].stop if found.lines else found.text) == len(body)
    said = [line for line in found.lines if line.start < line.end]
    assert [line for block in found.blocks for line in block.lines] == said
