"""What holds for every dialect: cuts, limits, hostile shapes, nothing shown, unknown events, the table."""

from __future__ import annotations

import json
import pickle
import traceback
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.contracts import (
    DIALECTS,
    Accepted,
    cohere,
    completions,
    dialect_table,
    gemini,
    jsonrpc,
    messages,
    named,
    names,
    read,
    responses,
)
from recorder.contracts._assembly import Pieces
from recorder.contracts._dialect_run import Room
from recorder.errors import FaultCode, RejectedStream
from recorder.sse import Event, Limit

MARK = "xyzzy-7f3a"  # planted wherever a stream can carry text
SAID = "é🚀x"  # 3 code points, 4 UTF-16 units, 7 bytes


@dataclass(frozen=True)
class Dialect:
    """A complete stream of each dialect, by hand.

    Attributes:
        kept: what of it the output budget counts.
        ended_by_itself: whether the end of the stream is the terminal, so that nothing is left unread.
        typed: whether events say their type.
    """

    name: str
    contract: Any
    body: str
    kept: str = SAID
    ended_by_itself: bool = False
    typed: bool = False

    def wire(self, end: str = "\n") -> bytes:
        return self.body.replace("\n", end).encode()


COMPLETIONS = f"""\
: hello

data: {{"object":"text_completion","choices":[{{"index":0,"text":"{SAID}","finish_reason":null}}]}}

data: {{"object":"text_completion","choices":[{{"index":0,"text":"","finish_reason":"stop"}}],"usage":{{}}}}

data: [DONE]

"""
RESPONSES = f"""\
event: response.created
data: {{"type":"response.created","sequence_number":0,"response":{{"status":"in_progress"}}}}

event: response.output_item.added
data: {{"type":"response.output_item.added","output_index":0,"item":{{"type":"message","id":"m1"}},"sequence_number":1}}

event: response.output_text.delta
data: {{"type":"response.output_text.delta","output_index":0,"item_id":"m1","delta":"{SAID}","sequence_number":2}}

event: response.output_text.done
data: {{"type":"response.output_text.done","output_index":0,"item_id":"m1","text":"{SAID}","sequence_number":3}}

event: response.completed
data: {{"type":"response.completed","response":{{"status":"completed","usage":{{}}}},"sequence_number":4}}

"""
MESSAGES = f"""\
event: message_start
data: {{"type":"message_start","message":{{"usage":{{"input_tokens":9}}}}}}

event: content_block_start
data: {{"type":"content_block_start","index":0,"content_block":{{"type":"text","text":""}}}}

event: ping
data: {{"type": "ping"}}

event: content_block_delta
data: {{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{SAID}"}}   }}

event: content_block_stop
data: {{"type":"content_block_stop","index":0}}

event: message_delta
data: {{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{{"output_tokens":3}}}}

event: message_stop
data: {{"type":"message_stop"}}

"""
GEMINI = f"""\
data: {{"candidates": [{{"content": {{"parts": [{{"text": "{SAID}"}}],"role": "model"}}}}]}}

data: {{"candidates": [{{"content": {{"parts": [{{"text": ""}}]}},"finishReason": "STOP"}}],"usageMetadata": {{}}}}

"""
COHERE = f"""\
event: message-start
data: {{"type":"message-start","delta":{{"message":{{"role":"assistant"}}}}}}

event: content-start
data: {{"type":"content-start","index":0,"delta":{{"message":{{"content":{{"type":"text","text":""}}}}}}}}

event: content-delta
data: {{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"{SAID}"}}}}}}}}

event: content-end
data: {{"type":"content-end","index":0}}

event: message-end
data: {{"type":"message-end","delta":{{"finish_reason":"COMPLETE","usage":{{}}}}}}

"""
JSONRPC = f"""\
: ping - 2026-11-30 12:00:00+00:00

event: message
data: {{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"{SAID}"}}}}

event: message
data: {{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{SAID}"}}]}}}}

"""

EVERY = [
    Dialect("completions", completions, COMPLETIONS),
    Dialect("responses", responses, RESPONSES, kept=f"message m1 {SAID}".replace(" ", ""), typed=True),
    Dialect("messages", messages, MESSAGES, kept=f"text{SAID}end_turn", typed=True),
    Dialect("gemini", gemini, GEMINI, kept=f"{SAID}STOP", ended_by_itself=True),
    Dialect("cohere", cohere, COHERE, typed=True),
    Dialect("jsonrpc", jsonrpc, JSONRPC),
]
WITH_OUTPUT = [each for each in EVERY if each.name != "jsonrpc"]
TYPED = [each for each in EVERY if each.typed]


