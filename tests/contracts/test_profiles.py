"""The four profiles side by side: their table, the order of their checks, their limits at N and N + 1."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest

from recorder.contracts import chat_text, read
from recorder.contracts._profiles import PROFILES
from recorder.sse import Limit

MARKER = '"object":"chat.completion.chunk"'
NAMES = ("cometapi-node", "cometapi-dotnet", "flowbar", "openai")


def chunk(delta: str, finish: str = "null", index: str = "0") -> str:
    return f'{{{MARKER},"choices":[{{"index":{index},"delta":{delta},"finish_reason":{finish}}}]}}'


def sse(*datas: str) -> bytes:
    return "".join(f"data: {data}\n\n" for data in datas).encode()


HELLO = chunk('{"content":"hey"}')
STOP = chunk("{}", '"stop"')
DONE = "[DONE]"
ROCKET = "🚀"  # one code point, two UTF-16 units, four bytes


def test_the_table() -> None:
    """Every number of the profiles, as documented."""
    rows = {
        name: (each.utf8, each.max_line, each.max_event, each.max_output, each.max_events, each.max_depth)
        for name, each in PROFILES.items()
    }
    units = Limit(65_536, "utf16")
    assert rows == {
        "cometapi-node": ("strict", Limit(65_536, "utf16", counts="fields"), units, units, 10_000, 512),
        "cometapi-dotnet": ("strict", units, units, units, 10_000, 32),
        "flowbar": (
            "replace",
            Limit(65_536, "bytes", counts="raw"),
            Limit(262_144, "bytes", per_line=1),
            Limit(100_000, "code_points"),
            None,
            512,
        ),
        "openai": ("strict", Limit(1_048_576), Limit(1_048_576), Limit(1_048_576, "code_points"), 100_000, 64),
    }


@pytest.mark.parametrize("index", ["0", "-0", "0.0", "-0.0", "0e5"])
@pytest.mark.parametrize("name", NAMES)
def test_which_index_is_zero(name: str, index: str) -> None:
    """`=== 0` in JavaScript and `== 0` in Python are about the number; .NET's `TryGetInt32` about how it is written."""
    verdict = read([sse(chunk("{}", index=index), HELLO, STOP, DONE)], chat_text(name))
    is_written_whole = index in ("0", "-0")
    assert verdict.code == ("accepted" if name != "cometapi-dotnet" or is_written_whole else "unsupported_choices")


@pytest.mark.parametrize("index", ["1", "-1", "0.5", "1e-9", "false", '"0"', "null", "[]", "{}"])
@pytest.mark.parametrize("name", NAMES)
def test_which_index_is_not_zero(name: str, index: str) -> None:
    """No other number, and nothing that is no number."""
    assert read([sse(chunk("{}", index=index))], chat_text(name)).code == "unsupported_choices"


@dataclass(frozen=True)
class Case:
    """A stream wrong in two ways; the codes are node's, dotnet's, flowbar's and openai's."""

    id: str
    body: bytes
    codes: tuple[str, str, str, str]
    max_output: int | None = None
    max_events: int | None = None


def after_finish(shape: str) -> bytes:
    return sse(HELLO, STOP, shape, DONE)


def alone(shape: str) -> bytes:
    return sse(shape, HELLO, STOP, DONE)


def four(code: str) -> tuple[str, str, str, str]:
    return (code, code, code, code)


