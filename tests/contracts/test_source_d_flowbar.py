"""The tests the flowbar consumer lists for itself, with literal codes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recorder.contracts import chat_text, read

FLOWBAR = chat_text("flowbar")


def chunk(delta: str, finish: str = "null") -> str:
    return f'{{"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}'


def sse(*datas: str, end: str = "\n") -> bytes:
    return "".join(f"data: {data}{end}{end}" for data in datas).encode()


ROLE = chunk('{"role":"assistant"}')
TEXT = chunk('{"content":"流 🚀"}')
STOP = chunk("{}", '"stop"')
USAGE = '{"choices":[],"usage":{"total_tokens":9}}'
DONE = "[DONE]"
FIXTURE = b"\xef\xbb\xbf: heartbeat\n\n" + sse(ROLE, TEXT, STOP, USAGE, DONE)


def test_every_two_part_cut_and_byte_by_byte(judge_at_every_cut) -> None:
    """BOM, heartbeat, role, CJK and emoji, stop, usage, [DONE]."""
    verdict = judge_at_every_cut(FIXTURE, FLOWBAR)
    assert (verdict.code, verdict.text, verdict.usage, verdict.events) == ("accepted", "流 🚀", {"total_tokens": 9}, 5)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_two_data_lines_the_second_keeping_its_second_space(judge, end: str) -> None:
    """One space after the colon belongs to SSE; the next one is data, here inside a JSON text."""
    body = f'data: {{"choices":[{{"index":0,"delta":{{"content":{end}data:  "  a"}}}}]}}{end}{end}'.encode()
    verdict = judge(body + sse(STOP, DONE, end=end), FLOWBAR)
    assert (verdict.code, verdict.text) == ("accepted", "  a")


def test_a_partial_event_and_an_unterminated_done_at_eof(judge) -> None:
    """Neither is an event."""
    assert judge(sse(TEXT, STOP) + b'data: {"choices":', FLOWBAR).code == "missing_terminal"
    assert judge(sse(TEXT, STOP) + b"data: [DONE]", FLOWBAR).code == "missing_terminal"


def test_stop_without_done_and_done_without_stop(judge) -> None:
    """Both halves of the end are needed."""
    assert judge(sse(TEXT, STOP), FLOWBAR).code == "missing_terminal"
    assert judge(sse(TEXT, DONE), FLOWBAR).code == "missing_finish"


def test_length(judge) -> None:
    """An answer cut at the token limit is not accepted."""
    assert judge(sse(TEXT, chunk("{}", '"length"'), DONE), FLOWBAR).code == "unaccepted_finish"


@pytest.mark.parametrize(("limits", "body", "code", "offset"), [
    ({"max_line": 4}, b": 67890", "line_limit", 4),
    ({"max_line": 7}, b": 67890\n\n", "missing_terminal", 9),
    ({"max_event": 5}, b"data: ab\ndata: cd\n\n", "event_size_limit", None),
    ({"max_event": 6}, b"data: ab\ndata: cd\n\n", "invalid_json", None),
    ({"max_output": 2}, sse(TEXT), "output_limit", None),
    ({"max_output": 3}, sse(TEXT), "missing_terminal", None),
])  # fmt: skip
def test_budgets_are_arguments_in_its_own_units(judge, limits, body: bytes, code: str, offset: int | None) -> None:
    """A comment of 7 bytes over a line budget of 4, two lines of 2 over an event budget of 5, 3 characters over 2."""
    verdict = judge(body, chat_text("flowbar", **limits))
    assert verdict.code == code
    assert offset is None or verdict.offset == offset


def test_a_byte_order_mark_counts_for_the_line(judge) -> None:
    """The line limit is of raw bytes, the BOM's three included."""
    body = b"\xef\xbb\xbf: 345\n\n"
    assert judge(body, chat_text("flowbar", max_line=7)).code == "line_limit"
    assert judge(body, chat_text("flowbar", max_line=8)).code == "missing_terminal"


def test_absent_usage_is_unknown(judge) -> None:
    """None, never zero."""
    assert judge(sse(TEXT, STOP, DONE), FLOWBAR).usage is None


def test_empty_text_is_accepted(judge) -> None:
    """A complete stream may say nothing."""
    assert judge(sse(STOP, DONE), FLOWBAR).text == ""


@pytest.mark.parametrize("error", ['{"message":"no"}', '"no"', "{}", '""', "false", "0"])
def test_error_envelopes(judge, error: str) -> None:
    """Whatever is not null is an error, also beside choices."""
    assert judge(sse(TEXT, f'{{"error":{error},"choices":[]}}', STOP, DONE), FLOWBAR).code == "upstream_error"


