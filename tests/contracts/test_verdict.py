"""Verdicts: nothing of the stream in what is printed, pickled or raised; equality; facts that travel."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import traceback
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from recorder.contracts import (
    Accepted,
    Facts,
    GenerationAccepted,
    Partial,
    Rejected,
    aread,
    chat,
    chat_text,
    generation,
    read,
)
from recorder.errors import FaultCode, RejectedStream

MARK = "xyzzy-7f3a"  # planted wherever a stream can carry text


def sse(*datas: str, name: str = "", id_: str = "") -> bytes:
    head = f"event: {name}\n" * bool(name) + f"id: {id_}\n" * bool(id_)
    return "".join(f"{head}data: {data}\n\n" for data in datas).encode()


def marked_chunk(finish: Any = None, arguments: str = f'{{"{MARK}": "{MARK}"}}', **more: Any) -> str:
    piece = {"index": 0, "id": MARK, "function": {"name": MARK, "arguments": arguments}}
    delta = {
        "content": MARK,
        "refusal": MARK,
        "reasoning": MARK,
        "tool_calls": [piece],
        "audio": {"id": MARK, "transcript": MARK, "data": MARK},
    }
    choice = {"index": 0, "delta": delta, "finish_reason": finish, MARK: MARK}
    return json.dumps({"choices": [choice], "usage": {MARK: MARK}, "id": MARK, "model": MARK, **more})


MARKED_TEXT = f'{{"choices":[{{"index":0,"delta":{{"content":"{MARK}"}}}}],"usage":{{"{MARK}":1}}}}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
RECORD = json.dumps({"state": "succeeded", "outputs": [MARK], "error": MARK, "progress": 5, MARK: MARK})
DONE = "[DONE]"

STREAMS: list[tuple[str, Any, bytes, str]] = [
    ("chat", chat(), sse(marked_chunk("tool_calls"), DONE, id_=MARK), "accepted"),
    ("chat, cut", chat(), sse(marked_chunk()), "missing_terminal"),
    ("chat, bad JSON", chat(), sse(marked_chunk(), "{" + MARK), "invalid_json"),
    ("chat, error", chat(), sse(marked_chunk(), f'{{"error":"{MARK}"}}'), "upstream_error"),
    ("chat, named", chat(), sse(MARKED_TEXT, name=MARK), "unexpected_event_type"),
    ("chat, finish", chat(), sse(marked_chunk(MARK)), "unaccepted_finish"),
    ("chat, arguments", chat(), sse(marked_chunk("tool_calls", "{" + MARK)), "invalid_tool_arguments"),
    ("text", chat_text(), sse(MARKED_TEXT, STOP, DONE, id_=MARK), "accepted"),
    ("text, cut", chat_text(), sse(MARKED_TEXT, STOP), "missing_terminal"),
    ("text, UTF-8", chat_text(), sse(MARKED_TEXT) + MARK.encode() + b"\xff", "invalid_utf8"),
    ("text, line", chat_text(max_line=5), sse(MARKED_TEXT), "line_limit"),
    ("generation", generation(MARK), sse(RECORD, name="done", id_=MARK), "accepted"),
    ("generation, state", generation(MARK, {MARK}), sse(json.dumps({"state": MARK}), name="progress"), "accepted"),
    ("generation, bad JSON", generation(MARK), sse("{" + MARK, name="progress"), "invalid_json"),
    ("HTML", chat(), f"<html>{MARK}</html>".encode(), "missing_terminal"),
]


@pytest.fixture(params=STREAMS, ids=[each[0] for each in STREAMS])
def verdict(request) -> Any:
    """A verdict over a stream that is full of the mark."""
    _, contract, body, code = request.param
    verdict = read([body], contract)
    assert verdict.code == code
    return verdict


def holds_the_mark(value: Any, depth: int = 6) -> bool:
    """Whether the mark can be reached by attribute: the tests below would show nothing of an empty verdict."""
    if isinstance(value, str):
        return MARK in value
    if isinstance(value, tuple | list):
        return any(holds_the_mark(each, depth - 1) for each in value)
    if isinstance(value, dict):
        return holds_the_mark([*value, *value.values()], depth - 1)
    slots = [each.name for each in fields(value)] if hasattr(value, "__dataclass_fields__") else []
    return depth > 0 and any(holds_the_mark(getattr(value, name), depth - 1) for name in slots)


def every_form(value: Any) -> Iterator[str]:
    yield from (repr(value), str(value), f"{value}", "%s" % (value,))  # noqa: UP031
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(value, protocol).decode("latin-1")
    yield repr(pickle.loads(pickle.dumps(value)))


FINISHES = {
    "chat": "stop length tool_calls function_call content_filter",
    "completions": "stop length content_filter eos",
    "responses": "completed incomplete max_output_tokens content_filter",
    "messages": "end_turn max_tokens stop_sequence tool_use pause_turn refusal model_context_window_exceeded",
    "gemini": "STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII "
    "MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL",
    "cohere": "COMPLETE STOP_SEQUENCE MAX_TOKENS TOOL_CALL TIMEOUT",
    "jsonrpc": "completed failed canceled rejected input-required auth-required",
    "generation": "succeeded completed failed cancelled canceled",
}


@pytest.mark.parametrize(
    ("dialect", "finish"), [(dialect, finish) for dialect, words in FINISHES.items() for finish in words.split()]
)
def test_the_words_of_the_providers_are_shown(dialect: str, finish: str) -> None:
    """What a provider documents as the reason of an end is no stream content: it is shown, and it travels."""
    accepted: Any = GenerationAccepted(state=finish) if dialect == "generation" else Accepted(finish=finish)
    carried = pickle.loads(pickle.dumps(accepted))
    for each in (accepted, carried):
        assert f"={finish!r}, " in repr(each)
    assert (carried.state if dialect == "generation" else carried.finish) == finish


def test_usage_in_a_representation() -> None:
    """Whether it was seen, and never what it said."""
    assert repr(Accepted(usage={MARK: 1})).endswith("usage=seen)")
    assert repr(Accepted()).endswith("usage=unknown)")


def test_the_mark_is_in_what_a_caller_may_look_at() -> None:
    """Otherwise nothing is shown below."""
    for _, contract, body, code in STREAMS:
        if (
            code not in ("line_limit", "unexpected_event_type")
            and b"<html" not in body
            and b'{"state"' not in body[:40]
        ):
            assert holds_the_mark(read([body], contract))


def test_no_form_of_a_verdict_shows_the_stream(verdict: Any) -> None:
    """repr, str, format, pickles of every protocol, and the unpickled verdict's repr."""
    for form in every_form(verdict):
        assert MARK not in form
        assert MARK[:5] not in form


