"""`text="shape"`: nothing of what was said is left, and no byte has moved."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

import pytest

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Request, Response
from recorder.contracts import chat, chat_text, read
from recorder.sanitize import Sanitizer
from recorder.sanitize._shape_classes import byte_for, stand_in_for, translated
from recorder.sse import Event, EventStreamParser

SHAPE = Sanitizer.default(text="shape")


def cassette(body: bytes, request: bytes = b"{}", sent: str = "application/json") -> Cassette:
    ends = [*range(17, len(body), 17), len(body)]
    chunks = tuple(Chunk(0.001, end - start) for start, end in pairwise([0, *ends])) if body else None
    asked = Request("POST", "https://api.example.com/v1", Headers({"content-type": sent}), request)
    return Cassette((Interaction(asked, Response(200, Headers({"content-type": "text/event-stream"}), body, chunks)),))


def shaped(body: bytes) -> bytes:
    return SHAPE.apply(cassette(body)).interactions[0].response.body


def asked(request: bytes, sent: str = "application/json") -> bytes:
    return SHAPE.apply(cassette(b"", request, sent)).interactions[0].request.body or b""


def events(body: bytes) -> list[Event]:
    return EventStreamParser().feed(body)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Hello, reader. It's 2026!", "Xxxxx, xxxxxx. Xx'x 1111!"),
        ("Stra\u00dfe \u00c9t\u00e9 \u0416\u0443\u043a", "Xxxx\u00f8x \u00d8x\u00f8 \u00d8\u00f8\u00f8"),
        ("\u4f60\u597d \u3053\u3093 \u30ab \ud55c", "\u6587\u6587 \u306e\u306e \u30ce \uac00"),
        ("e\u0301 \U0001f680 \U0001f469\u200d\U0001f680", "x\u0301 \U0001f600 \U0001f600\u200d\U0001f600"),
        ("\U0001f44d\U0001f3fd \U0001f1e9\U0001f1ea", "\U0001f600\U0001f3fd \U0001f1fd\U0001f1fd"),
        ("\u0663 \u20ac5 \u2028 \t\r\n", "\u0661 \u20ac1 \u2028 \t\r\n"),
        ("f(x) => [1, 2]; // ok", "x(x) => [1, 1]; // xx"),
    ],
)
def test_each_character_stays_in_its_class(text: str, shape: str) -> None:
    """Letters, digits, marks and emoji by one of theirs; white space, punctuation and joiners by themselves."""
    assert translated(text) == shape


def test_every_code_point_keeps_its_length() -> None:
    """All of Unicode: as many bytes, and what stands for another character stands for itself."""
    for point in [*range(0xD800), *range(0xE000, 0x110000, 7)]:
        char = chr(point)
        stand_in = stand_in_for(char)
        assert len(stand_in.encode()) == len(char.encode())
        assert stand_in_for(stand_in) == stand_in
    letters = [chr(point) for point in range(0x80, 0x3000) if unicodedata.category(chr(point)) in ("Lu", "Ll", "Lo")]
    assert len({stand_in_for(letter) for letter in letters}) < 12


def test_a_byte_in_a_list_keeps_its_digits() -> None:
    """`bytes` of log probabilities are text, one number a byte."""
    assert [byte_for(byte) for byte in "aA1 \u00e9".encode()] == [97, 88, 49, 32, 0xC3, 0xB8]
    assert all(len(str(byte_for(byte))) == len(str(byte)) for byte in range(256))


ESCAPES = [
    # as written, and as written afterwards
    (r"caf\u00e9", r"xxx\u00f8"),
    (r"CAF\u00C9", r"XXX\u00D8"),
    (r"\u0041\u0062\u0033", r"\u0058\u0078\u0031"),
    (r"\ud83d\ude80 \uD83D\uDE80", r"\ud83d\ude00 \uD83D\uDE00"),
    (r"a\nb\t\"c\" d\/e \\ f", r"x\nx\t\"x\" x\/x \\ x"),
    (r"\u4f60\u000a\u2028", r"\u6587\u000a\u2028"),
    (r"half \ud83d", r"xxxx \ud83d"),
    (r"\ude80 other half", r"\ude00 xxxxx xxxx"),
]


@pytest.mark.parametrize(("written", "expected"), ESCAPES)
def test_each_escape_keeps_its_form(written: str, expected: str) -> None:
    """The case of its digits, pairs as pairs, halves as halves."""
    before = f'data: {{"choices":[{{"index":0,"delta":{{"content":"{written}"}}}}]}}\n\n'.encode()
    assert shaped(before) == f'data: {{"choices":[{{"index":0,"delta":{{"content":"{expected}"}}}}]}}\n\n'.encode()


def chunk(delta: dict[str, object], finish: str | None = None, ascii: bool = True) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-4o", "choices": [choice]}
    return b"data: %s\r\n\r\n" % json.dumps(event, ensure_ascii=ascii).encode()


ARGUMENTS = r'{"city": "Par\"is\n\u00e9", "UNIT": "C", "n": -12.5e3, "zero": 0.05, "ok": true, "l": [null, {"a": "b"}]}'
ANSWER = "Hello, W\u00f6rld! \u4f60\u597d \U0001f680 jane.doe@example.com sk-planted-3141592653589793"


def conversation(finish: str = "stop") -> bytes:
    texts = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": each}, ascii=False) for each in ANSWER)]
    return b"".join([*texts, chunk({}, finish), b"data: [DONE]\r\n\r\n"])


def call() -> bytes:
    def piece(arguments: str) -> bytes:
        return chunk({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": arguments}}]})

    return b"".join([*map(piece, ARGUMENTS), chunk({}, "tool_calls"), b"data: [DONE]\r\n\r\n"])


@pytest.mark.parametrize(
    "body", [conversation(), conversation("length"), call(), conversation()[:-9], conversation()[:700]]
)
def test_no_byte_moves_and_the_verdict_stays(body: bytes) -> None:
    """Every chunk, event and offset is where it was; the same code after the same number of events."""
    (after,) = SHAPE.apply(cassette(body)).interactions
    assert after.response.chunks == cassette(body).interactions[0].response.chunks
    parser, shaped_parser = EventStreamParser(), EventStreamParser()
    sizes = [len(event.data.encode()) for event in parser.feed(body)]
    assert [len(event.data.encode()) for event in shaped_parser.feed(after.response.body)] == sizes
    assert [shaped_parser.event_end(n) for n in range(len(sizes))] == [parser.event_end(n) for n in range(len(sizes))]
    for contract in (chat(), chat_text()):
        was, now = read([body], contract), read([after.response.body], contract)
        assert (now.code, now.events, now.bytes_read) == (was.code, was.events, was.bytes_read)
    assert SHAPE.scan(Cassette((after,))) == ()
    for word in (b"Hello", b"W\xc3\xb6rld", b"jane", b"planted", b"Par"):
        assert word not in after.response.body


def test_what_was_said_is_gone() -> None:
    """Put together, the text is a text of the same shape; a secret in it needs no stand-in."""
    verdict = read([shaped(conversation())], chat_text())
    assert verdict.text == "Xxxxx, X\u00f8xxx! \u6587\u6587 \U0001f600 xxxx.xxx@xxxxxxx.xxx xx-xxxxxxx-1111111111111111"


def test_arguments_stay_json_of_the_same_shape() -> None:
    """One character an event: strings, numbers and nesting by their shape, names by names that stay distinct."""
    verdict = read([shaped(call())], chat())
    said = verdict.tool_calls[0].arguments
    assert said == (
        r'{"xxxx": "Xxx\"xx\n\u00f8", "XXXX": "X", "x": -11.1e1, "xxxX": 1.11, "xx": true, "X": [null, {"x": "x"}]}'
    )
    value = json.loads(said)
    assert list(map(type, value.values())) == [str, str, float, float, bool, list]
    assert value["xxxx"] == 'Xxx"xx\n\u00f8'
    assert len(value) == 6
    assert len(said) == len(ARGUMENTS)


def test_declared_names_stay() -> None:
    """What the request calls a tool's arguments, the answer may still call them."""
    tool = {"name": "f", "description": "Tell it", "input_schema": {"properties": {"city": {"type": "string"}}}}
    request = json.dumps({"tools": [tool], "messages": [{"role": "user", "content": "In Oslo?"}]}).encode()
    (after,) = SHAPE.apply(cassette(call(), request)).interactions
    assert json.loads(read([after.response.body], chat()).tool_calls[0].arguments)["city"] == 'Xxx"xx\n\u00f8'
    assert after.request.body == request.replace(b"Tell it", b"Xxxx xx").replace(b"In Oslo?", b"Xx Xxxx?")


