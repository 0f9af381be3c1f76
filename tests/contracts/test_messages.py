"""Streams of Anthropic's Messages API: what is complete, what is impossible, what is put together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import ToolCall, messages, read

MESSAGES = messages()


def event(type_: str, **members: Any) -> bytes:
    """One event as Anthropic sends it."""
    return f"event: {type_}\ndata: {json.dumps({'type': type_, **members})}\n\n".encode()


def begun(**message: Any) -> bytes:
    return event("message_start", message=message)


def block(index: Any = 0, type_: str = "text", **members: Any) -> bytes:
    return event("content_block_start", index=index, content_block={"type": type_, **members})


def delta(text: Any, index: Any = 0) -> bytes:
    return event("content_block_delta", index=index, delta={"type": "text_delta", "text": text})


def thought(text: Any, index: int = 0) -> bytes:
    return event("content_block_delta", index=index, delta={"type": "thinking_delta", "thinking": text})


def piece(text: Any, index: int = 0) -> bytes:
    return event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": text})


def stopped(index: Any = 0) -> bytes:
    return event("content_block_stop", index=index)


def ending(reason: Any = "end_turn", **members: Any) -> bytes:
    return event("message_delta", delta={"stop_reason": reason}, **members)


def tool(index: int = 0, type_: str = "tool_use", **members: Any) -> bytes:
    return block(index, type_, **{"id": "t1", "name": "add", "input": {}, **members})


PING = event("ping")
STOP = event("message_stop")
END = ending() + STOP
HI = begun() + block() + delta("H") + delta("i") + stopped()


@dataclass(frozen=True)
class Case:
    """A stream and what is made of it; `at_event` for a rejection."""

    id: str
    body: bytes
    code: str = "accepted"
    text: str = "Hi"
    at_event: int | None = None
    more: dict[str, Any] = field(default_factory=dict)


COMPLETE = [
    Case("the documented flow", begun(content=[]) + block(text="") + PING + delta("H") + delta("i") + stopped() + END,
         more={"finish": "end_turn", "unknown": 0}),
    Case("JSON padded with blanks", (HI + END).replace(b"}\n\n", b"     }\n\n")),
    Case("no event names", b"".join(line + b"\n\n" for line in (HI + END).split(b"\n") if line.startswith(b"data"))),
    Case("names only, no type", (HI + END).replace(b'{"type": "message', b'{"kind": "message')),
    Case("no block is ever started", begun() + delta("H") + delta("i") + END),
    Case("no block is started, two are meant", begun() + delta("H") + delta("i", 1) + END),
    Case("thoughts and text, no block started", begun() + thought("hm") + delta("Hi", 1) + END,
         more={"reasoning": "hm"}),
    Case("a block that is started with its text", begun() + block(text="H") + delta("i") + stopped() + END),
    Case("two blocks", begun() + block() + delta("H") + stopped() + block(1) + delta("i", 1) + stopped(1) + END),
    Case("blocks woven into each other",
         begun() + block() + block(1) + delta("i", 1) + delta("H") + stopped(1) + stopped() + END),
    Case("thinking apart", begun() + block(0, "thinking", thinking="") + thought("h") + thought("m")
         + event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "AA=="})
         + stopped() + block(1) + delta("Hi", 1) + stopped(1) + END, more={"reasoning": "hm", "unknown": 0}),
    Case("a block of a kind nobody knows", begun() + block(0, "novel", data="x")
         + event("content_block_delta", index=0, delta={"type": "novel_delta", "x": 1}) + stopped()
         + block(1) + delta("Hi", 1) + stopped(1) + END, more={"unknown": 1}),
    Case("results of the provider's tools", begun() + tool(0, "server_tool_use") + piece('{"q":1}') + stopped()
         + block(1, "web_search_tool_result", content=[{}]) + stopped(1) + block(2) + delta("Hi", 2)
         + event("content_block_delta", index=2, delta={"type": "citations_delta", "citation": {}})
         + stopped(2) + END, more={"tool_calls": (), "unknown": 0}),
    Case("usage of both ends", begun(usage={"input_tokens": 9, "output_tokens": 1}) + delta("Hi")
         + ending(usage={"output_tokens": 7}) + STOP, more={"usage": {"input_tokens": 9, "output_tokens": 7}}),
    Case("usage at the beginning alone", begun(usage={"input_tokens": 9}) + delta("Hi") + END,
         more={"usage": {"input_tokens": 9}}),
    Case("the last usage counts", begun() + delta("Hi") + ending(usage={"a": 1}) + ending(None, usage={"b": 2}) + STOP,
         more={"usage": {"b": 2}}),
    Case("no usage is not zero", begun(usage=None) + delta("Hi") + END, more={"usage": None}),
    Case("a message_delta without a reason first", HI + ending(None) + END),
    Case("a message_delta without a reason before the blocks", begun() + ending(None) + block() + delta("Hi")
         + stopped() + END),
    Case("the reason said again", HI + ending() + END),
    Case("cut by the token limit, a block open", begun() + block() + delta("Hi") + ending("max_tokens") + STOP,
         more={"finish": "max_tokens"}),
    Case("refused, a block open", begun() + block() + delta("Hi") + ending("refusal") + STOP,
         more={"finish": "refusal"}),
    Case("a reason nobody knows", HI + ending("novel") + STOP, more={"finish": "novel"}),
    Case("nothing was said", begun() + END, text="", more={"tool_calls": ()}),
    Case("halves of a character", begun() + delta("\ud83d") + delta("\ude80") + END, text="🚀"),
    Case("pings anywhere", PING + PING.join(each + b"\n\n" for each in (HI + END).split(b"\n\n")[:-1]),
         more={"unknown": 0}),
    Case("a ping without data, one without a type", b"event: ping\ndata:\n\n" + HI + b"event: ping\ndata: {}\n\n" + END,
         more={"unknown": 0}),
    Case("unknown types", begun() + event("vertex_event", x=1) + delta("Hi") + b"event: note\ndata: words\n\n" + END,
         more={"unknown": 2}),
    Case("a marker of another dialect in the middle", HI + b"data: [DONE]\n\n" + END, more={"unknown": 1}),
    Case("a marker of another dialect after the end", HI + END + b"data: [DONE]\n\n", more={"unknown": 0}),
    Case("a second message after the end is not read", HI + END + HI + b"data: {\n\n"),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", ""),
    Case("pings only", PING * 3, "missing_terminal", ""),
    Case("cut after the text", HI, "missing_terminal"),
    Case("cut after the reason", HI + ending(), "missing_terminal"),
    Case("cut inside the last event", HI + END[:-1], "missing_terminal"),
    Case("another dialect's marker is no end", HI + ending() + b"data: [DONE]\n\n", "missing_terminal"),
    Case("stopped without a message_delta", HI + STOP, "invalid_sequence", "Hi", 6),
    Case("stopped without a reason", HI + ending(None) + STOP, "missing_finish", "Hi", 7),
    Case("stopped at once", STOP, "invalid_sequence", "", 1),
    Case("ended before it began", ending(), "invalid_sequence", "", 1),
    Case("a block before the message", block() + begun(), "invalid_sequence", "", 1),
    Case("a delta before the message", delta("Hi"), "invalid_sequence", "", 1),
    Case("a message that begins twice", HI + begun(), "invalid_sequence", "Hi", 6),
    Case("a message that begins after its reason", HI + ending() + begun(), "invalid_sequence", "Hi", 7),
    Case("text after the reason", HI + ending() + block(1), "invalid_sequence", "Hi", 7),
    Case("a delta after the reason", HI + ending() + delta("!"), "invalid_sequence", "Hi", 7),
    Case("two reasons", HI + ending() + ending("max_tokens"), "invalid_sequence", "Hi", 7),
    Case("a delta for an unknown block", begun() + block() + delta("Hi", 1), "invalid_sequence", "", 3),
    Case("a delta far ahead, no block started", begun() + delta("Hi", 1), "invalid_sequence", "", 2),
    Case("a delta whose block was lost", begun() + delta("Hi") + stopped(), "invalid_sequence", "Hi", 3),
    Case("a block after deltas whose block was lost", begun() + delta("Hi") + block(1), "invalid_sequence", "Hi", 3),
    Case("a delta for a block that stopped", HI + delta("!"), "invalid_sequence", "Hi", 6),
    Case("a block that stops twice", HI + stopped(), "invalid_sequence", "Hi", 6),
    Case("a stop for an unknown block", HI + stopped(1), "invalid_sequence", "Hi", 6),
    Case("a block that begins twice", begun() + block() + block(), "invalid_sequence", "", 3),
    Case("a block that is missing", HI + block(2), "invalid_sequence", "Hi", 6),
    Case("the first block is missing", begun() + block(1), "invalid_sequence", "", 2),
    Case("a block left open by a message that ended by itself", begun() + block() + delta("Hi") + ending(),
         "invalid_sequence", "Hi", 4),
    Case("a block left open at a stop sequence", begun() + block() + delta("Hi") + ending("stop_sequence"),
         "invalid_sequence", "Hi", 4),
    Case("text for a tool", begun() + tool() + delta("Hi"), "invalid_sequence", "", 3),
    Case("tool input for a text", begun() + block() + piece("{}"), "invalid_sequence", "", 3),
    Case("tool input for no block", begun() + piece("{}"), "invalid_sequence", "", 2),
    Case("a thought for a text", begun() + block() + thought("hm"), "invalid_sequence", "", 3),
    Case("an error", begun() + delta("pa") + event("error", error={"type": "overloaded_error", "message": "m"}),
         "upstream_error", "pa", 3),
    Case("an error at once", event("error", error={"type": "overloaded_error"}), "upstream_error", "", 1),
    Case("an error after the reason", HI + ending() + event("error", error={}), "upstream_error", "Hi", 7),
    Case("an error by its name alone", HI + b"event: error\ndata: overloaded\n\n", "upstream_error", "Hi", 6),
    Case("the error of another interface", HI + b'data: {"error":{"message":"m"}}\n\n', "upstream_error", "Hi", 6),
    Case("two types in one event", HI + b'event: message_stop\ndata: {"type":"message_delta"}\n\n', "invalid_chunk",
         "Hi", 6),
    Case("no JSON", HI + b"event: message_delta\ndata: {\n\n", "invalid_json", "Hi", 6),
    Case("text that is no text", begun() + block() + delta(5), "invalid_content", "", 3),
    Case("no text", begun() + block() + delta(None), "invalid_content", "", 3),
    Case("a block with a text that is none", begun() + block(text=5), "invalid_content", "", 2),
    Case("a block with a thought that is none", begun() + block(0, "thinking", thinking=5), "invalid_delta", "", 2),
    Case("a thought that is no text", begun() + thought([]), "invalid_delta", "", 2),
    Case("a delta that is no object", begun() + event("content_block_delta", index=0, delta="Hi"), "invalid_delta",
         "", 2),
    Case("a delta without a kind", begun() + event("content_block_delta", index=0, delta={"text": "Hi"}),
         "invalid_delta", "", 2),
    Case("a message_delta without a delta", HI + event("message_delta"), "invalid_delta", "Hi", 6),
    Case("a reason that is no text", HI + ending(5), "unaccepted_finish", "Hi", 6),
    Case("an empty reason", HI + ending(""), "unaccepted_finish", "Hi", 6),
    Case("usage that is none", begun(usage=[]), "invalid_usage", "", 1),
    Case("usage that is none at the end", HI + ending(usage=3), "invalid_usage", "Hi", 6),
    Case("content before the blocks", begun(content=[{"type": "text", "text": "Hi"}]), "invalid_chunk", "", 1),
    Case("half a character at the end of a thought", begun() + thought("\ud83d") + delta("Hi", 1) + END,
         "invalid_content", "Hi", 5),
    Case("half a character at the end", begun() + delta("\ud83d") + END, "invalid_content", "\ud83d", 4),
]  # fmt: skip


@pytest.mark.parametrize("case", [*COMPLETE, *WRONG], ids=lambda case: case.id)
def test_the_verdict(holds, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    holds(case, MESSAGES)


USED = ending("tool_use") + STOP
CALLS: list[tuple[str, bytes, str, tuple[ToolCall, ...]]] = [
    ("in pieces", begun() + tool() + piece("") + piece('{"a"') + piece(":1}") + stopped() + USED, "accepted",
     (ToolCall("t1", "add", '{"a":1}', True),)),
    ("no input at all", begun() + tool() + piece("") + stopped() + USED, "accepted",
     (ToolCall("t1", "add", "{}", True),)),
    ("the input where the block starts", begun() + tool(input={"a": "é"}) + stopped() + USED, "accepted",
     (ToolCall("t1", "add", '{"a":"é"}', True),)),
    ("no input is said anywhere", begun() + tool(input=None) + stopped() + USED, "accepted",
     (ToolCall("t1", "add", "", False),)),
    ("two", begun() + tool() + piece("[1]") + stopped() + tool(1, id="t2") + piece("[2]", 1) + stopped(1) + USED,
     "accepted", (ToolCall("t1", "add", "[1]", True), ToolCall("t2", "add", "[2]", True))),
    ("cut by the token limit", begun() + tool() + piece('{"a":') + ending("max_tokens") + STOP, "accepted",
     (ToolCall("t1", "add", '{"a":', False),)),
    ("cut inside a character", begun() + tool() + piece('{"a":"\ud83d') + ending("max_tokens") + STOP, "accepted",
     (ToolCall("t1", "add", '{"a":"\ud83d', False),)),
    ("cut, and the message says tool_use", begun() + tool() + piece('{"a":') + stopped() + USED,
     "invalid_tool_arguments", (ToolCall("t1", "add", '{"a":', False),)),
    ("no JSON at all", begun() + tool() + piece("a=1") + stopped() + USED, "invalid_tool_arguments",
     (ToolCall("t1", "add", "a=1", False),)),
    ("a block left open", begun() + tool() + piece("{}") + USED, "invalid_sequence",
     (ToolCall("t1", "add", "{}", True),)),
    ("input that is no text", begun() + tool() + piece({}), "invalid_delta", (ToolCall("t1", "add", "", False),)),
    ("half a character in the input", begun() + tool() + piece('"\ud83d"') + stopped() + USED,
     "invalid_tool_arguments", (ToolCall("t1", "add", '"\ud83d"', False),)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "calls"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_tool_calls(judge, body: bytes, code: str, calls: tuple[ToolCall, ...]) -> None:
    """Put together, marked where cut, rejected where the stop reason promises them whole."""
    verdict = judge(body, MESSAGES)
    assert verdict.code == code
    assert (verdict.tool_calls if verdict.ok else verdict.partial.tool_calls) == calls


SHAPES = [
    event("message_start"), event("message_start", message=[]), begun(content="Hi"),
    begun() + block("0"), begun() + block(None), begun() + block(-1), begun() + block(True), begun() + block(0.0),
    begun() + event("content_block_start", index=0), begun() + event("content_block_start", index=0, content_block={}),
    begun() + event("content_block_start", index=0, content_block={"type": 5}),
    begun() + tool(id=5), begun() + tool(name=[]),
    begun() + event("content_block_delta", delta={"type": "text_delta", "text": "Hi"}),
    begun() + delta("Hi", "0"), begun() + delta("Hi", False), begun() + stopped(None), begun() + stopped({}),
    b'data: {"type":5}\n\n', b"data: 5\n\n", b'data: {"x":1}\n\n', b"event: message_start\ndata: []\n\n",
]  # fmt: skip


@pytest.mark.parametrize("body", SHAPES)
def test_shapes_that_the_dialect_does_not_have(judge, body: bytes) -> None:
    """A chunk of another shape, never an exception."""
    assert judge(body, MESSAGES).code == "invalid_chunk"


def test_what_the_output_limit_counts_of_a_call() -> None:
    """Kind, id, name and input of its block (8, 2, 3 and 2 here), its pieces (7), and the reason (8)."""
    body = begun() + tool() + piece('{"a":1}') + stopped() + USED
    assert read([body], messages(max_output=30)).ok
    rejected = read([body], messages(max_output=29))
    assert (rejected.code, rejected.at_event) == ("output_limit", 5)
    assert read([body], messages(max_output=21)).at_event == 3
    assert read([body], messages(max_output=14)).at_event == 2


def test_where_it_was_decided() -> None:
    """The byte that dispatched the terminal event; nothing after it is read."""
    body = HI + END
    verdict = read([body + b"data: [DONE]\n\n"], MESSAGES)
    assert (verdict.bytes_read, verdict.later_bytes, verdict.events) == (len(body), 14, 7)
    rejected = read([HI + STOP + END], MESSAGES)
    assert (rejected.offset, rejected.contract) == (len(HI + STOP) - 1, "messages")


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; it has a name."""
    assert messages() == MESSAGES
    assert messages(max_events=5) != MESSAGES
    assert len({messages(), MESSAGES, messages(max_line=5)}) == 2
    assert MESSAGES.name == "messages"
