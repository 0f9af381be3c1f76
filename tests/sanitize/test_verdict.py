"""A replacement changes what a stream says, never whether it is complete: the same code after the same events."""

from __future__ import annotations

import json

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.contracts import chat, chat_text, read
from recorder.sanitize import Sanitizer

KEY = "sk-planted-3141592653589793"


def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: %s\n\n" % json.dumps(event).encode()


def text(pieces: str | list[str], finish: str = "stop", end: bytes = b"data: [DONE]\n\n") -> bytes:
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    return b"".join([*map(chunk, deltas), chunk({}, finish), end])


def call(arguments: str) -> bytes:
    def piece(part: str) -> dict[str, object]:
        return {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "f", "arguments": part}}]}

    return b"".join([*[chunk(piece(char)) for char in arguments], chunk({}, "tool_calls"), b"data: [DONE]\n\n"])


USAGE = b'data: {"object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":1}}\n\n'
PROFILES = ("openai", "cometapi-node", "cometapi-dotnet", "flowbar")
STREAMS = {
    "whole": text([f"it is {KEY}, mail jane.doe@example.com"]),
    "halves": text([KEY[:9], KEY[9:]]),
    "characters": text(f"{KEY} and jane.doe@example.com and user-AbCdEfGh1JkLmNoPqRsTuVwX!"),
    "nothing but the secret": text(KEY),
    "length": text(KEY, "length"),
    "no finish": text(KEY)[: -len(chunk({}, "stop")) - 14] + b"data: [DONE]\n\n",
    "no terminal": text(KEY, end=b""),
    "cut in the secret": text(KEY)[:900],
    "cut in the terminal": text(KEY, end=b"data: [DONE]\n"),
    "usage": text(KEY, end=USAGE + b"data: [DONE]\n\n"),
    "arguments": call(
        json.dumps({"password": 'hun"ter2', "to": "jane.doe@example.com", "key": KEY, "n": [1, {"a": None}]})
    ),
    "names of arguments": call(json.dumps({KEY: {"jane.doe@example.com": 1}})),
    "arguments that are cut": call(json.dumps({"password": KEY})[:-1]),
    "an error": b'data: {"error":{"message":"bad key %s","type":"auth"}}\n\n' % KEY.encode(),
    "a named event": b"event: %s\n" % KEY.encode() + text("a"),
    "an id": b"id: %s\n" % KEY.encode() + text(KEY),
    "comments": b": %s\n\n" % KEY.encode() + text("a").replace(b"\n\n", b"\n: jane.doe@example.com\n\n"),
    "broken JSON": text("a")[:-14] + b'data: {"choices": %s\n\n' % KEY.encode(),
    "no JSON": b"data: %s\n\n" % KEY.encode(),
    "carriage returns": text(KEY).replace(b"\n", b"\r"),
}


@pytest.mark.parametrize("policy", ["keep", "shape"])
@pytest.mark.parametrize("name", STREAMS)
def test_the_verdict_stays(name: str, policy: str) -> None:
    """Under every contract for chat: accepted stays accepted, and a fault stays that fault at that event."""
    body = STREAMS[name]
    dirty = Cassette((Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), body)),))
    sanitizer = Sanitizer.default([KEY], text=policy)  # type: ignore[arg-type]
    clean = sanitizer.apply(dirty)
    after = clean.interactions[0].response.body
    assert sanitizer.scan(clean) == ()
    assert KEY.encode() not in after
    if policy == "shape" and b"-REDACTED-" not in after:
        assert len(after) == len(body)
    for contract in (chat(), chat(terminal="finish"), *map(chat_text, PROFILES)):
        was, now = read([body], contract), read([after], contract)
        assert (now.code, now.events) == (was.code, was.events), contract.name


def test_arguments_stay_arguments() -> None:
    """JSON of the same members, with stand-ins for values."""
    dirty = Cassette(
        (Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), STREAMS["arguments"])),)
    )
    body = Sanitizer.default([KEY]).apply(dirty).interactions[0].response.body
    (tool,) = read([body], chat()).tool_calls
    assert json.loads(tool.arguments) == {
        "password": "secret-REDACTED-0001", "to": "email-REDACTED-0001", "key": "secret-REDACTED-0002",
        "n": [1, {"a": None}],
    }  # fmt: skip
