"""Legacy completion streams: text of one or several choices, `[DONE]` at the end."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import Choice, completions, read

COMPLETIONS = completions()
DONE = b"data: [DONE]\n\n"


def chunk(*choices: Any, **members: Any) -> bytes:
    record = {"object": "text_completion", "choices": list(choices), **members}
    return f"data: {json.dumps(record)}\n\n".encode()


def choice(text: Any, finish: Any = None, index: Any = 0) -> dict[str, Any]:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish}


def say(text: Any, finish: Any = None) -> bytes:
    return chunk(choice(text, finish))


STOP = say("", "stop")
HI = say("H") + say("i")


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
    Case("text, a stop, the marker", HI + STOP + DONE, more={"finish": "stop"}),
    Case("the finish beside the last text", say("H") + say("i", "length") + DONE, more={"finish": "length"}),
    Case("Together's word for a stop", say("Hi", "eos") + DONE, more={"finish": "eos"}),
    Case("filtered", say("Hi", "content_filter") + DONE, more={"finish": "content_filter"}),
    Case("no index", chunk({"text": "Hi", "finish_reason": "stop"}) + DONE,
         more={"choices": (Choice(0, "Hi", "stop"),)}),
    Case("no text at the end", HI + chunk({"index": 0, "finish_reason": "stop"}) + DONE),
    Case("null text at the end", HI + say(None, "stop") + DONE),
    Case("empty finishes and the text null", say("H", "") + say("i", "null") + STOP + DONE),
    Case("usage without choices", HI + STOP + chunk(usage={"total_tokens": 3}) + DONE,
         more={"usage": {"total_tokens": 3}}),
    Case("usage and no member choices", HI + STOP + b'data: {"usage":{"total_tokens":3}}\n\n' + DONE,
         more={"usage": {"total_tokens": 3}}),
    Case("usage beside an empty choice after the finish", HI + STOP + chunk(choice("", "stop"), usage={}) + DONE,
         more={"usage": {}}),
    Case("no usage is not zero", HI + STOP + DONE, more={"usage": None}),
    Case("null usage after the usage", HI + chunk(usage={"total_tokens": 3}) + chunk(choice("", "stop"), usage=None)
         + DONE, more={"usage": {"total_tokens": 3}}),
    Case("an empty choice without a finish after its finish", HI + STOP + say("") + say("", "") + say(None, "null")
         + DONE),
    Case("an empty first chunk", chunk() + HI + STOP + DONE),
    Case("heartbeats", b"data:\n\n: hb\n\n" + HI + STOP + DONE),
    Case("nothing was said", STOP + DONE, text=""),
    Case("two choices, woven", chunk(choice("yo", None, 1)) + say("H") + chunk(choice("i"), choice("", "length", 1))
         + STOP + DONE, more={"finish": "stop", "choices": (Choice(0, "Hi", "stop"), Choice(1, "yo", "length"))}),
    Case("halves of a character", say("\ud83d") + say("\ude80") + STOP + DONE, text="🚀"),
    Case("what follows the marker is not read", HI + STOP + DONE + b"data: {\n\n" + DONE),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", ""),
    Case("no marker", HI + STOP, "missing_terminal"),
    Case("a marker that is cut", HI + STOP + DONE[:-1], "missing_terminal"),
    Case("a marker and nothing else", DONE, "missing_finish", "", 1),
    Case("no finish", HI + DONE, "missing_finish", "Hi", 3),
    Case("one of two choices", chunk(choice("Hi", "stop"), choice("yo", None, 1)) + DONE, "missing_finish", "Hi", 2),
    Case("text after the finish", HI + STOP + say("!"), "choice_after_finish", "Hi", 4),
    Case("another finish", HI + STOP + say("", "length"), "choice_after_finish", "Hi", 4),
    Case("a finish nobody knows", HI + say("", "novel"), "unaccepted_finish", "Hi", 3),
    Case("a finish that is no text", HI + say("", 1), "unaccepted_finish", "Hi", 3),
    Case("an error", HI + b'data: {"error":{"message":"m"}}\n\n', "upstream_error", "Hi", 3),
    Case("an error object", HI + b'data: {"object":"error","message":"m"}\n\n', "upstream_error", "Hi", 3),
    Case("an event named error", HI + b"event: error\n" + STOP, "upstream_error", "Hi", 3),
    Case("a named event", HI + b"event: chunk\n" + STOP, "unexpected_event_type", "Hi", 3),
    Case("no JSON", HI + b"data: {\n\n", "invalid_json", "Hi", 3),
    Case("a list", HI + b"data: []\n\n", "invalid_chunk", "Hi", 3),
    Case("an object that says nothing", HI + b"data: {}\n\n", "invalid_chunk", "Hi", 3),
    Case("a chat chunk", chunk({"index": 0, "delta": {"content": "Hi"}}), "invalid_chunk", "", 1),
    Case("a chat answer in one piece", chunk({"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}),
         "invalid_chunk", "", 1),
    Case("a choice that is no object", chunk("Hi"), "invalid_chunk", "", 1),
    Case("null choices", HI + b'data: {"choices":null}\n\n', "invalid_choices", "Hi", 3),
    Case("choices that are no list", HI + b'data: {"choices":{}}\n\n', "invalid_choices", "Hi", 3),
    Case("an index that is none", chunk(choice("Hi", None, "0")), "unsupported_choices", "", 1),
    Case("a false index", chunk(choice("Hi", None, False)), "unsupported_choices", "", 1),
    Case("a negative index", chunk(choice("Hi", None, -1)), "unsupported_choices", "", 1),
    Case("two choices without an index", chunk({"text": "a"}, {"text": "b"}), "unsupported_choices", "", 1),
    Case("text that is no text", say(5), "invalid_content", "", 1),
    Case("text that is no text beside a finish", say(5, "stop"), "invalid_content", "", 1),
    Case("half a character at the end of one of two choices",
         chunk(choice("Hi", "stop"), choice("\ud83d", "stop", 1)) + DONE, "invalid_content", "Hi", 2),
    Case("usage that is none", HI + chunk(usage=3), "invalid_usage", "Hi", 3),
    Case("half a character at the end", say("\ud83d", "stop") + DONE, "invalid_content", "\ud83d", 2),
]  # fmt: skip


@pytest.mark.parametrize("case", [*COMPLETE, *WRONG], ids=lambda case: case.id)
def test_the_verdict(holds, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    holds(case, COMPLETIONS)


def test_usage_before_any_choice() -> None:
    """What had arrived is kept, without a choice too."""
    verdict = read([chunk(usage={"total_tokens": 3})], COMPLETIONS)
    assert (verdict.code, verdict.partial.usage) == ("missing_terminal", {"total_tokens": 3})


def test_where_it_was_decided() -> None:
    """The byte that dispatched the marker; nothing after it is read."""
    body = HI + STOP + DONE
    verdict = read([body + DONE], COMPLETIONS)
    assert (verdict.bytes_read, verdict.later_bytes, verdict.events) == (len(body), 14, 4)


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; it has a name."""
    assert completions() == COMPLETIONS
    assert completions(max_events=5) != COMPLETIONS
    assert COMPLETIONS.name == "completions"
