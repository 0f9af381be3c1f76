"""Who is right: the words for every way a reader can be wrong, each worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest

import recorder
from recorder.cassette import Interaction, Response, StreamEnd
from recorder.sweeps import Result

CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
WHOLE = CHUNK + FINISH + DONE
CHAT = recorder.contracts.chat()


def result(reader: Any, body: bytes, plan: str, **options: Any) -> Result:
    """The word for one run."""
    report = recorder.sweep(reader, body, plans=[plan], **options)
    (found,) = report.counts
    return found


def says(finish: str | None) -> Any:
    """A reader that claims this finish, whatever it gets, and however that ends."""

    def reader(chunks: Iterable[bytes]) -> dict[str, Any]:
        with suppress(ConnectionError):
            list(chunks)
        return {"text": "Hi", "finish": finish}

    return reader


def told(chunks: Iterable[bytes]) -> Any:
    return recorder.read(chunks, CHAT)


@pytest.mark.parametrize(
    ("reader", "size", "word"),
    [
        (told, len(CHUNK), "right"),
        (says(None), len(CHUNK), "silent"),
        (says("stop"), len(CHUNK), "lie"),  # nobody has said stop yet
        (says("stop"), len(CHUNK + FINISH), "silent"),  # sent, but [DONE] was not
        (says("end_turn"), len(CHUNK + FINISH), "silent"),  # the reader's own word for a finish that was sent
        (says("end_turn"), len(CHUNK), "lie"),
        (says("stop"), len(WHOLE), "right"),
        (told, len(WHOLE), "right"),
    ],
)
def test_stopped_early(reader: Any, size: int, word: str) -> None:
    """Before the terminal event: silent without a claim or with a true one, a lie with one that was not sent."""
    assert result(reader, WHOLE, f"end=eof@{size}") == word


def test_the_claim_can_be_told() -> None:
    """`finish=` takes it from a result, `accepts=` says whether there is one."""

    def reader(chunks: Iterable[bytes]) -> tuple[str, str]:
        list(chunks)
        return "Hi", "stop"

    plan = f"end=eof@{len(CHUNK)}"
    assert result(reader, WHOLE, plan) is Result.SILENT
    assert result(reader, WHOLE, plan, finish=lambda found: found[1]) is Result.LIE
    assert result(reader, WHOLE, plan, accepts=lambda found: False) is Result.RIGHT


def test_the_same_text_with_another_success_is_not_the_same() -> None:
    """What `key=` takes from a result does not say whether it is a success: `accepts=` does, and that counts too."""

    def in_one_piece(chunks: Iterable[bytes]) -> tuple[str, bool]:
        """Successful only when all comes at once."""
        return "Hi", len(list(chunks)) == 1

    options: dict[str, Any] = {"key": lambda found: found[0], "accepts": lambda found: found[1]}
    for kind, runs in (("cuts", len(WHOLE) - 1), ("random", 200), ("pairs", 2000)):
        report = recorder.sweep(in_one_piece, WHOLE, kind=kind, contract=CHAT, **options)
        assert report.counts[Result.FALSE_ALARM] == runs
        report = recorder.sweep(in_one_piece, b"data: 1\n\n" * 20, kind=kind, **options)
        assert report.counts[Result.DIFFERS] == report.counts.total() - report.counts[Result.RIGHT] > 0
    assert result(in_one_piece, WHOLE, "chunks=events", **options) is Result.FALSE_ALARM
    assert result(in_one_piece, WHOLE, "chunks=events; edit=crlf", **options) is Result.FALSE_ALARM
    assert result(in_one_piece, CHUNK, "chunks=lines", contract=CHAT, **options) is Result.DIFFERS


def test_after_the_terminal_event_a_failure_is_a_false_alarm() -> None:
    """A reader that goes on reading meets the reset behind the answer."""

    def reads_on(chunks: Iterable[bytes]) -> bytes:
        return b"".join(chunks)

    assert result(reads_on, WHOLE, "end=reset@end") is Result.FALSE_ALARM
    assert result(told, WHOLE, "end=reset@end") is Result.RIGHT
    assert result(told, WHOLE + b": late\n\n", f"end=stall@{len(WHOLE)}") is Result.RIGHT


def test_the_contract_is_asked_about_the_whole() -> None:
    """It accepts and the reader fails: a false alarm; it rejects and the reader is content: a lie."""

    def never(chunks: Iterable[bytes]) -> None:
        raise ValueError

    report = recorder.sweep(never, WHOLE)
    assert report.counts == {Result.FALSE_ALARM: len(WHOLE) + 1}
    assert str(report.failures[0].plan) == "chunks=whole"
    assert result(says("stop"), CHUNK + DONE, "chunks=whole") is Result.LIE  # [DONE] without a finish
    assert result(says("stop"), CHUNK + FINISH, "chunks=bytes:1") is Result.LIE  # a finish without [DONE]
    assert result(told, CHUNK + DONE, "chunks=bytes:1") is Result.RIGHT


def test_a_dialect_that_ends_with_the_stream() -> None:
    """Gemini: after its finish any clean end is one, an unclean one is not."""
    first = b'data: {"candidates":[{"index":0,"content":{"parts":[{"text":"Hi"}]}}]}\n\n'
    last = b'data: {"candidates":[{"index":0,"content":{"parts":[{"text":"!"}]},"finishReason":"STOP"}]}\n\n'
    usage = b'data: {"usageMetadata":{"totalTokenCount":3}}\n\n'

    def gemini(chunks: Iterable[bytes]) -> Any:
        return recorder.read(chunks, recorder.contracts.gemini())

    body = first + last + usage
    broken = first + last + usage + b"data: {\n\n"
    for size, word in [(len(first), "lie"), (len(first + last), "right"), (len(broken) - 3, "right")]:
        assert result(says("STOP"), broken, f"end=eof@{size}") == word
        assert result(gemini, broken, f"end=eof@{size}") is Result.RIGHT
    assert result(says("STOP"), broken, "end=eof@end") is Result.LIE
    second = first + last + first.replace(b'"index":0', b'"index":1')
    for size, word in [(len(first), "lie"), (len(first + last), "right"), (len(second) - 1, "right")]:
        assert result(says("STOP"), second, f"end=eof@{size}") == word
        assert result(gemini, second, f"end=eof@{size}") is Result.RIGHT
    for size, word in [(len(first), "right"), (len(first + last), "right"), (len(first + last) + 5, "right")]:
        assert result(gemini, body, f"end=eof@{size}") == word
        assert result(says("STOP"), body, f"end=eof@{size}") == ("lie" if size == len(first) else "right")
    assert result(says("STOP"), body, f"end=reset@{len(first + last)}") is Result.SILENT
    assert recorder.sweep(gemini, body, kind="all", sample=40).ok


@pytest.mark.parametrize("blank", [b"\n\n", b"\r\n\r\n"])
def test_a_stream_that_its_end_completes_before_an_event_does(blank: bytes) -> None:
    """With `terminal="finish"` a stream may be over after the finish, and is at [DONE]; in between, usage may come."""
    lenient = recorder.contracts.chat(terminal="finish")
    usage = b'data: {"choices":[],"usage":{"total_tokens":3}}\n\n'
    body = (CHUNK + FINISH + usage + DONE).replace(b"\n\n", blank)
    finished = len((CHUNK + FINISH).replace(b"\n\n", blank))

    def reader(chunks: Iterable[bytes]) -> Any:
        return recorder.read(chunks, lenient)

    for place, told_so, claimed in [(finished - 3, "right", "silent"), (finished, "right", "right")]:
        assert result(reader, body, f"end=eof@{place}", contract=lenient) == told_so
        assert result(says("stop"), body, f"end=eof@{place}", contract=lenient) == claimed
    assert result(says("stop"), body, f"end=reset@{finished}", contract=lenient) is Result.SILENT
    assert result(says("stop"), body, f"end=reset@{len(body)}", contract=lenient) is Result.RIGHT
    assert result(says(None), body, f"end=eof@{finished}", contract=lenient) is Result.RIGHT
    for whole in (body, body[:finished]):
        report = recorder.sweep(reader, whole, kind="all", sample=60, contract=lenient)
        assert report.ok, str(report)


def test_a_recorded_end_belongs_to_the_stream() -> None:
    """Recorded with a reset: the whole is a rejection, with a clean end it is what its bytes are."""
    reset = Interaction(
        recorder.Request("POST", "https://api.example.com/"),
        Response(200, {"content-type": "text/event-stream"}, CHUNK + FINISH, end=StreamEnd(recorder.EndKind.RESET)),
    )
    report = recorder.sweep(told, reset, kind="all", sample=30)
    assert report.ok, str(report)
    assert result(says("stop"), reset, "chunks=whole") is Result.LIE


def test_edits_that_change_nothing_must_not_matter() -> None:
    """Positions in a verdict move with the bytes and do not count."""
    for edit in ("crlf", "cr", "bom", "nospace", "multiline", "comments", "dup@event:-1"):
        assert result(told, WHOLE, f"edit={edit}") is Result.RIGHT

    def wants_a_space(chunks: Iterable[bytes]) -> str:
        lines = b"".join(chunks).decode().split("\n")
        return "".join(line for line in lines if line.startswith("data: "))

    assert result(wants_a_space, WHOLE, "edit=nospace") is Result.DIFFERS


def test_an_edit_nobody_can_notice_is_held_against_the_reader_itself() -> None:
    """A chunk dropped in the middle is another answer, and one for every partition."""
    body = CHUNK + CHUNK + FINISH + DONE
    assert result(told, body, "chunks=bytes:1; edit=drop@event:1") is Result.RIGHT

    def counts_chunks(chunks: Iterable[bytes]) -> int:
        return len(list(chunks))

    assert result(counts_chunks, body, "chunks=bytes:1; edit=drop@event:1") is Result.DIFFERS


def test_errors_are_compared_by_class_and_code() -> None:
    """Not by what they say."""

    class Refused(Exception):
        def __init__(self, code: str) -> None:
            super().__init__(code)
            self.code = code

    def by_size(chunks: Iterable[bytes]) -> None:
        raise Refused("short" if len(next(iter(chunks))) < 10 else "long")

    def by_message(chunks: Iterable[bytes]) -> None:
        raise ValueError(f"{len(list(chunks))} chunks")

    broken = CHUNK + FINISH
    assert result(by_size, broken, "chunks=at:5") is Result.DIFFERS
    assert result(by_size, broken, "chunks=at:50") is Result.RIGHT
    assert result(by_message, broken, "chunks=at:5") is Result.RIGHT


def test_results_that_cannot_be_compared_are_an_error() -> None:
    """It says what to do."""

    class Table:
        def __eq__(self, other: object) -> Any:
            return Table()

        def __bool__(self) -> bool:
            raise ValueError("the truth of a table is ambiguous")

    with pytest.raises(TypeError, match="pass key="):
        recorder.sweep(lambda chunks: Table(), WHOLE)
