"""A complete stream cut at every byte, and streams with two faults: one verdict for every partition."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from recorder.contracts import chat, chat_text, generation, read

MARKER = '"object":"chat.completion.chunk"'
SAY = f'{{{MARKER},"choices":[{{"index":0,"delta":{{"content":"é🚀"}},"finish_reason":null}}]}}'
STOP = f'{{{MARKER},"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}]}}'
CALL = '{"choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}'
CALLED = '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}'
DONE = "[DONE]"


def sse(*datas: str, name: str = "") -> bytes:
    return "".join(f"event: {name}\n" * bool(name) + f"data: {data}\n\n" for data in datas).encode()


TEXT = b"\xef\xbb\xbf: c\n\n" + sse(SAY, STOP, '{"choices":[],"usage":{},' + MARKER + "}", DONE)
STREAMS: list[tuple[str, Any, bytes]] = [
    *(
        (f"chat_text/{name}", chat_text(name), TEXT)
        for name in ("openai", "cometapi-node", "cometapi-dotnet", "flowbar")
    ),
    ("chat", chat(), TEXT),
    ("chat, tool calls", chat(), sse(SAY, CALL, CALLED, DONE)),
    ("generation", generation(), sse('{"state":"running"}', name="progress") + sse('{"state":"failed"}', name="done")),
]


@pytest.mark.parametrize("end", ["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("contract", "body"), [each[1:] for each in STREAMS], ids=[each[0] for each in STREAMS])
def test_cut_at_every_byte(contract: Any, body: bytes, end: str) -> None:
    """Accepted only from the byte that completes the terminal event on; a cut character is not UTF-8 where that counts.

    That byte is the line feed of the last blank line, or its CR: then the LF after it is not needed.
    """
    body = body.replace(b"\n", {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}[end])
    complete = len(body) - (end == "CRLF")
    for length in range(len(body) + 1):
        verdict = read([body[:length]], contract)
        if length >= complete:
            assert (verdict.code, verdict.bytes_read) == ("accepted", complete)
        elif _cuts_a_character(body, length) and contract.parser()._strict:
            assert verdict.code == "invalid_utf8"
        else:
            assert (verdict.code, verdict.bytes_read) == ("missing_terminal", length)


def _cuts_a_character(body: bytes, length: int) -> bool:
    return body[length : length + 1] != b"" and 0x80 <= body[length] < 0xC0


@pytest.mark.parametrize("size", [1, 2, 5])
def test_cut_at_every_byte_and_delivered_in_pieces(size: int) -> None:
    """The cut decides, not the pieces."""
    for length in range(0, len(TEXT) + 1, 3):
        body = TEXT[:length]
        pieces = [body[at : at + size] for at in range(0, length, size)]
        assert read(pieces, chat()) == read([body], chat())


TIGHT = chat_text(max_line=150, max_event=140, max_output=6, max_events=6)


@dataclass(frozen=True)
class Hostile:
    """A stream with two faults, and the code of the one that comes first."""

    id: str
    body: bytes
    code: str
    at_event: int | None = None
    contract: Any = TIGHT


LONG = b"x" * 200
GOOD = sse(SAY)
HOSTILE = [
    Hostile("bad JSON, then bad UTF-8", GOOD + sse("{") + b"data: \xff\n\n", "invalid_json", 2),
    Hostile("bad UTF-8, then bad JSON", GOOD + b": \xff\n\n" + sse("{"), "invalid_utf8"),
    Hostile("bad UTF-8 in the event with bad JSON", GOOD + b"data: {\xff\n\n", "invalid_utf8"),
    Hostile("bad JSON, its blank line after the bad UTF-8", GOOD + b"data: {\n: \xff\n\n", "invalid_utf8"),
    Hostile("bad JSON, then a long line", GOOD + sse("{") + b"data: " + LONG, "invalid_json", 2),
    Hostile("a long line, then bad JSON", GOOD + b"x: " + LONG + b"\n\n" + sse("{"), "line_limit"),
    Hostile("a long comment, then bad UTF-8", GOOD + b":" + LONG + b"\xff", "line_limit"),
    Hostile("bad UTF-8 just before the line is too long", b":" + b"x" * 148 + b"\xffxx", "invalid_utf8"),
    Hostile("bad UTF-8 just after the line is too long", b":" + b"x" * 150 + b"\xff\xff", "line_limit"),
    Hostile("a bad byte that is also one too many", b":" + b"x" * 149 + b"\xff\xff", "invalid_utf8"),
    Hostile("data too large over two lines, and no JSON",
            b"data: " + b" " * 100 + b"\ndata: " + b" " * 60 + b"\n\n", "event_size_limit"),
    Hostile("too much output, then bad JSON", GOOD * 4 + sse("{"), "output_limit", 4),
    Hostile("one event too many, and it is bad JSON", GOOD * 3 + sse('{"choices":[]}') * 3 + sse("{"),
            "event_count_limit", 7),
    Hostile("an unknown name, and bad JSON", GOOD + b"event: x\n" + sse("{"), "unexpected_event_type", 2),
    Hostile("an error, then bad UTF-8", GOOD + sse('{"error":1}') + b"\xff", "upstream_error", 2),
    Hostile("complete, then everything bad", GOOD + sse(STOP, DONE) + b"\xff" + LONG + sse("{"), "accepted"),
    Hostile("[DONE] without a finish, then bad UTF-8", GOOD + sse(DONE) + b"\xff", "missing_finish", 2),
    Hostile("an open event at the end, cut inside a character", GOOD + b"data: {\xf0\x9f", "invalid_utf8"),
    Hostile("a BOM that is none", b"\xef\xbbdata: {\n\n", "invalid_utf8"),
    Hostile("two BOMs", b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD + sse(STOP, DONE), "empty_output", 2,
            chat_text("cometapi-node")),
]  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.id)
def test_two_faults_in_one_stream(judge_at_every_cut, case: Hostile) -> None:
    """The first offending byte decides, whatever the chunking."""
    verdict = judge_at_every_cut(case.body, case.contract)
    assert (verdict.code, getattr(verdict, "at_event", None)) == (case.code, case.at_event)


FRAGMENTS = [
    *(sse(SAY), sse(STOP), sse(DONE), sse("{"), sse(""), sse('{"error":1}'), b": c\n\n", b":" + b"c" * 160 + b"\n"),
    *(
        b"data: \xff\n",
        b"\xf0\x9f\x9a",
        b"\x80",
        b"event: x\n",
        b"id: 7\n",
        b"data: " + b" " * 90 + b"\n",
        b"\r\n",
        b"\r",
    ),
    *(b"\xef\xbb\xbf", sse('{"choices":[],"usage":1}'), b"data: [DO", b"\n"),
]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["openai", "cometapi-node", "cometapi-dotnet", "flowbar"])
def test_random_streams_of_hostile_parts(seed: int, name: str) -> None:
    """Shuffled good and bad parts, cut at random: the verdict is that of the whole."""
    rng = random.Random(seed)
    body = b"".join(FRAGMENTS[int(rng.random() * len(FRAGMENTS))] for _ in range(1 + int(rng.random() * 8)))
    contract = chat_text(name, max_line=150, max_event=140, max_output=6, max_events=6)
    whole = read([body], contract)
    for _ in range(12):
        cuts = sorted(int(rng.random() * len(body)) for _ in range(int(rng.random() * 6)))
        pieces = [body[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        verdict = read(pieces, contract)
        assert (verdict, getattr(verdict, "partial", None)) == (whole, getattr(whole, "partial", None))