def by_name(dialect: Dialect) -> str:
    return dialect.name


def pieces(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


@pytest.fixture(params=EVERY, ids=by_name)
def dialect(request) -> Dialect:
    """Each dialect in turn."""
    return request.param


@pytest.mark.parametrize("end", ["LF", "CRLF", "CR"])
def test_cut_at_every_byte(dialect: Dialect, end: str) -> None:
    """Accepted only from the byte that completes the terminal event on, the line feed of the last blank line or its CR.

    Where the dialect has no terminal event, from the event with the finish reason on.
    """
    body = dialect.wire({"LF": "\n", "CRLF": "\r\n", "CR": "\r"}[end])
    contract, complete = dialect.contract(), len(body) - (end == "CRLF")
    for length in range(len(body) + 1):
        verdict = read([body[:length]], contract)
        if length >= complete:
            assert verdict.code == "accepted"
            assert verdict.bytes_read == (length if dialect.ended_by_itself else complete)
        elif 0x80 <= body[length] < 0xC0:  # cut inside a character
            assert verdict.code == "invalid_utf8"
        else:
            assert (verdict.code, verdict.bytes_read) == ("missing_terminal", length)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_cut_and_delivered_in_pieces(dialect: Dialect, size: int) -> None:
    """The cut decides, not the pieces."""
    body, contract = dialect.wire("\r\n"), dialect.contract()
    for length in range(0, len(body) + 1, 5):
        assert read(pieces(body[:length], size), contract) == read([body[:length]], contract)


def test_a_byte_order_mark_and_a_second_stream(dialect: Dialect) -> None:
    """The mark is no text; what follows the terminal event is not even looked at."""
    contract, body = dialect.contract(), dialect.wire()
    assert read([b"\xef\xbb\xbf" + body], contract).ok
    if not dialect.ended_by_itself:
        verdict = read([body + b"data: {\n\n\xff"], contract)
        assert (verdict.ok, verdict.later_bytes) == (True, 10)


def longest_line(body: bytes) -> int:
    return max(map(len, body.split(b"\n")))


def test_line_limit(dialect: Dialect) -> None:
    """N passes, one byte less does not; comments are counted."""
    body = dialect.wire()
    longest = longest_line(body)
    assert read([body], dialect.contract(max_line=longest)).ok
    assert read(pieces(body, 3), dialect.contract(max_line=longest - 1)).code == "line_limit"
    assert read([b":" + b"c" * longest + b"\n" + body], dialect.contract(max_line=longest)).code == "line_limit"


def test_event_limit(dialect: Dialect) -> None:
    """The data of an event: N passes, one byte less does not."""
    body = dialect.wire()
    longest = max(len(line) - 6 for line in body.split(b"\n") if line.startswith(b"data: "))
    assert read([body], dialect.contract(max_event=longest)).ok
    assert read(pieces(body, 3), dialect.contract(max_event=longest - 1)).code == "event_size_limit"


def test_event_count_limit(dialect: Dialect) -> None:
    """Delivered events, the terminal one included; comments are none."""
    body = dialect.wire()
    count = body.count(b"data: ")
    assert read([body], dialect.contract(max_events=count)).events == count
    rejected = read(pieces(body, 3), dialect.contract(max_events=count - 1))
    assert (rejected.code, rejected.at_event) == ("event_count_limit", count)
    assert read([body], dialect.contract(max_events=None)).ok


@pytest.mark.parametrize(("unit", "size"), [("code_points", 3), ("utf16", 4), ("bytes", 7)])
@pytest.mark.parametrize("dialect", WITH_OUTPUT, ids=by_name)
def test_output_limit(dialect: Dialect, unit: str, size: int) -> None:
    """Everything that is kept, in the unit of the limit: N passes, one less does not."""
    enough = len(dialect.kept) - len(SAID) + size
    body = dialect.wire()
    assert read([body], dialect.contract(max_output=Limit(enough, unit))).ok
    rejected = read(pieces(body, 3), dialect.contract(max_output=Limit(enough - 1, unit)))
    assert rejected.code == "output_limit"
    assert rejected.partial.text == ("" if dialect.kept.endswith(SAID) else SAID)  # looked at before it is kept
    assert read([body], dialect.contract(max_output=None)).ok


@pytest.mark.parametrize("dialect", WITH_OUTPUT, ids=by_name)
def test_a_plain_number_counts_code_points(dialect: Dialect) -> None:
    """As in `chat`."""
    assert read([dialect.wire()], dialect.contract(max_output=len(dialect.kept))).ok
    assert read([dialect.wire()], dialect.contract(max_output=len(dialect.kept) - 1)).code == "output_limit"


@pytest.mark.parametrize("dialect", EVERY, ids=by_name)
def test_the_last_event_id_is_told(dialect: Dialect) -> None:
    """Reported and nothing else; it holds until another one comes (the standard, "last event ID buffer")."""
    assert read([b"id: 7\n" + dialect.wire()], dialect.contract()).last_event_id == "7"
    assert read([dialect.wire()], dialect.contract()).last_event_id == ""


def test_pieces_that_are_empty() -> None:
    """One says that there is a text; more of them would be kept and counted by nobody."""
    room, text = Room(Limit(1)), Pieces()
    for _ in range(3):
        assert room.append(text, "", FaultCode.INVALID_DELTA) is None
    assert (text.pieces, text.or_none()) == ([""], "")


def test_limits_that_are_none(dialect: Dialect) -> None:
    """Misuse raises, and says what would be right."""
    with pytest.raises(TypeError, match=r"max_line='1': a number, a recorder\.Limit, or None"):
        dialect.contract(max_line="1")
    with pytest.raises(ValueError, match="max_events=-1: a limit cannot be negative"):
        dialect.contract(max_events=-1)


def test_nesting(dialect: Dialect) -> None:
    """JSON nested too deep is no JSON to us, and no recursion error."""
    for depth, code in ((100, "accepted"), (200, "invalid_json"), (100_000, "invalid_json")):
        nested = "[" * depth + "]" * depth
        head, brace, tail = dialect.body.rpartition('data: {"')
        body = f'{head}{brace}deep":{nested},"{tail}'
        body = body if dialect.name != "completions" else dialect.body.replace('"usage":', f'"deep":{nested},"usage":')
        assert read([body.encode()], dialect.contract(max_line=None)).code == code


@pytest.mark.parametrize("dialect", TYPED, ids=by_name)
@pytest.mark.parametrize("extra", [
    b'event: brand_new\ndata: {"type":"brand_new"}\n\n', b'data: {"type":"brand_new"}\n\n',
    b"event: brand_new\ndata: {}\n\n", b"event: brand_new\ndata: words\n\n", b"data: [DONE]\n\n",
])  # fmt: skip
def test_events_of_unknown_types_are_passed_over_and_counted(dialect: Dialect, extra: bytes) -> None:
    """Before every event: the verdict is that of the stream without it, but for the counts."""
    blocks = [each + b"\n\n" for each in dialect.wire().split(b"\n\n")[:-1]]
    plain = read([dialect.wire()], dialect.contract())
    for at in range(len(blocks)):
        body = b"".join([*blocks[:at], extra, *blocks[at:]])
        verdict = read(pieces(body, 11), dialect.contract())
        assert (verdict.ok, verdict.text, verdict.finish, verdict.usage) == (True, SAID, plain.finish, plain.usage)
        assert (verdict.unknown, verdict.events) == (1, plain.events + 1)
    cut = read([b"".join([extra, *blocks[:-1]])], dialect.contract())
    assert (cut.code, cut.unknown) == ("missing_terminal", 1)
    bad = read([b"".join([extra, *blocks[:-1]]) + b"\xff"], dialect.contract())
    assert (bad.code, bad.unknown) == ("invalid_utf8", 1)


@pytest.mark.parametrize("dialect", TYPED, ids=by_name)
def test_the_count_of_unknown_events_is_part_of_a_verdict(dialect: Dialect) -> None:
    """It is compared, it travels, and it is not shown to depend on the chunking."""
    extra = b"event: brand_new\ndata: {}\n\n"
    with_one, plain = read([extra + dialect.wire()], dialect.contract()), read([dialect.wire()], dialect.contract())
    assert with_one != plain
    assert pickle.loads(pickle.dumps(with_one)).unknown == 1
    rejected = read([extra], dialect.contract())
    assert pickle.loads(pickle.dumps(rejected)) == rejected != read([b""], dialect.contract())


@pytest.mark.parametrize("dialect", TYPED, ids=by_name)
def test_an_event_that_is_lost(dialect: Dialect) -> None:
    """Without its first event a stream is an impossible one; without its last it is incomplete."""
    blocks = [each + b"\n\n" for each in dialect.wire().split(b"\n\n")[:-1]]
    assert read([b"".join(blocks[1:])], dialect.contract()).code == "invalid_sequence"
    assert read([b"".join(blocks[:-1])], dialect.contract()).code == "missing_terminal"


def test_a_run_that_has_decided_stays_decided(dialect: Dialect) -> None:
    """Whatever else it is told."""
    run = dialect.contract().start()
    parser = dialect.contract().parser()
    verdict = run.several(parser.feed(dialect.wire())) or run.eof()
    assert isinstance(verdict, Accepted)
    assert run.event(Event("message", "{", "")) is verdict
    assert run.several([Event("error", "", "")]) is verdict
    assert run.eof() is verdict
    rejected = dialect.contract().start()
    fault = rejected.event(Event("message", "{", "")) or rejected.eof()
    assert fault.code == "invalid_json"
    assert rejected.several([]) is None
    assert rejected.eof() is fault


def test_the_name_gives_the_contract(dialect: Dialect) -> None:
    """With its own limits."""
    assert dialect.contract().name == dialect.name
    assert named(dialect.name) == dialect.contract()


# Nothing of a stream in what is printed, pickled or raised.


def marked(dialect: Dialect) -> bytes:
    """The stream with the mark in place of all it may say."""
    body = dialect.body.replace(SAID, MARK).replace('"m1"', f'"{MARK}"').replace("hello", MARK)
    for finish in ('"STOP"', '"COMPLETE"', '"end_turn"'):
        body = body.replace(finish, f'"{MARK}"')
    usage = ('"usage":{', '"usageMetadata": {')
    for word in usage:
        body = body.replace(word + "}", word + f'"{MARK}":1}}').replace(word + '"', word + f'"{MARK}":"{MARK}","')
    return f"id: {MARK}\n{body}".encode()


def spoiled(dialect: Dialect) -> list[bytes]:
    """The marked stream, whole and broken in several ways."""
    body = marked(dialect)
    return [
        body,
        body[:-2],
        body[: len(body) * 2 // 3] + f"\n\ndata: {{{MARK}\n\n".encode(),
        body.replace(b"\n\n", f'\n\nevent: error\ndata: {{"error":"{MARK}"}}\n\n'.encode(), 1),
        body.replace(b"\n\n", f'\n\nevent: {MARK}\ndata: {{"type":"{MARK}"}}\n\n'.encode(), 1),
        body.replace(b"\n\n", f'\n\ndata: {{"{MARK}":"{MARK}"}}\n\n'.encode(), 1),
        body + b"\xff",
        f"<html>{MARK}</html>".encode(),
    ]


def raised(verdict: Any) -> list[str]:
    """The exception for a rejection, with the local variables of every frame of ours, and its pickle."""
    try:
        verdict.raise_for_rejection()
    except RejectedStream as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        return ["".join(told.format()), pickle.dumps(error).decode("latin-1")]
    raise AssertionError("a rejection was not raised")


def test_no_form_of_a_verdict_shows_the_stream(dialect: Dialect) -> None:
    """repr, str, pickles of every protocol, explanations, tracebacks with our local variables."""
    seen = False
    for body in spoiled(dialect):
        verdict = read(pieces(body, 64), dialect.contract())
        forms = [repr(verdict), str(verdict), verdict.explain(), repr(verdict.facts if verdict.ok else verdict.partial)]
        forms += [pickle.dumps(verdict, each).decode("latin-1") for each in range(pickle.HIGHEST_PROTOCOL + 1)]
        said = verdict if verdict.ok else verdict.partial
        forms += [repr(each) for each in (*said.choices, *said.tool_calls)]
        forms += [] if verdict.ok else raised(verdict)
        assert all(MARK[:5] not in form for form in forms)
        seen = seen or MARK in (said.text or "") or MARK in json.dumps(getattr(said, "result", None))
    assert seen, "the mark must be reachable by attribute, or nothing is shown here"


# Hostile shapes: never an exception, one verdict for every partition.

SCALARS = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 2), st.just(1e400), st.just(10**30), st.text(max_size=3)),
    *(st.just([]), st.just({}), st.just("\ud83d"), st.just([[[]]]), st.just({"type": []})),
)


