"""Streams of Cohere's chat API, version 2: what is complete, what is impossible, what is put together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import ToolCall, cohere, read

COHERE = cohere()


def event(type_: str, **members: Any) -> bytes:
    """One event as Cohere sends it."""
    return f"event: {type_}\ndata: {json.dumps({'type': type_, **members})}\n\n".encode()


def inside(type_: str, index: Any = 0, **message: Any) -> bytes:
    return event(type_, index=index, delta={"message": message})


def delta(text: Any, index: int = 0) -> bytes:
    return inside("content-delta", index, content={"text": text})


def thought(text: Any, index: int = 0) -> bytes:
    return inside("content-delta", index, content={"thinking": text})


def end(finish: Any = "COMPLETE", **members: Any) -> bytes:
    return event("message-end", delta={"finish_reason": finish, **members})


def call(index: Any = 0, name: Any = "add", arguments: Any = "", id_: Any = "c1") -> bytes:
    function = {"name": name, "arguments": arguments}
    return inside("tool-call-start", index, tool_calls={"id": id_, "type": "function", "function": function})


def piece(text: Any, index: int = 0) -> bytes:
    return inside("tool-call-delta", index, tool_calls={"function": {"arguments": text}})


BEGIN = event("message-start", id="m", delta={"message": {"role": "assistant"}})
START = inside("content-start", content={"type": "text", "text": ""})
OVER = event("content-end", index=0)
CALLED = event("tool-call-end", index=0)
HI = BEGIN + START + delta("H") + delta("i") + OVER
DONE = b"data: [DONE]\n\n"


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
    Case("the documented flow", HI + end(usage={"tokens": {}}) + DONE,
         more={"finish": "COMPLETE", "usage": {"tokens": {}}, "unknown": 0}),
    Case("no marker after the end", HI + end(), more={"usage": None}),
    Case("no event names", b"".join(line + b"\n\n" for line in (HI + end()).split(b"\n") if line.startswith(b"data"))),
    Case("cut by the token limit, a block open", BEGIN + START + delta("Hi") + end("MAX_TOKENS"),
         more={"finish": "MAX_TOKENS"}),
    Case("timed out there", BEGIN + START + delta("Hi") + end("TIMEOUT"), more={"finish": "TIMEOUT"}),
    Case("a block that starts with its text", BEGIN + inside("content-start", content={"text": "H"}) + delta("i") + OVER
         + end()),
    Case("thinking apart", BEGIN + inside("content-start", content={"type": "thinking", "thinking": "h"}) + thought("m")
         + OVER + inside("content-start", 1, content={}) + delta("Hi", 1) + event("content-end", index=1) + end(),
         more={"reasoning": "hm"}),
    Case("citations and debugging", BEGIN + event("debug", prompt="p") + START + delta("Hi")
         + event("citation-start", index=0) + event("citation-end", index=0) + OVER + end(), more={"unknown": 0}),
    Case("nothing was said", BEGIN + end(), text="", more={"tool_calls": (), "reasoning": None, "index": 0}),
    Case("a thought that stays empty", BEGIN + inside("content-start", content={"thinking": ""}) + OVER + end(),
         text="", more={"reasoning": ""}),
    Case("blocks in another order than their numbers", BEGIN + inside("content-start", 1, content={"text": "i"})
         + START + delta("H") + OVER + event("content-end", index=1) + end()),
    Case("unknown types", BEGIN + event("novel", x=1) + START + delta("Hi") + OVER + end(), more={"unknown": 1}),
    Case("a marker in the middle", HI + DONE + end(), more={"unknown": 1}),
    Case("halves of a character", BEGIN + START + delta("\ud83d") + delta("\ude80") + OVER + end(), text="🚀"),
    Case("two ends: the first one ends it", HI + end() + end("ERROR") + b"data: {\n\n"),
    Case("content without content", BEGIN + START + inside("content-delta", content={}) + delta("Hi") + OVER + end()),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", ""),
    Case("cut after the text", HI, "missing_terminal"),
    Case("the marker alone is no end", HI + DONE, "missing_terminal"),
    Case("cut inside the last event", HI + end()[:-1], "missing_terminal"),
    Case("ended before it began", end() + BEGIN, "invalid_sequence", "", 1),
    Case("content before the message", START + BEGIN, "invalid_sequence", "", 1),
    Case("a citation before the message", event("citation-start") + BEGIN, "invalid_sequence", "", 1),
    Case("a message that begins twice", BEGIN + BEGIN, "invalid_sequence", "", 2),
    Case("a delta for an unknown block", BEGIN + START + delta("Hi", 1), "invalid_sequence", "", 3),
    Case("a delta whose block was lost", BEGIN + delta("Hi"), "invalid_sequence", "", 2),
    Case("a delta after its block", HI + delta("!"), "invalid_sequence", "Hi", 6),
    Case("a block that begins twice", BEGIN + START + START, "invalid_sequence", "", 3),
    Case("a block that ends twice", HI + OVER, "invalid_sequence", "Hi", 6),
    Case("a block that ends and never began", BEGIN + OVER, "invalid_sequence", "", 2),
    Case("a block left open by a message that ended by itself", BEGIN + START + delta("Hi") + end(),
         "invalid_sequence", "Hi", 4),
    Case("a block left open at a stop sequence", BEGIN + START + delta("Hi") + end("STOP_SEQUENCE"),
         "invalid_sequence", "Hi", 4),
    Case("a call left open", BEGIN + call() + end("TOOL_CALL"), "invalid_sequence", "", 3),
    Case("a call piece for an unknown call", BEGIN + piece("{}"), "invalid_sequence", "", 2),
    Case("a call that begins twice", BEGIN + call() + call(), "invalid_sequence", "", 3),
    Case("a call that ends twice", BEGIN + call() + CALLED + CALLED, "invalid_sequence", "", 4),
    Case("a piece after its call", BEGIN + call() + CALLED + piece("{}"), "invalid_sequence", "", 4),
    Case("a finish of error", HI + end("ERROR"), "upstream_error", "Hi", 6),
    Case("an error at the end", HI + end("COMPLETE", error="m"), "upstream_error", "Hi", 6),
    Case("an error event", HI + event("error", message="m"), "upstream_error", "Hi", 6),
    Case("the error of another interface", HI + b'data: {"error":"m"}\n\n', "upstream_error", "Hi", 6),
    Case("no finish", HI + end(None), "missing_finish", "Hi", 6),
    Case("an empty finish", HI + end(""), "missing_finish", "Hi", 6),
    Case("a finish that is no text", HI + end(5), "unaccepted_finish", "Hi", 6),
    Case("an end without a delta", HI + event("message-end"), "invalid_delta", "Hi", 6),
    Case("usage that is none", HI + end(usage=[]), "invalid_usage", "Hi", 6),
    Case("no JSON", HI + b"event: message-end\ndata: {\n\n", "invalid_json", "Hi", 6),
    Case("two types in one event", HI + b'event: message-end\ndata: {"type":"debug"}\n\n', "invalid_chunk", "Hi", 6),
    Case("text that is no text", BEGIN + START + delta(5), "invalid_content", "", 3),
    Case("a thought that is no text", BEGIN + START + thought(5), "invalid_delta", "", 3),
    Case("content that is no object", BEGIN + START + inside("content-delta", content="Hi"), "invalid_delta", "", 3),
    Case("a plan that is no text", BEGIN + inside("tool-plan-delta", tool_plan=5), "invalid_delta", "", 2),
    Case("a call without a name", BEGIN + call(name=None), "invalid_delta", "", 2),
    Case("a call with an id that is no text", BEGIN + call(id_=5), "invalid_delta", "", 2),
    Case("a piece that is no object", BEGIN + call() + inside("tool-call-delta", tool_calls=[]), "invalid_delta",
         "", 3),
    Case("a piece without a function", BEGIN + call() + inside("tool-call-delta", tool_calls={}), "invalid_delta",
         "", 3),
    Case("arguments that are no text", BEGIN + call() + piece({}), "invalid_delta", "", 3),
    Case("a call without a function", BEGIN + inside("tool-call-start", tool_calls={"function": "add"}),
         "invalid_delta", "", 2),
    Case("half a character at the end of a thought", BEGIN + START + thought("\ud83d") + OVER + end(),
         "invalid_content", "", 5),
    Case("half a character at the end", BEGIN + START + delta("\ud83d") + OVER + end(), "invalid_content", "\ud83d", 5),
]  # fmt: skip


@pytest.mark.parametrize("case", [*COMPLETE, *WRONG], ids=lambda case: case.id)
def test_the_verdict(holds, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    holds(case, COHERE)


PLAN = inside("tool-plan-delta", tool_plan="I will ") + inside("tool-plan-delta", tool_plan="add")
CALLS: list[tuple[str, bytes, str, tuple[ToolCall, ...]]] = [
    ("in pieces", call() + piece('{"a"') + piece(":1}") + CALLED + end("TOOL_CALL"), "accepted",
     (ToolCall("c1", "add", '{"a":1}', True),)),
    ("begun with its arguments", call(arguments="{}") + CALLED + end("TOOL_CALL"), "accepted",
     (ToolCall("c1", "add", "{}", True),)),
    ("without arguments", call() + CALLED + end("TOOL_CALL"), "accepted", (ToolCall("c1", "add", "", False),)),
    ("two", call() + piece("[1]") + CALLED + call(1, "sub", "[2]", None) + event("tool-call-end", index=1)
     + end("TOOL_CALL"), "accepted", (ToolCall("c1", "add", "[1]", True), ToolCall(None, "sub", "[2]", True))),
    ("two in another order than their numbers", call(1, "sub", "[2]") + call() + piece("[1]") + CALLED
     + event("tool-call-end", index=1) + end("TOOL_CALL"), "accepted",
     (ToolCall("c1", "add", "[1]", True), ToolCall("c1", "sub", "[2]", True))),
    ("the first of two cut, and the finish says calls", call() + piece("[1") + CALLED + call(1, "sub", "[2]")
     + event("tool-call-end", index=1) + end("TOOL_CALL"), "invalid_tool_arguments",
     (ToolCall("c1", "add", "[1", False), ToolCall("c1", "sub", "[2]", True))),
    ("cut by the token limit", call() + piece('{"a":') + end("MAX_TOKENS"), "accepted",
     (ToolCall("c1", "add", '{"a":', False),)),
    ("cut, and the finish says calls", call() + piece('{"a":') + CALLED + end("TOOL_CALL"), "invalid_tool_arguments",
     (ToolCall("c1", "add", '{"a":', False),)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "calls"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_tool_calls(judge, body: bytes, code: str, calls: tuple[ToolCall, ...]) -> None:
    """Put together after their plan, marked where cut, rejected where the finish promises them whole."""
    verdict = judge(BEGIN + PLAN + body, COHERE)
    assert verdict.code == code
    said = verdict if verdict.ok else verdict.partial
    assert said.tool_calls == calls
    assert (said.text, said.choices[0].reasoning) == ("", "I will add")


SHAPES = [
    BEGIN + event("content-start", delta={"message": {"content": {}}}), BEGIN + event("content-start", index=0),
    BEGIN + inside("content-start", "0", content={}), BEGIN + inside("content-start", True, content={}),
    BEGIN + event("content-start", index=0, delta=[]), BEGIN + event("content-start", index=0, delta={"message": 5}),
    BEGIN + event("content-delta", delta={}), BEGIN + event("content-end"), BEGIN + event("content-end", index=-1),
    BEGIN + call("0"), BEGIN + inside("tool-call-start", tool_calls=[]), BEGIN + event("tool-call-delta"),
    BEGIN + event("tool-call-end", index={}), b"data: 5\n\n", b'data: {"type":[]}\n\n', b"event: debug\ndata: 5\n\n",
]  # fmt: skip


@pytest.mark.parametrize("body", SHAPES)
def test_shapes_that_the_dialect_does_not_have(judge, body: bytes) -> None:
    """A chunk of another shape, never an exception."""
    assert judge(body, COHERE).code == "invalid_chunk"


def test_what_the_output_limit_counts_of_a_call() -> None:
    """Its id, its name and its arguments, beside the plan: here 2, 3, 3 and 10."""
    body = BEGIN + PLAN + call(arguments="[1]") + CALLED + end("TOOL_CALL")
    assert read([body], cohere(max_output=18)).ok
    rejected = read([body], cohere(max_output=17))
    assert (rejected.code, rejected.partial.tool_calls) == ("output_limit", (ToolCall("c1", "add", "", False),))
    assert read([body], cohere(max_output=14)).at_event == 4


def test_the_marker_is_not_waited_for() -> None:
    """Nothing of the answer comes with it."""

    def source():
        yield HI + end()
        raise AssertionError("asked for another chunk")

    assert read(source(), COHERE).bytes_read == len(HI + end())


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; it has a name."""
    assert cohere() == COHERE
    assert cohere(max_events=5) != COHERE
    assert COHERE.name == "cohere"
