"""Chat streams in full: choices, calls, refusals, audio, and what providers are seen to do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from recorder.contracts import ToolCall, chat, read
from recorder.sse import Limit

CHAT = chat()
DONE = "[DONE]"


def sse(*datas: str) -> bytes:
    return "".join(f"data: {data}\n\n" for data in datas).encode()


def choice(delta: Any = None, finish: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    return {"index": index, **({} if delta is None else {"delta": delta}), "finish_reason": finish, **more}


def chunk(*choices: dict[str, Any], **more: Any) -> str:
    return json.dumps({"choices": list(choices), **more})


def say(text: str, finish: str | None = None, index: int = 0) -> str:
    return chunk(choice({"content": text}, finish, index))


def call(arguments: str | None, finish: str | None = None, **piece: Any) -> str:
    function = {"arguments": arguments, **({"name": piece.pop("name")} if "name" in piece else {})}
    return chunk(choice({"tool_calls": [{**piece, "function": function}]}, finish))


def custom(text: str, **piece: Any) -> str:
    body = {"input": text, **({"name": piece.pop("name")} if "name" in piece else {})}
    return chunk(choice({"tool_calls": [{**piece, "custom": body}]}))


HI = say("Hi")
STOP = chunk(choice({}, "stop"))
CALLS = chunk(choice({}, "tool_calls"))


def test_several_choices(judge) -> None:
    """n > 1: each choice has its own text and finish; the verdict's are the first's."""
    body = sse(say("b", index=1), say("a"), say("B", "length", 1), say("A", "stop"), DONE)
    verdict = judge(body, CHAT)
    assert (verdict.text, verdict.finish) == ("aA", "stop")
    assert [(each.index, each.text, each.finish) for each in verdict.choices] == [
        (0, "aA", "stop"),
        (1, "bB", "length"),
    ]


def test_several_choices_in_one_chunk(judge) -> None:
    """The order within a chunk does not matter."""
    body = sse(chunk(choice({"content": "b"}, "stop", 1), choice({"content": "a"}, "stop", 0)), DONE)
    assert [each.text for each in judge(body, CHAT).choices] == ["a", "b"]


def test_one_of_several_choices_without_a_finish(judge) -> None:
    """[DONE] with one choice still open: something is missing."""
    assert judge(sse(say("a", "stop"), say("b", index=1), DONE), CHAT).code == "missing_finish"


def test_done_alone(judge) -> None:
    """A marker without a choice completes nothing."""
    assert judge(sse(DONE), CHAT).code == "missing_finish"
    assert judge(sse(chunk(usage={"n": 1}), DONE), CHAT).code == "missing_finish"


@pytest.mark.parametrize("finish", ["stop", "length", "tool_calls", "function_call", "content_filter"])
def test_known_finishes(judge, finish: str) -> None:
    """The finish is told as sent."""
    assert judge(sse(say("a", finish), DONE), CHAT).finish == finish


@pytest.mark.parametrize("finish", ["error", "STOP", "eos", "end_turn", "stop ", 0, False, [], {}, 1.5])
def test_unknown_finishes(judge, finish: Any) -> None:
    """What is not known is not accepted."""
    assert judge(sse(chunk(choice({"content": "a"}, finish)), DONE), CHAT).code == "unaccepted_finish"


@pytest.mark.parametrize("none", [None, "", "null"])
def test_finishes_that_mean_none(judge, none: str | None) -> None:
    """Some servers write "" or the text "null" while the answer goes on."""
    assert judge(sse(say("a", none), say("b", "tool_calls"), DONE), CHAT).text == "ab"
    assert judge(sse(say("a", none), DONE), CHAT).code == "missing_finish"


def test_the_reason_under_another_key(judge) -> None:
    """`finishReason` is not `finish_reason`."""
    body = sse(HI, chunk({"index": 0, "delta": {}, "finish_reason": None, "finishReason": "stop"}), DONE)
    assert judge(body, CHAT).code == "missing_finish"


def test_a_finish_without_the_marker(judge) -> None:
    """Missing by default; with terminal="finish" the end of the stream completes it."""
    assert judge(sse(HI, STOP), CHAT).code == "missing_terminal"
    verdict = judge(sse(HI, STOP), chat(terminal="finish"))
    assert (verdict.code, verdict.text, verdict.bytes_read) == ("accepted", "Hi", len(sse(HI, STOP)))


@pytest.mark.parametrize(("body", "code"), [
    (sse(HI), "missing_terminal"),
    (sse(say("a", "stop"), say("b", index=1)), "missing_terminal"),
    (b"", "missing_terminal"),
    (sse(HI, STOP, DONE), "accepted"),
    (sse(HI, STOP, chunk(usage={"n": 1})), "accepted"),
    (sse(HI, DONE), "missing_finish"),
    (sse(say("\ud83d"), STOP), "invalid_content"),
])  # fmt: skip
def test_terminal_finish(judge, body: bytes, code: str) -> None:
    """It wants the finish of every choice, then takes the end of the stream or the marker."""
    assert judge(body, chat("finish")).code == code


def test_heartbeats(judge) -> None:
    """An empty `data:` is a heartbeat, counted as an event; comments and control blocks are none."""
    body = b"data:\n\n: hb\n\nretry: 5\n\ndata\n\n" + sse(HI, STOP, DONE)
    verdict = judge(body, CHAT)
    assert (verdict.text, verdict.events) == ("Hi", 5)


@pytest.mark.parametrize(("body", "code", "at_event"), [
    (sse('{"error":{"message":"no","code":400}}'), "upstream_error", 1),
    (sse(HI, '{"error":{"message":"no"}}'), "upstream_error", 2),
    (sse('{"error":"quota gone"}'), "upstream_error", 1),
    (sse('{"choices":[],"error":{"code":502}}', DONE), "upstream_error", 1),
    (sse(chunk(choice({"content": ""}, "error"), error={"code": 502})), "upstream_error", 1),
    (sse('{"object":"error","message":"no","code":400}'), "upstream_error", 1),
    (sse(HI) + b"event: error\n" + sse('{"message":"no"}'), "upstream_error", 2),
    (b"event: error\ndata: not JSON\n\n", "upstream_error", 1),
    (b"event: ping\n" + sse(HI), "unexpected_event_type", 1),
    (sse(HI) + b"event: ping\n" + sse(HI), "unexpected_event_type", 2),
    (sse(HI, chunk(error=None), DONE), "missing_finish", 3),
])  # fmt: skip
def test_errors_inside_a_200_stream(judge, body: bytes, code: str, at_event: int) -> None:
    """An error object in any form, or an event named error."""
    verdict = judge(body, CHAT)
    assert (verdict.code, verdict.at_event) == (code, at_event)


def test_azure_first_chunk_and_filters(judge) -> None:
    """Prompt filter results with empty choices first; asynchronous filter chunks without a delta."""
    first = (
        '{"choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}],"object":"","id":""}'
    )
    offsets = chunk({"index": 0, "finish_reason": None, "content_filter_offsets": {"check_offset": 1}})
    verdict = judge(sse(first, offsets, HI, say("", "content_filter"), DONE), CHAT)
    assert (verdict.text, verdict.finish) == ("Hi", "content_filter")


def test_usage_on_any_chunk(judge) -> None:
    """With choices, with none, without the member; the last that is not null is told."""
    body = sse(
        chunk(choice({"content": "a"}), usage={"n": 1}),
        chunk(choice({}, "stop"), usage=None),
        '{"id":"x","usage":{"n":2}}',
        DONE,
    )
    assert judge(body, CHAT).usage == {"n": 2}
    assert judge(sse(HI, STOP, '{"choices":null,"usage":{"n":3}}', DONE), CHAT).usage == {"n": 3}
    assert judge(sse(HI, STOP, DONE), CHAT).usage is None
    early = chunk(choice({"content": "a"}), usage={"n": 4})
    assert judge(sse(HI, early, HI, chunk(choice({"content": "b"}), usage=None), STOP, DONE), CHAT).usage == {"n": 4}


@pytest.mark.parametrize(("data", "code"), [
    ("oops", "invalid_json"),
    ('{"choices":[{"index":0,"delta":{"role":"adata: {"choices":[]}', "invalid_json"),
    (": OPENROUTER PROCESSING", "invalid_json"),
    ("[DONE] ", "invalid_json"),
    ("[" * 129 + "]" * 129, "invalid_json"),
    ("[]", "invalid_chunk"),
    ("{}", "invalid_chunk"),
    ('{"detail":"failed"}', "invalid_chunk"),
    ('{"choices":null}', "invalid_choices"),
    ('{"choices":{}}', "invalid_choices"),
    ('{"choices":"a","usage":{}}', "invalid_choices"),
    ('{"choices":[],"usage":5}', "invalid_usage"),
    ('{"choices":[],"usage":[]}', "invalid_usage"),
    ('{"choices":[1]}', "invalid_chunk"),
    ('{"choices":[{"index":-1,"delta":{}}]}', "unsupported_choices"),
    ('{"choices":[{"index":true,"delta":{}}]}', "unsupported_choices"),
    ('{"choices":[{"index":"0","delta":{}}]}', "unsupported_choices"),
    ('{"choices":[{"index":null,"delta":{}}]}', "unsupported_choices"),
    ('{"choices":[{"delta":{}},{"delta":{}}]}', "unsupported_choices"),
    (chunk(choice([])), "invalid_delta"),
    (chunk(choice("text")), "invalid_delta"),
    (chunk(choice(message={"content": "whole answer"})), "invalid_delta"),
    (chunk(choice(text="a completion")), "invalid_delta"),
    (chunk(choice({"content": 5})), "invalid_content"),
    (chunk(choice({"content": [{"type": "text"}]})), "invalid_content"),
    (chunk(choice({"refusal": 5})), "invalid_delta"),
    (chunk(choice({"audio": "a"})), "invalid_delta"),
    (chunk(choice({"audio": {"data": 5}})), "invalid_delta"),
    (chunk(choice({"tool_calls": {}})), "invalid_delta"),
    (chunk(choice({"tool_calls": ["a"]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"index": -1}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"index": "0"}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"index": False}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"function": "f"}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"function": {"arguments": {"a": 1}}}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"custom": "ls"}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"custom": {"input": {"a": 1}}}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"id": 5}]})), "invalid_delta"),
    (chunk(choice({"tool_calls": [{"type": 5}]})), "invalid_delta"),
    (chunk(choice({"function_call": "f"})), "invalid_delta"),
    (chunk(choice({"function_call": {"name": 5}})), "invalid_delta"),
])  # fmt: skip
def test_shapes_that_are_rejected(judge, data: str, code: str) -> None:
    """What could hide a loss, and what no dialect promises."""
    verdict = judge(sse(HI, data, STOP, DONE), CHAT)
    assert (verdict.code, verdict.at_event, verdict.partial.text) == (code, 2, "Hi")


@pytest.mark.parametrize("data", [
    '{"choices":[{"delta":{"content":"!"}}]}',
    chunk(choice({"content": "!", "role": "assistant", "x": {}}, logprobs={"content": [{"token": "!", "top": []}]})),
    chunk(choice({"content": "!", "tool_calls": None, "function_call": None, "refusal": None, "audio": None})),
    chunk(choice({"content": "!", "tool_calls": [], "function_call": {}})),
    chunk(choice({"content": "!"}, message={"role": "assistant", "content": "Hi!"})),
    chunk(choice({"content": "!"}), usage={}, error=None, x_groq={"id": "r"}, obfuscation="aa"),
    '{"choices":[{"index":0,"delta":{"content":"!"},"x":"\\ud83d"}]}',
])  # fmt: skip
def test_shapes_that_are_read(judge, data: str) -> None:
    """A lone choice without an index, logprobs, nulls, a cumulative message beside the delta, extensions."""
    verdict = judge(sse(HI, data, STOP, DONE), CHAT)
    assert (verdict.text, verdict.tool_calls) == ("Hi!", ())


@dataclass(frozen=True)
class Calls:
    """Chunks, and the calls they come to."""

    id: str
    chunks: tuple[str, ...]
    calls: tuple[ToolCall, ...]


def tool(name: str, arguments: str, id: str | None = "c1", complete: bool = True, type: str = "function") -> ToolCall:
    return ToolCall(id, name, arguments, complete, type)


CALLED = [
    Calls("in pieces",
          (call("", index=0, id="c1", type="function", name="f"), call('{"a"', index=0), call(":1}", index=0), CALLS),
          (tool("f", '{"a":1}'),)),
    Calls("whole, with the finish",
          (call("{}", "tool_calls", index=0, id="c1", name="f"),), (tool("f", "{}"),)),
    Calls("without an index",
          (call("{", id="c1", name="f"), call("}"), CALLS), (tool("f", "{}"),)),
    Calls("the whole name and the id with every piece, without an index",
          (call("{", id="c1", name="f"), call("}", id="c1", name="f"), CALLS), (tool("f", "{}"),)),
    Calls("two, without an index, by id",
          (call("{}", id="c1", name="f"), call("[", id="c2", name="g"), call("]", id="c2"), CALLS),
          (tool("f", "{}"), tool("g", "[]", "c2"))),
    Calls("two, without index or id, by name",
          (call("{}", name="f"), call("{}", name="f"), CALLS), (tool("f", "{}", None), tool("f", "{}", None))),
    Calls("two, interleaved by index",
          (call("{", index=0, id="c1", name="f"), call("[", index=1, id="c2", name="g"), call("}", index=0),
           call("]", index=1), CALLS),
          (tool("f", "{}"), tool("g", "[]", "c2"))),
    Calls("two in one delta, all numbered 0",
          (chunk(choice({"tool_calls": [
              {"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{}"}},
              {"index": 0, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]}, "tool_calls")),),
          (tool("f", "{}"), tool("g", "{}", "c2"))),
    Calls("a new id with every piece",
          (call("{", index=0, id="c1", name="f"), call("}", index=0, id="c9"), CALLS), (tool("f", "{}", "c9"),)),
    Calls("the whole name with every piece",
          (call("{", index=0, id="c1", name="f"), call("}", index=0, name="f"), CALLS), (tool("f", "{}"),)),
    Calls("the name in pieces",
          (call("{", index=0, id="c1", name="get_"), call("}", index=0, name="it"), CALLS), (tool("get_it", "{}"),)),
    Calls("no arguments at all",
          (call("", index=0, id="c1", name="f"), call(None, index=0), CALLS), (tool("f", "", complete=False),)),
    Calls("arguments that are a number",
          (call("12", "tool_calls", index=0, id="c1", name="f"),), (tool("f", "12"),)),
    Calls("a finish for each call",
          (call("{}", "tool_calls", index=0, id="c1", name="f"), call("{", index=1, id="c2", name="g"),
           call("}", "tool_calls", index=1)),
          (tool("f", "{}"), tool("g", "{}", "c2"))),
    Calls("a finish of stop",
          (call("{}", "stop", index=0, id="c1", name="f"),), (tool("f", "{}"),)),
    Calls("cut at the token limit",
          (call('{"path":"/x","content":"line1', "length", index=0, id="c1", name="write"),),
          (tool("write", '{"path":"/x","content":"line1', complete=False),)),
    Calls("nested as deep as arguments may be",
          (call("[" * 64 + "]" * 64, "tool_calls", index=0, id="c1", name="f"),), (tool("f", "[" * 64 + "]" * 64),)),
    Calls("a number cut at the token limit",
          (call("12", "length", index=0, id="c1", name="f"),), (tool("f", "12", complete=False),)),
    Calls("a whole object at the token limit",
          (call("{}", "length", index=0, id="c1", name="f"),), (tool("f", "{}"),)),
    Calls("a custom tool",
          (chunk(choice({"tool_calls": [{"index": 0, "id": "c1", "type": "custom",
                                         "custom": {"name": "sh", "input": "ls"}}]}, "tool_calls")),),
          (tool("sh", "ls", type="custom"),)),
    Calls("a custom tool in pieces, the type on the first alone",
          (custom("", index=0, id="c1", type="custom", name="sh"), custom("l", index=0), custom("s", index=0), CALLS),
          (tool("sh", "ls", type="custom"),)),
    Calls("a custom tool without a type",
          (custom("l", index=0, id="c1", name="sh"), custom("s", index=0), CALLS), (tool("sh", "ls", type="custom"),)),
    Calls("a function beside a custom that is null",
          (chunk(choice({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "custom": None,
                                         "function": {"name": "f", "arguments": "{}"}}]}, "tool_calls")),),
          (tool("f", "{}"),)),
    Calls("a custom tool beside a function that is null",
          (chunk(choice({"tool_calls": [{"index": 0, "id": "c1", "type": "custom", "function": None,
                                         "custom": {"name": "sh", "input": "ls"}}]}, "tool_calls")),),
          (tool("sh", "ls", type="custom"),)),
    Calls("a custom tool's call in the shape of a function",
          (call("ls", "tool_calls", index=0, id="c1", type="custom", name="sh"),), (tool("sh", "ls", type="custom"),)),
    Calls("a legacy function call",
          (chunk(choice({"function_call": {"name": "f", "arguments": "{"}})),
           chunk(choice({"function_call": {"arguments": "}"}}, "function_call"))),
          (tool("f", "{}", None, type="function_call"),)),
    Calls("halves of a pair in two pieces",
          (call('"\ud83d', index=0, id="c1", name="f"), call('\ude80"', index=0), CALLS), (tool("f", '"🚀"'),)),
]  # fmt: skip


@pytest.mark.parametrize("case", CALLED, ids=lambda case: case.id)
def test_calls_are_put_together(judge, case: Calls) -> None:
    """Pieces are joined; what is cut stays cut and is marked."""
    verdict = judge(sse(*case.chunks, DONE), CHAT)
    assert (verdict.code, verdict.tool_calls) == ("accepted", case.calls)
    assert verdict.choices[0].tool_calls == case.calls


@pytest.mark.parametrize("arguments", ['{"a":', '{"a":1}}', "{'a':1}", "NaN", " ", '"\ud83d"', "[" * 65 + "]" * 65])
@pytest.mark.parametrize("finish", ["tool_calls", "function_call"])
def test_arguments_that_are_not_json(judge, arguments: str, finish: str) -> None:
    """The finish says tool calls: such arguments reject the stream at the finish."""
    verdict = judge(sse(call(arguments, index=0, id="c1", name="f"), chunk(choice({}, finish)), DONE), CHAT)
    assert (verdict.code, verdict.at_event) == ("invalid_tool_arguments", 2)
    assert verdict.partial.tool_calls[0].arguments_complete is False


def test_a_legacy_call_that_is_not_json(judge) -> None:
    """The same for a function call."""
    body = sse(chunk(choice({"function_call": {"name": "f", "arguments": "{"}}, "function_call")), DONE)
    assert judge(body, CHAT).code == "invalid_tool_arguments"


def test_a_call_cut_by_the_end_of_the_stream(judge) -> None:
    """The call is evidence, marked incomplete; no one may run it."""
    verdict = judge(sse(call('{"path":"/x', index=0, id="c1", name="write")), CHAT)
    assert (verdict.code, verdict.partial.tool_calls) == (
        "missing_terminal",
        (tool("write", '{"path":"/x', complete=False),),
    )


def test_tool_calls_of_the_second_choice(judge) -> None:
    """Calls belong to their choice."""
    piece = {"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{}"}}
    body = sse(say("a", "stop"), chunk(choice({"tool_calls": [piece]}, "tool_calls", 1)), DONE)
    verdict = judge(body, CHAT)
    assert (verdict.tool_calls, verdict.choices[1].tool_calls) == ((), (tool("f", "{}"),))


def test_refusal_reasoning_and_audio(judge) -> None:
    """Each has a place of its own beside the text; None when it never came."""
    body = sse(
        chunk(choice({"role": "assistant", "content": None, "reasoning_content": "hm"})),
        chunk(choice({"reasoning": "m.", "reasoning_content": None, "reasoning_details": [{"text": "m."}]})),
        chunk(choice({"audio": {"id": "a1", "transcript": "Hel", "data": "AAAA"}})),
        chunk(choice({"audio": {"transcript": "lo", "data": "BBBB", "expires_at": 5}})),
        chunk(choice({"refusal": "I can"})),
        chunk(choice({"refusal": "not"}, "stop")),
        DONE,
    )
    verdict = judge(body, CHAT)
    only = verdict.choices[0]
    assert (verdict.text, only.refusal, only.reasoning) == ("", "I cannot", "hmm.")
    assert (only.audio.id, only.audio.transcript, only.audio.data) == ("a1", "Hello", "AAAABBBB")
    plain = judge(sse(HI, STOP, DONE), CHAT).choices[0]
    assert (plain.refusal, plain.reasoning, plain.audio) == (None, None, None)


def test_reasoning_in_both_members_is_told_once(judge) -> None:
    """Some servers send the same text under both names."""
    body = sse(chunk(choice({"reasoning": "hm", "reasoning_content": "hm"}, "stop")), DONE)
    assert judge(body, CHAT).choices[0].reasoning == "hm"


@pytest.mark.parametrize("delta", [
    {"content": "more"}, {"refusal": "no"}, {"reasoning_content": "hm"}, {"tool_calls": [{"index": 0}]},
    {"audio": {"data": "AA"}}, {"unknown": 1},
])  # fmt: skip
def test_a_choice_that_goes_on_after_its_finish(judge, delta: Any) -> None:
    """Late text is the mark of two answers in one stream."""
    assert judge(sse(HI, STOP, chunk(choice(delta)), DONE), CHAT).code == "choice_after_finish"
    assert judge(sse(HI, STOP, chunk(choice({}, "length")), DONE), CHAT).code == "choice_after_finish"


@pytest.mark.parametrize("delta", [None, {}, {"content": ""}, {"role": "assistant", "content": None, "refusal": ""}])
@pytest.mark.parametrize("finish", [None, "", "stop"])
def test_a_choice_after_the_finish_that_brings_nothing(judge, delta: Any, finish: str | None) -> None:
    """Gateways send usage with an empty choice; nothing is lost by reading past it."""
    verdict = judge(sse(HI, STOP, chunk(choice(delta, finish), usage={"n": 1}), DONE), CHAT)
    assert (verdict.text, verdict.finish, verdict.usage) == ("Hi", "stop", {"n": 1})


def test_a_late_call_needs_a_finish_of_its_own(judge) -> None:
    """A finish of tool_calls followed by another call is open again; a late piece of a known call is not read."""
    first = call("{}", "tool_calls", index=0, id="c1", name="f")
    assert judge(sse(first, call("{}", index=1, id="c2", name="g"), DONE), CHAT).code == "missing_finish"
    assert judge(sse(first, call("{}", index=0), DONE), CHAT).code == "choice_after_finish"
    assert judge(sse(first, HI, DONE), CHAT).code == "choice_after_finish"
    for late in ([], {"tool_calls": {"0": 1}}, {"tool_calls": [5]}):
        assert judge(sse(first, chunk(choice(late)), DONE), CHAT).code == "choice_after_finish"
    assert judge(sse(first, call("{}", index=0, id="c1", name="f"), DONE), CHAT).code == "choice_after_finish"
    nameless = call("{}", index=1, id="c2")
    assert judge(sse(first, nameless, CALLS, DONE), CHAT).code == "choice_after_finish"
    another = {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]}
    with_text, with_role = (chunk(choice({**another, **more})) for more in ({"content": "!"}, {"role": "assistant"}))
    assert judge(sse(first, with_text, CALLS, DONE), CHAT).code == "choice_after_finish"
    assert judge(sse(first, with_role, CALLS, DONE), CHAT).ok
    assert judge(sse(HI, STOP, chunk(choice(another)), CALLS, DONE), CHAT).code == "choice_after_finish"


@pytest.mark.parametrize("member", ["content", "refusal", "reasoning_content"])
def test_half_a_pair_left_at_the_end(judge, member: str) -> None:
    """Any text that is handed over must be text."""
    assert judge(sse(chunk(choice({member: "a\ud83d"}, "stop")), DONE), CHAT).code == "invalid_content"
    whole = sse(chunk(choice({member: "a\ud83d"})), chunk(choice({member: "\ude80"}, "stop")), DONE)
    assert judge(whole, CHAT).code == "accepted"


@pytest.mark.parametrize(("delta", "size"), [
    ({"content": "abc"}, 3), ({"refusal": "abc"}, 3), ({"reasoning": "ab"}, 2),
    ({"audio": {"transcript": "ab", "data": "AAAA"}}, 6),
    ({"tool_calls": [{"index": 0, "function": {"name": "fn", "arguments": "{}"}}]}, 4),
    ({"function_call": {"name": "fn", "arguments": "{}"}}, 4),
])  # fmt: skip
def test_everything_kept_counts_as_output(judge, delta: Any, size: int) -> None:
    """N passes, over all choices together."""
    body = sse(
        chunk(choice(delta, None, 0), choice(delta, None, 1)), chunk(choice({}, "stop"), choice({}, "stop", 1)), DONE
    )
    assert judge(body, chat(max_output=2 * size)).code == "accepted"
    assert judge(body, chat(max_output=2 * size - 1)).code == "output_limit"


def test_ids_count_too(judge) -> None:
    """A call's id, and each new one that takes its place."""
    once = sse(call("{}", "tool_calls", index=0, id="abc", name="f"), DONE)
    assert judge(once, chat(max_output=6)).code == "accepted"
    assert judge(once, chat(max_output=5)).code == "output_limit"
    twice = sse(call("{", index=0, id="abc", name="f"), call("}", index=0, id="de"), CALLS, DONE)
    assert judge(twice, chat(max_output=8)).code == "accepted"
    assert judge(twice, chat(max_output=7)).code == "output_limit"
    body = sse(call("{", index=0, id="abc", name="f"), call("}", index=0, id="abc"), CALLS, DONE)
    assert judge(body, chat(max_output=6)).code == "accepted"
    assert judge(body, chat(max_output=5)).code == "output_limit"