def values_of(record: Any) -> list[Any]:
    """The places of a JSON value, as (container, key)."""
    inside = record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    return [place for key, value in inside for place in ((record, key), *values_of(value))]


@st.composite
def spoiled_events(draw: st.DrawFn, dialect: Dialect) -> bytes:
    """The dialect's stream with members replaced, removed or doubled, events dropped, repeated and swapped."""
    blocks = dialect.wire().decode().split("\n\n")[:-1]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(blocks) - 1))
        head, found, data = blocks[at].partition("data: ")
        action = draw(st.sampled_from(["member", "member", "member", "remove", "drop", "double", "name"]))
        if action == "drop":
            blocks[at] = ": dropped"
        elif action == "double":
            blocks.insert(at, blocks[draw(st.integers(0, len(blocks) - 1))])
        elif action == "name":
            blocks[at] = f"event: {draw(st.sampled_from(['', 'error', 'ping', 'message', 'x']))}\n{found}{data}"
        elif found and data.startswith("{"):
            record = json.loads(data)
            places = values_of(record)
            if places:
                container, key = draw(st.sampled_from(places))
                if action == "remove" and isinstance(container, dict):
                    del container[key]
                else:
                    container[key] = draw(SCALARS)
            blocks[at] = head + found + json.dumps(record)
    return "".join(f"{block}\n\n" for block in blocks).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("dialect", EVERY, ids=by_name)