TWO_FAULTS = [
    Case("error, no marker", alone('{"error":1,"choices":[]}'),
         ("upstream_error", "invalid_chunk", "upstream_error", "upstream_error")),
    Case("error, choices null", alone('{"error":1,"choices":null}'),
         ("upstream_error", "invalid_chunk", "upstream_error", "upstream_error")),
    Case("error beside a good choice", alone(HELLO.replace("{", '{"error":1,', 1)),
         ("upstream_error", "accepted", "upstream_error", "upstream_error")),
    Case("no marker, choices null", alone('{"choices":null}'),
         ("invalid_chunk", "invalid_chunk", "invalid_choices", "invalid_choices")),
    Case("choices null, usage a number", alone(f'{{{MARKER},"choices":null,"usage":5}}'), four("invalid_choices")),
    Case("usage a number, no choice", alone(f'{{{MARKER},"choices":[],"usage":5}}'),
         ("accepted", "accepted", "invalid_usage", "invalid_usage")),
    Case("usage a number, two choices", alone(f'{{{MARKER},"choices":[1,2],"usage":5}}'),
         ("unsupported_choices", "unsupported_choices", "invalid_usage", "invalid_usage")),
    Case("two choices, neither an object", alone(f'{{{MARKER},"choices":[1,2]}}'), four("unsupported_choices")),
    Case("one choice, not an object", alone(f'{{{MARKER},"choices":[1]}}'),
         ("unsupported_choices", "invalid_chunk", "unsupported_choices", "unsupported_choices")),
    Case("index 1, delta a list", alone(chunk("[]", index="1")), four("unsupported_choices")),
    Case("index 1 after the finish", after_finish(chunk("{}", index="1")),
         ("unsupported_choices", "choice_after_finish", "unsupported_choices", "unsupported_choices")),
    Case("choice not an object after the finish", after_finish(f'{{{MARKER},"choices":[1]}}'),
         ("unsupported_choices", "invalid_chunk", "unsupported_choices", "unsupported_choices")),
    Case("delta a list after the finish", after_finish(chunk("[]")),
         ("choice_after_finish", "choice_after_finish", "invalid_delta", "invalid_delta")),
    Case("tool calls after the finish", after_finish(chunk('{"tool_calls":[1]}')),
         ("choice_after_finish", "choice_after_finish", "unsupported_delta", "unsupported_delta")),
    Case("content a number after the finish", after_finish(chunk('{"content":5}')),
         ("choice_after_finish", "choice_after_finish", "invalid_content", "invalid_content")),
    Case("too much output after the finish", after_finish(chunk('{"content":"abcd"}')),
         four("choice_after_finish"), max_output=6),
    Case("finish of length after the finish", after_finish(chunk("{}", '"length"')), four("choice_after_finish")),
    Case("delta missing, finish of length", alone(f'{{{MARKER},"choices":[{{"index":0,"finish_reason":"length"}}]}}'),
         ("invalid_delta", "invalid_chunk", "invalid_delta", "invalid_delta")),
    Case("delta a list, finish of length", alone(chunk("[]", '"length"')), four("invalid_delta")),
    Case("tool calls, content a number", alone(chunk('{"content":5,"tool_calls":[1]}')), four("unsupported_delta")),
    Case("no tool calls, content a number", alone(chunk('{"content":5,"tool_calls":[]}')),
         ("unsupported_delta", "unsupported_delta", "invalid_content", "unsupported_delta")),
    Case("audio, content a number", alone(chunk('{"content":5,"audio":{"id":"a"}}')),
         ("invalid_content", "invalid_content", "unsupported_delta", "unsupported_delta")),
    Case("content a number, finish of length", alone(chunk('{"content":5}', '"length"')), four("invalid_content")),
    Case("too much output, finish of length", alone(chunk('{"content":"abcd"}', '"length"')),
         four("output_limit"), max_output=3),
    Case("half a pair, too much output", alone(chunk(r'{"content":"abc\ud83d"}')),
         ("output_limit", "invalid_chunk", "output_limit", "output_limit"), max_output=3),
    Case("half a pair as the finish", alone(chunk("{}", r'"\udc00"')),
         ("unaccepted_finish", "invalid_chunk", "unaccepted_finish", "unaccepted_finish")),
    Case("half a pair left at the end", sse(chunk(r'{"content":"a\ud83d"}'), STOP, DONE),
         ("invalid_content", "invalid_chunk", "invalid_content", "invalid_content")),
    Case("half a pair left, no finish", sse(chunk(r'{"content":"a\ud83d"}'), DONE),
         ("missing_finish", "invalid_chunk", "missing_finish", "missing_finish")),
    Case("no text, no finish", sse(DONE), four("missing_finish")),
    Case("no text", sse(STOP, DONE), ("empty_output", "empty_output", "accepted", "accepted")),
    Case("blank text", sse(chunk('{"content":" "}'), STOP, DONE), ("accepted", "empty_output", "accepted", "accepted")),
    Case("unknown name, bad JSON", b"event: x\n" + alone("{"),
         ("unexpected_event_type", "unexpected_event_type", "invalid_json", "unexpected_event_type")),
    Case("unknown name, [DONE] without a finish", b"event: x\n" + sse(DONE),
         ("unexpected_event_type", "unexpected_event_type", "missing_finish", "unexpected_event_type")),
    Case("one event too many, unknown name", sse(HELLO) + b"event: x\n" + sse(STOP, DONE),
         four("event_count_limit"), max_events=1),
    Case("one event too many, bad JSON", sse(HELLO, "{"), four("event_count_limit"), max_events=1),
    Case("one event too many, [DONE]", sse(HELLO, STOP, DONE), four("event_count_limit"), max_events=2),
    Case("NaN beside an error", alone(f'{{{MARKER},"error":1,"x":NaN}}'),
         ("invalid_json", "invalid_json", "upstream_error", "invalid_json")),
    Case("too deep, not an object", alone("[" * 600 + "]" * 600), four("invalid_json")),
    Case("33 deep", alone(f'{{{MARKER},"choices":[],"x":{"[" * 32}{"]" * 32}}}'),
         ("accepted", "invalid_json", "accepted", "accepted")),
    Case("65 deep", alone(f'{{{MARKER},"choices":[],"x":{"[" * 64}{"]" * 64}}}'),
         ("accepted", "invalid_json", "accepted", "invalid_json")),
    Case("513 deep", alone(f'{{{MARKER},"choices":[],"x":{"[" * 512}{"]" * 512}}}'), four("invalid_json")),
]  # fmt: skip


