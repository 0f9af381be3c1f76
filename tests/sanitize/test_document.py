"""What belongs together in a stream is put together, and leads back to where it was written."""

from __future__ import annotations

import json

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import Sanitizer

SECRET = "sk-Pl4nted-314159"
SANITIZER = Sanitizer.default([SECRET])


def cleaned(body: bytes) -> bytes:
    """The clean body; the scan refuses it before and not after."""
    dirty = Cassette((Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), body)),))
    assert SANITIZER.scan(dirty)
    clean = SANITIZER.apply(dirty)
    assert SANITIZER.scan(clean) == ()
    return clean.interactions[0].response.body


def stream(*events: object) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(event, separators=(",", ":")).encode() for event in events)


HALVES = ("sk-Pl4nte", "d-314159")
NOISE = "noise"
DIALECTS = {
    "choices": [
        {"choices": [{"index": index, "delta": {"content": text}}]}
        for index, text in ((0, HALVES[0]), (1, NOISE), (0, HALVES[1]))
    ],
    "choices in one event": [
        {"choices": [{"index": 0, "text": HALVES[0]}, {"index": 1, "text": NOISE}]},
        {"choices": [{"index": 1, "text": NOISE}, {"index": 0, "text": HALVES[1]}]},
    ],
    "index behind the text": [
        {"candidates": [{"content": {"parts": [{"text": text}]}, "index": index}]}
        for index, text in ((0, HALVES[0]), (1, NOISE), (0, HALVES[1]))
    ],
    "thoughts": [
        {"candidates": [{"content": {"parts": [{"text": HALVES[0]}, {"text": NOISE, "thought": True}]}}]},
        {"candidates": [{"content": {"parts": [{"text": NOISE, "thought": True}]}}]},
        {"candidates": [{"content": {"parts": [{"text": HALVES[1]}]}}]},
    ],
    "block and delta": [
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": HALVES[0]}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": NOISE}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": HALVES[1]}},
    ],
    "items": [
        {"type": "response.output_text.delta", "item_id": item, "delta": text, "sequence_number": number}
        for number, (item, text) in enumerate((("a", HALVES[0]), ("b", NOISE), ("a", HALVES[1])))
    ],
    "tool calls": [
        {"choices": [{"delta": {"tool_calls": [{"index": index, "function": {"arguments": text}}]}}]}
        for index, text in ((0, HALVES[0]), (1, NOISE), (0, HALVES[1]))
    ],
    "an index that counts": [
        {"index": number, "token": {"id": number, "text": text, "special": False}} for number, text in enumerate(HALVES)
    ],
    "tasks": [
        {"result": {"taskId": task, "parts": [{"kind": "text", "text": text}]}}
        for task, text in (("t1", HALVES[0]), ("t2", NOISE), ("t1", HALVES[1]))
    ],
    "ids that change": [{"id": f"msg-{number}", "delta": text} for number, text in enumerate(HALVES)],
    "strings": list(HALVES),
    "members that change": [
        {"id": "c1", "choices": [{"index": 0, "delta": {"content": [{"type": "text", "text": HALVES[0]}]}}]},
        {"id": "c1", "choices": [{"index": 0, "delta": {"content": HALVES[1]}}]},
    ],
    "members that differ": [{"a": {"text": HALVES[0]}}, {"b": [{"text": HALVES[1]}]}],
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parallel_texts_are_told_apart(dialect: str) -> None:
    """By index, item, thought, task or path; the noise between the halves stays."""
    body = stream(*DIALECTS[dialect])
    expected = body.replace(HALVES[0].encode(), b"secret-REDACTED-0001").replace(HALVES[1].encode(), b"")
    assert cleaned(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: sk-Pl4nte\n\ndata: d-314159\n\n", b"data: secret-REDACTED-0001\n\ndata: -\n\n"),
        (b"data:sk-Pl4nte\rdata:d-314159\r\r", b"data:secret-REDACTED-0001\rdata:-\r\r"),
        (b"data: a sk-Pl4nte\n\ndata: d-314159 b\n\n", b"data: a secret-REDACTED-0001\n\ndata:  b\n\n"),
        (b": sk-Pl4nte\n\n: d-314159\n\ndata: 1\n\n", b": secret-REDACTED-0001\n\n: -\n\ndata: 1\n\n"),
        (
            b"id: sk-Pl4nted-314159\nevent: sk-Pl4nted-314159\ndata: 1\n\n",
            b"id: secret-REDACTED-0001\nevent: secret-REDACTED-0001\ndata: 1\n\n",
        ),
        (b"data: 1\n\nsk-Pl4nted-314159: junk\n\n", b"data: 1\n\nsecret-REDACTED-0001: junk\n\n"),
        (
            b'data: {"a":\r\ndata: "sk-Pl4nted-314159",\r\ndata: "b":1}\r\n\r\n',
            b'data: {"a":\r\ndata: "secret-REDACTED-0001",\r\ndata: "b":1}\r\n\r\n',
        ),
        (b'data: {"a":"sk-Pl4nte\ndata: d-314159"}\n\n', b'data: {"a":"secret-REDACTED-0001\ndata: "}\n\n'),
        (b'data: {"sk-Pl4nted-314159":{"a":1}}\n\n', b'data: {"secret-REDACTED-0001":{"a":1}}\n\n'),
        (b"\xef\xbb\xbfdata: sk-Pl4nted-314159\n\n", b"\xef\xbb\xbfdata: secret-REDACTED-0001\n\n"),
        (b"\xef\xbb\xbf" + b'{"a":"sk-Pl4nted-314159"}', b"\xef\xbb\xbf" + b'{"a":"secret-REDACTED-0001"}'),
        (b'data: {"a":"sk-Pl4nted-314', b'data: {"a":"sk-Pl4nted-314'),
        (b"data: sk-Pl4nted-314159", b"data: secret-REDACTED-0001"),
        (b'{"error":{"message":"no sk-Pl4nted-314159"}}', b'{"error":{"message":"no secret-REDACTED-0001"}}'),
        (b'{"a":1}\n{"b":"sk-Pl4nted-314159"}\n', b'{"a":1}\n{"b":"secret-REDACTED-0001"}\n'),
        (b"<html>sk-Pl4nted-314159</html>", b"<html>secret-REDACTED-0001</html>"),
        (b"\xff\x00sk-Pl4nted-314159\xfe", b"\xff\x00secret-REDACTED-0001\xfe"),
        (
            b'data: {"a":"\\u4f60 sk-Pl4nted-314159 \xe4\xbd\xa0"}\n\n',
            b'data: {"a":"\\u4f60 secret-REDACTED-0001 \xe4\xbd\xa0"}\n\n',
        ),
    ],
)
def test_every_form_of_a_body_is_read(body: bytes, expected: bytes) -> None:
    """Field spelling, line ends, marks and everything around the secret stay; no event is swallowed."""
    if body != expected:
        assert cleaned(body) == expected
    else:
        dirty = Cassette((Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), body)),))
        assert SANITIZER.apply(dirty) == dirty