@settings(deadline=None)  # no clock decides a test
@given(data=st.data())
def test_hostile_shapes_never_raise_and_do_not_depend_on_the_chunking(dialect: Dialect, data: st.DataObject) -> None:
    """Wrong types everywhere, events lost, repeated and renamed."""
    body = data.draw(spoiled_events(dialect))
    contract = dialect.contract(max_events=20)
    whole = read([body], contract)
    size = data.draw(st.integers(1, 40))
    for chunks in (pieces(body, 1), pieces(body, size)):
        verdict = read(chunks, contract)
        assert verdict == whole
        assert getattr(verdict, "partial", None) == getattr(whole, "partial", None)
    assert repr(whole)
    assert pickle.loads(pickle.dumps(whole)).code == whole.code
    together, each = contract.start(), contract.start()
    events = contract.parser().feed(body)
    assert together.several(events) == next((v for e in events if (v := each.event(e)) is not None), None)
    assert (together.events, together.partial, together.eof()) == (each.events, each.partial, each.eof())


def test_a_full_stack_is_no_exception(dialect: Dialect) -> None:
    """However deep the caller's own stack is."""

    def at(depth: int) -> Any:
        return read([dialect.wire()], dialect.contract()) if depth == 0 else at(depth - 1)

    assert at(800).ok