def test_no_form_of_its_parts_shows_the_stream(verdict: Any) -> None:
    """The parts are content: they are printed without it, and what had arrived does not travel."""
    partial = getattr(verdict, "partial", None)
    parts = [*getattr(verdict, "choices", ()), *getattr(verdict, "tool_calls", ()), *getattr(partial, "choices", ())]
    parts += [each.audio for each in parts if getattr(each, "audio", None) is not None]
    assert all(MARK not in form for part in parts for form in (repr(part), str(part)))
    assert all(MARK not in form for form in every_form(partial))


def test_the_exception_for_a_rejection_shows_nothing_either(verdict: Any) -> None:
    """Not its text, not its pickle, not its traceback, local variables of our frames included."""
    if verdict.ok:
        assert verdict.raise_for_rejection() is verdict
        return
    with pytest.raises(RejectedStream) as caught:
        verdict.raise_for_rejection()
    error = caught.value
    assert (error.code, error.__cause__, error.__context__) == (verdict.code, None, None)
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown = "".join(told.format()) + repr(error) + str(error) + pickle.dumps(error).decode("latin-1")
    assert MARK not in shown
    assert pickle.loads(pickle.dumps(error)).code == verdict.code


def test_a_rejection_raised_while_another_exception_is_handled() -> None:
    """Even then nothing is chained to it."""
    verdict = read([sse("{")], chat())
    with pytest.raises(RejectedStream) as caught:  # noqa: PT012
        try:
            raise ValueError(MARK)
        except ValueError:
            verdict.raise_for_rejection()
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_explanations_show_nothing(verdict: Any) -> None:
    """Only the job id, which is the caller's own."""
    told = verdict.explain()
    assert MARK not in told.replace(f"GET of {MARK}", "")


