"""The tests the cometapi-dotnet reader lists for itself, with literal codes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recorder.contracts import chat_text, check_head, read
from recorder.errors import FaultCode
from recorder.sse import Limit

DOTNET = chat_text("cometapi-dotnet")
MARKER = '"object":"chat.completion.chunk"'
DONE = "[DONE]"


def chunk(delta: str, finish: str = "null", index: str = "0") -> str:
    return f'{{{MARKER},"choices":[{{"index":{index},"delta":{delta},"finish_reason":{finish}}}]}}'


def sse(*datas: str, end: str = "\n") -> bytes:
    return "".join(f"data: {data}{end}{end}" for data in datas).encode()


HELLO = chunk('{"content":"你好 🚀"}')
STOP = chunk("{}", '"stop"')
USAGE = f'{{{MARKER},"choices":[],"usage":{{"total_tokens":7}}}}'
FIXTURE = b"\xef\xbb\xbf: keep-alive\r\n\r\n" + sse(HELLO, end="\r\n") + sse(USAGE, STOP) + sse(DONE, end="\r\n")


def test_every_split_of_a_fixture_with_a_bom_and_both_line_endings(judge_at_every_cut) -> None:
    """A leading BOM, CRLF and LF lines, usage before completion: one answer for every partition."""
    verdict = judge_at_every_cut(FIXTURE, DOTNET)
    assert verdict.ok
    assert (verdict.text, verdict.events, verdict.usage) == ("你好 🚀", 4, {"total_tokens": 7})


@pytest.mark.parametrize("body", [sse(HELLO, STOP), sse(HELLO, STOP) + b"data: [DONE]\n", b""])
def test_eof_before_done(judge, body: bytes) -> None:
    """The reader never returns before [DONE]; EOF discards an open event."""
    assert judge(body, DOTNET).code == "missing_terminal"


@pytest.mark.parametrize("text", ["", " ", r"\t\r\n", r"\u00a0\u2003\u3000", r"\u0085\u2028", r"\u1680\u202f\u205f"])
def test_whitespace_only_content(judge, text: str) -> None:
    """Blank text is no answer."""
    assert judge(sse(chunk(f'{{"content":"{text}"}}'), STOP, DONE), DOTNET).code == "empty_output"


@pytest.mark.parametrize("text", [r"\u001c", r"\u001d", r"\u001e", r"\u001f", r"\u200b", r"\u180e", r"\ufeff", " ."])
def test_what_dotnet_does_not_call_white(judge, text: str) -> None:
    """U+001C to U+001F are white to Python and to JavaScript's regular expressions, not to .NET."""
    assert judge(sse(chunk(f'{{"content":"{text}"}}'), STOP, DONE), DOTNET).code == "accepted"


SHAPES = [
    ("not an object", "[]", "invalid_chunk"),
    ("null", "null", "invalid_chunk"),
    ("no marker", '{"choices":[]}', "invalid_chunk"),
    ("wrong marker", '{"object":"chat.completion","choices":[]}', "invalid_chunk"),
    ("error envelope", '{"error":{"message":"no"}}', "invalid_chunk"),
    ("choices missing", f"{{{MARKER}}}", "invalid_chunk"),
    ("choices null", f'{{{MARKER},"choices":null}}', "invalid_choices"),
    ("choices object", f'{{{MARKER},"choices":{{}}}}', "invalid_choices"),
    ("two choices", f'{{{MARKER},"choices":[1,2]}}', "unsupported_choices"),
    ("choice not an object", f'{{{MARKER},"choices":[1]}}', "invalid_chunk"),
    ("index missing", f'{{{MARKER},"choices":[{{"delta":{{}}}}]}}', "unsupported_choices"),
    ("index 1", chunk("{}", index="1"), "unsupported_choices"),
    ("index text", chunk("{}", index='"0"'), "unsupported_choices"),
    ("index false", chunk("{}", index="false"), "unsupported_choices"),
    ("index 0.0", chunk("{}", index="0.0"), "unsupported_choices"),
    ("index 0e0", chunk("{}", index="0e0"), "unsupported_choices"),
    ("index over 32 bits", chunk("{}", index="4294967296"), "unsupported_choices"),
    ("delta missing", f'{{{MARKER},"choices":[{{"index":0}}]}}', "invalid_chunk"),
    ("delta null", chunk("null"), "invalid_delta"),
    ("delta list", chunk("[]"), "invalid_delta"),
    ("tool calls", chunk('{"tool_calls":[]}'), "unsupported_delta"),
    ("function call", chunk('{"function_call":{}}'), "unsupported_delta"),
    ("refusal", chunk('{"refusal":""}'), "unsupported_delta"),
    ("content number", chunk('{"content":1}'), "invalid_content"),
    ("content list", chunk('{"content":[]}'), "invalid_content"),
    ("lone surrogate", chunk(r'{"content":"a\ud83d"}'), "invalid_chunk"),
    ("lone surrogate finish", chunk("{}", r'"\udc00"'), "invalid_chunk"),
    ("finish length", chunk("{}", '"length"'), "unaccepted_finish"),
    ("finish number", chunk("{}", "1"), "unaccepted_finish"),
    ("comment in JSON", "{/* */}", "invalid_json"),
    ("trailing comma", f'{{{MARKER},"choices":[],}}', "invalid_json"),
    ("NaN", f'{{{MARKER},"choices":[],"x":NaN}}', "invalid_json"),
    ("empty data", "", "invalid_json"),
    ("33 deep", f'{{{MARKER},"choices":[],"x":{"[" * 32}{"]" * 32}}}', "invalid_json"),
]