@pytest.mark.parametrize(
    ("request_body", "expected", "sent"),
    [
        (
            b'{"model":"m-1","input":"Say hi","stream":true}',
            b'{"model":"m-1","input":"Xxx xx","stream":true}',
            "application/json",
        ),
        (
            b'{"system":[{"type":"text","text":"Be kind"}]}',
            b'{"system":[{"type":"text","text":"Xx xxxx"}]}',
            "application/json",
        ),
        (
            b'{"contents":[{"role":"user","parts":[{"text":"Hi 5"}]}]}',
            b'{"contents":[{"role":"user","parts":[{"text":"Xx 1"}]}]}',
            "",
        ),
        (
            b'{"type":"not one word, so it is content"}',
            b'{"type":"xxx xxx xxxx, xx xx xx xxxxxxx"}',
            "application/json",
        ),
        (b"prompt=Say%20hi%C3%A9&n=2", b"prompt=Xxx%20xx%C3%B8&n=1", "application/x-www-form-urlencoded"),
        (b"Say hi", b"Xxx xx", "text/plain"),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="jane.wav"\r\n\r\nRIFF\xff9\r\n--b--\r\n',
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="xxxx.xxx"\r\n\r\nXXXX\x801\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
        ),
    ],
)
def test_prompts_are_shaped_too(request_body: bytes, expected: bytes, sent: str) -> None:
    """In JSON what is not structure; in forms the values; elsewhere everything."""
    assert asked(request_body, sent) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi you"}           }',
            b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Xx xxx"}           }',
        ),
        (
            b'{"type":"response.output_text.delta","item_id":"msg_1","delta":"Hi","sequence_number":12}',
            b'{"type":"response.output_text.delta","item_id":"msg_1","delta":"Xx","sequence_number":12}',
        ),
        (
            b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":42,"s":"ab"}}}]},"index":0}]}',
            b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":11,"s":"xx"}}}]},"index":0}]}',
        ),
        (
            b'{"choices":[{"logprobs":{"content":[{"token":"Hi","logprob":-0.5,"bytes":[72,105]}]}}]}',
            b'{"choices":[{"logprobs":{"content":[{"token":"Xx","logprob":-0.5,"bytes":[88,120]}]}}]}',
        ),
        (
            b'{"delta":{"audio":{"id":"audio_1","data":"UklGRiQ5AAA+/w=="}}}',
            b'{"delta":{"audio":{"id":"audio_1","data":"XxxXXxX1XXX+/x=="}}}',
        ),
        (
            b'{"error":{"type":"invalid_request_error","code":"x1","message":"Who is Jane?"}}',
            b'{"error":{"type":"invalid_request_error","code":"x1","message":"Xxx xx Xxxx?"}}',
        ),
        (b"Hello there", b"Xxxxx xxxxx"),
        (b"[DONE]", b"[DONE]"),
        (b'{"cut off: "Hel', b'{"xxx xxx: "Xxx'),
    ],
)
def test_events_of_every_dialect_are_shaped(event: bytes, expected: bytes) -> None:
    """Types, ids, indices and markers are structure; text, arguments, audio and messages are not."""
    assert (
        shaped(b": hi\nevent: e\nid: 7\ndata: " + event + b"\n\n")
        == b": hi\nevent: e\nid: 7\ndata: " + expected + b"\n\n"
    )


