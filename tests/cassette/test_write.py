"""The text of a whole file: layout, order, times, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any

import pytest

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
from recorder.cassette._write import holds_beyond_ascii
from recorder.errors import CassetteError, CassetteWarning


def answered(**members: Any) -> Cassette:
    """A cassette of one interaction whose response has these members."""
    return Cassette((Interaction(Request("GET", "http://a.example/"), Response(200, **members)),))


def facts(cassette: Cassette) -> str:
    """What is written under `recorder:`, without format and digest."""
    return dump_cassette(cassette).split("    recorder:\n")[1].split("\n", 2)[2]


def test_whole_file(whole_cassette: Cassette, whole_file: str) -> None:
    """Every member has its place, and the file is this one."""
    assert dump_cassette(whole_cassette) == whole_file


def test_least_file() -> None:
    """What is not known is not written; the digest always is."""
    assert dump_cassette(Cassette((Interaction.from_body(b""),))) == (
        "version: 1\n"
        "interactions:\n"
        "- request:\n"
        "    method: POST\n"
        "    uri: https://example.invalid/v1/chat/completions\n"
        "    body: null\n"
        "    headers:\n"
        "      accept: [text/event-stream]\n"
        "  response:\n"
        "    status: {code: 200, message: OK}\n"
        "    headers:\n"
        "      content-type: [text/event-stream]\n"
        "    body:\n"
        "      string: ''\n"
        "    recorder:\n"
        "      format: 1\n"
        "      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'\n"
    )


def test_a_request_body_of_several_lines() -> None:
    """Two columns behind its key, as a response body is."""
    cassette = Cassette((Interaction(Request("POST", "http://a.example/", body=b"{\n}"), Response(200)),))
    assert "\n    body: |-\n      {\n      }\n    headers: {}\n" in dump_cassette(cassette)


@pytest.mark.parametrize(("status", "is_written"), [(99, False), (100, True), (999, True), (1000, False)])
def test_a_status_has_three_digits(status: int, is_written: bool) -> None:
    """RFC 9112 section 4."""
    cassette = Cassette((Interaction(Request("GET", "http://a.example/"), Response(status)),))
    if is_written:
        assert f"\n    status: {{code: {status}, message: " in dump_cassette(cassette)
    else:
        with pytest.raises(CassetteError, match=f"the status {status} does not have three digits"):
            dump_cassette(cassette)


def test_a_name_that_is_no_text() -> None:
    """Would be read back as another type."""
    with pytest.raises(CassetteError, match="a name is of type int; it must be a text"):
        dump_cassette(answered(recording=Recording(extra={"x": {1: 2}})))


@pytest.mark.parametrize(
    ("request_", "response", "is_beyond"),
    [
        ({}, {}, False),
        ({"method": "G\u00c9T"}, {}, True),
        ({"uri": "http://a.example/\u00e9"}, {}, True),
        ({"headers": Headers({"x": ("1", "\u00e9")})}, {}, True),
        ({"headers": Headers({"\u00e9": "1"})}, {}, True),
        ({"body": "\u00e9".encode()}, {}, True),
        ({"body": b"\xff"}, {}, False),  # base64
        ({}, {"headers": Headers({"x": "\u00e9"})}, True),
        ({}, {"body": "\u00e9".encode()}, True),
        ({}, {"body": b"\xff"}, False),
        ({}, {"recording": Recording(client={"name": "\u00e9"})}, True),
        ({}, {"recording": Recording(client={"name": "e"})}, False),
    ],
)
def test_where_characters_beyond_ascii_may_be(
    request_: dict[str, Any], response: dict[str, Any], is_beyond: bool
) -> None:
    """Anywhere but in what is written as base64."""
    request = Request(**({"method": "GET", "uri": "http://a.example/"} | request_))
    assert holds_beyond_ascii(Cassette((Interaction(request, Response(200, **response)),))) is is_beyond


def test_no_interactions() -> None:
    """An empty cassette is a file too, and loads."""
    assert dump_cassette(Cassette(())) == "version: 1\ninteractions: []\n"
    assert parse_cassette("version: 1\ninteractions: []\n") == Cassette(())


def test_chunks_are_a_few_pairs_a_line() -> None:
    """Up to five pairs stand on the line of the key; more stand five a line, within 120 columns."""
    assert facts(answered(body=b"a" * 5, chunks=(Chunk(0.001, 1),) * 5)) == (
        "      chunks: [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1]]\n"
    )
    assert facts(answered(body=b"a" * 12, chunks=(Chunk(0.001, 1),) * 12)) == (
        "      chunks: [\n"
        "        [1, 1], [1, 1], [1, 1], [1, 1], [1, 1],\n"
        "        [1, 1], [1, 1], [1, 1], [1, 1], [1, 1],\n"
        "        [1, 1], [1, 1]]\n"
    )
    wide = answered(body=b"a" * 1_234_567 * 6, chunks=(Chunk(123_456.789, 1_234_567),) * 6)
    assert max(map(len, facts(wide).splitlines())) <= 120


def test_known_to_be_without_chunks() -> None:
    """An empty body has no chunks; that is not the same as not knowing them."""
    assert facts(answered(body=b"", chunks=())) == "      chunks: []\n"
    assert facts(answered(body=b"", chunks=None)) == ""


def test_times_do_not_drift() -> None:
    """Arrival times are rounded, not delays: a thousand delays of 0.4 ms are 400 ms, not 0."""
    cassette = answered(
        body=b"a" * 1000, chunks=(Chunk(0.0004, 1),) * 1000, end=StreamEnd(EndKind.COMPLETE, 0.0004), recording=None
    )
    loaded = parse_cassette(dump_cassette(cassette)).interactions[0].response
    assert loaded.chunks is not None
    assert sum(round(chunk.delay_s * 1000) for chunk in loaded.chunks) == 400
    assert dump_cassette(parse_cassette(dump_cassette(cassette))) == dump_cassette(cassette)


def test_ends() -> None:
    """The end has its kind, its time, and for a client that left whether the terminal event had been seen."""
    assert facts(answered(end=StreamEnd(EndKind.RESET, 1.25))) == "      end: {kind: reset, after_ms: 1250}\n"
    assert facts(answered(end=StreamEnd(EndKind.CLIENT_CLOSED, 0, False))) == (
        "      end: {kind: client_closed, after_ms: 0, terminal_seen: false}\n"
    )


def test_extra_facts_keep_their_types() -> None:
    """What a newer version wrote is written as it was: text, numbers, words, bytes, lists, mappings."""
    extra = {"a": "1", "b": 2, "c": -0.5, "d": 1e30, "e": False, "f": None, "g": b"\xff", "h": [[], {}, {"i j": "no"}]}
    cassette = answered(recording=Recording(extra=extra))
    assert facts(cassette) == (
        "      a: '1'\n"
        "      b: 2\n"
        "      c: -0.5\n"
        "      d: 1.0e+30\n"
        "      e: false\n"
        "      f: null\n"
        "      g: !!binary '/w=='\n"
        "      h: [[], {}, {i j: 'no'}]\n"
    )
    loaded = parse_cassette(dump_cassette(cassette)).interactions[0].response.recording
    assert loaded is not None
    assert loaded.extra == extra


def test_headers() -> None:
    """One header a line, its values a list, names as they were spelled and in their order."""
    headers = Headers([("X-B", ["1", "two"]), ("x-a", "a,b"), ("on", "off"), ("x-b", "3")])
    assert "    headers:\n      X-B: ['1', two, '3']\n      x-a: ['a,b']\n      'on': ['off']\n" in dump_cassette(
        answered(headers=headers)
    )


def test_reason_is_ascii() -> None:
    """vcrpy needs an ASCII reason phrase, which means nothing: the rest of it is left out."""
    assert "status: {code: 200, message: OK thn}" in dump_cassette(answered(reason="OK\r\n thén🙂"))


def test_status_enum() -> None:
    """A status may be an `HTTPStatus`; the file has its number."""
    cassette = Cassette((Interaction(Request("GET", "http://a.example/"), Response(HTTPStatus.NOT_FOUND)),))
    assert "status: {code: 404, message: ''}" in dump_cassette(cassette)


def test_preamble(whole_cassette: Cassette) -> None:
    """Comments stand above everything; a missing last line end is added; in ASCII they are escaped."""
    lines = replace(whole_cassette, preamble="# one\n\n  # zwölf")
    assert dump_cassette(lines).startswith("# one\n\n  # zwölf\nversion: 1\n")
    assert dump_cassette(lines, ascii=True).startswith("# one\n\n  # zw\\xf6lf\nversion: 1\n")


def test_empty_preamble(whole_cassette: Cassette) -> None:
    """Empty lines without a comment are nothing to keep."""
    assert dump_cassette(replace(whole_cassette, preamble="\n\n")).startswith("version: 1\n")


@pytest.mark.parametrize("preamble", ["version: 2 #\n", "# a\rversion: 2\n", "# \x00\n", "# \u2028\n"])
def test_preamble_is_comments_only(preamble: str) -> None:
    """Nothing but comments gets in by the preamble."""
    with pytest.raises(CassetteError, match=r"^the preamble cannot be written; it may hold comment lines"):
        dump_cassette(Cassette((), preamble))


REFUSED = [
    (
        answered(headers=Headers({"x": "secret \udc80"})),
        "interaction 1 cannot be written: a text holds a lone surrogate; decode header bytes as Latin-1",
    ),
    (
        answered(headers=Headers({"x" * 1001: "secret"})),
        "interaction 1 cannot be written: a name has more than 1000 characters; YAML readers take shorter ones",
    ),
    (
        Cassette((Interaction(Request("GET", "/"), Response(42)),)),
        "interaction 1 cannot be written: the status 42 does not have three digits",
    ),
    (
        answered(recording=Recording(extra={"x": {"secret"}})),
        "interaction 1 cannot be written: a fact of type set has no place in a cassette; plain data does",
    ),
    (
        answered(recording=Recording(extra={"x": float("nan")})),
        "interaction 1 cannot be written: a fact of type float has no place in a cassette; plain data does",
    ),
    (
        answered(recording=Recording(extra={"format": 2})),
        "interaction 1 cannot be written: recording.extra has a member with a place of its own; set that one instead",
    ),
    (
        answered(recording=Recording(wire={"pieces": 3})),  # type: ignore[dict-item]
        "interaction 1 cannot be written: recording.wire has a value that is not a text; write it as one",
    ),
]


@pytest.mark.parametrize(("cassette", "message"), REFUSED)
def test_what_cannot_be_written(cassette: Cassette, message: str) -> None:
    """What no loader would give back is refused, by its place and without its content."""
    with pytest.raises(CassetteError) as caught:
        dump_cassette(cassette)
    assert str(caught.value) == message
    assert caught.value.__context__ is None


def test_ascii_file_stays_ascii(whole_cassette: Cassette) -> None:
    """A file written with escapes only is written so again; asked otherwise, it is not."""
    escaped = dump_cassette(whole_cassette, ascii=True)
    assert escaped.isascii()
    loaded = parse_cassette(escaped)
    assert loaded == whole_cassette
    assert dump_cassette(loaded) == escaped
    assert dump_cassette(loaded, ascii=False) == dump_cassette(whole_cassette)


def test_file_without_need_of_escapes_is_not_an_ascii_file() -> None:
    """A file that happens to be ASCII may later hold other text unescaped."""
    assert not parse_cassette(dump_cassette(answered(body=b"a"))).ascii


def test_rewrite_says_what_it_loses() -> None:
    """What only the old file held is named when it is lost, by place."""
    cassette = Cassette((), not_kept=("metadata (line 9)", "a comment (line 3)"))
    with pytest.warns(
        CassetteWarning, match=r"loses what only its file held: metadata \(line 9\), a comment \(line 3\)$"
    ):
        dump_cassette(cassette)
