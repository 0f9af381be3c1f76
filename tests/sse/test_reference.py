"""The parser against the slow reference parser: any stream, any limits, any partition, shortcuts on and off."""

from __future__ import annotations

from itertools import pairwise, product
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recorder.sse import Limit

bounded = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

# Each side of each boundary of table 3-7.
EDGES = bytes.fromhex("00417f808f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff")

SYNTAX = [b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", b":", b" ", b": ", b"data", b"data:", b"data: ", b"id"]
SYNTAX += [b"id:", b"id: 7", b"event", b"event:", b"event: a", b"retry", b"retry:", b"retry: 20", b"d", b"dat", b"even"]
SYNTAX += [b"date", b" data: x", b"Data: x", b": c", b"::", b"\t", b"\0", b"retry: 0050", b"retry: 5x", b"id: \0"]
BLOCKS = [
    b"data: one\n\n",
    b"data: one\r\n\r\n",
    b"data: one\r\r",
    b"event: a\ndata: b\n\n",
    b"event: a\r\ndata: b\r\n\r\n",
]
BLOCKS += [b"data: x\ndata: y\n\n", b"id: 3\ndata:\n\n", b"event: e\n\n", b"data\n\n", b": c\n\n", b"data:  two\n\n"]
BLOCKS += [
    b"data: a\nevent: late\n\n",
    b"event:\ndata: z\n\n",
    "data: é中😀\n\n".encode(),
    b"id: 9\nevent: n\ndata: m\n\n",
]
TEXT = [
    b"x",
    b"abcdefgh",
    "é".encode(),
    "中".encode(),
    "😀".encode(),
    "\u2028".encode(),
    "\u0085".encode(),
    b"\v\f\x1c",
]
MARKS = [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xef\xbb\x80", b"\xbf"]
ILL_FORMED = [
    b"\x80",
    b"\xc3",
    b"\xe4",
    b"\xe4\xb8",
    b"\xf0\x9f",
    b"\xf0\x9f\x98",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xff",
]

tokens = st.sampled_from(SYNTAX * 2 + BLOCKS * 2 + TEXT + MARKS)
well_formed = st.lists(tokens, max_size=14).map(b"".join)
nasty = st.lists(tokens | st.sampled_from(ILL_FORMED) | st.binary(max_size=2), max_size=14).map(b"".join)
plain = st.lists(st.sampled_from(BLOCKS), max_size=8).map(b"".join)
begun = st.tuples(st.sampled_from([b"", *MARKS]), well_formed | nasty | plain).map(b"".join)
# A well-formed stream with one bad place: what comes first decides.
wounded = st.tuples(well_formed, st.sampled_from(ILL_FORMED), well_formed | plain).map(b"".join)
streams = begun | wounded

units = st.sampled_from(["bytes", "code_points", "utf16"])
counts = st.sampled_from(["lines", "fields", "raw"])
sizes = st.integers(0, 24)
line_limits = st.none() | st.builds(Limit, sizes, units, counts=counts)
event_limits = st.none() | st.builds(Limit, sizes, units, st.sampled_from([0, 0, 1, 2, 7]))
name_limits = st.none() | st.builds(Limit, st.integers(0, 4), units)


@st.composite
def cut(draw: Any, of: st.SearchStrategy[bytes]) -> list[bytes]:
    """A stream in any partition, empty chunks included."""
    stream = draw(of)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[start:end] for start, end in pairwise([0, *cuts, len(stream)])]


def agree(sse: Any, reference: ModuleType, chunks: list[bytes], **options: Any) -> None:
    """Hold the parser to the reference parser, in this partition, whole and byte by byte."""
    stream = b"".join(chunks)
    known = reference.interpret(stream, reference.Options(**options))
    fault = None
    if known.fault:
        code, offset = known.fault
        fault = ("InvalidUTF8" if code == "invalid_utf8" else "LimitExceeded", str(code), offset)
    events = tuple(known.events)
    state = (known.last_event_id, known.reconnection_time, known.consumed, tuple(known.ends))
    heard = (events, fault, tuple(known.comments), *state)
    deaf = (events, fault, None, *state)
    for pieces in (chunks, [stream], [stream[at : at + 1] for at in range(len(stream))]):
        assert tuple(sse.run(pieces, **options)) == heard
        assert tuple(sse.run(pieces, listen=False, **options)) == deaf
        assert sse.iterate(pieces, **options) == (events, fault)
    assert tuple(sse.run(chunks, listen=False, peek=True, **options)) == deaf
    assert tuple(sse.run(chunks, exact=True, **options)) == heard


# -- the reference parser's decoder


@given(st.binary(max_size=40) | nasty)
@bounded
def test_reference_decodes_as_python_does(reference: ModuleType, data: bytes) -> None:
    """Any bytes: the table of well-formed sequences gives Python's replacing decoder's text."""
    assert reference.decode(data) == data.decode(errors="replace")


def test_reference_decodes_the_edges_of_the_table(reference: ModuleType) -> None:
    """Every three bytes from the edges of table 3-7, and every four that begin as four-byte sequences do."""
    some = [bytes(three) for three in product(EDGES, repeat=3)]
    some += [bytes(four) for four in product(b"\xf0\xf1\xf4\xf5", *[b"\x41\x80\x8f\x90\xbf\xc0\xf0"] * 3)]
    decode = reference.decode
    assert [data for data in some if decode(data) != data.decode(errors="replace")] == []


def test_the_standards_own_counts_of_replacements(reference: ModuleType) -> None:
    """The Unicode standard's own example (table 3-11): two truncated sequences, two that cannot be, one letter."""
    data = bytes.fromhex("e180e2f09192f1bf41")
    assert reference.decode(data) == "\ufffd\ufffd\ufffd\ufffdA"


# -- the parser


@given(chunks=cut(streams), utf8=st.sampled_from(["replace", "strict"]))
@bounded
def test_equals_the_reference_without_limits(sse: Any, reference: ModuleType, chunks: list[bytes], utf8: str) -> None:
    """No limit at all: the standard's events, the strict policy's faults."""
    agree(sse, reference, chunks, utf8=utf8, max_line=None, max_event=None)


@given(chunks=cut(streams), utf8=st.sampled_from(["replace", "strict"]), size=st.integers(30, 200))
@bounded
def test_equals_the_reference_within_roomy_limits(
    sse: Any, reference: ModuleType, chunks: list[bytes], utf8: str, size: int
) -> None:
    """Limits larger than most lines, where shortcuts and the exact path take turns."""
    limits: dict[str, Any] = {"max_line": Limit(size), "max_event": Limit(size), "max_event_name": Limit(size)}
    agree(sse, reference, chunks, utf8=utf8, max_events=size, **limits)


@given(chunks=cut(streams), utf8=st.sampled_from(["replace", "strict"]), line=line_limits)
@bounded
def test_equals_the_reference_with_a_line_limit(
    sse: Any, reference: ModuleType, chunks: list[bytes], utf8: str, line: Limit | None
) -> None:
    """A line limit in every unit and way of counting."""
    agree(sse, reference, chunks, utf8=utf8, max_line=line, max_event=None)


@given(chunks=cut(streams), utf8=st.sampled_from(["replace", "strict"]), event=event_limits)
@bounded
def test_equals_the_reference_with_an_event_limit(
    sse: Any, reference: ModuleType, chunks: list[bytes], utf8: str, event: Limit | None
) -> None:
    """An event data limit in every unit, separators counted in either way."""
    agree(sse, reference, chunks, utf8=utf8, max_line=None, max_event=event)


@given(
    chunks=cut(streams),
    utf8=st.sampled_from(["replace", "strict"]),
    line=line_limits,
    event=event_limits,
    name=name_limits,
    events=st.none() | st.integers(0, 4),
    total=st.none() | st.integers(0, 60),
)
@bounded
def test_equals_the_reference_with_all_limits(
    sse: Any,
    reference: ModuleType,
    chunks: list[bytes],
    utf8: str,
    line: Limit | None,
    event: Limit | None,
    name: Limit | None,
    events: int | None,
    total: int | None,
) -> None:
    """Every limit at once: which fault is told, and where, depends on the bytes alone."""
    options: dict[str, Any] = {"max_line": line, "max_event": event, "max_event_name": name}
    agree(sse, reference, chunks, utf8=utf8, max_events=events, max_bytes=total, **options)


@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
@given(fields=st.lists(st.sampled_from(SYNTAX + TEXT), max_size=10), data=st.data())
@settings(parent=bounded, max_examples=50)
def test_equals_the_reference_on_streams_of_one_line_end(
    sse: Any, reference: ModuleType, line_end: bytes, fields: list[bytes], data: st.DataObject
) -> None:
    """Lines that end one way, as servers send them; complete blocks reach the shortcuts."""
    lines = [field.strip(b"\r\n") for field in fields]
    stream = line_end.join([*lines, b"data: end", b"", b""])
    chunks = data.draw(cut(st.just(stream)))
    agree(sse, reference, chunks, max_line=None, max_event=None)
