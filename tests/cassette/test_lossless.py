"""Every byte string comes back: from us, from stock vcrpy, from both loaders of PyYAML, from a CR LF checkout.

The bodies are made of what YAML treats specially, so that a few characters already meet the corners.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from recorder.cassette import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Recording,
    Request,
    Response,
    StreamEnd,
    dump_cassette,
    parse_cassette,
)
from recorder.cassette._fast import read_own_layout
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER, PYTHON_LOADER

LINE_ENDS = ["\n", "\r", "\r\n", "\n\n"]
BLANKS = [" ", "  ", "\t", " " * 8]
HIDDEN = [
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufffe",
    "\uffff",
    "\0",
    "\x01",
    "\x0b",
    "\x0c",
    "\x1b",
    "\x7f",
    "\x80",
    "\x9f",
]
EDGES = ["\xa0", "\u2027", "\u202a", "\ufefe", "\uff00", "\ufffd", "\ue000", "\ufdd0", "\U0001fffe", "\U0010ffff"]
YAML_MARKS = [
    *("- ", "? ", ": ", ":", "#", " #", "---", "...", "'", '"', "\\", "\\n", "\\x41", "|", ">", "&a", "*a", "!t"),
    *("%", "@", "`", "{", "}", "[", "]", ",", "~", "null", "no", "=", "<<"),
]
WORDS = ["a", "data: x", "é", "漢", "🙂", "    recorder:", "- request:"]
NOT_UTF8 = [b"\xff", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]

ALPHABETS = [
    LINE_ENDS + BLANKS + HIDDEN + EDGES + YAML_MARKS + WORDS,
    LINE_ENDS + BLANKS + EDGES + YAML_MARKS + WORDS,
    ["\n", *BLANKS, "a"],
    ["\n", "a"],
    ["\n"],
    ["\r", "\n", " ", "\\", '"', "a"],
    [*LINE_ENDS, *BLANKS, "é", "#", "- "],
]


def pieces(alphabet: list[str]) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from([piece.encode() for piece in alphabet]), max_size=12).map(b"".join)


texts = st.one_of(*map(pieces, ALPHABETS))
bodies = st.one_of(texts, st.binary(max_size=200), pieces(ALPHABETS[0]).flatmap(lambda text: st.builds(
    lambda at, bad: text[:at] + bad + text[at:], st.integers(0, len(text)), st.sampled_from(NOT_UTF8))))  # fmt: skip
short_texts = texts.map(bytes.decode)


def vcrpy_reads(text: str) -> tuple[list[Any], list[Any]]:
    """What stock vcrpy, the installed version, makes of the text of a file."""
    requests, responses = deserialize(text, yamlserializer)
    return requests, responses


def pyyaml_reads(text: str) -> Any:
    """The same with PyYAML's own loader."""
    return yaml.load(text, Loader=yaml.SafeLoader)


def answered(body: bytes) -> Cassette:
    """The body as that of a request and of a response."""
    return Cassette((Interaction(Request("POST", "http://a.example/", Headers(), body), Response(200, body=body)),))


@settings(max_examples=400, deadline=None)
@given(bodies, st.booleans())
def test_stock_vcrpy_reads_every_body(body: bytes, ascii: bool) -> None:
    """vcrpy gives back every byte of a response and of a request, in either form, after a CR LF checkout too."""
    text = dump_cassette(answered(body), ascii=ascii)
    for version in (text, text.replace("\n", "\r\n")):
        requests, responses = vcrpy_reads(version)
        assert responses[0]["body"]["string"] == body
        assert requests[0].body == body


@settings(max_examples=200, deadline=None)
@given(bodies, st.booleans())
def test_pyyaml_reads_every_body(body: bytes, ascii: bool) -> None:
    """PyYAML without libyaml reads the same."""
    text = dump_cassette(answered(body), ascii=ascii)
    string = pyyaml_reads(text)["interactions"][0]["response"]["body"]["string"]
    assert (string if isinstance(string, bytes) else string.encode()) == body


@settings(max_examples=400, deadline=None)
@given(bodies, st.booleans())
def test_we_read_every_body(body: bytes, ascii: bool) -> None:
    """So do we, by the long way with both loaders and by the short way; and the file is written again as it was."""
    cassette = answered(body)
    data = dump_cassette(cassette, ascii=ascii).encode()
    assert data.isascii() or not ascii
    short = read_own_layout(data, always=True)
    assert short is not None
    for read in (
        short,
        parse(data, "x", 100_000, loader=C_LOADER).cassette,
        parse(data, "x", 100_000, loader=PYTHON_LOADER).cassette,
        parse_cassette(data.replace(b"\n", b"\r\n")),
    ):
        assert read == cassette
    assert dump_cassette(parse_cassette(data)).encode() == data