SHAPES = [
    ("not JSON", "oops", "invalid_json"),
    ("cut JSON", '{"choices":[', "invalid_json"),
    ("empty data", "", "invalid_json"),
    ("done with a space", "[DONE] ", "invalid_json"),
    ("too deep", "[" * 60_000, "invalid_json"),
    ("more digits than Python converts", "9" * 4301, "invalid_json"),
    ("a list", "[]", "invalid_chunk"),
    ("a number", "7", "invalid_chunk"),
    ("no choices", "{}", "invalid_choices"),
    ("choices null", '{"choices":null}', "invalid_choices"),
    ("choices object", '{"choices":{}}', "invalid_choices"),
    ("usage list", '{"choices":[],"usage":[]}', "invalid_usage"),
    ("usage number", '{"choices":[],"usage":0}', "invalid_usage"),
    ("two choices", '{"choices":[{"index":0},{"index":0}]}', "unsupported_choices"),
    ("choice not an object", '{"choices":[0]}', "unsupported_choices"),
    ("index missing", '{"choices":[{"delta":{}}]}', "unsupported_choices"),
    ("index false", '{"choices":[{"index":false,"delta":{}}]}', "unsupported_choices"),
    ("index text", '{"choices":[{"index":"0","delta":{}}]}', "unsupported_choices"),
    ("delta missing", '{"choices":[{"index":0}]}', "invalid_delta"),
    ("delta list", chunk("[]"), "invalid_delta"),
    ("tool calls", chunk('{"tool_calls":[0]}'), "unsupported_delta"),
    ("function call", chunk('{"function_call":{"name":"f"}}'), "unsupported_delta"),
    ("refusal", chunk('{"refusal":"no"}'), "unsupported_delta"),
    ("audio", chunk('{"audio":{"id":"a"}}'), "unsupported_delta"),
    ("content number", chunk('{"content":5}'), "invalid_content"),
    ("content list", chunk('{"content":["a"]}'), "invalid_content"),
    ("finish empty", chunk("{}", '""'), "unaccepted_finish"),
    ("finish list", chunk("{}", '["stop"]'), "unaccepted_finish"),
]


@pytest.mark.parametrize(("shape", "code"), [each[1:] for each in SHAPES], ids=[each[0] for each in SHAPES])
def test_invalid_shapes_and_unsupported_deltas(shape: str, code: str) -> None:
    """Each bad shape, after a good chunk, has its code and its place."""
    verdict = read([sse(TEXT, shape, STOP, DONE)], FLOWBAR)
    assert (verdict.code, verdict.at_event, verdict.text) == (code, 2, None)


@pytest.mark.parametrize("good", [
    chunk('{"tool_calls":[],"function_call":{},"refusal":"","audio":false}'),
    chunk('{"tool_calls":0,"function_call":0.0,"refusal":null,"audio":[]}'),
    '{"choices":[{"index":0.0,"delta":{}}]}',
    '{"choices":[{"index":-0,"delta":{}}]}',
    '{"choices":[{"index":0e5,"delta":{}}]}',
    '{"choices":[],"x":[NaN,Infinity,-Infinity],"usage":{}}',
    f'{{"choices":[],"x":{"[" * 511}{"]" * 511}}}',
])  # fmt: skip
def test_shapes_that_are_read(good: str) -> None:
    """Python's truth for unsupported members, the number zero however it is written, NaN, 512 deep."""
    assert read([sse(TEXT, good, STOP, DONE)], FLOWBAR).code == "accepted"


def test_event_id_and_retry_are_ignored(judge) -> None:
    """Named events are read like any others, which makes it unfit for named-event protocols."""
    body = b"event: error\nid: 7\nretry: 1\n" + sse(TEXT) + b"event: done\n" + sse(STOP) + sse(DONE)
    assert judge(body, FLOWBAR).text == "流 🚀"


def test_choices_after_stop(judge) -> None:
    """Any choice after the finish; unsupported and malformed content are told first."""
    assert judge(sse(TEXT, STOP, chunk("{}"), DONE), FLOWBAR).code == "choice_after_finish"


def test_bytes_that_are_not_utf8_are_replaced(judge) -> None:
    """One U+FFFD for each maximal ill-formed part."""
    body = sse(chunk('{"content":"a#b"}'), STOP, DONE).replace(b"#", b"\xff\xe4\xbd")
    assert judge(body, FLOWBAR).text == "a\ufffd\ufffdb"


def test_transport_failures() -> None:
    """The transport's exceptions are normalised, a timeout apart from the rest."""

    def failing(error: Exception) -> Iterator[bytes]:
        yield sse(TEXT)
        raise error

    assert read(failing(ConnectionResetError()), FLOWBAR).code == "stream_read_failed"
    assert read(failing(TimeoutError()), FLOWBAR).code == "stream_timeout"
    assert read(failing(TimeoutError()), FLOWBAR).partial.text == "流 🚀"
