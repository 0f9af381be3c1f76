"""The tests the cometapi-node reader lists for itself, with literal codes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator

import pytest

from recorder.contracts import Accepted, Rejected, aread, chat_text, read
from recorder.errors import FaultCode

NODE = chat_text("cometapi-node")
MARKER = '"object":"chat.completion.chunk"'


def chunk(delta: str, finish: str = "null") -> str:
    return f'{{{MARKER},"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}'


def sse(*datas: str, end: str = "\n") -> bytes:
    return "".join(f"data: {data}{end}{end}" for data in datas).encode()


HELLO = chunk('{"role":"assistant","content":"你好 🚀"}')
STOP = chunk("{}", '"stop"')
USAGE = f'{{{MARKER},"choices":[],"usage":{{"total_tokens":7}}}}'
DONE = "[DONE]"
FIXTURE = b": keep-alive\r\n\r\n" + sse(HELLO, STOP, USAGE, DONE, end="\r\n")


def test_every_two_part_split_and_byte_by_byte(judge_at_every_cut) -> None:
    """CJK, emoji, CRLF, a comment, an empty-choice usage chunk: the same text, four events, usage seen each time."""
    verdict = judge_at_every_cut(FIXTURE, NODE)
    assert verdict.ok
    assert (verdict.text, verdict.events, verdict.usage) == ("你好 🚀", 4, {"total_tokens": 7})
    assert verdict.bytes_read == len(FIXTURE) - 1  # the CR of the last blank line dispatches; its LF is not needed


def test_done_missing(judge) -> None:
    """A finish without [DONE] is not complete."""
    assert judge(sse(HELLO, STOP), NODE).code == "missing_terminal"


def test_done_without_its_blank_line(judge) -> None:
    """[DONE] on a line of its own is not an event until a blank line ends it."""
    verdict = judge(sse(HELLO, STOP) + b"data: [DONE]\n", NODE)
    assert (verdict.code, verdict.events) == ("missing_terminal", 2)


def test_broken_json_in_a_complete_event(judge) -> None:
    """Bad JSON between good chunks rejects the stream, and the text before it is evidence only."""
    verdict = judge(sse(HELLO, '{"choices":[', STOP, DONE), NODE)
    assert (verdict.code, verdict.at_event, verdict.text, verdict.partial.text) == ("invalid_json", 2, None, "你好 🚀")


def test_repeated_data_lines(judge) -> None:
    """One chunk over several data lines is one event; the line feeds between them are JSON white space."""
    split = HELLO.replace(",", ",\ndata: ").replace('{"role"', '\ndata:{"role"')
    verdict = judge(sse(split, STOP, DONE), NODE)
    assert (verdict.code, verdict.text, verdict.events) == ("accepted", "你好 🚀", 3)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
def test_line_endings(judge_at_every_cut, end: str) -> None:
    """All three line endings of the standard give the same answer."""
    verdict = judge_at_every_cut(sse(HELLO, STOP, DONE, end=end), NODE)
    assert (verdict.code, verdict.text, verdict.events) == ("accepted", "你好 🚀", 3)


def test_a_split_bom(judge_at_every_cut) -> None:
    """One byte order mark is removed, in however many pieces it comes."""
    verdict = judge_at_every_cut(b"\xef\xbb\xbf" + sse(HELLO, STOP, DONE), NODE)
    assert (verdict.code, verdict.text) == ("accepted", "你好 🚀")


@pytest.mark.parametrize("bad", [b"\xff", b"\xe4\xbd", b"\xed\xa0\xbd", b"\xc0\xaf"])
def test_invalid_utf8_in_a_string(judge, bad: bytes) -> None:
    """Bytes that are not UTF-8 reject the stream at the first of them."""
    body = sse(HELLO.replace("你好 🚀", "#"), STOP, DONE).replace(b"#", b"a" + bad)
    verdict = judge(body, NODE)
    assert (verdict.code, verdict.at_event, verdict.events) == ("invalid_utf8", None, 0)
    assert body.index(bad) <= verdict.offset <= body.index(bad) + len(bad)


@pytest.mark.parametrize("where", [b": \xff\n\n", b"x: \xff\n\n"], ids=["comment", "unknown field"])
def test_invalid_utf8_where_nothing_is_kept(judge, where: bytes) -> None:
    """The strict policy covers comments and unknown fields too."""
    assert judge(where + sse(HELLO, STOP, DONE), NODE).code == "invalid_utf8"


def test_a_code_point_cut_by_eof(judge) -> None:
    """The stream ends inside a character."""
    assert judge(sse(HELLO) + b": \xe4\xbd", NODE).code == "invalid_utf8"


@pytest.mark.parametrize(
    "delta",
    ['{"refusal":"no"}', '{"refusal":""}', '{"tool_calls":[]}', '{"tool_calls":[{"index":0}]}', '{"function_call":{}}'],
)
def test_refusals_and_tool_calls(judge, delta: str) -> None:
    """Anything but null is not read, an empty list and an empty text included."""
    verdict = judge(sse(HELLO, chunk(delta), STOP, DONE), NODE)
    assert (verdict.code, verdict.at_event) == ("unsupported_delta", 2)


def test_audio_is_not_looked_at(judge) -> None:
    """This reader knows nothing of audio and reads past it."""
    assert judge(sse(chunk('{"content":"a","audio":{"id":"x"}}'), STOP, DONE), NODE).text == "a"


def test_an_error_member_before_everything_else_in_a_chunk(judge) -> None:
    """An error envelope has no marker and no choices, and is still an error from upstream."""
    assert judge(sse(HELLO, '{"error":{"message":"no"}}', DONE), NODE).code == "upstream_error"


def test_done_before_a_finish(judge) -> None:
    """[DONE] alone completes nothing."""
    assert judge(sse(HELLO, DONE), NODE).code == "missing_finish"


def test_done_without_text(judge) -> None:
    """A complete stream with no text has nothing to give; white space is text to this reader."""
    assert judge(sse(chunk('{"content":""}'), STOP, DONE), NODE).code == "empty_output"
    assert judge(sse(chunk('{"content":" "}'), STOP, DONE), NODE).text == " "


@pytest.mark.parametrize("finish", ['"length"', '"tool_calls"', '"content_filter"', '""', '"null"', "0", "false", "{}"])
def test_any_other_finish(judge, finish: str) -> None:
    """Only "stop" and null are known."""
    assert judge(sse(HELLO, chunk("{}", finish), DONE), NODE).code == "unaccepted_finish"


@pytest.mark.parametrize(("contract", "body", "code"), [
    (chat_text("cometapi-node", max_line=40), sse(HELLO, STOP, DONE), "line_limit"),
    (chat_text("cometapi-node", max_event=40), sse(HELLO, STOP, DONE), "event_size_limit"),
    (chat_text("cometapi-node", max_output=4), sse(HELLO, STOP, DONE), "output_limit"),
    (chat_text("cometapi-node", max_events=2), sse(HELLO, STOP, DONE), "event_count_limit"),
])  # fmt: skip
def test_each_limit(judge, contract, body: bytes, code: str) -> None:
    """Each limit has its own code; the fixture's text is five UTF-16 units and three events."""
    assert judge(body, contract).code == code