@pytest.mark.parametrize("case", TWO_FAULTS, ids=lambda case: case.id)
def test_order_of_checks(case: Case) -> None:
    """Which of two faults a reader tells is its order of checks."""
    limits = {"max_output": case.max_output} if case.max_output is not None else {}
    limits |= {"max_events": case.max_events} if case.max_events is not None else {}
    codes = tuple(str(read([case.body], chat_text(name, **limits)).code) for name in NAMES)
    assert codes == case.codes


@pytest.mark.parametrize("case", TWO_FAULTS, ids=lambda case: case.id)
@pytest.mark.parametrize("name", NAMES)
def test_order_of_checks_does_not_depend_on_the_chunking(case: Case, name: str) -> None:
    """Byte by byte and in threes, the same verdict as whole."""
    contract = chat_text(name, max_output=case.max_output or 100, max_events=case.max_events)
    whole = read([case.body], contract)
    for size in (1, 3):
        assert read([case.body[at : at + size] for at in range(0, len(case.body), size)], contract) == whole


@pytest.mark.parametrize(("name", "fits"), [
    ("cometapi-node", 32_768), ("cometapi-dotnet", 32_768), ("flowbar", 100_000), ("openai", 1_048_576),
])  # fmt: skip
def test_output_limit_in_its_unit(name: str, fits: int) -> None:
    """Rockets: 65,536 UTF-16 units, or as many code points as the profile says; one letter more is too much."""
    whole, rest = divmod(fits, 15_000)
    rockets = [chunk(f'{{"content":"{ROCKET * 15_000}"}}')] * whole + [chunk(f'{{"content":"{ROCKET * rest}"}}')]
    full = read([sse(*rockets, STOP, DONE)], chat_text(name))
    assert (full.code, full.text) == ("accepted", ROCKET * fits)
    over = read([sse(*rockets, chunk('{"content":"a"}'), STOP, DONE)], chat_text(name))
    assert (over.code, over.at_event) == ("output_limit", len(rockets) + 1)
    assert over.partial.text == full.text


@pytest.mark.parametrize("unit", ["utf16", "code_points", "bytes"])
def test_output_limit_in_any_unit(unit: str) -> None:
    """A `Limit` replaces the unit: "aé🚀" is 3 code points, 4 UTF-16 units, 7 bytes."""
    body = sse(chunk('{"content":"aé🚀"}'), STOP, DONE)
    size = {"code_points": 3, "utf16": 4, "bytes": 7}[unit]
    assert read([body], chat_text(max_output=Limit(size, unit))).code == "accepted"
    assert read([body], chat_text(max_output=Limit(size - 1, unit))).code == "output_limit"


@pytest.mark.parametrize(("name", "limit", "rocket"), [
    ("cometapi-node", 65_536, 2), ("cometapi-dotnet", 65_536, 2), ("flowbar", 65_536, 4), ("openai", 1_048_576, 4),
])  # fmt: skip
def test_line_limit_in_its_unit(name: str, limit: int, rocket: int) -> None:
    """A `data` line of exactly N with rockets in it passes, one letter more does not."""
    frame = len("data: ") + len(chunk('{"content":""}'))
    rockets, letters = divmod(limit - frame, rocket)
    fits = chunk(f'{{"content":"{ROCKET * rockets}{"a" * letters}"}}')
    contract = chat_text(name, max_output=None, max_event=None)
    assert read([sse(fits, STOP, DONE)], contract).code == "accepted"
    over = read([sse(fits.replace(ROCKET, ROCKET + "a", 1), STOP, DONE)], contract)
    assert (over.code, over.events) == ("line_limit", 0)