@pytest.mark.parametrize(
    "code", [*range(0x100), 0x2028, 0x2029, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF]
)
def test_every_kind_of_character(code: int) -> None:
    """Each character alone, doubled, and at every place of a line."""
    character = chr(code)
    for text in (
        character,
        character * 2,
        f"a{character}b\n",
        f"{character}\n\n",
        f"a\n{character}",
        f"a\n{character}b\r\n{character}",
    ):
        body = text.encode()
        written = dump_cassette(answered(body))
        _, responses = vcrpy_reads(written)
        assert responses[0]["body"]["string"] == body
        assert parse_cassette(written).interactions[0].response.body == body


@pytest.mark.parametrize("byte", range(0x80, 0x100))
def test_every_byte_that_is_not_utf8(byte: int) -> None:
    """A byte that is no character is kept as it is."""
    body = b"data: \n" + bytes([byte]) + b"\n"
    _, responses = vcrpy_reads(dump_cassette(answered(body)))
    assert responses[0]["body"]["string"] == body


headers = st.lists(st.tuples(short_texts, st.lists(short_texts, min_size=1, max_size=3)), max_size=3).map(Headers)
numbers = st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | numbers | short_texts | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(short_texts, inner, max_size=2),
    max_leaves=4,
)
named_texts = st.dictionaries(short_texts, short_texts, max_size=2)
facts = st.builds(
    Recording,
    head_s=st.none() | st.integers(0, 10**6).map(lambda ms: ms / 1000),
    wire=named_texts,
    recorded=st.none() | short_texts.filter(bool),
    client=named_texts,
    tool=st.none() | short_texts.filter(bool),
    outcome=named_texts,
    sanitizer=st.dictionaries(short_texts, short_texts | st.integers(-(10**9), 10**9), max_size=2),
    extra=st.dictionaries(short_texts, plain, max_size=2),
).map(lambda recording: None if recording == Recording() else recording)


@st.composite
def responses(draw: st.DrawFn) -> Response:
    body = draw(bodies)
    cuts = draw(st.sets(st.integers(1, max(1, len(body) - 1)), max_size=12)) if len(body) > 1 else set()
    edges = [0, *sorted(cuts), len(body)]
    delays = st.integers(0, 10**7).map(lambda ms: ms / 1000)
    chunks = tuple(Chunk(draw(delays), end - start) for start, end in pairwise(edges) if end > start)
    ends = st.builds(StreamEnd, st.sampled_from(EndKind), delays, st.none() | st.booleans())
    return Response(
        draw(st.integers(100, 999)),
        draw(headers),
        body,
        draw(st.sampled_from([None, chunks])),
        draw(st.none() | ends),
        draw(st.sampled_from(["", "OK", "no", "Not Found"])),
        draw(facts),
    )


requests = st.builds(Request, short_texts, short_texts, headers, st.none() | bodies)
cassettes = st.lists(st.builds(Interaction, requests, responses()), max_size=3).map(tuple).map(Cassette)


@settings(max_examples=40, deadline=None)
@given(cassettes, st.booleans())
def test_every_cassette_comes_back(cassette: Cassette, ascii: bool) -> None:
    """Everything in the model survives, in its order and spelling; the file is stable; vcrpy loads it."""
    text = dump_cassette(cassette, ascii=ascii)
    loaded = parse_cassette(text)
    assert loaded == cassette
    for ours, theirs in zip(loaded.interactions, cassette.interactions, strict=True):
        assert list(ours.request.headers.items()) == list(theirs.request.headers.items())
        assert list(ours.response.headers.items()) == list(theirs.response.headers.items())
    assert dump_cassette(loaded) == text
    stored_requests, stored_responses = vcrpy_reads(text)
    for interaction, request, response in zip(cassette.interactions, stored_requests, stored_responses, strict=True):
        assert (request.method, request.uri, request.body) == (
            interaction.request.method,
            interaction.request.uri,
            interaction.request.body,
        )
        assert response["status"] == {"code": interaction.response.status, "message": interaction.response.reason}
        assert response["headers"] == {name: list(values) for name, values in interaction.response.headers.items()}
