"""What all text profiles share, on the profile for any OpenAI-compatible provider."""

from __future__ import annotations

import pytest

from recorder.contracts import chat_text, read
from recorder.sse import Event, Limit

OPENAI = chat_text()
PAIRING = ("openai", "cometapi-node", "flowbar")  # .NET reads each string whole
DONE = "[DONE]"


def chunk(delta: str, finish: str = "null") -> str:
    marked = '"object":"chat.completion.chunk"'
    return f'{{{marked},"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}'


def say(text: str) -> str:
    return chunk(f'{{"content":"{text}"}}')


def sse(*datas: str) -> bytes:
    return "".join(f"data: {data}\n\n" for data in datas).encode()


STOP = chunk("{}", '"stop"')


def test_everything_an_accepted_stream_tells(judge) -> None:
    """Text, finish, usage, events, last event ID, bytes."""
    body = (
        b"id: 7\n"
        + sse(say("a"), say("b"))
        + b": c\n\n"
        + sse(STOP, '{"choices":[],"usage":{"n":1},"object":"x"}', DONE)
    )
    verdict = judge(body, OPENAI)
    assert (verdict.ok, verdict.code, verdict.text, verdict.finish) == (True, "accepted", "ab", "stop")
    assert (verdict.usage, verdict.events, verdict.last_event_id, verdict.bytes_read) == ({"n": 1}, 5, "7", len(body))
    assert (verdict.tool_calls, len(verdict.choices), verdict.choices[0].text) == ((), 1, "ab")


def test_everything_a_rejection_tells(judge) -> None:
    """The code, the event's number, the byte that dispatched it, what had arrived."""
    good, bad = sse(say("a")), sse("{")
    verdict = judge(good + bad + sse(STOP, DONE), OPENAI)
    assert (verdict.ok, verdict.code, verdict.text, verdict.at_event) == (False, "invalid_json", None, 2)
    assert (verdict.events, verdict.offset, verdict.bytes_read) == (2, len(good + bad) - 1, len(good + bad))
    assert (verdict.partial.text, verdict.partial.finish, verdict.contract) == ("a", None, "chat_text/openai")


def test_the_end_of_the_stream_is_a_place_too(judge) -> None:
    """At EOF no event is to blame, and every byte was read."""
    body = sse(say("a")) + b"data: [DO"
    verdict = judge(body, OPENAI)
    assert (verdict.code, verdict.at_event, verdict.offset, verdict.events) == ("missing_terminal", None, len(body), 1)
    assert verdict.bytes_read == len(body)


def test_bytes_after_the_terminal_event_are_not_read() -> None:
    """They may even be bad; a second [DONE] changes nothing."""
    good = sse(say("a"), STOP, DONE)
    for later in (b"data: [DONE]\n\n", b"\xff\xff\n\n", b"data: {\n\n", b"x" * 2_000_000):
        verdict = read([good + later], OPENAI)
        assert (verdict.code, verdict.bytes_read, verdict.later_bytes) == ("accepted", len(good), len(later))
        assert verdict == read([good], OPENAI)


@pytest.mark.parametrize("data", ["[DONE] ", " [DONE]", "[done]", '"[DONE]"', "[DONE]\ndata:", "[DONE]x"])
def test_only_the_exact_marker_is_terminal(judge, data: str) -> None:
    """One space after the colon is SSE's; a second one is data."""
    code = judge(sse(say("a"), STOP, data, DONE), OPENAI).code
    assert code == ("invalid_chunk" if data == '"[DONE]"' else "invalid_json")


def test_the_marker_inside_text(judge) -> None:
    """Text may talk about the marker."""
    assert judge(sse(say("Keep [DONE] here"), STOP, DONE), OPENAI).text == "Keep [DONE] here"


def test_an_empty_event_is_not_json(judge) -> None:
    """`data:` alone is dispatched, with empty data."""
    assert judge(b"data:\n\n" + sse(say("a"), STOP, DONE), OPENAI).code == "invalid_json"


def test_control_blocks_are_not_events(judge) -> None:
    """Blocks of `id`, `retry` or `event` alone dispatch nothing."""
    body = b"id: 1\nretry: 10\n\nevent: x\n\n: c\n\n" + sse(say("a"), STOP, DONE)
    assert judge(body, OPENAI).events == 3


@pytest.mark.parametrize("name", PAIRING)
@pytest.mark.parametrize(("deltas", "text"), [
    ((r"a\ud83d", r"\ude80b"), "a🚀b"),
    ((r"\ud83d\ude80",), "🚀"),
    ((r"\ud83d", "", r"\ude80"), "🚀"),
    ((r"\ud83d", r"\ude80\ud83d", r"\ude80"), "🚀🚀"),
])  # fmt: skip
def test_surrogate_halves_in_consecutive_deltas_join(judge, name: str, deltas, text: str) -> None:
    """Servers that cut by UTF-16 unit split emoji; the text is whole again."""
    verdict = judge(sse(*map(say, deltas), STOP, DONE), chat_text(name))
    assert verdict.text == text
    assert verdict.text.encode("utf-8").decode("utf-8") == text