# The table.


def test_every_contract_has_its_row() -> None:
    """And there is no row for anything else."""
    assert tuple(DIALECTS) == names()
    rows = dialect_table().splitlines()
    assert rows[0].split(" | ")[:3] == ["| contract", "framing", "over with"]
    assert rows[0].split(" | ")[3:] == [
        "usage",
        "errors in the stream",
        "what a truthful reader cannot know",
        "source |",
    ]
    assert [row.split(" | ")[0] for row in rows[2:]] == [f"| `{name}`" for name in names()]
    assert {row.count(" | ") for row in rows if " | " in row} == {6}
    assert all(cell.strip() for row in rows[2:] for cell in row.strip("|").split(" | "))


TERMINALS: list[tuple[str, str, bytes, str]] = [
    ("completions", "data: [DONE]", b"data: [DONE]\n\n", "missing_finish"),
    ("responses", "response.completed", b'data: {"type":"response.completed","response":{}}\n\n', "invalid_sequence"),
    ("responses", "response.incomplete", b'data: {"type":"response.incomplete","response":{}}\n\n', "invalid_sequence"),
    ("responses", "response.failed", b'data: {"type":"response.failed","response":{}}\n\n', "upstream_error"),
    ("messages", "message_stop", b'data: {"type":"message_stop"}\n\n', "invalid_sequence"),
    ("cohere", "message-end", b'data: {"type":"message-end"}\n\n', "invalid_sequence"),
    ("gemini", "the end of the stream", b"", "missing_terminal"),
    ("jsonrpc", "the response", b'data: {"jsonrpc":"2.0","id":1,"error":{}}\n\n', "upstream_error"),
]


@pytest.mark.parametrize(
    ("name", "said", "alone", "code"), TERMINALS, ids=[f"{each[0]} {each[1]}" for each in TERMINALS]
)
def test_what_the_table_calls_the_end_is_the_end(name: str, said: str, alone: bytes, code: str) -> None:
    """Alone it decides, and it completes nothing; the table says it in these words."""
    assert said in DIALECTS[name].terminal
    verdict = read([alone], named(name))
    assert (verdict.code, verdict.events) == (code, bool(alone))


@pytest.mark.parametrize("name", [name for name in names() if name not in ("generation", "chat_text")])
def test_the_table_and_the_error_event(name: str) -> None:
    """Every dialect whose row speaks of an event `error` takes one for the provider's error."""
    assert "error" in DIALECTS[name].errors
    assert read([b"event: error\ndata: {}\n\n"], named(name)).code == "upstream_error"