def test_each_limit_itself_passes(judge) -> None:
    """N passes: five units of output, three events, the longest line and the largest event."""
    longest = len(HELLO.encode("utf-16-le")) // 2
    contract = chat_text(
        "cometapi-node", max_output=5, max_events=3, max_line=longest + len("data: "), max_event=longest
    )
    assert judge(sse(HELLO, STOP, DONE), contract).code == "accepted"


def test_comments_and_unknown_fields_are_not_counted(judge) -> None:
    """The line limit is of what the reader keeps."""
    contract = chat_text("cometapi-node", max_line=140)
    noise = b": " + b"c" * 300 + b"\n\nunknown: " + b"u" * 300 + b"\n\n"
    assert judge(noise + sse(HELLO, STOP, DONE), contract).code == "accepted"


def test_cancelling_an_open_source() -> None:
    """A cancellation is seen before the next event, and the source is closed."""
    closed: list[str] = []

    def source() -> Iterator[bytes]:
        try:
            yield sse(HELLO)
            yield sse(STOP)
            yield sse(DONE)
        finally:
            closed.append("source")

    answers = iter([None, FaultCode.CANCELLED])
    verdict = read(source(), NODE, interrupt=lambda: next(answers))
    assert (verdict.code, verdict.events, verdict.at_event) == ("cancelled", 1, None)
    assert closed == ["source"]