def test_an_exception_that_passes_through_the_reader_shows_nothing_of_it() -> None:
    """With the local variables of our frames in the traceback; the source's own frames are its own."""

    class Source:
        def __init__(self) -> None:
            self.parts = iter([sse(MARKED_TEXT)])

        def __iter__(self) -> Iterator[bytes]:
            return self

        def __next__(self) -> bytes:
            for part in self.parts:
                return part
            raise KeyboardInterrupt

    class AsyncSource(Source):
        def __aiter__(self) -> AsyncIterator[bytes]:
            return self  # type: ignore[return-value]

        async def __anext__(self) -> bytes:
            return self.__next__()

    for run in (lambda: read(Source(), chat_text()), lambda: asyncio.run(aread(AsyncSource(), chat_text()))):
        with pytest.raises(KeyboardInterrupt) as caught:
            run()
        told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        assert MARK not in "".join(told.format())


def test_misuse_shows_nothing_of_the_stream() -> None:
    """Text in place of bytes, in the middle of a stream."""
    with pytest.raises(TypeError) as caught:
        read(iter([sse(MARKED_TEXT), MARK]), chat_text())  # type: ignore[list-item]
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in told.stack if "contracts/_" in frame.filename]
    assert ours
    assert all(MARK not in repr(frame.locals) for frame in ours)


def test_the_cause_is_reachable_and_nowhere_else() -> None:
    """A foreign exception may hold anything."""

    def source() -> Iterator[bytes]:
        yield sse(MARKED_TEXT)
        raise ValueError(MARK)

    verdict = read(source(), chat())
    assert str(verdict.cause) == MARK
    assert all(MARK not in form for form in every_form(verdict))
    assert pickle.loads(pickle.dumps(verdict)).cause is None


def test_what_a_representation_tells() -> None:
    """Codes, counts, a known finish."""
    accepted = read([sse(marked_chunk("tool_calls"), DONE)], chat())
    assert repr(accepted) == (
        f"Accepted(finish='tool_calls', events=2, bytes_read={accepted.bytes_read}, choices=1, tool_calls=1, "
        "output=38 characters, usage=seen)"
    )
    assert repr(read([sse(STOP)], chat())) == (
        "Rejected(code='missing_terminal', at_event=None, offset=67, events=1, bytes_read=67)"
    )
    state = read([sse(json.dumps({"state": MARK}))], generation(None, {MARK}))
    assert repr(state) == "GenerationAccepted(state=(not shown), succeeded=False, events=1, bytes_read=31)"
    assert repr(accepted.choices[0]) == ("Choice(index=0, text=10 characters, finish='tool_calls', tool_calls=1)")
    assert repr(accepted.tool_calls[0]) == "ToolCall(arguments=28 characters, arguments_complete=True)"


def test_facts_travel_and_content_does_not() -> None:
    """An unpickled verdict knows what happened, not what was said."""
    live = read([sse(marked_chunk("tool_calls"), DONE)], chat())
    carried = pickle.loads(pickle.dumps(live))
    assert (carried.text, carried.tool_calls, carried.choices, carried.usage) == (None, (), (), None)
    assert (carried.ok, carried.finish, carried.events, carried.bytes_read) == (True, "tool_calls", 2, live.bytes_read)
    assert carried.facts == live.facts == Facts(1, 1, 38, True, live.facts.digest)
    assert repr(carried) == repr(live)
    assert pickle.loads(pickle.dumps(carried)) == carried


def test_unpickled_verdicts_differ_when_their_texts_did() -> None:
    """A worker process may compare for us: the same counts with another text are not the same verdict."""
    one, other = (read([sse(MARKED_TEXT.replace(MARK, text), STOP, DONE)], chat()) for text in ("abc", "abd"))
    assert one != other
    assert pickle.loads(pickle.dumps(one)) != pickle.loads(pickle.dumps(other))
    assert pickle.loads(pickle.dumps(one)) == pickle.loads(pickle.dumps(copy.copy(one)))


