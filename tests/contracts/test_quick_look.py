"""The typed path may only accept: every reader with it gives what the same reader gives without it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recorder.contracts._chat import ChatRun, chat
from recorder.contracts._chat_text import ChatTextRun, chat_text
from recorder.contracts._profiles import PROFILES
from recorder.sse import Event, Limit

MARKER = "chat.completion.chunk"

ODD = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 2), st.just(0.0), st.just(-0.0), st.floats(allow_nan=False)),
    *(st.text(max_size=3), st.just([]), st.just({}), st.just(10**40), st.lists(st.integers(), max_size=2)),
)
CONTENT = st.one_of(st.text(max_size=6), st.text('🚀é"\\\n', max_size=6), st.none(), ODD)
DELTA = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "content": CONTENT,
            "role": st.just("assistant"),
            "tool_calls": ODD,
            "function_call": ODD,
            "refusal": ODD,
            "audio": ODD,
            "reasoning_content": ODD,
            "reasoning": ODD,
            "x": ODD,
        },
    ),
    st.fixed_dictionaries({"content": st.text(max_size=6)}),
    ODD,
)
CHOICE = st.one_of(
    st.fixed_dictionaries(
        {"index": st.one_of(st.just(0), st.just(0), ODD), "delta": DELTA},
        optional={"finish_reason": st.one_of(st.none(), st.just("stop"), st.just("length"), ODD), "logprobs": ODD},
    ),
    ODD,
)
USAGE = st.one_of(st.none(), ODD, st.dictionaries(st.text(max_size=3), ODD, max_size=3))
CHUNK = st.one_of(
    st.fixed_dictionaries(
        {"choices": st.one_of(st.lists(CHOICE, min_size=1, max_size=1), st.lists(CHOICE, max_size=2), ODD)},
        optional={
            "object": st.one_of(st.just(MARKER), st.just(MARKER), st.just("error"), ODD),
            "usage": USAGE,
            "error": st.one_of(st.none(), ODD),
            "id": st.text(max_size=3),
            "deep": st.integers(0, 40).map(lambda levels: _nested(levels)),
        },
    ),
    ODD,
)


def _nested(levels: int) -> Any:
    return [_nested(levels - 1)] if levels else []


@st.composite
def written(draw: st.DrawFn) -> str:
    """One event's data: a chunk written as JSON in some style, at times damaged, the marker, or nothing."""
    kind = draw(st.integers(0, 19))
    if kind == 0:
        return draw(st.sampled_from(["[DONE]", "", "[DONE] ", "null", "{"]))
    text = json.dumps(
        draw(CHUNK),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:")])),
    )
    if kind == 1:
        return text.replace('"', r"\u0022", 1)
    if kind == 2:
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        return (
            text[:at]
            + draw(st.sampled_from(["", " ", "0", '"', ",", "\\", "}", "\x01", "é", "\ud83d"]))
            + text[at + 1 :]
        )
    if kind == 3:
        return text.replace("content", r"\u0063ontent").replace("delta", r"d\u0065lta")
    if kind == 4:
        return text.replace("{", '{"choices":[{"index":0,"delta":{"content":"first"}}],"error":null,', 1)
    if kind == 5:
        return text.replace('"content":"', '"content":"\\ud83d', 1)
    return text


EVENT = st.builds(Event, st.sampled_from(["message"] * 9 + ["error"]), written(), st.just(""))
STREAM = st.lists(EVENT, max_size=6)
PLAIN = f'{{"object":"{MARKER}","choices":[{{"index":0,"delta":{{"content":"a"}},"finish_reason":null}}]}}'
STOP = PLAIN.replace("null", '"stop"')


def events(*datas: str) -> list[Event]:
    return [Event("message", data, "") for data in datas]


def told(run: ChatTextRun | ChatRun, stream: list[Event]) -> tuple[Any, ...]:
    """All a reader shows of a stream, after each event and at its end."""
    steps = [(run.event(each), run.events, run.partial) for each in stream]
    return steps, run.eof(), run.partial, run.events


@pytest.mark.parametrize("name", PROFILES)
@given(STREAM)
@example(events(PLAIN, STOP, "[DONE]"))
@example(events(PLAIN, PLAIN.replace('"a"', '"\\ud83d"'), PLAIN.replace('"a"', '"\\ude80"'), STOP, "[DONE]"))
@example(events(PLAIN, STOP, PLAIN))
@example(events(PLAIN.replace("{", '{"x":' + "[" * 40 + "]" * 40 + ",", 1)))
@example(events(PLAIN.replace("{", '{"x":' + "9" * 5000 + ",", 1)))
@example(events(PLAIN.replace("{", '{"usage":{"a":' + "9" * 4301 + "},", 1), STOP, "[DONE]"))
@example(events(PLAIN.replace("{", '{"usage":{"a":{"b":[1e400, NaN]}},', 1), STOP, "[DONE]"))
def test_every_profile(name: str, stream: list[Event]) -> None:
    """Small limits, so that they are met."""
    contract = chat_text(name, max_output=8, max_events=5)
    assert told(ChatTextRun(contract), stream) == told(ChatTextRun(contract, quick=False), stream)


@pytest.mark.parametrize("unit", ["bytes", "code_points", "utf16"])
@given(STREAM)
def test_every_unit(unit: str, stream: list[Event]) -> None:
    """The output is counted alike."""
    contract = chat_text(max_output=Limit(5, unit))
    assert told(ChatTextRun(contract), stream) == told(ChatTextRun(contract, quick=False), stream)


@pytest.mark.parametrize("unit", ["bytes", "code_points", "utf16"])
@given(STREAM)
@example(events(PLAIN, PLAIN, STOP, PLAIN, "[DONE]"))
@example(events(PLAIN.replace("chat.completion.chunk", "error"), STOP, "[DONE]"))
def test_the_full_chat_contract(unit: str, stream: list[Event]) -> None:
    """It has a quick look of its own."""
    contract = chat(max_output=Limit(8, unit), max_events=5)
    assert told(ChatRun(contract), stream) == told(ChatRun(contract, quick=False), stream)


@given(STREAM)
def test_events_together_or_one_by_one(stream: list[Event]) -> None:
    """`several` is `event` on each."""
    for contract in (chat(), chat_text(), chat_text("flowbar")):
        together, each = contract.start(), contract.start()
        verdicts = (verdict for event in stream if (verdict := each.event(event)) is not None)
        assert together.several(stream) == next(verdicts, None)
        assert (together.events, together.partial) == (each.events, each.partial)
