"""What each edit does to the bytes, and to the chunks and times that were recorded."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recorder.cassette import Interaction
from recorder.plans import Plan, edited_body, percent_encoded
from recorder.sse import EventStreamParser

Brief = Callable[[str, Interaction], list[object]]
Stream = Callable[..., Interaction]


def edited(edits: str, body: bytes) -> bytes:
    return edited_body(Plan.parse(f"edit={edits}"), Interaction.from_body(body))


MIXED = b"data: 1\n\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n\r\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("lf", b"data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n"),
        ("crlf", b"data: 1\r\n\r\ndata: 2\r\n\r\ndata: 3\r\n\r\ndata: 4\r\n\r\n"),
        ("cr", b"data: 1\r\rdata: 2\r\rdata: 3\r\rdata: 4\r\r"),
        ("cr,crlf,lf", b"data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n"),
    ],
)
def test_line_ends(edit: str, expected: bytes) -> None:
    """Every line end becomes the one that is named, wherever it stands."""
    assert edited(edit, MIXED) == expected
    assert edited(edit, b"no line end") == b"no line end"
    assert edited(edit, b"") == b""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: 1\n\n", b"\xef\xbb\xbfdata: 1\n\n"),
        (b"\xef\xbb\xbfdata: 1\n\n", b"\xef\xbb\xbfdata: 1\n\n"),
        (b"\xef\xbbdata: 1\n\n", b"\xef\xbb\xbf\xef\xbbdata: 1\n\n"),
        (b"", b"\xef\xbb\xbf"),
    ],
)
def test_bom(body: bytes, expected: bytes) -> None:
    """One, however often it is asked for."""
    assert edited("bom", body) == expected
    assert edited("bom,bom", body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: 1\n\n", b"data:1\n\n"),
        (b"event: a\nid: 7\nretry: 3\nother: x\ndata: b\n\n", b"event:a\nid:7\nretry:3\nother:x\ndata:b\n\n"),
        (b"data:1\n\n", b"data:1\n\n"),
        (b"data:  1\n\n", b"data:  1\n\n"),
        (b"data: \n\n", b"data:\n\n"),
        (b"data:  \n\n", b"data:  \n\n"),
        (b"data: \t1\n\n", b"data:\t1\n\n"),
        (b"data\n\n", b"data\n\n"),
        (b": hi\n\n:  hi\n\n", b": hi\n\n:  hi\n\n"),
        (b"data: a: b\n\n", b"data:a: b\n\n"),
        (b"data: a\r\n\r\ndata: b\r\r", b"data:a\r\n\r\ndata:b\r\r"),
        (b"\xef\xbb\xbfdata: 1\n\n", b"\xef\xbb\xbfdata:1\n\n"),
        (b"\xef\xbb\xbf: hi\n\n", b"\xef\xbb\xbf: hi\n\n"),
        (b"data: 1", b"data:1"),
        (b"data:\n data: 2\n\n", b"data:\n data:2\n\n"),
        (b"data:\r\n \n\n", b"data:\r\n \n\n"),
    ],
)
def test_nospace(body: bytes, expected: bytes) -> None:
    """The optional space goes, where the value keeps what it is; comments stay."""
    assert edited("nospace", body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'data: {"a":1,"b":2}\n\n', b'data: {"a":1,\ndata: "b":2}\n\n'),
        (b'data: {"a": 1, "b": 2}\n\n', b'data: {"a": 1,\ndata:  "b": 2}\n\n'),
        (b'data:[1,"x,y",[2,3]]\n\n', b'data:[1,\ndata: "x,y",\ndata: [2,\ndata: 3]]\n\n'),
        (b'data: {"a":"q\\",","b":"\\\\",  "c":0}\n\n', b'data: {"a":"q\\",",\ndata: "b":"\\\\",\ndata:   "c":0}\n\n'),
        (b'data: {"a":1,"b":2}\r\n\r\n', b'data: {"a":1,\r\ndata: "b":2}\r\n\r\n'),
        (b'data: {"a":1,"b":2}\r\r', b'data: {"a":1,\rdata: "b":2}\r\r'),
        # the line end is the stream's first, whatever comes later
        (b': c\r\rdata: {"a":1,"b":2}\n\n', b': c\r\rdata: {"a":1,\rdata: "b":2}\n\n'),
        # several lines already, one ending in a comma
        (b'data: {"a":1,\ndata: "b":2,"c":3}\n\n', b'data: {"a":1,\ndata: "b":2,\ndata: "c":3}\n\n'),
        (b'event: x\ndata: [1,2]\nid: 1,2\n\n', b'event: x\ndata: [1,\ndata: 2]\nid: 1,2\n\n'),
        ('data: {"é,":"你,","x":1}\n\n'.encode(), 'data: {"é,":"你,",\ndata: "x":1}\n\n'.encode()),
    ],
)  # fmt: skip
def test_multiline(body: bytes, expected: bytes) -> None:
    """A line feed where JSON has room for one: after a comma outside strings."""
    assert edited("multiline", body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"data: [DONE]\n\n",
        b"data: {hello, world}\n\n",
        b'data: {"a":1,"b"\n\n',
        b'data: "a,b"\n\n',
        b"data: 1,2\n\n",
        b"data: {}\n\n",
        b'data: {"a":1,"b":2}\n',  # not ended, so no event
        b': {"a":1,"b":2}\n\n',
        b'id: {"a":1,"b":2}\n\n',
        b"data: " + b"[" * 100_000 + b",\n\n",
    ],
)
def test_multiline_leaves_the_rest(body: bytes) -> None:
    """Data that is no JSON object or array, events that are none, other fields."""
    assert edited("multiline", body) == body


C = b": keep-alive\n\n"


@pytest.mark.parametrize(
    ("edit", "body", "expected"),
    [
        ("comments", b"data: 1\n\ndata: 2\n\n", C + b"data: 1\n\n" + C + b"data: 2\n\n"),
        ("comments:2", b"data: 1\n\n" * 4, (b"data: 1\n\n" + C + b"data: 1\n\n") * 2),
        ("comments:3", b"data: 1\n\n" * 2, b"data: 1\n\n" * 2),
        ("comments", b"data: 1\r\n\r\n", b": keep-alive\r\n\r\ndata: 1\r\n\r\n"),
        ("comments", b"data: 1\r\r", b": keep-alive\r\rdata: 1\r\r"),
        ("comments", b"\xef\xbb\xbfdata: 1\n\n", b"\xef\xbb\xbf" + C + b"data: 1\n\n"),
        ("comments", b": a\n\n: b\ndata: 1\n\n", b": a\n\n" + C + b": b\ndata: 1\n\n"),
        ("comments", b"id: 1\n\ndata: 1", b"id: 1\n\ndata: 1"),
    ],
)
def test_comments(edit: str, body: bytes, expected: bytes) -> None:
    """A block of its own before every N-th event, in the stream's line ends, after a byte order mark."""
    assert edited(edit, body) == expected


