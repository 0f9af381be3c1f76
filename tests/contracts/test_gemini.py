"""Gemini streams: over with themselves, complete only after a finish reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import ToolCall, gemini, read, terminal_offset

GEMINI = gemini()


def chunk(**members: Any) -> bytes:
    """One event as Google sends it: CRLF, no name."""
    return f"data: {json.dumps(members)}\r\n\r\n".encode()


def candidate(*parts: Any, finish: Any = None, **members: Any) -> dict[str, Any]:
    said = {"content": {"role": "model", "parts": list(parts)}, **members}
    return said if finish is None else {**said, "finishReason": finish}


def say(text: Any, finish: Any = None, **members: Any) -> bytes:
    return chunk(candidates=[candidate({"text": text}, finish=finish)], **members)


def call(**members: Any) -> dict[str, Any]:
    return {"functionCall": members}


STOP = say("", "STOP")


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
    Case("a reason on the last chunk", say("H") + say("i", "STOP"), more={"finish": "STOP", "unknown": 0}),
    Case("LF", (say("H") + say("i", "STOP")).replace(b"\r", b"")),
    Case("one chunk", say("Hi", "STOP"), more={"index": 0}),
    Case("an empty last chunk", say("Hi") + STOP),
    Case("a last chunk without content", say("Hi") + chunk(candidates=[{"finishReason": "STOP"}])),
    Case("a reason on every chunk", chunk(candidates=[candidate(finish="STOP")]) + say("Hi", "STOP")),
    Case("text after the reason", say("H", "STOP") + say("i"), more={"finish": "STOP"}),
    Case("the last reason counts", say("H", "STOP") + say("i", "MAX_TOKENS"), more={"finish": "MAX_TOKENS"}),
    Case("a reason that is none after one", say("H", "STOP") + say("i", "FINISH_REASON_UNSPECIFIED"),
         more={"finish": "STOP"}),
    Case("usage after the reason", say("Hi", "STOP") + chunk(usageMetadata={"totalTokenCount": 3}),
         more={"usage": {"totalTokenCount": 3}}),
    Case("usage on every chunk", say("H", usageMetadata={"a": 1}) + say("i", "STOP", usageMetadata={"b": 2}),
         more={"usage": {"b": 2}}),
    Case("usage on the first chunk alone", say("H", usageMetadata={"a": 1}) + say("i", "STOP", usageMetadata=None),
         more={"usage": {"a": 1}}),
    Case("no usage is not zero", say("Hi", "STOP"), more={"usage": None}),
    Case("a reason nobody knows", say("Hi", "NOVEL"), more={"finish": "NOVEL"}),
    Case("nothing was said", chunk(candidates=[{"finishReason": "SAFETY"}]), text="", more={"finish": "SAFETY"}),
    Case("thoughts apart", chunk(candidates=[candidate({"text": "hm", "thought": True}, {"text": "Hi"},
         finish="STOP")]), more={"reasoning": "hm"}),
    Case("parts of other kinds", chunk(candidates=[candidate({"inlineData": {"data": "AA=="}}, {"text": "Hi"},
         {"executableCode": {}}, {"thoughtSignature": "AA=="}, finish="STOP")])),
    Case("two candidates", chunk(candidates=[candidate({"text": "yo"}, index=1), candidate({"text": "Hi"}, index=0)])
         + chunk(candidates=[candidate(finish="STOP", index=0), candidate(finish="MAX_TOKENS", index=1)]),
         more={"finish": "STOP"}),
    Case("a blocked prompt", chunk(promptFeedback={"blockReason": "PROHIBITED_CONTENT"}), text="",
         more={"finish": "PROHIBITED_CONTENT", "choices": ()}),
    Case("feedback that blocks nothing", say("Hi", "STOP", promptFeedback={"safetyRatings": []})),
    Case("heartbeats", b"data:\n\n: hb\n\n" + say("Hi", "STOP"), more={"unknown": 0}),
    Case("a marker of another dialect after the end", say("Hi", "STOP") + b"data: [DONE]\n\n", more={"unknown": 1}),
    Case("halves of a character", say("\ud83d") + say("\ude80", "STOP"), text="🚀"),
    Case("lines without a field", say("Hi", "STOP") + b'{"error": {"code": 499}}\n\n'),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", ""),
    Case("no reason", say("Hi"), "missing_terminal"),
    Case("an empty reason", say("Hi", ""), "missing_terminal"),
    Case("a reason that is none", say("Hi", "FINISH_REASON_UNSPECIFIED"), "missing_terminal"),
    Case("cut inside the last event", say("Hi") + STOP[:-3], "missing_terminal"),
    Case("a marker is no end here", say("Hi") + b"data: [DONE]\n\n", "missing_terminal"),
    Case("usage, then the end", say("Hi") + chunk(usageMetadata={}), "missing_terminal"),
    Case("one of two candidates", chunk(candidates=[candidate({"text": "Hi"}, index=0, finish="STOP"),
         candidate(index=1)]), "missing_terminal", "Hi"),
    Case("a candidate of a blocked prompt", chunk(promptFeedback={"blockReason": "OTHER"}) + say("Hi"),
         "missing_terminal"),
    Case("a block reason that is none", chunk(promptFeedback={"blockReason": "BLOCK_REASON_UNSPECIFIED"}),
         "missing_terminal", ""),
    Case("another block reason that is none", chunk(promptFeedback={"blockReason": "BLOCKED_REASON_UNSPECIFIED"}),
         "missing_terminal", ""),
    Case("an error over many lines that is no event", b'{\n  "error": {\n    "code": 400\n  }\n}\n', "missing_terminal",
         ""),
    Case("an error in the middle without a field", say("Hi") + b'{"error": {"code": 499}}\n\n', "missing_terminal"),
    Case("an error", say("Hi") + chunk(error={"code": 503}), "upstream_error", "Hi", 2),
    Case("an error after the reason", say("Hi", "STOP") + chunk(error={"code": 503}), "upstream_error", "Hi", 2),
    Case("an event named error", say("Hi") + b"event: error\ndata: x\n\n", "upstream_error", "Hi", 2),
    Case("a named event", say("Hi") + b"event: chunk\n" + STOP, "unexpected_event_type", "Hi", 2),
    Case("no JSON", say("Hi") + b"data: {\n\n", "invalid_json", "Hi", 2),
    Case("a list", say("Hi") + b"data: [{}]\n\n", "invalid_chunk", "Hi", 2),
    Case("an object that says nothing", say("Hi") + chunk(modelVersion="m"), "invalid_chunk", "Hi", 2),
    Case("candidates that are no list", say("Hi") + chunk(candidates={}), "invalid_choices", "Hi", 2),
    Case("a candidate that is no object", say("Hi") + chunk(candidates=["Hi"]), "invalid_chunk", "Hi", 2),
    Case("an index that is none", chunk(candidates=[{"index": "0"}]), "unsupported_choices", "", 1),
    Case("two candidates without an index", chunk(candidates=[{}, {}]), "unsupported_choices", "", 1),
    Case("a negative index", chunk(candidates=[{"index": -1}]), "unsupported_choices", "", 1),
    Case("content that is no object", chunk(candidates=[{"content": "Hi"}]), "invalid_delta", "", 1),
    Case("parts that are no list", chunk(candidates=[{"content": {"parts": {}}}]), "invalid_delta", "", 1),
    Case("a part that is no object", chunk(candidates=[candidate("Hi")]), "invalid_delta", "", 1),
    Case("text that is no text", say(5), "invalid_content", "", 1),
    Case("a reason that is no text", say("Hi", 1), "unaccepted_finish", "Hi", 1),
    Case("usage that is none", say("Hi") + chunk(usageMetadata=3), "invalid_usage", "Hi", 2),
    Case("feedback that is no object", chunk(promptFeedback=[]), "invalid_chunk", "", 1),
    Case("a block reason that is no text", chunk(promptFeedback={"blockReason": 3}), "invalid_chunk", "", 1),
    Case("half a character at the end of a thought", chunk(candidates=[candidate({"text": "\ud83d", "thought": True},
         {"text": "Hi"}, finish="STOP")]), "invalid_content"),
    Case("half a character at the end", say("\ud83d", "STOP"), "invalid_content", "\ud83d"),
]  # fmt: skip


@pytest.mark.parametrize("case", [*COMPLETE, *WRONG], ids=lambda case: case.id)
def test_the_verdict(holds, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    holds(case, GEMINI)


CALLS: list[tuple[str, tuple[dict[str, Any], ...], str, tuple[ToolCall, ...]]] = [
    ("a call", (call(name="add", args={"a": 1}, id="c1"),), "accepted", (ToolCall("c1", "add", '{"a":1}', True),)),
    ("no id, no arguments", (call(name="add"),), "accepted", (ToolCall(None, "add", "{}", True),)),
    ("text beyond ASCII", (call(name="add", args={"é": "🚀"}),), "accepted",
     (ToolCall(None, "add", '{"é":"🚀"}', True),)),
    ("two", (call(name="add", args={}), call(name="sub", args={})), "accepted",
     (ToolCall(None, "add", "{}", True), ToolCall(None, "sub", "{}", True))),
    ("told in parts", (call(name="add", willContinue=True),
                       call(partialArgs=[{"jsonPath": "$.a", "numberValue": 1}], willContinue=True), call()),
     "accepted", (ToolCall(None, "add", "", False),)),
    ("a name and a first part", (call(name="add", partialArgs=[{}]),), "accepted",
     (ToolCall(None, "add", "", False),)),
    ("half a character", (call(name="add", args={"a": "\ud83d"}),), "accepted",
     (ToolCall(None, "add", '{"a":"\ud83d"}', False),)),
    ("no name", (call(args={}),), "invalid_delta", ()),
    ("arguments that are no object", (call(name="add", args="{}"),), "invalid_delta", ()),
    ("a name that is no text", (call(name=5),), "invalid_delta", ()),
    ("an id that is no text", (call(name="add", id=5),), "invalid_delta", ()),
    ("a call that is no object", ({"functionCall": []},), "invalid_delta", ()),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "code", "calls"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_function_calls(judge, parts: tuple[Any, ...], code: str, calls: tuple[ToolCall, ...]) -> None:
    """They come whole, as objects; what comes in parts is marked as incomplete."""
    verdict = judge(chunk(candidates=[candidate(*parts, finish="STOP")]), GEMINI)
    assert verdict.code == code
    assert (verdict.tool_calls if verdict.ok else verdict.partial.tool_calls) == calls


def test_what_the_output_limit_counts_of_a_call() -> None:
    """Its id, its name and its arguments (2, 3 and 7 here), before it is kept; beside it the reason, each one once."""
    part = call(name="add", args={"a": 1}, id="c1")
    body = chunk(candidates=[candidate(part, finish="STOP")]) + STOP * 3
    assert read([body], gemini(max_output=16)).ok
    assert read([body], gemini(max_output=15)).code == "output_limit"
    rejected = read([body], gemini(max_output=11))
    assert (rejected.code, rejected.partial.tool_calls) == ("output_limit", ())
    changing = say("", "STOP") + say("", "OTHER")
    assert read([changing], gemini(max_output=9)).ok
    assert read([changing], gemini(max_output=8)).code == "output_limit"


def test_usage_before_any_candidate() -> None:
    """What had arrived is kept, without a candidate too."""
    verdict = read([chunk(usageMetadata={"a": 1})], GEMINI)
    assert (verdict.code, verdict.partial.usage) == ("missing_terminal", {"a": 1})


def test_an_infinite_number_has_no_text(judge) -> None:
    """1e999 is JSON; what Python makes of it is not."""
    body = chunk(candidates=[candidate(call(name="f", args={"a": 1}), finish="STOP")]).replace(b"1", b"1e999")
    verdict = judge(body, GEMINI)
    assert verdict.tool_calls == (ToolCall(None, "f", "", False),)


def test_everything_is_read_to_the_end() -> None:
    """There is no terminal event, so nothing comes after it."""
    body = say("Hi", "STOP") + b": more\n\n"
    verdict = read([body], GEMINI)
    assert (verdict.bytes_read, verdict.later_bytes, verdict.events) == (len(body), 0, 1)


def test_the_place_of_the_terminal_event() -> None:
    """Where the stream could first have ended and been complete; the LF of the last CRLF is not needed."""
    body = say("Hi") + STOP
    assert terminal_offset(body) == len(body) - 1
    assert terminal_offset(body + b": more\n\n" + chunk(usageMetadata={})) == len(body) - 1
    assert terminal_offset(say("H", "STOP") + say("i", "STOP")) == len(say("H", "STOP")) - 1
    assert terminal_offset(say("Hi")) is None


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; it has a name."""
    assert gemini() == GEMINI
    assert gemini(max_events=5) != GEMINI
    assert GEMINI.name == "gemini"
