"""The chat scenarios: literal facts of the bytes, through the event parser only."""

from __future__ import annotations

import hashlib
import json
from itertools import accumulate
from typing import Any

import pytest

from recorder.provider import scenario
from recorder.sse import EventStreamParser

TEXT = (
    "Hello, reader. 你好，世界。مرحبا بالعالم. नमस्ते दुनिया। One line\u2028or two? "
    "A family: \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466. "
    'A "quote", a \\ and a\nnew line. The word [DONE] ends nothing. 再见 \U0001f44b'
)
LF_SIZES = [16, 8, 385, 51, 156, 10, 205, 26, 243, 217, 5, 239, 52, 224, 165, 226, 6, 201, 5]
CRLF_SIZES = [16, 10, 387, 51, 158, 10, 207, 26, 245, 219, 5, 241, 54, 226, 165, 229, 7, 203, 7]
DELAYS_MS = [20, 60, 35, 50, 45, 30, 60, 40, 55, 20, 60, 35, 50, 45, 30, 60, 40, 55, 20]
# the bytes around each boundary inside something: before | after
LF_BOUNDARIES = {
    16: (b": loopback heart", b"beat\n"),  # a comment
    24: (b"\n\nda", b'ta: {"id"'),  # a field name
    409: (b'"Hell', b"o, reader"),  # an event
    460: (b'"usage":null}\n', b"\ndata: "),  # a blank line: between its LF and the LF before it
    616: (b'"\xe4', b"\xbd\xa0"),  # U+4F60, a code point of three bytes, after one
    626: (b"\xe4\xb8", b"\x96"),  # U+4E16, after two
    831: (b"\xd8", b"\xb1"),  # U+0631, of two
    857: (b"\xe0\xa4", b"\xa8"),  # U+0928
    1100: (b"One line\xe2", b"\x80\xa8or two?"),  # U+2028
    1317: (b"\xf0\x9f", b"\x91\xa8"),  # U+1F468, of four
    1322: (b"\xe2\x80\x8d", b"\xf0\x9f\x91\xa9"),  # after the first joiner of the family
    1561: (b"and a\\", b"nnew line"),  # a JSON escape
    1613: (b'"usage":null}\n\n', b"data: "),  # two events: the one boundary that is inside nothing
    1837: (b'"usage":null}\n', b"\ndata: "),
    2002: (b"\xf0\x9f\x91", b"\x8b"),  # U+1F44B, after three
    2228: (b'"usage":null}\n', b"\ndata:"),
    2234: (b"\ndata:", b' {"id"'),  # a colon and its blank
    2435: (b"data: [DO", b"NE]\n\n"),  # the terminal marker
}
CRLF_LINE_ENDS = {
    464: (b'"usage":null}\r', b"\n\r\ndata: "),  # CR and LF of the data line
    1629: (b'"usage":null}\r\n\r\n', b"data: "),
    1855: (b'"usage":null}\r\n\r', b"\ndata: "),  # CR and LF of the blank line
    2249: (b'"usage":null}\r\n', b"\r\ndata:"),  # two line ends
}


def payloads(body: bytes) -> list[dict[str, Any]]:
    events = EventStreamParser(utf8="strict").feed(body)
    return [json.loads(event.data) for event in events if event.data != "[DONE]"]


def cuts(name: str) -> list[int]:
    return list(accumulate(len(piece.data) for piece in scenario(name).pieces))[:-1]


@pytest.mark.parametrize(
    ("name", "size", "digest"),
    [
        ("chat-lf", 2440, "9829eafaee8a963c512df08eba3c4b1c7535bea320696892266147db42ae8237"),
        ("chat-crlf", 2466, "546972939825dacf3297c9ded6f1fd4899ae7bfbc930e210089ddcfe94c3fa22"),
    ],
)
def test_the_bytes_are_the_same_in_every_run(name: str, size: int, digest: str) -> None:
    """Nothing in the stream depends on time or chance."""
    body = scenario(name).body
    assert (len(body), hashlib.sha256(body).hexdigest()) == (size, digest)