def test_several_data_lines_are_shaped_where_they_are() -> None:
    """JSON cut at white space stays cut there."""
    assert (
        shaped(b'data: {"text":\ndata:  "Hi",\r\ndata: "b":"yo"}\n\n')
        == b'data: {"text":\ndata:  "Xx",\r\ndata: "b":"xx"}\n\n'
    )


def test_the_same_text_has_the_same_shape() -> None:
    """Twice is as good as once, and what is repeated is repeated."""
    once = SHAPE.apply(cassette(conversation() + call(), b'{"input":"Hi"}'))
    assert SHAPE.apply(once) == once
    assert SHAPE.clean(once).counts == {}


def test_content_that_is_left_is_refused() -> None:
    """The scan looks for letters and digits that no shape has; it says where."""
    kept = Sanitizer.default().apply(cassette(conversation(), b'{"input":"Hi there"}'))
    found = {str(residue) for residue in SHAPE.scan(kept)}
    assert "text-shape in interaction 1, request body" in found
    assert "text-shape in interaction 1, response event 1" in found


def test_frames_with_checksums_are_refused() -> None:
    """AWS event streams cannot be shaped and stay what they are."""
    frame = (
        (60).to_bytes(4, "big")
        + (32).to_bytes(4, "big")
        + b"\x00\x00\x00\x00\x0b:event-type"
        + b"\x07\x00\x05chunk"
        + b"{}" * 20
    )
    dirty = cassette(frame)
    assert SHAPE.apply(dirty).interactions[0].response.body == frame
    assert [residue.rule for residue in SHAPE.scan(SHAPE.apply(dirty))] == ["text-shape"]