EVENTS = b": a\n\ndata: 1\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("drop@event:1", b": a\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"),
        ("drop@event:2", b": a\n\ndata: 1\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"),
        ("drop@event:3", b": a\n\ndata: 1\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\n\n"),
        ("drop@event:-1", b": a\n\ndata: 1\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\n\n"),
        ("drop@event:-3", b": a\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"),
        ("drop@event:1,drop@event:1,drop@event:1", b": a\n\n: c\n\nid: 1\n\n\n"),
        ("dup@event:1", b": a\n\ndata: 1\n\ndata: 1\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"),
        ("dup@event:-2", b": a\n\ndata: 1\n\n: b\ndata: 2\n\n: b\ndata: 2\n\n: c\n\nid: 1\n\ndata: 3\n\n\n"),
        ("dup@event:1,drop@event:2", EVENTS),
    ],
)
def test_drop_and_dup(edit: str, expected: bytes) -> None:
    """A whole block, the comment lines in it too; comment-only blocks, others and extra blank lines stay."""
    assert edited(edit, EVENTS) == expected


@pytest.mark.parametrize(
    ("body", "edit", "expected"),
    [
        (b"\xef\xbb\xbfdata: 1\n\ndata: 2\n\n", "drop@event:1", b"\xef\xbb\xbfdata: 2\n\n"),
        (b"\xef\xbb\xbfdata: 1\r\n\r\n", "dup@event:1", b"\xef\xbb\xbfdata: 1\r\n\r\ndata: 1\r\n\r\n"),
        (b"data: 1\r\rdata: 2\r\n\r\n", "dup@event:1", b"data: 1\r\rdata: 1\r\rdata: 2\r\n\r\n"),
        (b"data: 1\n\ndata: 2", "drop@event:-1", b"data: 2"),
    ],
)
def test_drop_and_dup_at_the_edges(body: bytes, edit: str, expected: bytes) -> None:
    """A byte order mark stays where it is, line ends are the block's own, an unfinished block is no event."""
    assert edited(edit, body) == expected


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("flip@6", b"data: 0\n\n"),
        ("flip@start", b"eata: 1\n\n"),
        ("flip@-1", b"data: 1\n\x0b"),
        ("flip@line:1", b"data: 1\n\x0b"),
        ("flip@6,flip@6", b"data: 1\n\n"),
        ("utf8@6", b"data: \xff1\n\n"),
        ("utf8@0", b"\xffdata: 1\n\n"),
        ("utf8@end", b"data: 1\n\n\xff"),
        ("utf8@6,utf8@6", b"data: \xff\xff1\n\n"),
        ("insert@event:1:%3A ping%0A%0A", b"data: 1\n\n: ping\n\n"),
        ("insert@event:1:: ping%0A%0A", b"data: 1\n\n: ping\n\n"),
        ("insert@6:7:8", b"data: 7:81\n\n"),
        ("insert@-2:%2C%3B%25%c3%A9%00", b"data: 1,;%\xc3\xa9\x00\n\n"),
        ("insert@start:%EF%BB%BF,insert@start:%EF%BB%BF", b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n"),
        ("insert@mid:event:x", b"datax: 1\n\n"),
        # left to right: places mean the body as edited so far
        ("insert@0:abc,insert@3:d", b"abcddata: 1\n\n"),
        ("dup@event:1,insert@event:2:x", b"data: 1\n\ndata: 1\n\nx"),
        ("bom,flip@byte:3", b"\xef\xbb\xbfeata: 1\n\n"),
        ("crlf,insert@mid:crlf:x", b"data: 1\rx\n\r\n"),
        # an encoding leaves the text alone
        ("gzip", b"data: 1\n\n"),
        ("bom,zstd", b"\xef\xbb\xbfdata: 1\n\n"),
    ],
)
def test_bytes_at_a_place(edit: str, expected: bytes) -> None:
    """Changed or inserted, in order."""
    assert edited(edit, b"data: 1\n\n") == expected


