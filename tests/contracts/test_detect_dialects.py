"""Which dialect a stream is, from its head and first bytes alone."""

from __future__ import annotations

import pytest

from recorder.contracts import BodyKind, body_kind, detect, detected, named, read

HEAD = {"content-type": "text/event-stream; charset=utf-8"}

COMPLETION = b'data: {"id":"c","object":"text_completion","choices":[{"index":0,"text":"a","finish_reason":null}]}\n\n'
CREATED = b'event: response.created\ndata: {"type":"response.created","response":{"status":"in_progress"}}\n\n'
BARE = b'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'
START = b'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
GEMINI = b'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]}\r\n\r\n'
COHERE = b'event: message-start\ndata: {"id":"m","type":"message-start","delta":{}}\n\n'
MCP = b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'
A2A = b'data: {"id":"i","jsonrpc":"2.0","result":{"kind":"task","status":{"state":"submitted"}}}\r\n\r\n'
ERROR = b'event: error\ndata: {"type":"error",%s}\n\n'


@pytest.mark.parametrize(("prefix", "name"), [
    (COMPLETION, "completions"),
    (b'data: {"choices":[{"index":0,"text":"a"}]}\n\n', "completions"),
    (b'data: {"object":"text_completion","choices":[]}\n\n', "completions"),
    (b'data: {"object":"text_completion.chunk","choices":[],"usage":{}}\n\n', "completions"),
    (COMPLETION[:50], "completions"),
    (CREATED, "responses"),
    (CREATED[:23] + b"\ndata: {", "responses"),
    (CREATED.split(b"\n", 1)[1], "responses"),
    (CREATED.split(b"\n", 1)[1][:40], "responses"),
    (b'data: {"response":{"tools":[{"type":"function"}]},"type":"response.created"', "responses"),
    (b'data: {"type":"response.created"}\nevent: response.created\n\n', "responses"),
    (BARE, "responses"),
    (b'event: response.brand_new\ndata: {}\n\n', "responses"),
    (ERROR % b'"code":"x","message":"m","param":null,"sequence_number":0', "responses"),
    (ERROR % b'"error":{"type":"invalid_request_error","code":"x","param":null}', "responses"),
    *((ERROR % f'"message":"m","{member}":null'.encode(), "responses") for member in ("code", "param",
                                                                                      "sequence_number")),
    (START, "messages"),
    (START[:30], "messages"),
    (START.split(b"\n", 1)[1], "messages"),
    (PING, "messages"),
    (PING + START, "messages"),
    (b'data: {"type": "ping"}\n\n', "messages"),
    (b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0}\n\n', "messages"),
    (ERROR % b'"error":{"type":"overloaded_error","message":"Overloaded"}', "messages"),
    ((ERROR % b'"error":{"type":"overloaded_error","message":"Overloaded"}').split(b"\n", 1)[1], "messages"),
    (GEMINI, "gemini"),
    (GEMINI[:30], "gemini"),
    (b'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n', "gemini"),
    (b'data: {"usageMetadata":{"trafficType":"ON_DEMAND"}}\n\n', "gemini"),
    (COHERE, "cohere"),
    (COHERE[:35], "cohere"),
    (b'data: {"type":"content-delta","index":0}\n\n', "cohere"),
    (MCP, "jsonrpc"),
    (MCP[:45], "jsonrpc"),
    (A2A, "jsonrpc"),
    (b'data: [{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":1,"result":{}}]\n\n', "jsonrpc"),
    (b'data: {"jsonrpc":"2.0","id":1,"result":{"candidates":[]}}\n\n', "jsonrpc"),
    (b'data: {"jsonrpc":"2.0","method":"m","params":{"type":"message_start"', "jsonrpc"),
])  # fmt: skip
@pytest.mark.parametrize("before", [b"", b": OPENROUTER PROCESSING\n\n", b"\xef\xbb\xbf", b"retry: 5\n\ndata:\n\n",
                                    b'event: heartbeat\ndata: {"at":1}\n\n'])  # fmt: skip
def test_the_first_event_with_a_sign_shows_it(prefix: bytes, name: str, before: bytes) -> None:
    """Whole or cut off; after comments, heartbeats and events that show nothing."""
    assert detect(HEAD, before + prefix) == name
    assert detect({}, before + prefix) == name