@pytest.mark.parametrize(("shape", "code"), [each[1:] for each in SHAPES], ids=[each[0] for each in SHAPES])
def test_every_shape(judge, shape: str, code: str) -> None:
    """Each bad shape, after a good chunk, has its code and its place."""
    verdict = judge(sse(HELLO, shape, STOP, DONE), DOTNET)
    assert (verdict.code, verdict.at_event, verdict.events) == (code, 2, 2)


@pytest.mark.parametrize("good", [
    chunk("{}", index="-0"),
    chunk('{"content":null,"audio":{"id":"a"},"tool_calls":null}'),
    f'{{{MARKER},"choices":[],"x":{"[" * 31}{"]" * 31}}}',
    f'{{{MARKER},"choices":[],"x":1e999,"y":{"9" * 400}}}',
    HELLO.replace("{", '{"error":{"message":"beside a good chunk"},', 1),
    rf'{{{MARKER},"choices":[],"x":"\ud83d"}}',
])  # fmt: skip
def test_shapes_that_are_read(judge, good: str) -> None:
    """What it does not look at does not count: an error beside a good chunk, a lone surrogate elsewhere, 32 deep."""
    assert judge(sse(HELLO, good, STOP, DONE), DOTNET).code == "accepted"


def test_halves_in_two_deltas_do_not_join(judge) -> None:
    """Each string is read whole, so the first half already fails."""
    body = sse(chunk(r'{"content":"\ud83d"}'), chunk(r'{"content":"\ude80"}'), STOP, DONE)
    assert (judge(body, DOTNET).code, judge(body, DOTNET).at_event) == ("invalid_chunk", 1)


def test_a_choice_after_the_finish(judge) -> None:
    """Any choice, an empty delta included; usage without a choice is fine."""
    assert judge(sse(HELLO, STOP, chunk("{}"), DONE), DOTNET).code == "choice_after_finish"
    assert judge(sse(HELLO, STOP, USAGE, DONE), DOTNET).code == "accepted"


def test_a_delayed_head_and_a_stalled_body() -> None:
    """Its own deadline ends a stalled body; the caller's cancellation is told apart from it."""

    def stalled() -> Iterator[bytes]:
        yield sse(HELLO)
        raise TimeoutError

    assert read(stalled(), DOTNET).code == "stream_timeout"
    assert read([sse(HELLO)], DOTNET, interrupt=lambda: FaultCode.CANCELLED).code == "cancelled"


@pytest.mark.parametrize(("status", "content_type", "code"), [
    (200, "text/html; charset=utf-8", "unexpected_content_type"),
    (200, "application/json", "unexpected_content_type"),
    (307, "text/event-stream", "redirect_refused"),
    (201, "text/event-stream", "http_error"),
    (500, "text/event-stream", "http_error"),
    (200, "Text/Event-Stream; charset=UTF-8", None),
])  # fmt: skip
def test_html_json_and_redirect_heads(status: int, content_type: str, code: str | None) -> None:
    """Status exactly 200, the media type in any case."""
    assert check_head(status, {"Content-Type": content_type}, accept=(200,)) == code


def test_line_limit_counts_comments(judge) -> None:
    """A comment of 21 units over a limit of 20 fails; of 20 it passes."""
    contract = chat_text("cometapi-dotnet", max_line=Limit(20, "utf16"))
    assert judge(b": " + b"c" * 19 + b"\n\n", contract).code == "line_limit"
    assert judge(b": " + b"c" * 18 + b"\n\n", contract).code == "missing_terminal"


def test_event_size_limit_counts_the_separators_before_the_blank_line() -> None:
    """65,537 empty data lines are 65,536 units and pass; the 65,538th fails at once, with no blank line in sight."""
    assert read([b"data:\n" * 65_537], DOTNET).code == "missing_terminal"
    verdict = read([b"data:\n" * 65_538 + b"x" * 100], DOTNET)
    assert (verdict.code, verdict.events) == ("event_size_limit", 0)


@pytest.mark.parametrize(("text", "code"), [("🚀" * 32_768, "accepted"), ("🚀" * 32_768 + "a", "output_limit")])
def test_output_limit_in_utf16_units(text: str, code: str) -> None:
    """65,536 units pass: 32,768 astral characters."""
    half = len(text) // 2
    body = sse(chunk(f'{{"content":"{text[:half]}"}}'), chunk(f'{{"content":"{text[half:]}"}}'), STOP, DONE)
    assert read([body], DOTNET).code == code


def test_event_count_limit() -> None:
    """10,000 events pass, [DONE] included, comments not."""
    noise = b": comment\n\n" * 3
    assert read([noise + sse(HELLO) + sse(USAGE) * 9_997 + sse(STOP, DONE)], DOTNET).code == "accepted"
    verdict = read([noise + sse(HELLO) + sse(USAGE) * 9_998 + sse(STOP, DONE)], DOTNET)
    assert (verdict.code, verdict.at_event, verdict.events) == ("event_count_limit", 10_001, 10_001)


def test_named_events(judge) -> None:
    """An empty name and `message` are the same; any other is not known."""
    assert judge(b"event: message\n" + sse(HELLO) + b"event:\n" + sse(STOP, DONE), DOTNET).code == "accepted"
    assert judge(b"event: delta\n" + sse(HELLO, STOP, DONE), DOTNET).code == "unexpected_event_type"


def test_an_event_without_data_is_not_dispatched(judge) -> None:
    """A name alone does not make an event, whatever the name."""
    assert judge(b"event: ping\n\n" + sse(HELLO, STOP, DONE), DOTNET).events == 3