def test_how_many_choices_and_calls() -> None:
    """What costs a stream next to nothing must not cost us without end: 128 choices, 1,024 calls of each."""
    choices = [choice({}, "stop", index) for index in range(129)]
    assert len(read([sse(chunk(*choices[:128]), DONE)], CHAT).choices) == 128
    assert read([sse(chunk(*choices), DONE)], CHAT).code == "unsupported_choices"
    calls = [{"index": index} for index in range(1025)]
    assert len(read([sse(chunk(choice({"tool_calls": calls[:1024]}, "stop")), DONE)], CHAT).tool_calls) == 1024
    assert read([sse(chunk(choice({"tool_calls": calls}, "stop")), DONE)], CHAT).code == "output_limit"


def test_an_empty_refusal_is_none(judge) -> None:
    """Some servers send it with every chunk."""
    body = sse(chunk(choice({"content": "a", "refusal": "", "reasoning": ""}, "stop")), DONE)
    only = judge(body, CHAT).choices[0]
    assert (only.refusal, only.reasoning) == (None, None)


@pytest.mark.parametrize(("unit", "size"), [("code_points", 3), ("utf16", 4), ("bytes", 7)])
def test_output_in_any_unit(judge, unit: str, size: int) -> None:
    """ "aé🚀" in the quick look and in the long way."""
    body = sse(say("aé🚀"), say("", "stop"), DONE)
    assert judge(body, chat(max_output=Limit(size, unit))).code == "accepted"
    assert judge(body, chat(max_output=Limit(size - 1, unit))).code == "output_limit"
    rejected = read([sse(HI, say("aé🚀"), STOP, DONE)], chat(max_output=Limit(size + 1, unit)))
    assert (rejected.code, rejected.at_event) == ("output_limit", 2)