@pytest.mark.parametrize(("name", "limit", "a_line"), [
    ("cometapi-node", 65_536, 0), ("cometapi-dotnet", 65_536, 0), ("flowbar", 262_144, 1), ("openai", 1_048_576, 0),
])  # fmt: skip
def test_event_limit_in_its_unit(name: str, limit: int, a_line: int) -> None:
    """Data over many lines: n - 1 separators counted, or one for each line."""
    lines = ["data: " + HELLO, *["data: " + " " * 30_000] * ((limit - 1_000) // 30_001)]
    size = sum(len(line) - len("data: ") for line in lines) + (len(lines) if a_line else len(lines) - 1)
    missing = limit - size - 1  # one more line, and its separator or its one
    contract = chat_text(name)
    end = sse(STOP, DONE)
    fits = "\n".join([*lines, "data: " + " " * missing]).encode() + b"\n\n" + end
    over = "\n".join([*lines, "data: " + " " * (missing + 1)]).encode() + b"\n\n" + end
    assert (read([fits], contract).code, read([over], contract).code) == ("accepted", "event_size_limit")


@pytest.mark.parametrize(("name", "comments"), [
    ("cometapi-node", "accepted"), ("cometapi-dotnet", "line_limit"), ("flowbar", "line_limit"), ("openai", "accepted"),
])  # fmt: skip
def test_comments_and_the_line_limit(name: str, comments: str) -> None:
    """A comment of 65,537: not kept and not counted by node, over the limit of two, under openai's."""
    body = b":" + b"c" * 65_536 + b"\n\n" + sse(HELLO, STOP, DONE)
    assert read([body], chat_text(name)).code == comments


@pytest.mark.parametrize(
    ("name", "most"), [("cometapi-node", 10_000), ("cometapi-dotnet", 10_000), ("openai", 100_000)]
)
def test_event_count_limit(name: str, most: int) -> None:
    """The terminal event counts, comments do not; flowbar has no such limit."""
    tick = sse(chunk("{}"))
    start, end = b": comment\n\n" + sse(HELLO), sse(STOP, DONE)
    assert read([start, tick * (most - 3), end], chat_text(name)).events == most
    over = read([start, tick * (most - 2), end], chat_text(name))
    assert (over.code, over.at_event) == ("event_count_limit", most + 1)
    assert read([start, tick * (most - 2), end], chat_text("flowbar")).ok


def test_a_number_keeps_the_unit_and_a_limit_replaces_it() -> None:
    """Over a profile's limit, a plain number changes the number only."""
    assert chat_text("cometapi-node", max_line=9).max_line == Limit(9, "utf16", counts="fields")
    assert chat_text("flowbar", max_event=9).max_event == Limit(9, "bytes", per_line=1)
    assert chat_text("flowbar", max_output=9).max_output == Limit(9, "code_points")
    assert chat_text("flowbar", max_line=Limit(9, "utf16")).max_line == Limit(9, "utf16")
    assert chat_text("flowbar", max_line=None, max_events=7).max_line is None


@pytest.mark.parametrize(("arguments", "error", "says"), [
    ({"profile": "opanai"}, ValueError, "'openai'"),
    ({"max_line": -1}, ValueError, "max_line=-1"),
    ({"max_output": "9"}, TypeError, "max_output='9'"),
    ({"max_events": True}, TypeError, "max_events=True"),
    ({"max_events": 1.5}, TypeError, "max_events=1.5"),
])  # fmt: skip
def test_misuse_is_told(arguments, error, says: str) -> None:
    """The message echoes the value and says what would be right."""
    with pytest.raises(error, match=says.replace("(", r"\(")):
        chat_text(**arguments)


def test_contracts_are_values() -> None:
    """Equal when made alike, hashable, frozen, and the same in another process."""
    assert chat_text() == chat_text("openai") != chat_text("flowbar")
    assert len({chat_text(), chat_text(), chat_text(max_line=5)}) == 2
    assert pickle.loads(pickle.dumps(chat_text("flowbar", max_line=5))) == chat_text("flowbar", max_line=5)
    assert [chat_text(name).name for name in NAMES] == [f"chat_text/{name}" for name in NAMES]
    with pytest.raises(AttributeError):
        chat_text().profile = "flowbar"  # type: ignore[misc]