@pytest.mark.parametrize(("name", "sizes"), [("chat-lf", LF_SIZES), ("chat-crlf", CRLF_SIZES)])
def test_the_pieces_are_the_same_in_every_run(name: str, sizes: list[int]) -> None:
    """19 pieces, 20 to 60 ms apart, 0.81 s in all."""
    pieces = scenario(name).pieces
    assert [len(piece.data) for piece in pieces] == sizes
    assert [round(piece.delay_s * 1000) for piece in pieces] == DELAYS_MS
    assert sum(DELAYS_MS) == 810


@pytest.mark.parametrize("name", ["chat-lf", "chat-crlf"])
def test_the_stream_is_one_complete_completion(name: str) -> None:
    """Twelve events: a role, eight texts, a finish, usage with empty choices, the terminal marker."""
    events = EventStreamParser(utf8="strict").feed(scenario(name).body)
    assert len(events) == 12
    assert {event.type for event in events} == {"message"}
    assert [event.data == "[DONE]" for event in events] == [False] * 11 + [True]
    chunks = payloads(scenario(name).body)
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert [len(chunk["choices"]) for chunk in chunks] == [1] * 10 + [0]
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:10]) == TEXT
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks[:10]] == [None] * 9 + ["stop"]
    assert [chunk["usage"] for chunk in chunks] == [None] * 10 + [
        {"prompt_tokens": 11, "completion_tokens": 64, "total_tokens": 75}
    ]


def test_the_text_has_what_careless_readers_trip_over() -> None:
    """152 code points are 229 bytes of UTF-8 and 157 UTF-16 units, so that no two ways to count give one number."""
    assert len(TEXT) == 152
    assert len(TEXT.encode()) == 229
    assert len(TEXT.encode("utf-16-le")) // 2 == 157


@pytest.mark.parametrize("name", ["chat-lf", "chat-crlf"])
def test_the_heartbeat_comes_first(name: str) -> None:
    """One comment, before any event."""
    comments: list[str] = []
    parser = EventStreamParser(on_comment=comments.append)
    assert parser.feed(b"".join(piece.data for piece in scenario(name).pieces[:2])) == []
    assert comments == [" loopback heartbeat"]


@pytest.mark.parametrize("name", ["chat-lf", "chat-crlf"])
def test_characters_are_raw_utf8(name: str) -> None:
    """No \\u escapes: the emoji, its joiners and U+2028 stand in the JSON as bytes."""
    body = scenario(name).body
    assert b"\\u" not in body
    assert body.count("\u2028".encode()) == 1
    assert "👨\u200d👩\u200d👧\u200d👦".encode() in body


def test_the_variants_differ_in_line_ends_only() -> None:
    """Each of the 26 line ends is LF here and CR LF there; no other CR and LF exists."""
    lf, crlf = scenario("chat-lf").body, scenario("chat-crlf").body
    assert (lf.count(b"\n"), lf.count(b"\r")) == (26, 0)
    assert (crlf.count(b"\r\n"), crlf.count(b"\n"), crlf.count(b"\r")) == (26, 26, 26)
    assert crlf.replace(b"\r\n", b"\n") == lf


def test_boundaries_fall_where_it_hurts() -> None:
    """Every boundary of the LF variant but one is inside something, and each is where the table says."""
    body = scenario("chat-lf").body
    assert cuts("chat-lf") == list(LF_BOUNDARIES)
    for at, (before, after) in LF_BOUNDARIES.items():
        assert (body[:at].endswith(before), body[at:].startswith(after)) == (True, True), at


def test_boundaries_fall_between_cr_and_lf() -> None:
    """The CRLF variant is cut inside the same texts and at four places of its line ends."""
    body = scenario("chat-crlf").body
    assert len(cuts("chat-crlf")) == 18
    for at, (before, after) in CRLF_LINE_ENDS.items():
        assert at in cuts("chat-crlf")
        assert (body[:at].endswith(before), body[at:].startswith(after)) == (True, True), at


@pytest.mark.parametrize(
    ("name", "inside"),
    [("chat-lf", [616, 626, 831, 857, 1100, 1317, 2002]), ("chat-crlf", [622, 632, 839, 865, 1110, 1329, 2020])],
)
def test_boundaries_fall_inside_code_points(name: str, inside: list[int]) -> None:
    """Exactly these seven: the byte after the boundary continues a code point (10xxxxxx)."""
    body = scenario(name).body
    assert [at for at in cuts(name) if body[at] & 0xC0 == 0x80] == inside