def test_any_bytes_can_be_inserted() -> None:
    """As text that every plan can carry."""
    everything = bytes(range(256))
    assert edited(f"insert@3:{percent_encoded(everything)}", b"abcd") == b"abc" + everything + b"d"


PARTS = [b"data", b":", b" ", b"1", b",", b"{", b"}", b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\xef\xbb\xbf", b"\xff"]
PARTS += [b"event: x\n", b"id:7\n", b": hi\n", b'data: {"a":[1,2],"b,":", "}', b"data: [DONE]", b"retry: 5\r"]
HARMLESS = ["lf", "crlf", "cr", "bom", "nospace", "comments", "comments:2", "multiline"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=25).map(b"".join), st.lists(st.sampled_from(HARMLESS), max_size=4))
@example(b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n", ["bom", "comments"])
@example(b"data: 1\r\n\r\n\r\ndata: 2\r\r", ["cr", "comments", "lf"])
def test_harmless_edits_change_no_event(body: bytes, edits: list[str]) -> None:
    """Whatever the bytes: the parser dispatches the same events, JSON apart from its white space."""
    changed = edited_body(Plan(edits=tuple(edits)), Interaction.from_body(body))
    before, after = EventStreamParser(), EventStreamParser()
    expected, found = before.feed(body), after.feed(changed)
    assert len(found) == len(expected)
    for old, new in zip(expected, found, strict=True):
        assert (old.type, old.last_event_id) == (new.type, new.last_event_id)
        assert new.data == old.data or json.loads(new.data) == json.loads(old.data)
    assert before.reconnection_time == after.reconnection_time


A, B = b"data: 1\n\n", b"data: 2\n\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("crlf", [0.5, b"data: 1\r\n\r\n", 0.25, b"data: 2\r\n\r\n"]),
        ("cr", [0.5, b"data: 1\r\r", 0.25, b"data: 2\r\r"]),
        ("bom", [0.5, b"\xef\xbb\xbf" + A, 0.25, B]),
        ("nospace", [0.5, b"data:1\n\n", 0.25, b"data:2\n\n"]),
        # inserted at a boundary: with the chunk before
        ("comments", [0.5, C + A + C, 0.25, B]),
        ("insert@9:x", [0.5, A + b"x", 0.25, B]),
        ("utf8@event:1", [0.5, A + b"\xff", 0.25, B]),
        ("dup@event:1", [0.5, A + A, 0.25, B]),
        ("dup@event:2", [0.5, A, 0.25, B + B]),
        ("insert@8:x", [0.5, b"data: 1\nx\n", 0.25, B]),
        ("insert@10:x", [0.5, A, 0.25, b"dxata: 2\n\n"]),
        ("flip@8", [0.5, b"data: 1\n\x0b", 0.25, B]),
        ("flip@9", [0.5, A, 0.25, b"eata: 2\n\n"]),
        # a chunk of which nothing is left is gone; what came after it comes when it did
        ("drop@event:1", [0.75, B]),
        ("drop@event:2", [0.5, A]),
        ("drop@event:2,insert@end:x", [0.5, A + b"x"]),
        ("drop@event:1,insert@0:x", [0.75, b"x" + B]),
    ],
)
def test_recorded_chunks_and_times_travel_through_edits(
    brief: Brief, stream: Stream, edit: str, expected: list[object]
) -> None:
    """Every byte that was recorded keeps its time, and what is new takes the time of the byte before."""
    made = brief(f"delay=recorded; edit={edit}", stream(A + B, [(0.5, 9), (0.25, 9)]))
    assert [each if isinstance(each, bytes) else each.seconds for each in made[:-1]] == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("lf", [b"data: 1", b"\n\n"]),
        ("cr", [b"data: 1\r", b"\r"]),
        ("insert@8:x", [b"data: 1\rx", b"\n\r\n"]),
    ],
)
def test_a_boundary_inside_a_line_end(brief: Brief, stream: Stream, edit: str, expected: list[bytes]) -> None:
    """Stays with the byte that is left: of CR | LF the LF came later."""
    assert brief(f"edit={edit}", stream(b"data: 1\r\n\r\n", [(0.5, 8), (0.25, 3)]))[:-1] == expected


