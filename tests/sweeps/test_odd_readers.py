"""Readers that do odd things are judged as any other: what they reuse, raise and return hides no fault."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import recorder
from recorder.sweeps import Result

CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
WHOLE = CHUNK + FINISH + b"data: [DONE]\n\n"
REFUSED = CHUNK + b'data: {"error":{"message":"no"}}\n\n'
INSIDE = len(WHOLE) - 1  # cuts that divide the body


class Reused:
    """Gives the number of chunks, in an object that it fills anew each time."""

    def __init__(self, nested: bool) -> None:
        self._found: dict[str, list[int]] = {"chunks": []}
        self._nested = nested

    def __call__(self, chunks: Iterable[bytes]) -> dict[str, list[int]]:
        self._found["chunks"][:] = [len(list(chunks))]
        return dict(self._found) if self._nested else self._found


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("edit", ["", "; edit=crlf", "; edit=drop@event:1"])
def test_a_result_that_is_used_again_is_held_against_what_it_was(nested: bool, edit: str) -> None:
    """An object is equal to itself, whatever the reader writes into it."""
    assert recorder.sweep(Reused(nested), WHOLE).counts == {Result.RIGHT: 2, Result.DIFFERS: INSIDE}
    assert recorder.sweep(Reused(nested), WHOLE, key=dict.values).counts[Result.RIGHT] == 0  # views are never equal
    report = recorder.sweep(Reused(nested), WHOLE, plans=[f"chunks=whole{edit}", f"chunks=events{edit}"])
    assert report.counts == {Result.RIGHT: 1, Result.DIFFERS: 1}
    assert report.failures[0].expected == "chunks[0]: 1"


def test_one_object_that_is_always_returned_is_equal_to_itself() -> None:
    marker = object()
    assert recorder.sweep(lambda chunks: (list(chunks), marker)[1], WHOLE).ok


def test_an_object_that_returns_itself_is_held_against_what_was_in_it() -> None:
    class Parser:
        def __init__(self) -> None:
            self.pieces: list[int] = []

        def __call__(self, chunks: Iterable[bytes]) -> Parser:
            self.pieces = [len(list(chunks))]
            return self

    assert recorder.sweep(Parser(), WHOLE).counts == {Result.RIGHT: 2, Result.DIFFERS: INSIDE}


def fails_at(size: int, made: Any) -> Any:
    """A right reader, but for the cut after so many bytes."""

    def reader(chunks: Iterable[bytes]) -> Any:
        pieces = list(chunks)
        return made() if [len(piece) for piece in pieces[:-1]] == [size] else {"text": b"".join(pieces)}

    return reader


def test_a_result_that_the_functions_cannot_take_is_another_one() -> None:
    """Not the end of the sweep: `key=` and `accepts=` fit what the reader makes of the whole."""

    def text(found: dict[str, bytes]) -> bytes:
        return found["text"]

    nothing = fails_at(20, lambda: None)
    options: dict[Result, dict[str, Any]] = {Result.DIFFERS: {"key": text}, Result.RAISED: {"accepts": text}}
    for word, functions in options.items():
        report = recorder.sweep(nothing, WHOLE, **functions)
        assert report.counts == {Result.RIGHT: INSIDE + 1, word: 1}
        assert str(report.failures[0].plan) == "chunks=at:20"
    assert recorder.sweep(nothing, WHOLE, key=text).failures[0].actual == "key= raised Type..."


def test_a_claim_that_cannot_be_taken_is_none() -> None:
    def reader(chunks: Iterable[bytes]) -> Any:
        body = b"".join(chunks)
        return {"is": "stop"} if body == WHOLE else None

    report = recorder.sweep(reader, WHOLE, kind="truncations", finish=lambda found: found["is"])
    assert report.counts == {Result.SILENT: len(WHOLE)}


@pytest.mark.parametrize("option", ["key", "accepts", "finish"])
def test_a_function_that_does_not_fit_the_result_of_the_whole_is_an_error(option: str) -> None:
    functions: dict[str, Any] = {option: lambda found: found["text"]}
    with pytest.raises(KeyError, match="text"):
        recorder.sweep(lambda chunks: {"texts": b"".join(chunks)}, WHOLE, **functions)


class Stop(enum.Enum):
    STOP = "stop"


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (Stop.STOP, "lie"),
        (["stop", "stop"], "lie"),
        ({0: "stop"}, "lie"),
        ([None, Stop.STOP], "lie"),
        ([None], "silent"),
        ("", "silent"),
        (7, "silent"),
    ],
)
def test_a_claim_may_be_of_every_choice(claim: Any, word: str) -> None:
    """A list of finishes is a claim of each; an empty one is none."""
    plan = f"end=eof@{len(CHUNK)}"
    report = recorder.sweep(lambda chunks: (list(chunks), {"finish": claim})[1], WHOLE, plans=plan)
    assert list(report.counts) == [word]


class Abrupt(BaseException):
    """Not an Exception, as what some libraries end their tasks and tests with."""


ABRUPT = (Abrupt(), asyncio.CancelledError(), BaseExceptionGroup("", [Abrupt()]))


@pytest.mark.parametrize("error", [*ABRUPT, GeneratorExit()], ids=lambda error: type(error).__name__)
def test_whatever_a_reader_raises_is_a_result(error: BaseException) -> None:
    def made() -> None:
        raise error

    report = recorder.sweep(fails_at(20, made), WHOLE)
    assert (report.counts[Result.RAISED], report.failures[0].error) == (1, type(error).__name__)


@pytest.mark.parametrize("error", ABRUPT, ids=lambda error: type(error).__name__)
def test_whatever_an_asynchronous_reader_raises_is_a_result(error: BaseException) -> None:
    async def reader(chunks: AsyncIterable[bytes]) -> bytes:
        pieces = [chunk async for chunk in chunks]
        if [len(piece) for piece in pieces[:-1]] == [20]:
            raise error
        return b"".join(pieces)

    report = recorder.sweep(reader, WHOLE)
    assert (report.counts[Result.RAISED], report.failures[0].error) == (1, type(error).__name__)


def test_ctrl_c_among_others_is_ctrl_c() -> None:
    def made() -> None:
        raise BaseExceptionGroup("of a task group", [KeyboardInterrupt()])

    report = recorder.sweep(fails_at(20, made), WHOLE)
    assert (report.interrupted, report.total) == (True, 20)


def test_errors_of_one_name_are_of_one_class_only_where_they_are() -> None:
    """Two libraries have a class of that name."""
    kinds = [type("ReadError", (Exception,), {"__module__": module}) for module in ("one", "other")]

    def reader(chunks: Iterable[bytes]) -> None:
        raise kinds[len(list(chunks)) - 1]

    assert recorder.sweep(reader, REFUSED).counts == {Result.RIGHT: 2, Result.DIFFERS: len(REFUSED) - 1}


@pytest.mark.parametrize("error", [AttributeError, RuntimeError])
def test_any_comparison_that_raises_needs_a_key(error: type[Exception]) -> None:
    """Tensors raise another error than arrays."""

    class Tensor:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise error

    with pytest.raises(TypeError, match="two results of type Tensor cannot be compared with ==: pass key="):
        recorder.sweep(lambda chunks: (list(chunks), Tensor())[1], b"data: 1\n\n")


def by_size(first: type[Exception], other: type[Exception], broken: bytes) -> Any:
    """Right, but refuses a stream with `broken` in it by the number of its chunks."""

    def reader(chunks: Iterable[bytes]) -> str | None:
        pieces = list(chunks)
        found = recorder.read(pieces, recorder.contracts.chat())
        if found.ok:
            return found.text
        raise (first if len(pieces) == 1 or broken not in b"".join(pieces) else other)

    return reader


def test_a_stream_to_be_rejected_is_rejected_alike_in_any_pieces() -> None:
    """Also after an edit that breaks it; and the story says that the pieces are to blame."""
    report = recorder.sweep(by_size(ValueError, KeyError, b"planted"), WHOLE, kind="edits")
    assert (set(report.counts), report.counts[Result.DIFFERS]) == ({Result.RIGHT, Result.DIFFERS}, 2)
    (failure,) = report.smallest
    assert (str(failure.plan).partition(":")[0], len(failure.plan.edits)) == ("chunks=at", 1)
    assert failure.reason == "the same bytes, delivered in other pieces, gave another result (KeyError)"
    told = failure.expected.partition(" at ")[0], failure.actual.partition(" at ")[0]
    assert told == ("raised ValueError", "raised KeyError")
    assert recorder.sweep(by_size(ValueError, ValueError, b""), WHOLE, kind="edits").ok


def test_an_edit_that_must_not_matter_leaves_a_rejection_as_it_was() -> None:
    def reader(chunks: Iterable[bytes]) -> None:
        raise KeyError if b"\r\n" in b"".join(chunks) else ValueError

    report = recorder.sweep(reader, REFUSED, kind="edits")
    assert report.counts[Result.DIFFERS] == 8  # crlf, and multiline with it, in four ways of cutting
    assert str(report.smallest[0].plan) == "chunks=whole; edit=crlf"


@pytest.mark.parametrize("kind", ["truncations", "incomplete", "reset", "stall"])
def test_failing_always_is_no_honesty(kind: str) -> None:
    """A reader that takes the whole for a failure is caught also where it is only stopped; so is the contrary."""

    def never(chunks: Iterable[bytes]) -> None:
        raise ValueError

    gemini = b'data: {"candidates":[{"index":0,"content":{"parts":[]},"finishReason":"STOP"}]}\n\n'
    for body in (WHOLE, gemini):
        with ThreadPoolExecutor(2) as threads:
            for executor in (None, threads):
                report = recorder.sweep(never, body, kind=kind, executor=executor)
                assert report.counts[Result.FALSE_ALARM] == 1 + (kind != "truncations" and body is WHOLE)
                assert "chunks=whole" in [str(failure.plan) for failure in report.smallest]
    report = recorder.sweep(lambda chunks: next(iter(chunks)), REFUSED, kind=kind, sample=3)
    assert report.counts == {Result.RIGHT: 1, Result.SILENT: 2, Result.LIE: 1}  # there is nothing to return at 0


def test_a_story_says_what_is_wrong_with_an_edited_stream() -> None:
    """Not that it is incomplete, where it is not that."""
    report = recorder.sweep(lambda chunks: (list(chunks), "Hi")[1], WHOLE, kind="edits")
    assert {failure.plan.edits[0].partition("@")[0]: failure.expected for failure in report.failures} == {
        "drop": "no success: chat says missing_finish",
        "insert": "no success: chat says upstream_error",
        "utf8": "no success: chat says invalid_utf8",
        "flip": "no success: chat says invalid_json",
    }


def test_what_does_not_happen_again_is_said() -> None:
    """The delivery is not to blame, or not alone; and a cut at the start divides nothing."""
    runs: list[int] = []

    def reader(chunks: Iterable[bytes]) -> bytes:
        runs.append(len(runs))
        return b"".join(chunks)[: -1 if len(runs) in (2, 30) else None]

    first, second = recorder.sweep(reader, WHOLE).failures
    assert (str(first.plan), first.boundary, first.once_more) == ("chunks=at:0", "the whole body", Result.RIGHT)
    assert first.reason.startswith("the same delivery once more gave another result: ")
    assert "\nonce more: right: the reader does not do the same twice\n" in first.explain()
    assert (str(second.plan), second.once_more) == ("chunks=at:28", None)  # only the first of a word is run again
