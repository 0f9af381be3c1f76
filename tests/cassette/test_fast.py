"""The short way for large files: the same cassette as the long way, or none; never another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.cassette import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Request,
    Response,
    StreamEnd,
    _fast,
    _yaml,
    dump_cassette,
    parse_cassette,
)
from recorder.cassette._fast import read_own_layout
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER
from recorder.errors import CassetteError


def streamed(events: int, line_end: str = "\n") -> Cassette:
    """One interaction, each event a chunk of its own."""
    event = f'data: {{"content": "word"}}{line_end}{line_end}'.encode()
    request = Request("POST", "http://a.example/v1", Headers({"accept": "text/event-stream"}), b'{\n "stream": true\n}')
    chunks = tuple(Chunk(0.02, len(event)) for _ in range(events))
    return Cassette((Interaction(request, Response(200, Headers(), event * events, chunks)),))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_large_file(line_end: str) -> None:
    """A long stream with its chunk list is read by the short way, whatever its line ends."""
    cassette = streamed(2_000, line_end)
    assert read_own_layout(dump_cassette(cassette).encode()) == cassette


def test_what_yaml_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large file YAML sees neither the bodies that are blocks nor the chunk lists."""
    seen: list[bytes] = []

    def compose(data: bytes, path: str) -> object:
        seen.append(data)
        return _yaml.compose(data, path)

    monkeypatch.setattr(_fast, "compose", compose)
    (interaction,) = streamed(2_000).interactions
    response = replace(interaction.response, end=StreamEnd(EndKind.EOF, 0.003))
    cassette = Cassette((replace(interaction, response=response),) * 2)
    assert read_own_layout(dump_cassette(cassette).encode()) == cassette
    (skeleton,) = seen
    assert b"http://a.example/v1" in skeleton
    assert not [each for each in (b"word", b'"stream"', b"[20, 27]") if each in skeleton]


def test_small_file() -> None:
    """For a small file the long way is as short."""
    data = dump_cassette(streamed(2)).encode()
    assert read_own_layout(data) is None
    assert read_own_layout(data, always=True) == streamed(2)


def test_large_file_of_small_interactions() -> None:
    """A large file is not worth it when each interaction is small."""
    data = dump_cassette(Cassette(streamed(2).interactions * 100)).encode()
    assert len(data) > 32 * 1024
    assert read_own_layout(data) is None
    assert read_own_layout(data, always=True) == Cassette(streamed(2).interactions * 100)


@pytest.mark.parametrize("ascii", [False, True])
def test_large_file_beyond_ascii(ascii: bool) -> None:
    """A large file with escapes only stays one with escapes only, by this way too."""
    body = 'data: "漢字 🙂"\n\n'.encode() * 2_000
    cassette = Cassette((Interaction(Request("GET", "http://a.example/"), Response(200, body=body)),))
    text = dump_cassette(cassette, ascii=ascii)
    loaded = parse_cassette(text)
    assert loaded == cassette
    assert loaded.ascii is ascii
    assert dump_cassette(loaded) == text


def test_large_file_with_chunks_in_ascii() -> None:
    """Escapes that stand for ASCII do not make a file one with escapes only."""
    loaded = parse_cassette(dump_cassette(streamed(2_000, "\r\n")))
    assert loaded == streamed(2_000, "\r\n")
    assert not loaded.ascii


def test_comments_above() -> None:
    """The comments at the start of the file are kept."""
    data = b"# a\n\n# b\n" + dump_cassette(streamed(3)).encode()
    loaded = read_own_layout(data, always=True)
    assert loaded is not None
    assert loaded.preamble == "# a\n\n# b\n"


DATA = dump_cassette(streamed(3)).encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"word", b"edited"),
        (b"[20, 27]", b"[20, 28]"),
        (b"[20, 27]", b"[20,27]"),
        (b"[20, 27]", b"[1000000000001, 27]"),
        (b"[20, 27]", b"[2e1, 27]"),
        (b"[20, 27]", b"[true, 27]"),
        (b"[20, 27]", b'["20", 27]'),
        (b"[20, 27]", b"[[[[20]]]]"),
        (b"[20, 27]", b"[0, 27]]\n      chunks: [[20, 27]"),
        (b"chunks: [", b"chunks: &a ["),
        (b"code: 200", b"code: 0200"),
        (b"method: POST", b"method: 'POST'"),
        (b"method: POST", b"method: !body 0"),
        (b"body: |", b"body: !body 9\n    x: |"),
        (b"chunks: [", b"chunks: !chunks 9\n      x: ["),
        (b"method: POST", b"method: POST # comment"),
        (b"    headers: {}", b"    headers:   {}"),
        (b"    headers: {}", b"    x: *a\n    headers: {}"),
        (b"        data", b"         data"),
        (b"string: |+", b"string: |"),
        (b"string: |+", b"string: |2+"),
        (b"string: |+", b"string: >+"),
        (b"      format: 1", b"      format: 01"),
        (b"      format: 1", b"      # comment\n      format: 1"),
        (b"interactions:\n", b"interactions:\n# comment\n"),
        (b"version: 1", b"version: 2"),
        (b"\n", b"\r\n"),
    ],
)
def test_any_difference_is_left_to_the_long_way(old: bytes, new: bytes) -> None:
    """What the writer would not have written is not taken, even where it means the same."""
    assert old in DATA
    assert read_own_layout(DATA.replace(old, new), always=True) is None


def test_cut_anywhere() -> None:
    """A file that ends early is not taken, but where it is one of ours again: after the digest."""
    taken = [end for end in range(len(DATA)) if read_own_layout(DATA[:end], always=True) is not None]
    assert taken == [DATA.index(b"      chunks:")]


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, len(DATA) - 1),
    st.integers(0, 40),
    st.sampled_from([b"", b" ", b"\n", b"#", b"|", b"'", b"x", b"0", b"]", b"\xff"]),
)
def test_any_damage(at: int, size: int, patch: bytes) -> None:
    """Whatever is done to the file: both ways agree, or the short way stands back."""
    damaged = DATA[:at] + patch + DATA[at + size :]
    short = read_own_layout(damaged, always=True)
    if short is not None:
        try:
            assert parse(damaged, "x", 100_000, loader=C_LOADER).cassette == short
        except CassetteError as error:
            raise AssertionError(f"the long way refuses: {error}") from None


def test_deep_chunk_list() -> None:
    """A chunk list nested without end is left to the long way, which refuses it."""
    data = DATA.replace(b"[[20", b"[" * 100_000 + b"20")
    assert read_own_layout(data, always=True) is None
    with pytest.raises(CassetteError, match="nesting deeper than 100 levels"):
        parse_cassette(data)