def test_bytes_of_log_probabilities_are_a_text_too() -> None:
    """Lists of numbers stay lists of numbers of the same length."""
    tokens = [{"token": text, "bytes": list(text.encode()), "top_logprobs": []} for text in HALVES]
    body = stream(*[{"choices": [{"index": 0, "logprobs": {"content": [token]}}]} for token in tokens])
    first, second = (json.loads(line[6:]) for line in cleaned(body).decode().split("\n\n")[:2])
    assert first["choices"][0]["logprobs"]["content"][0] == {
        "token": "secret-REDACTED-0001",
        "bytes": [42] * 9,
        "top_logprobs": [],
    }
    assert second["choices"][0]["logprobs"]["content"][0] == {"token": "", "bytes": [42] * 8, "top_logprobs": []}


def test_a_number_can_be_a_secret() -> None:
    """It is replaced by a number, wherever it stands in JSON."""
    sanitizer = Sanitizer.default(["271828182845"])
    body = b'data: {"pin":271828182845,"text":"is 271828182845","n":27182}\n\n'
    dirty = Cassette((Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), body)),))
    clean = sanitizer.apply(dirty)
    assert clean.interactions[0].response.body == b'data: {"pin":1,"text":"is secret-REDACTED-0001","n":27182}\n\n'
    assert sanitizer.scan(clean) == ()


def test_the_same_value_has_the_same_stand_in_everywhere() -> None:
    """Across interactions, encodings and places; in the order of appearance; behind the numbers the file has."""
    request = Request(
        "POST",
        "https://a.example/",
        Headers({"authorization": "Bearer key-number-one-1111"}),
        b'{"user":"u-22222222","note":"key-number-one-1111"}',
    )
    first = Response(200, Headers(), b"data: u-22222222 and jane@example.com, org-REDACTED-0007\n\n")
    second = Response(
        200, Headers({"openai-organization": "acme-1"}), b"data: amFuZUBleGFtcGxlLmNvbQ== key%2Dnumber-one-1111\n\n"
    )
    clean = Sanitizer.default(["jane@example.com"]).apply(
        Cassette((Interaction(request, first), Interaction(request, second)))
    )
    one, two = clean.interactions
    assert one.request.body == b'{"user":"user-REDACTED-0001","note":"secret-REDACTED-0001"}'
    assert one.response.body == b"data: user-REDACTED-0001 and secret-REDACTED-0002, org-REDACTED-0007\n\n"
    assert two.request == one.request
    assert two.response.headers.first("openai-organization") == "org-REDACTED-0008"
    assert two.response.body == b"data: secret-REDACTED-0002 secret-REDACTED-0001\n\n"


@pytest.mark.parametrize("depth", [70, 5000])
def test_nesting_has_no_limit(depth: int) -> None:
    """Nothing recurses."""
    body = b"data: " + b'[{"a":' * depth + b'"sk-Pl4nted-314159"' + b"}]" * depth + b"\n\n"
    assert b"secret-REDACTED-0001" in cleaned(body)