def test_edits_of_a_stream_of_nothing(brief: Brief, stream: Stream) -> None:
    """What is inserted into an empty recording comes at once, as one chunk; what is dropped leaves no chunk."""
    assert brief("edit=bom; delay=recorded", stream(b"", []))[:-1] == [b"\xef\xbb\xbf"]
    assert brief("edit=drop@event:1; delay=recorded", stream(A, [(0.5, 4), (0.5, 5)]))[:-1] == []
    made = brief("edit=drop@event:1,bom; delay=recorded", stream(A, [(0.5, 4), (0.5, 5)]))
    assert made[:-1] == [b"\xef\xbb\xbf"]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("edit=crlf; chunks=at:mid:crlf", [b"data: 1\r", b"\n\r\ndata: 2\r\n\r\n"]),
        ("edit=crlf; chunks=events", [b"data: 1\r\n\r\n", b"data: 2\r\n\r\n"]),
        ("edit=bom; chunks=at:1", [b"\xef", b"\xbb\xbf" + A + B]),
        ("edit=drop@event:1; chunks=whole; end=eof@event:1", [B]),
        ("edit=dup@event:2; chunks=whole; end=eof@event:2", [A + B]),
        ("edit=insert@0:xyz; chunks=at:3; end=reset@-1", [b"xyz", A + B[:-1]]),
    ],
)
def test_cuts_and_ends_count_after_the_edits(brief: Brief, stream: Stream, plan: str, expected: list[bytes]) -> None:
    """Whatever the order of the terms."""
    assert brief(plan, stream(A + B))[:-1] == expected
