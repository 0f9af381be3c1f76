"""Names, detection from the first bytes, explanations."""

from __future__ import annotations

import re

import pytest

from recorder import replay
from recorder.contracts import (
    EXPLANATIONS,
    chat,
    chat_text,
    detect,
    detected,
    explain,
    explanation_table,
    generation,
    named,
    names,
    terminal_offset,
)
from recorder.errors import FaultCode

CHUNK = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
PROGRESS = b'event: progress\ndata: {"state":"running","progress":5}\n\n'


@pytest.mark.parametrize(("prefix", "name"), [
    (CHUNK, "chat"),
    (CHUNK.replace(b"\n", b"\r\n"), "chat"),
    (b"\xef\xbb\xbf" + CHUNK, "chat"),
    (b": OPENROUTER PROCESSING\n\n" * 3 + CHUNK, "chat"),
    (b"retry: 5\n\ndata:\n\n" + CHUNK, "chat"),
    (b'data: {"choices":[],"prompt_filter_results":[]}\n\n', "chat"),
    (b'data:{"choices":[{"index":0,"delta":{}}]}\n\n', "chat"),
    (b'data: {"choices":[{"index":0,"delta":{}}]}', "chat"),
    (CHUNK[:50], "chat"),
    (PROGRESS, "generation"),
    (PROGRESS[:35], "generation"),
    (b'event: done\ndata: {"outputs":[]}\n\n', "generation"),
    (b'data: {"object":"chat.completion.chunk","usage":{}}\n\n', "chat"),
    (b'data: {"choices":[{"index":1,"finish_reason":null},{"index":0,"delta":{}}]}\n\n', "chat"),
    (b'event: done\ndata: {"state":null}\n\n', "generation"),
    (b'event: error\ndata: {"state":"failed","error":"m"}\n\n', "generation"),
    (b'event: progress\ndata: {"progress":5}\n\n', "generation"),
    (b'event: progress\ndata: {"x":{"state":"running"}}\n\n', None),
    (b'event: progress\ndata: ["state"]\n\n', None),
    (b'data: {"state":"running","progress":5}\n\n', None),
    (b"event: chunk\n" + CHUNK, None),
    (b'data: {"choices":[{"index":0}]}\n\n', None),
    (b"<!doctype html>\n\n" + CHUNK, None),
    (b'{"choices":[\n' + CHUNK, None),
    (b"", None),
    (b": hb\n\n", None),
    (b"data:\n\n", None),
    (CHUNK[:30], None),
    (b'data: {"text":"\\"object\\":\\"chat.completion.chunk\\"', None),
    (b'event: error\ndata: {"type":"error"}\n\n', None),
    (b"data: [DONE]\n\n", None),
    (b'{"choices":[]}', None),
    (b"<html>data: {}", None),
    (b"data: [1]\n\n", None),
])  # fmt: skip
def test_detect(prefix: bytes, name: str | None) -> None:
    """From the first bytes alone, cut ones too."""
    assert detect({}, prefix) == name
    assert detect({"Content-Type": "text/event-stream; charset=utf-8"}, prefix) == name


@pytest.mark.parametrize(("content_type", "name"), [
    ("application/json", None), ("text/html", None), ("application/x-ndjson", None),
    ("**REDACTED**", "chat"), ("", "chat"), ("TEXT/EVENT-STREAM", "chat"),
])  # fmt: skip
def test_detect_believes_the_head(content_type: str, name: str | None) -> None:
    """A head that says something else is believed; one that says nothing is not asked."""
    assert detect({"content-type": [content_type]}, CHUNK) == name


def test_names() -> None:
    """Functions of the room, and what `detect` can give."""
    assert names() == (
        "chat",
        "chat_text",
        "completions",
        "responses",
        "messages",
        "gemini",
        "cohere",
        "generation",
        "jsonrpc",
    )


@pytest.mark.parametrize("contract", [
    chat(), chat("finish"), chat_text(), chat_text("cometapi-node"), chat_text("cometapi-dotnet"), chat_text("flowbar"),
    generation(),
], ids=lambda contract: contract.name)  # fmt: skip
def test_named(contract) -> None:
    """What a contract calls itself gives it back, with its own limits."""
    assert named(contract.name) == contract