@pytest.mark.parametrize("name", PAIRING)
@pytest.mark.parametrize("deltas", [(r"a\ud83d",), (r"\ude80",), (r"\ude80", r"\ud83d"), (r"\ud83d", "a", r"\ude80")])
def test_a_half_left_at_the_end(judge, name: str, deltas) -> None:
    """Text that no encoding can carry is no answer; what arrived is kept as it is."""
    verdict = judge(sse(*map(say, deltas), STOP, DONE), chat_text(name))
    assert (verdict.code, verdict.at_event) == ("invalid_content", len(deltas) + 2)
    assert len(verdict.partial.text) == len("".join(deltas)) - 5 * "".join(deltas).count("\\u")


@pytest.mark.parametrize(("name", "size"), [("openai", 1), ("flowbar", 1), ("cometapi-node", 2)])
def test_joined_halves_count_as_what_they_become(name: str, size: int) -> None:
    """One code point, two UTF-16 units."""
    body = sse(say(r"\ud83d"), say(r"\ude80"), STOP, DONE)
    assert read([body], chat_text(name, max_output=size)).code == "accepted"
    assert read([body], chat_text(name, max_output=size - 1)).code == "output_limit"


@pytest.mark.parametrize("deltas", [
    (r"\ud83d", "a", "b"), ("a", r"\ude80", "b"), (r"\ude80", r"\ud83d", "b"), (r"\ud83d", "", "a", "b"),
])  # fmt: skip
@pytest.mark.parametrize("name", PAIRING)
def test_halves_that_do_not_meet_count_each(name: str, deltas: tuple[str, ...]) -> None:
    """One unit for each: the third is one too many for a budget of two."""
    body = sse(*map(say, deltas), STOP, DONE)
    rejected = read([body], chat_text(name, max_output=2))
    assert (rejected.code, rejected.at_event) == ("output_limit", len(deltas))
    assert read([body], chat_text(name, max_output=3)).code == "invalid_content"


def test_halves_in_bytes() -> None:
    """Four bytes where they join, three for a half that stands alone so far; N passes."""
    body = sse(say(r"\ud83d"), say(r"\ude80"), STOP, DONE)
    assert read([body], chat_text(max_output=Limit(4, "bytes"))).code == "accepted"
    assert read([body], chat_text(max_output=Limit(3, "bytes"))).at_event == 2
    assert read([body], chat_text(max_output=Limit(2, "bytes"))).at_event == 1


def test_surrogates_elsewhere_do_not_matter(judge) -> None:
    """A lone half in a member nobody reads is valid JSON."""
    assert judge(sse(say("a").replace("{", r'{"x":"\ud83d",', 1), STOP, DONE), OPENAI).code == "accepted"


def test_duplicate_members_the_last_wins(judge) -> None:
    """In the chunk, in the choice, in the delta."""
    twice = '{"choices":5,"choices":[{"index":7,"index":0,"delta":[],"delta":{"content":"x","content":"y"}}]}'
    assert judge(sse(twice, STOP, DONE), OPENAI).text == "y"


def test_escaped_member_names(judge) -> None:
    """A name is what it decodes to."""
    assert judge(sse(say("x").replace("content", r"\u0063ontent"), STOP, DONE), OPENAI).text == "x"
    assert judge(sse('{"\\u0065rror":1,"choices":[]}'), OPENAI).code == "upstream_error"


@pytest.mark.parametrize("usage", ['{"n":1}', "{}"])
def test_usage_on_any_chunk_the_last_wins(judge, usage: str) -> None:
    """Null later on does not take it back."""
    with_usage = say("a").replace("{", f'{{"usage":{usage},', 1)
    with_null = say("b").replace("{", '{"usage":null,', 1)
    expected = {"n": 1} if "n" in usage else {}
    assert judge(sse(with_usage, with_null, STOP, DONE), OPENAI).usage == expected


def test_numbers_in_usage_are_as_sent(judge) -> None:
    """Unvalidated, exact: large integers, floats, minus zero."""
    usage = '{"a":123456789012345678901234567890,"b":1.1,"c":-0,"d":1e400,"e":0.1e-2}'
    verdict = judge(sse(say("a").replace("{", f'{{"usage":{usage},', 1), STOP, DONE), OPENAI)
    assert verdict.usage == {"a": 123456789012345678901234567890, "b": 1.1, "c": 0, "d": float("inf"), "e": 0.001}


def test_a_run_driven_by_hand() -> None:
    """A run sees events, not bytes: no offset, no byte count; once decided it stays decided."""
    run = OPENAI.start()
    assert run.event(Event("message", say("a"), "")) is None
    assert run.partial.text == "a"
    verdict = run.event(Event("message", "{", ""))
    assert (verdict.code, verdict.at_event, verdict.offset, verdict.bytes_read) == ("invalid_json", 2, None, 0)
    assert run.event(Event("message", DONE, "")) is verdict
    assert run.eof() is verdict


def test_several_events_at_once_stop_at_the_first_that_decides() -> None:
    """The events after it are not counted."""
    run = OPENAI.start()
    events = [Event("message", data, "") for data in (say("a"), STOP, DONE, DONE)]
    verdict = run.several(events)
    assert (verdict.code, run.events) == ("accepted", 3)
    assert run.several(events) is verdict


def test_text_with_a_surrogate_driven_by_hand() -> None:
    """What no decoder gives is judged like any other text."""
    run = OPENAI.start()
    assert run.event(Event("message", say("\ud83d"), "")) is None
    assert run.event(Event("message", "\ud83d", "")).code == "invalid_json"