def test_a_heartbeat_then_a_stall_ended_by_the_deadline() -> None:
    """Heartbeats arrive, the deadline fires while nothing comes, and the server sees the connection close."""
    seen: list[str] = []

    class Connection:
        """A body whose reads wait for ever, until a deadline aborts them."""

        def __init__(self) -> None:
            self.heartbeats = iter([b": hb\n\n", b": hb\n\n"])

        def __iter__(self) -> Iterator[bytes]:
            return self

        def __next__(self) -> bytes:
            for heartbeat in self.heartbeats:
                return heartbeat
            raise TimeoutError("the total deadline")

        def close(self) -> None:
            seen.append("closed")

    verdict = read(Connection(), NODE)
    assert (verdict.code, verdict.events, verdict.bytes_read) == ("stream_timeout", 0, 12)
    assert seen == ["closed"]


def test_a_deadline_that_aborts_the_read_is_a_timeout_whatever_the_library_raises() -> None:
    """The fired deadline is looked at first: the library's error is only its echo."""

    def aborted() -> Iterator[bytes]:
        yield sse(HELLO)
        raise OSError("operation aborted")

    fired = iter([None, FaultCode.STREAM_TIMEOUT])
    assert read(aborted(), NODE, interrupt=lambda: next(fired)).code == "stream_timeout"
    assert read(aborted(), NODE).code == "stream_read_failed"


def test_a_deadline_is_looked_at_once_more_before_accepting() -> None:
    """Fired between the terminal event and the acceptance: not accepted."""
    answers = iter([None, None, None, FaultCode.STREAM_TIMEOUT])
    verdict = read([sse(HELLO, STOP, DONE)], NODE, interrupt=lambda: next(answers))
    assert (verdict.code, verdict.events, verdict.partial.text) == ("stream_timeout", 3, "你好 🚀")


def test_randomized_delivery_and_delayed_reads() -> None:
    """Two hundred seeded partitions, read with other tasks in between, agree."""

    async def source(cuts: list[int]) -> AsyncIterator[bytes]:
        for start, stop in zip([0, *cuts], [*cuts, len(FIXTURE)], strict=True):
            for _ in range(stop % 3):
                await asyncio.sleep(0)
            yield FIXTURE[start:stop]

    async def all_of_them() -> list[object]:
        rng = random.Random(20261130)
        places = range(1, len(FIXTURE))
        return [await aread(source(sorted(rng.sample(places, rng.randint(0, 40)))), NODE) for _ in range(200)]

    verdicts = asyncio.run(all_of_them())
    assert {type(each) for each in verdicts} == {Accepted}
    assert all(each == verdicts[0] for each in verdicts)


def test_a_foreign_error_in_the_body() -> None:
    """Whatever the library raises is one code, with the exception as the cause and nothing else."""

    def source() -> Iterator[bytes]:
        yield sse(HELLO)
        raise ValueError("decoder")

    verdict = read(source(), NODE)
    assert isinstance(verdict, Rejected)
    assert (verdict.code, type(verdict.cause), verdict.events) == ("stream_read_failed", ValueError, 1)