@pytest.mark.parametrize("name", ["", "chat/", "chat/openai", "chat_text/none", "generation/x", "Chat", "messages "])
def test_named_does_not_guess(name: str) -> None:
    """An unknown name is told, with those there are."""
    with pytest.raises(ValueError, match=re.escape(f"{name!r} is not a contract: one of 'chat', 'chat/finish'")):
        named(name)
    assert named("chat_text") == chat_text()


def test_the_place_of_the_terminal_event() -> None:
    """Just after the byte that completes it; also where the contract then misses something."""
    body = CHUNK + STOP + DONE
    assert terminal_offset(body + b"more") == len(body)
    assert terminal_offset(body.replace(b"\n", b"\r\n")) == len(body.replace(b"\n", b"\r\n")) - 1
    assert terminal_offset(CHUNK + DONE) == len(CHUNK + DONE)
    assert terminal_offset(CHUNK + STOP) is None
    assert terminal_offset(b"data: x\n\n") is None
    assert terminal_offset(PROGRESS + b'event: done\ndata: {"state":"failed"}\n\n', generation()) is not None
    assert detected(b"data: x\n\n") is None


ERRORS = {
    "chat": CHUNK + b'data: {"error":{"message":"x","type":"server_error"}}\n\n',
    "completions": b'data: {"object":"text_completion","choices":[{"index":0,"text":"x","finish_reason":null}]}\n\n'
    b'data: {"error":{"message":"x"}}\n\n',
    "messages": b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
    b'"role":"assistant","content":[],"model":"m","usage":{}}}\n\n'
    b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
    "gemini": b'data: {"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}]}\n\n'
    b'data: {"error":{"code":500,"message":"x","status":"INTERNAL"}}\n\n',
    "responses": b'event: response.created\ndata: {"type":"response.created","response":{"id":"r",'
    b'"status":"in_progress"},"sequence_number":0}\n\n'
    b'event: error\ndata: {"type":"error","code":"x","message":"x","sequence_number":1}\n\n',
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_event_is_the_terminal_one(name: str) -> None:
    """It decides, whatever follows it; a plan that ends before the terminal event leaves it out."""
    body = ERRORS[name]
    before = body[: body.rindex(b"\n\n", 0, -2) + 2]
    assert terminal_offset(body, named(name)) == len(body)
    assert terminal_offset(body + DONE, named(name)) == len(body)
    assert terminal_offset(body[:-2], named(name)) is None  # not dispatched
    assert terminal_offset(before, named(name)) is None
    assert b"".join(replay(body + DONE, "end=eof@terminal", contract=named(name))) == before


def test_every_code_is_explained_and_nothing_else() -> None:
    """The table has exactly the codes there are, and "accepted"."""
    assert set(EXPLANATIONS) == {"accepted", *(str(code) for code in FaultCode)}


@pytest.mark.parametrize("code", [*EXPLANATIONS])
def test_an_explanation_is_a_sentence_and_a_remedy(code: str) -> None:
    """Two sentences, each ended, neither with a code in it."""
    meaning, remedy = EXPLANATIONS[code]
    for sentence in (meaning, remedy):
        assert re.fullmatch(r"[A-Z][^.]*(?:\.[a-z][^.]*)*\.", sentence)
    assert explain(code) == f"{meaning} {remedy}"


def test_explain_takes_a_code_or_its_text() -> None:
    """The same either way; a word that is no code is told, with the nearest."""
    assert explain(FaultCode.MISSING_TERMINAL) == explain("missing_terminal")
    with pytest.raises(ValueError, match="did you mean 'missing_terminal'"):
        explain("missing_terminl")
    with pytest.raises(ValueError, match=r"code=7 is no verdict's code$"):
        explain(7)  # type: ignore[arg-type]


def test_the_table_for_the_documents() -> None:
    """One row a code, in the order of the vocabulary."""
    rows = explanation_table().splitlines()
    assert rows[:2] == ["| code | what it says | what to do |", "|---|---|---|"]
    codes = [row.split("`")[1] for row in rows[2:]]
    assert codes == ["accepted", *(str(code) for code in FaultCode)]
    assert all(row.count("|") == 4 for row in rows)