@pytest.mark.parametrize(("limits", "code"), [
    ({"max_line": 30}, "line_limit"), ({"max_event": 30}, "event_size_limit"), ({"max_events": 1}, "event_count_limit"),
    ({"max_line": None, "max_event": None, "max_events": None, "max_output": None}, "accepted"),
])  # fmt: skip
def test_limits_are_arguments(judge, limits: dict[str, Any], code: str) -> None:
    """16 MiB a line, an event and in all, a million events unless given."""
    assert judge(sse(HI, STOP, DONE), chat(**limits)).code == code


def test_how_many_events(judge) -> None:
    """N pass, the marker and heartbeats among them, comments not."""
    body = b": hb\n\ndata:\n\n" + sse(HI, HI, STOP, DONE)
    assert judge(body, chat(max_events=5)).ok
    rejected = judge(body, chat(max_events=4))
    assert (rejected.code, rejected.at_event) == ("event_count_limit", 5)
    assert judge(body, chat(max_events=2)).at_event == 3


def test_json_over_several_data_lines(judge) -> None:
    """One event, whatever the number of its data lines."""
    body = HI.replace(", ", ",\ndata: ")
    assert judge(sse(body, STOP, DONE), CHAT).text == "Hi"


def test_only_two_ways_to_end() -> None:
    """Anything else is misuse."""
    with pytest.raises(ValueError, match="'done' or 'finish'"):
        chat(terminal="eof")  # type: ignore[arg-type]
    assert (chat().name, chat("finish").name) == ("chat", "chat/finish")