def test_rejections_and_generations_travel() -> None:
    """Code, place, counts; state and success."""
    rejected = read([sse("{")], chat())
    carried = pickle.loads(pickle.dumps(rejected))
    assert carried == rejected
    assert (carried.partial, carried.cause, carried.contract) == (Partial(), None, "chat")
    done = read([sse(RECORD, name="done")], generation("job-7"))
    carried = pickle.loads(pickle.dumps(done))
    assert isinstance(carried, GenerationAccepted)
    assert (carried.state, carried.succeeded, carried.outputs, carried.job_id) == ("succeeded", True, None, None)


def reads_in_a_worker(body: bytes) -> object:
    return read([body], chat())


def test_through_a_process_pool() -> None:
    """As a sweep with processes would."""
    with ProcessPoolExecutor(1) as pool:
        verdict = pool.submit(reads_in_a_worker, sse(MARKED_TEXT, STOP, DONE)).result()
    assert verdict == pickle.loads(pickle.dumps(reads_in_a_worker(sse(MARKED_TEXT, STOP, DONE))))


def test_usage_too_deep_for_the_stack_is_left_out_of_the_digest() -> None:
    """A digest never raises."""
    usage: Any = 0
    for _ in range(100_000):
        usage = [usage]
    assert len(replace(read([sse(MARKED_TEXT, STOP, DONE)], chat()), usage=usage).facts.digest) == 64


def test_equality_is_over_everything_the_chunking_must_not_change() -> None:
    """Not over what had arrived later, the cause, or names; a rejection is no acceptance."""
    one = Rejected(FaultCode.INVALID_JSON, 2, 30, 2, 31)
    assert one == Rejected(FaultCode.INVALID_JSON, 2, 30, 2, 31, partial=Partial("x"), cause=EOFError(), job_id="j")
    for change in ({"code": FaultCode.LINE_LIMIT}, {"at_event": 3}, {"offset": 31}, {"events": 3}, {"bytes_read": 9}):
        assert one != replace(one, **change)
    accepted = read([sse(MARKED_TEXT, STOP, DONE)], chat())
    assert accepted == replace(accepted, later_bytes=9)
    for change in ({"text": "x"}, {"usage": None}, {"events": 9}, {"last_event_id": "x"}, {"finish": None}):
        assert accepted != replace(accepted, **change)
    assert accepted != one
    assert accepted != GenerationAccepted()
    assert one != "invalid_json"


def test_verdicts_can_be_counted_and_copied() -> None:
    """Hashable, although usage is a dict; copies are the value itself, content included."""
    accepted, rejected = read([sse(MARKED_TEXT, STOP, DONE)], chat()), read([sse("{")], chat())
    same = read([sse(MARKED_TEXT), sse(STOP, DONE)], chat())
    assert len({accepted, same, rejected}) == 2
    for value in (accepted, rejected, accepted.choices[0], rejected.partial):
        assert copy.copy(value) is value
        assert copy.deepcopy(value) is value
        assert hash(value) == hash(copy.copy(value))


@dataclass
class Plain:
    """What a verdict must not be taken for."""

    text: str | None


def test_a_comparison_that_fails_prints_no_content(request) -> None:
    """pytest explains differences between plain dataclasses field by field, and these not."""
    one, other = (read([sse(MARKED_TEXT.replace(MARK, text), STOP, DONE)], chat()) for text in (MARK + "a", MARK + "b"))

    def explained(left: object, right: object) -> str:
        hook = request.config.hook.pytest_assertrepr_compare
        return str(hook(config=request.config, op="==", left=left, right=right))

    assert MARK in explained(Plain(one.text), Plain(other.text))
    assert MARK not in explained(one, other)
    assert MARK not in explained(one.choices[0], other.choices[0])


def test_a_verdict_cannot_be_changed() -> None:
    """It is a value."""
    for value in (read([sse("{")], chat()), read([sse(MARKED_TEXT, STOP, DONE)], chat())):
        with pytest.raises(AttributeError):
            value.events = 7  # type: ignore[misc]
    assert isinstance(read([sse(MARKED_TEXT, STOP, DONE)], chat()), Accepted)