@pytest.mark.parametrize("prefix", [
    COMPLETION[:30], CREATED.split(b"\n", 1)[1][:20], START[:20], GEMINI[:15], MCP[:30], b'data: {"id":"i"}\n\n',
    b"event: ping\ndata: 2026-11-30\n\n", b"event: ping\ndata: {}\n\n", b'event: ping\ndata: {"type":"pong"}\n\n',
    b'event: error\ndata: {"error":{"message":"m"}}\n\n', b'event: error\ndata: {"type":"error"}\n\n',
    b'event: error\ndata: overloaded\n\n', b'data: {"type":"error","error":"m"}\n\n', b'data: {"type":5}\n\n',
    b'data: {"type":"transcript.text.delta","delta":"Hi"}\n\n', b'data: {"value":"Hi"}\n\n', b"data: []\n\n",
    b'event: interaction.created\ndata: {"event_type":"interaction.created"}\n\n', b"data: [{}]\n\n",
    b'data: [{"jsonrpc":"2.0","method":"m"},{}]\n\n',
    b'event: completion\ndata: {"deltaText":"Hi"}\n\n', b"event: output\nid: 1:0\ndata: Hi\n\n", b"data: [DONE]\n\n",
    b'data: {"candidates":5}\n\n', b'data: {"choices":[5]}\n\n', b'data: {"jsonrpc":"1.0","method":"m"}\n\n',
    b'data: {"text":"\\"type\\":\\"message_start\\"', b'event: debug\ndata: {"x":1}\n\n', b": c\n\n", b"data:\n\n",
    b'data: {"text":"\\"jsonrpc\\":\\"2.0\\"', b'data: "{\\"candidates\\":',
])  # fmt: skip
def test_nothing_shows(prefix: bytes) -> None:
    """Another interface's events, what several dialects could say, and text that only looks like a sign."""
    assert detect(HEAD, prefix) is None
    assert detected(prefix) is None


@pytest.mark.parametrize(("body", "kind"), [
    (b'{"message":{"content":"Hi"},"done":false}\n{"done":true}\n', BodyKind.NDJSON),
    (b'{"is_finished":false,"event_type":"stream-start"}\n{"event_type":"text-generation"}\n', BodyKind.NDJSON),
    (b'{\n  "error": {\n    "code": 400,\n    "message": "m"\n  }\n}\n', BodyKind.JSON),
    (b'[{\n  "candidates": [{}]\n}\n,\r\n{"candidates": []}]', BodyKind.JSON),
    (b'{"type":"error","error":{"type":"rate_limit_error"}}', BodyKind.JSON),
    (b"<!doctype html><html><body>Sign in</body></html>", BodyKind.HTML),
    (b"\x00\x00\x00\x6d\x00\x00\x00\x52\x01\x02\x03\x04\x0b:event-type\x07\x00\x0cmessageStart",
     BodyKind.AWS_EVENTSTREAM),
])  # fmt: skip
def test_what_is_no_event_stream(body: bytes, kind: BodyKind) -> None:
    """Whatever its head says; a reader then says what came instead."""
    assert body_kind(body) is kind
    assert detect(HEAD, body) is None
    for contract in ("messages", "gemini", "responses"):
        verdict = read([body], named(contract))
        assert (verdict.code, verdict.body) == ("missing_terminal", kind)


@pytest.mark.parametrize(("head", "name"), [
    ({"Content-Type": ["application/json"]}, None), ({"content-type": "application/vnd.amazon.eventstream"}, None),
    ({"content-type": "application/stream+json"}, None), ({"content-type": "application/x-ndjson"}, None),
    ({"content-type": "**REDACTED**"}, "messages"), ({"CONTENT-TYPE": "TEXT/EVENT-STREAM"}, "messages"),
])  # fmt: skip
def test_the_head_is_believed(head: dict[str, str], name: str | None) -> None:
    """A media type that is another one; a redacted one says nothing."""
    assert detect(head, START) == name


@pytest.mark.parametrize(("body", "name"), [
    (COMPLETION, "completions"), (CREATED, "responses"), (START, "messages"), (GEMINI, "gemini"), (COHERE, "cohere"),
    (MCP, "jsonrpc"),
])  # fmt: skip
def test_the_contract_of_a_body(body: bytes, name: str) -> None:
    """With its own limits; at every length a prefix shows the dialect or nothing."""
    contract = detected(body)
    assert contract is not None
    assert contract.name == name
    found = [detect({}, body[:length]) for length in range(len(body) + 1)]
    assert set(found) == {None, name}
    assert found == sorted(found, key=lambda each: each is not None)
