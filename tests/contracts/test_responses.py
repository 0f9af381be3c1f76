"""Streams of the Responses API: what is complete, what is impossible, what is put together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import ToolCall, read, responses

RESPONSES = responses()


def event(type_: str, name: bool = True, **members: Any) -> bytes:
    """One event as OpenAI sends it; without its name as some gateways do."""
    line = f"event: {type_}\n" if name else ""
    return f"{line}data: {json.dumps({'type': type_, **members})}\n\n".encode()


def created(**members: Any) -> bytes:
    return event("response.created", response={"status": "in_progress", "output": []}, **members)


def added(index: int = 0, type_: str = "message", id_: str | None = "m1", **members: Any) -> bytes:
    item = {"type": type_, "id": id_, "status": "in_progress", **members}
    return event("response.output_item.added", output_index=index, item=item)


def delta(text: Any, index: Any = 0, id_: Any = "m1", **members: Any) -> bytes:
    place = {"output_index": index, "item_id": id_, "content_index": 0}
    return event("response.output_text.delta", **{**place, "delta": text, **members})


def whole(text: Any, index: int = 0, id_: str = "m1", **members: Any) -> bytes:
    return event("response.output_text.done", output_index=index, item_id=id_, content_index=0, text=text, **members)


def message(text: str, **members: Any) -> dict[str, Any]:
    return {"type": "message", "id": "m1", "content": [{"type": "output_text", "text": text}], **members}


def done(item: dict[str, Any], index: int | None = 0, **members: Any) -> bytes:
    place = {} if index is None else {"output_index": index}
    return event("response.output_item.done", item=item, **place, **members)


def completed(**response: Any) -> bytes:
    return event("response.completed", response={"status": "completed", **response})


def bare(text: str) -> bytes:
    return event("response.output_text.delta", name=False, delta=text)


def call(id_: str = "f1", name: str = "add", call_id: str | None = "c1", **members: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": id_, "name": name, "call_id": call_id, **members}


def call_delta(text: Any, index: int = 0, id_: str = "f1") -> bytes:
    return event("response.function_call_arguments.delta", output_index=index, item_id=id_, delta=text)


def called(arguments: Any, index: int = 0, id_: str = "f1") -> bytes:
    return event("response.function_call_arguments.done", output_index=index, item_id=id_, arguments=arguments)


FUNCTION = event("response.output_item.added", output_index=0, item=call(arguments=""))
HEAD = created() + added()
HI = HEAD + delta("H") + delta("i")


def numbered(*numbers: Any) -> bytes:
    """A complete stream whose events are numbered like this; None for an event without a number."""
    parts = [created(), added(), delta("Hi"), whole("Hi"), done(message("Hi")), completed()]
    lines = [part.decode().replace("}\n\n", "") for part in parts]
    with_numbers = zip(lines, numbers, strict=True)
    return "".join(
        line + ("" if number is None else f', "sequence_number": {json.dumps(number)}') + "}\n\n"
        for line, number in with_numbers
    ).encode()


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
    Case("the whole life cycle", HI + whole("Hi") + done(message("Hi")) + completed(output=[message("Hi")])),
    Case("no whole texts", HI + completed()),
    Case("no item was closed", HI + completed(output=[])),
    Case("no event names", HI.replace(b"event: ", b": ") + completed().split(b"\n", 1)[1]),
    Case("data before the event line", b"".join(
        b"\n".join(part.split(b"\n")[::-1]) + b"\n\n" for part in (HI + completed()).split(b"\n\n")[:-1])),
    Case("names only, no type", (HI + completed()).replace(b'"type": "response', b'"kind": "response')),
    Case("bare deltas and the end", bare("H") + bare("i") + completed()),
    Case("bare deltas, told whole", bare("H") + bare("i") + event("response.output_text.done", text="Hi")
         + completed()),
    Case("bare deltas after the beginning", created() + bare("H") + bare("i") + completed()),
    Case("bare deltas of the item that goes on", HEAD + bare("H") + bare("i") + completed()),
    Case("bare reasoning, then bare text",
         event("response.reasoning_text.delta", delta="hm") + bare("Hi") + completed(), more={"reasoning": "hm"}),
    Case("only item ids", created() + added() + delta("Hi", index=None) + completed()),
    Case("only output indexes", created() + added(id_=None) + delta("Hi", id_=None) + completed()),
    Case("empty ids", HEAD + delta("Hi", id_="") + completed()),
    Case("another id in every event", HEAD + delta("H", id_="x") + delta("i", id_="y") + whole("Hi", id_="z")
         + done(message("Hi", id="w")) + completed()),
    Case("a whole text that is null", HI + whole(None) + completed()),
    Case("a whole text that is null, and no piece", HEAD + whole(None) + completed(), text=""),
    Case("parts of other kinds", HI + done({"type": "message", "content": [{"type": "output_audio", "data": "AA=="}]})
         + completed()),
    Case("whole text only", HEAD + whole("Hi") + completed()),
    Case("whole item only", HEAD + done(message("Hi")) + completed()),
    Case("an item that was never announced came whole", created() + done(message("Hi")) + completed()),
    Case("two whole items without an index", created() + done(message("H"), None) +
         done(message("i", id="m2"), None) + completed()),
    Case("everything in the terminal event", created() + completed(output=[message("Hi")])),
    Case("the item was announced with its text", created() + added(content=[{"type": "text", "text": "Hi"}])
         + completed()),
    Case("the item was announced with its first piece",
         created() + added(content=[{"type": "output_text", "text": "H"}]) + delta("i") + whole("Hi") + completed()),
    Case("a part was announced with its first piece", HEAD + event("response.content_part.added", output_index=0,
         part={"type": "output_text", "text": "H"}) + delta("i") + whole("Hi") + completed()),
    Case("an empty whole beside its pieces", HI + done(message("")) + completed(output=[message("")])),
    Case("content not repeated", HI + done({"type": "message", "id": "m1"}) + completed()),
    Case("two messages", HEAD + delta("H") + added(1, id_="m2") + delta("i", 1, "m2") + completed()),
    Case("items woven into each other", HEAD + added(1, id_="m2") + delta("i", 1, "m2") + delta("H") + completed()),
    Case("text in two parts", HEAD + delta("i", content_index=1) + delta("H", content_index=0) + completed()),
    Case("halves of a character", HEAD + delta("\ud83d") + delta("\ude80") + whole("🚀") + completed(), text="🚀"),
    Case("queued and in progress", created() + event("response.queued") + event("response.in_progress", response={})
         + added() + delta("Hi") + completed()),
    Case("a marker after the end is not read", HI + completed() + b"data: [DONE]\n\n", more={"unknown": 0}),
    Case("two terminals: the first one ends it", HI + completed() + completed() + b"data: {\n\n"),
    Case("an error after the end is not read", HI + completed() + event("error", code="x")),
    Case("unknown types", created() + event("response.brand_new", x=1) + added() + event("keepalive") + delta("Hi")
         + b"event: heartbeat\ndata: no JSON\n\n" + b"event: list\ndata: []\n\n" + completed(), more={"unknown": 4}),
    Case("a marker in the middle", HI + b"data: [DONE]\n\n" + completed(), more={"unknown": 1}),
    Case("a name nobody knows over nonsense", HI + b'event: x\ndata: {"type":5}\n\n' + completed(),
         more={"unknown": 1}),
    Case("heartbeats", b"data:\n\n: hb\n\n" + HI + b"event: ping\ndata:\n\n" + completed(), more={"unknown": 0}),
    Case("progress of the provider's tools", created() + event("response.web_search_call.in_progress", output_index=9)
         + event("response.mcp_call_arguments.delta", delta="x") + event("response.audio.delta", delta="AAAA")
         + added() + delta("Hi") + event("response.output_text.annotation.added", annotation={}) + completed(),
         more={"unknown": 0}),
    Case("usage", HI + completed(usage={"input_tokens": 3, "output_tokens": 0}),
         more={"usage": {"input_tokens": 3, "output_tokens": 0}}),
    Case("no usage is not zero", HI + completed(usage=None), more={"usage": None}),
    Case("cut by the token limit", HI + event("response.incomplete", response={
        "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
        more={"finish": "max_output_tokens"}),
    Case("cut, no reason given", HI + event("response.incomplete", response={"status": "incomplete"}),
         more={"finish": "incomplete"}),
    Case("completed", HI + completed(), more={"finish": "completed"}),
    Case("numbers in order", numbered(0, 1, 2, 3, 4, 5)),
    Case("numbers that begin elsewhere", numbered(7, 8, 9, 10, 11, 12)),
    Case("numbers on some events", numbered(0, None, 1, None, None, 2)),
    Case("a refusal", HEAD + event("response.refusal.delta", output_index=0, item_id="m1", delta="no")
         + event("response.refusal.done", output_index=0, item_id="m1", refusal="no") + completed(), text="",
         more={"refusal": "no"}),
    Case("reasoning and its summary", created() + added(0, "reasoning", "r")
         + event("response.reasoning_summary_part.added", output_index=0, item_id="r", summary_index=0, part={})
         + event("response.reasoning_summary_text.delta", output_index=0, item_id="r", summary_index=0, delta="b")
         + event("response.reasoning_summary_text.done", output_index=0, item_id="r", summary_index=0, text="other")
         + event("response.reasoning_text.delta", output_index=0, item_id="r", content_index=0, delta="a")
         + added(1) + delta("Hi", 1) + completed(), more={"reasoning": "ab"}),
    Case("a summary in two parts, the second first", created() + added(0, "reasoning", "r") + b"".join(
         event("response.reasoning_summary_text.delta", output_index=0, item_id="r", summary_index=at, delta=text)
         for at, text in ((1, "b"), (0, "a"))) + added(1) + delta("Hi", 1) + completed(), more={"reasoning": "ab"}),
    Case("reasoning only whole", created() + done({"type": "reasoning", "summary": [
         {"type": "summary_text", "text": "b"}], "content": [{"type": "reasoning_text", "text": "a"}]})
         + done(message("Hi"), 1) + completed(), more={"reasoning": "ab"}),
    Case("bare reasoning, told whole as an item", created() + event("response.reasoning_text.delta", delta="hm")
         + done({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]}, None) + bare("Hi")
         + completed(), more={"reasoning": "hm"}),
    Case("a bare summary, told whole as an item", created() + event("response.reasoning_summary_text.delta", delta="hm")
         + done({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, None) + bare("Hi")
         + completed(), more={"reasoning": "hm"}),
    Case("a bare summary", event("response.reasoning_summary_text.delta", delta="hm") + bare("Hi") + completed(),
         more={"reasoning": "hm"}),
    Case("a bare refusal", event("response.refusal.delta", delta="no") + completed(), text="", more={"refusal": "no"}),
    Case("a refusal only whole", created() + done({"type": "message", "content": [
         {"type": "refusal", "refusal": "no"}]}) + completed(), text="", more={"refusal": "no"}),
    Case("no refusal and no reasoning", HI + completed(), more={"refusal": None, "reasoning": None, "index": 0}),
    Case("items in another order than their places", created() + added(1, id_="m2") + delta("i", 1, "m2") + added()
         + delta("H") + completed()),
    Case("an item without a place comes after all others", created() + done(message("H"), 3)
         + done(message("i", id="m2"), None) + completed()),
    Case("items without ids are closed by their places", created() + added(id_=None) + added(1, id_=None)
         + delta("H", 0, None) + delta("i", 1, None) + done(message("H", id=None)) + done(message("i", id=None), 1)
         + completed()),
    Case("two messages in the terminal event alone", created() + completed(output=[message("H"),
         message("i", id="m2")])),
    Case("two messages and the terminal event's account of them", HEAD + delta("H") + added(1, id_="m2")
         + delta("i", 1, "m2") + completed(output=[message("H"), message("i", id="m2")])),
    Case("a whole item that begins with a part of another kind", created() + done({"type": "message", "content": [
         {"type": "output_audio", "data": "AA=="}, {"type": "output_text", "text": "H"},
         {"type": "output_text", "text": "i"}]}) + completed()),
    Case("a part announced after its text", HI + event("response.content_part.added", output_index=0,
         part={"type": "output_text", "text": "Hi"}) + completed()),
    *(Case(f"cut, a reason that is none: {reason}", HI + event("response.incomplete", response={
         "incomplete_details": reason}), more={"finish": "incomplete"}) for reason in ("x", {}, {"reason": ""},
         {"reason": 5})),
    Case("parts are announced", HEAD + event("response.content_part.added", output_index=0, item_id="m1",
         content_index=0, part={"type": "output_text", "text": ""}) + delta("Hi")
         + event("response.content_part.done", output_index=0, item_id="m1", content_index=0, part={}) + completed()),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", ""),
    Case("cut after the text", HI, "missing_terminal"),
    Case("cut inside the last event", HI + completed()[:-2], "missing_terminal"),
    Case("the marker is no end here", HI + b"data: [DONE]\n\n", "missing_terminal"),
    Case("an item, then the end", added(id_=None), "missing_terminal", ""),
    Case("completed before created", completed() + created(), "invalid_sequence", "", 1),
    Case("completed first, with everything in it", completed(output=[message("Hi")]), "invalid_sequence", "", 1),
    Case("never created", added() + delta("Hi") + completed(), "invalid_sequence", "Hi", 3),
    Case("never created, only in progress", event("response.in_progress") + bare("Hi") + completed(),
         "invalid_sequence", "Hi", 3),
    Case("never created, numbered", event("response.output_text.delta", delta="Hi", sequence_number=1) + completed(),
         "invalid_sequence", "Hi", 2),
    Case("created late", bare("H") + created() + bare("i") + completed(), "invalid_sequence", "H", 2),
    Case("created twice", created() + created(), "invalid_sequence", "", 2),
    Case("a delta for an unknown index", HEAD + delta("Hi", 1), "invalid_sequence", "", 3),
    Case("a delta for an unknown id", HEAD + delta("Hi", None, "m9"), "invalid_sequence", "", 3),
    Case("a delta before its item", created() + delta("Hi") + added(), "invalid_sequence", "", 2),
    Case("a delta with another item's id", HEAD + added(1, id_="m2") + delta("Hi", 0, "m2"), "invalid_sequence", "", 4),
    Case("an unknown id among right ones", HEAD + delta("H") + delta("i", id_="m9"), "invalid_sequence", "H", 4),
    Case("a right id among unknown ones", HEAD + delta("H", id_="x") + delta("i"), "invalid_sequence", "H", 4),
    Case("a bare delta that fits no item", created() + FUNCTION + bare("Hi"), "invalid_sequence", "", 3),
    Case("arguments of no call", created() + event("response.function_call_arguments.delta", delta="{"),
         "invalid_sequence", "", 2),
    Case("arguments for a message", HEAD + call_delta("{}", 0, "m1"), "invalid_sequence", "", 3),
    Case("text for a call", created() + FUNCTION + delta("Hi", 0, "f1"), "invalid_sequence", "", 3),
    Case("a custom tool's input for a function", created() + FUNCTION + event("response.custom_tool_call_input.delta",
         output_index=0, item_id="f1", delta="ls"), "invalid_sequence", "", 3),
    Case("a refusal for a call", created() + FUNCTION + event("response.refusal.delta", output_index=0, item_id="f1",
         delta="no"), "invalid_sequence", "", 3),
    Case("a bare refusal, told whole otherwise", event("response.refusal.delta", delta="no")
         + event("response.refusal.done", refusal="nor"), "invalid_sequence", "", 2),
    Case("a delta after its whole text", HI + whole("Hi") + delta("!"), "invalid_sequence", "Hi", 6),
    Case("a whole text twice", HI + whole("Hi") + whole("Hi"), "invalid_sequence", "Hi", 6),
    Case("a delta after its item", HI + done(message("Hi")) + delta("!"), "invalid_sequence", "Hi", 6),
    Case("an item that ends twice", HI + done(message("Hi")) + done(message("Hi")), "invalid_sequence", "Hi", 6),
    Case("an item that ends twice, without an index", HI + done(message("Hi"), None) + done(message("Hi"), None),
         "invalid_sequence", "Hi", 6),
    Case("an item that begins twice", HEAD + added(), "invalid_sequence", "", 3),
    Case("a part of an unknown item", HEAD + event("response.content_part.added", output_index=1), "invalid_sequence",
         "", 3),
    Case("a part that begins twice", HEAD + event("response.content_part.added", output_index=0) * 2,
         "invalid_sequence", "", 4),
    Case("an item that ends as another kind", HI + done(call()), "invalid_sequence", "Hi", 5),
    Case("a lost delta, told by the whole text", HEAD + delta("i") + whole("Hi"), "invalid_sequence", "i", 4),
    Case("a lost delta, told by the whole item", HEAD + delta("i") + done(message("Hi")), "invalid_sequence", "i", 4),
    Case("a lost delta, told by the end", HEAD + delta("i") + completed(output=[message("Hi")]),
         "invalid_sequence", "i", 4),
    Case("a repeated delta, told by the whole text", HI + delta("i") + whole("Hi"), "invalid_sequence", "Hii", 6),
    Case("a text that is sent twice", created() + added(content=[{"type": "output_text", "text": "Hi"}]) + delta("Hi")
         + whole("Hi"), "invalid_sequence", "HiHi", 4),
    Case("a lost refusal", HEAD + completed(output=[{"type": "message", "content": [
        {"type": "refusal", "refusal": "no"}]}]), "invalid_sequence", "", 3),
    Case("a lost call, told by the end", HI + completed(output=[message("Hi"), call(arguments="{}")]),
         "invalid_sequence", "Hi", 5),
    Case("a gap in the numbers", numbered(0, 1, 3, 4, 5, 6), "invalid_sequence", "", 3),
    Case("a gap over an unknown event", created(sequence_number=0) + event("response.new", sequence_number=2),
         "invalid_sequence", "", 2),
    Case("a number twice", numbered(0, 1, 2, 2, 3, 4), "invalid_sequence", "Hi", 4),
    Case("a number that goes back", numbered(5, 6, 7, 1, 2, 3), "invalid_sequence", "Hi", 4),
    Case("an error event", HI + event("error", code="x", message="m", sequence_number=9), "upstream_error", "Hi", 5),
    Case("an error event at once", event("error", error={"code": "rate_limit_exceeded"})
         + event("response.failed", response={"status": "failed"}), "upstream_error", "", 1),
    Case("an error event by its name", HI + b"event: error\ndata: overloaded\n\n", "upstream_error", "Hi", 5),
    Case("an error event by its type", HI + event("error", name=False), "upstream_error", "Hi", 5),
    Case("an error event of another type inside", HI + b'event: error\ndata: {"type":"response.completed"}\n\n',
         "upstream_error", "Hi", 5),
    Case("the error of another interface", HI + b'data: {"error":{"message":"m"}}\n\n', "upstream_error", "Hi", 5),
    Case("failed", HI + event("response.failed", response={"status": "failed", "error": {}}),
         "upstream_error", "Hi", 5),
    Case("failed at once", event("response.failed"), "upstream_error", "", 1),
    Case("failed, and a number is missing", created(sequence_number=0) + event("response.failed", sequence_number=4),
         "upstream_error", "", 2),
    Case("completed with an error", HI + completed(error={"code": "x"}), "upstream_error", "Hi", 5),
    Case("completed with the status failed", HI + event("response.completed", response={"status": "failed"}),
         "upstream_error", "Hi", 5),
    Case("completed and still in progress", HI + event("response.completed", response={"status": "in_progress"}),
         "invalid_chunk", "Hi", 5),
    Case("completed without a response", HI + event("response.completed"), "invalid_chunk", "Hi", 5),
    Case("two types in one event", HI + b'event: response.created\ndata: {"type":"response.completed"}\n\n',
         "invalid_chunk", "Hi", 5),
    Case("a known name, an unknown type", HI + b'event: response.completed\ndata: {"type":"done"}\n\n',
         "invalid_chunk", "Hi", 5),
    Case("neither name nor type", HI + b'data: {"delta":"x"}\n\n', "invalid_chunk", "Hi", 5),
    Case("a list", HI + b"data: []\n\n", "invalid_chunk", "Hi", 5),
    Case("no JSON", HI + b'data: {"type":"response.completed","resp\ndata: {"type":"error"}\n\n', "invalid_json",
         "Hi", 5),
    Case("no data under a known name", HI + b"event: response.completed\ndata:\n\n", "invalid_json", "Hi", 5),
    Case("text that is no text", HEAD + delta(5), "invalid_content", "", 3),
    Case("no text", HEAD + delta(None), "invalid_content", "", 3),
    Case("a whole text that is none", HI + whole(5), "invalid_content", "Hi", 5),
    Case("arguments that are no text", created() + FUNCTION + call_delta({}), "invalid_delta", "", 3),
    Case("usage that is none", HI + completed(usage=3), "invalid_usage", "Hi", 5),
    Case("half a character at the end of a refusal", event("response.refusal.delta", delta="\ud83d") + completed(),
         "invalid_content", "", 2),
    Case("half a character at the end of reasoning", event("response.reasoning_text.delta", delta="\ud83d")
         + bare("Hi") + completed(), "invalid_content", "Hi", 3),
    Case("half a character at the end", HEAD + delta("\ud83d") + completed(), "invalid_content", "\ud83d", 4),
]  # fmt: skip


@pytest.mark.parametrize("case", [*COMPLETE, *WRONG], ids=lambda case: case.id)
def test_the_verdict(holds, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    holds(case, RESPONSES)


CALLS: list[tuple[str, bytes, str, tuple[ToolCall, ...]]] = [
    ("in pieces", created() + FUNCTION + call_delta('{"a"') + call_delta(":1}") + called('{"a":1}')
     + done(call(arguments='{"a":1}')) + completed(), "accepted", (ToolCall("c1", "add", '{"a":1}', True),)),
    ("whole", created() + FUNCTION + called('{"a":1}') + completed(), "accepted",
     (ToolCall("c1", "add", '{"a":1}', True),)),
    ("announced with its arguments", created() + added(0, "function_call", "f1", name="add", arguments="{}")
     + completed(), "accepted", (ToolCall("f1", "add", "{}", True),)),
    ("in the terminal event alone", created() + completed(output=[call(arguments="[1]")]), "accepted",
     (ToolCall("c1", "add", "[1]", True),)),
    ("without arguments", created() + FUNCTION + done(call(arguments="")) + completed(), "accepted",
     (ToolCall("c1", "add", "", False),)),
    ("a number is whole once its item is", created() + FUNCTION + call_delta("1") + done(call()) + completed(),
     "accepted", (ToolCall("c1", "add", "1", True),)),
    ("two, woven", created() + FUNCTION
     + event("response.output_item.added", output_index=1, item=call("f2", "sub", "c2"))
     + call_delta("[2]", 1, "f2") + call_delta("[1]") + completed(), "accepted",
     (ToolCall("c1", "add", "[1]", True), ToolCall("c2", "sub", "[2]", True))),
    ("cut, and the response says so", created() + FUNCTION + call_delta('{"a":')
     + done(call(arguments='{"a":', status="incomplete"))
     + event("response.incomplete", response={"status": "incomplete", "output": [call(arguments='{"a":')]}), "accepted",
     (ToolCall("c1", "add", '{"a":', False),)),
    ("cut, and completed", created() + FUNCTION + call_delta('{"a":') + completed(), "invalid_tool_arguments",
     (ToolCall("c1", "add", '{"a":', False),)),
    ("a lost piece", created() + FUNCTION + call_delta("{") + called("{}"), "invalid_sequence",
     (ToolCall("c1", "add", "{", False),)),
    ("half a character", created() + FUNCTION + call_delta('"\ud83d"') + completed(), "invalid_tool_arguments",
     (ToolCall("c1", "add", '"\ud83d"', False),)),
    ("a custom tool", created() + added(0, "custom_tool_call", "u1", name="sh", call_id="c7")
     + event("response.custom_tool_call_input.delta", output_index=0, item_id="u1", delta="ls")
     + event("response.custom_tool_call_input.done", output_index=0, item_id="u1", input="ls")
     + done({"type": "custom_tool_call", "id": "u1", "input": "ls"}) + completed(), "accepted",
     (ToolCall("c7", "sh", "ls", True, "custom"),)),
    ("a call without a name", created() + done({"type": "function_call", "id": "f1", "arguments": "{}"})
     + completed(), "accepted", (ToolCall("f1", "", "{}", True),)),
    ("a custom tool, a lost piece", created() + added(0, "custom_tool_call", "u1", name="sh")
     + event("response.custom_tool_call_input.delta", output_index=0, item_id="u1", delta="l")
     + event("response.custom_tool_call_input.done", output_index=0, item_id="u1", input="ls"), "invalid_sequence",
     (ToolCall("u1", "sh", "l", False, "custom"),)),
    ("a custom tool, closed as incomplete", created()
     + done({"type": "custom_tool_call", "id": "u1", "name": "sh", "input": "l", "status": "incomplete"})
     + event("response.incomplete", response={}), "accepted", (ToolCall("u1", "sh", "l", False, "custom"),)),
    ("a custom tool, cut", created() + added(0, "custom_tool_call", "u1", name="sh")
     + event("response.custom_tool_call_input.delta", output_index=0, item_id="u1", delta="l")
     + event("response.incomplete", response={}), "accepted", (ToolCall("u1", "sh", "l", False, "custom"),)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "calls"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_tool_calls(judge, body: bytes, code: str, calls: tuple[ToolCall, ...]) -> None:
    """Put together, marked where cut, rejected where a completed response has arguments that are no JSON."""
    verdict = judge(body, RESPONSES)
    assert verdict.code == code
    assert (verdict.tool_calls if verdict.ok else verdict.partial.tool_calls) == calls


SHAPES = [
    added(-1), added(True), added("0"), added(0, 5), added(0, "message", 5), added(0, "function_call", "f", name=[]),
    event("response.output_item.added", item=None), event("response.output_item.added", output_index=0, item=[]),
    event("response.output_item.done", output_index={}), event("response.output_item.done", item={"type": None}),
    added() + delta("x", -1), added() + delta("x", "0"), added() + delta("x", None, 7),
    added() + delta("x", content_index="a"), added() + delta("x", content_index=False),
    added() + event("response.content_part.added", output_index=0, part=[]), added(content=5), added(content=[None]),
    added() + event("response.content_part.added", output_index=0, part={"type": "output_text", "text": 5}),
    added() + event("response.content_part.added", output_index=0, content_index=[], part={}),
    added() + done({"type": "message", "content": "Hi"}), added() + done({"type": "message", "content": [None]}),
    added() + done({"type": "message", "content": [{"type": "output_text", "text": None}]}),
    done(message("Hi"), -1), done(message("Hi"), "0"), done(message("Hi"), True),
    FUNCTION + done(call(arguments={})), done(call(name=5)), done({"type": "message", "id": 5}),
    completed(output={}), completed(output=[5]), completed(output=[{"type": 1}]),
    completed(output=[{"type": "message", "content": {}}]), event("response.completed", response=[]),
    event("response.in_progress", response=5), event("response.queued", response=[]),
    event("response.in_progress", sequence_number="1"), event("response.in_progress", sequence_number=True),
    event("response.in_progress", sequence_number=1.5), event("response.in_progress", sequence_number=-1),
    b'data: {"type":5}\n\n', b'data: {"type":[]}\n\n', b"data: 5\n\n", b'event: response.completed\ndata: "x"\n\n',
]  # fmt: skip


@pytest.mark.parametrize("body", SHAPES)
def test_shapes_that_the_dialect_does_not_have(judge, body: bytes) -> None:
    """A chunk of another shape, never an exception."""
    assert judge(created() + body, RESPONSES).code == "invalid_chunk"


@pytest.mark.parametrize("body", [
    HEAD + delta("Hello"), HEAD + whole("Hello"), HEAD + done(message("Hello")), created() + completed(output=[
        message("Hello")]), created() + added(content=[{"type": "output_text", "text": "Hello"}]),
    HEAD + event("response.content_part.added", output_index=0, part={"type": "output_text", "text": "Hello"}),
])  # fmt: skip
def test_the_output_limit_holds_however_a_text_is_sent(body: bytes) -> None:
    """In pieces, whole, or announced; the item's type and id are kept too: 9 characters."""
    assert read([body + completed()], responses(max_output=14)).text == "Hello"
    assert read([body + completed()], responses(max_output=13)).code == "output_limit"


def test_where_it_was_decided() -> None:
    """The byte that dispatched the terminal event; nothing after it is read."""
    body = HI + completed()
    verdict = read([body + b"data: [DONE]\n\n"], RESPONSES)
    assert (verdict.bytes_read, verdict.later_bytes, verdict.events) == (len(body), 14, 5)
    assert verdict.last_event_id == ""
    rejected = read([HI + delta("x", 4) + completed()], RESPONSES)
    assert (rejected.offset, rejected.contract) == (len(HI + delta("x", 4)) - 1, "responses")


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; it has a name."""
    assert responses() == RESPONSES
    assert responses(max_events=5) != RESPONSES
    assert len({responses(), RESPONSES, responses(max_line=5)}) == 2
    assert RESPONSES.name == "responses"
