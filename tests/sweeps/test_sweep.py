"""Sweeps: the truthful reader passes everything, broken ones are caught with the class of their fault."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

import pytest

import recorder
from recorder.cassette import Interaction
from recorder.cli import naive_reader
from recorder.sweeps import Cut, Failure, Report, Result, printable

CONTRACT = recorder.contracts.chat_text()
TEXT = (
    "Hello, reader. 你好，世界。مرحبا بالعالم. नमस्ते दुनिया। One line\u2028or two? "
    "A family: \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466. "
    'A "quote", a \\ and a\nnew line. The word [DONE] ends nothing. 再见 \U0001f44b'
)
USAGE = {"prompt_tokens": 11, "completion_tokens": 64, "total_tokens": 75}


def stream(name: str) -> Interaction:
    return recorder.load_cassette(recorder.gallery()[name]).interactions[0]


def truthful(chunks: Iterable[bytes]) -> Any:
    return recorder.read(chunks, CONTRACT)


@pytest.mark.parametrize(("name", "size"), [("chat-lf", 2440), ("chat-crlf", 2466)])
def test_the_truthful_reader_at_every_cut_and_byte_by_byte(name: str, size: int) -> None:
    """The same text, usage and event count at all N+1 cuts, and one byte at a time."""
    interaction = stream(name)
    assert len(interaction.response.body) == size
    for plan in [f"chunks=at:{cut}" for cut in range(size + 1)] + ["chunks=bytes:1"]:
        verdict = recorder.read(recorder.replay(interaction, plan), CONTRACT)
        assert isinstance(verdict, recorder.Accepted), plan
        assert (verdict.text, verdict.usage, verdict.events) == (TEXT, USAGE, 12), plan


@pytest.mark.parametrize(
    ("name", "accepted_from", "inside"),
    # LF: no truncation is complete. CR LF: the one that leaves out only the last LF is, its blank line has ended.
    # Continuation bytes, by hand: 6 Chinese characters of 3 bytes 12, 12 Arabic letters of 2 bytes 12, 13 Devanagari
    # code points of 3 bytes 26, U+2028 2, a family of 4 emoji and 3 joiners 4 * 3 + 3 * 2 = 18, 2 more Chinese 4,
    # a hand 3.
    [("chat-lf", 2440, 77), ("chat-crlf", 2465, 77)],
)
def test_every_truncation_is_told(name: str, accepted_from: int, inside: int) -> None:
    """missing_terminal, or invalid_utf8 where the strict policy meets a cut code point."""
    interaction = stream(name)
    body = interaction.response.body
    codes = [
        recorder.read(recorder.replay(interaction, f"chunks=whole; end=eof@{cut}"), CONTRACT).code
        for cut in range(len(body))
    ]
    for cut, code in enumerate(codes):
        if cut >= accepted_from:
            assert code == "accepted", cut
        elif body[cut] & 0xC0 == 0x80:  # the next byte would have continued a code point
            assert code == "invalid_utf8", cut
        else:
            assert code == "missing_terminal", cut
    assert codes.count("invalid_utf8") == inside  # type: ignore[arg-type]
    assert codes.count("accepted") == len(body) - accepted_from  # type: ignore[arg-type]


def test_the_truthful_reader_passes_every_family() -> None:
    """All runs right, and as many as each family has."""
    size = 2440
    report = recorder.sweep(truthful, recorder.gallery()["chat-lf"], kind="all")
    assert report.ok
    totals = {row.kind: row.total for row in report.rows}
    assert totals.pop("ends") > 80
    assert totals.pop("edits") > 60
    assert totals == {
        "cuts": size + 1,
        "bytewise": 1,
        "random": 200,
        "pairs": 2000,
        "truncations": size,
        "incomplete": size + 1,
        "reset": size + 1,
        "stall": size + 1,
    }


BODY = (
    b'data: {"choices":[{"index":0,"delta":{"content":"\xe4\xbd\xa0"},"finish_reason":null}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
assert len(BODY) == 80 + 67 + 14


def decode_each_chunk(chunks: Iterable[bytes]) -> str:
    return "".join(chunk.decode("utf-8", "replace") for chunk in chunks)


def raise_on_a_cut_code_point(chunks: Iterable[bytes]) -> str:
    return "".join(chunk.decode("utf-8") for chunk in chunks)


def finished_at_the_end_of_the_bytes(chunks: Iterable[bytes]) -> str:
    return b"".join(chunks).decode("utf-8", "ignore")


def never_satisfied(chunks: Iterable[bytes]) -> str:
    list(chunks)
    raise RuntimeError("no")


async def finished_too(chunks: AsyncIterable[bytes]) -> int:
    return sum([len(chunk) async for chunk in chunks])


@pytest.mark.parametrize(
    ("reader", "kind", "counts", "first", "offset"),
    [
        # the character stands at 49..51, so two cuts are inside it
        (decode_each_chunk, "cuts", {"right": 160, "differs": 2}, "chunks=at:50", 50),
        (raise_on_a_cut_code_point, "cuts", {"right": 160, "raised": 2}, "chunks=at:50", 50),
        (raise_on_a_cut_code_point, "bytewise", {"raised": 1}, "chunks=at:50", 50),
        (finished_at_the_end_of_the_bytes, "cuts", {"right": 162}, None, None),
        (finished_at_the_end_of_the_bytes, "truncations", {"silent": 161}, "chunks=whole; end=eof@0", 0),
        (finished_too, "truncations", {"silent": 161}, "chunks=whole; end=eof@0", 0),
        (finished_too, "cuts", {"right": 162}, None, None),
        (never_satisfied, "cuts", {"false alarm": 162}, "chunks=whole", None),
        (never_satisfied, "truncations", {"right": 161, "false alarm": 1}, "chunks=whole", None),
    ],
)
def test_a_broken_reader_is_caught(
    reader: Any, kind: str, counts: dict[str, int], first: str | None, offset: int | None
) -> None:
    """With the word for its fault, the number of runs, and the smallest plan that shows it."""
    report = recorder.sweep(reader, BODY, kind=kind)
    assert {str(result): number for result, number in report.counts.items()} == counts
    assert report.ok == (first is None)
    if first is not None:
        assert (str(report.failures[0].plan), report.failures[0].offset) == (first, offset)


def test_the_naive_reader_fails_because_of_the_bytes() -> None:
    """It is right on the whole body, wrong at most cuts, and silent where a line end hides the truncation."""
    interaction = stream("chat-lf")
    assert naive_reader.read([interaction.response.body]) == {"text": TEXT, "usage": USAGE}
    cuts = recorder.sweep(naive_reader.read, interaction, kind="cuts")
    truncations = recorder.sweep(naive_reader.read, interaction, kind="truncations")
    assert cuts.counts[Result.RIGHT] == 74
    assert (cuts.failures[0].result, cuts.failures[0].offset) == ("raised", 28)
    assert truncations.counts[Result.SILENT] == 118


def test_what_counts_can_be_projected() -> None:
    """`key` chooses what is compared, `accepts` what success is, `contract` where the end is."""

    def reader(chunks: Iterable[bytes]) -> dict[str, Any]:
        pieces = list(chunks)
        return {"size": sum(map(len, pieces)), "pieces": len(pieces), "done": b"[DONE]\n\n" in b"".join(pieces)}

    assert not recorder.sweep(reader, BODY).ok
    assert recorder.sweep(reader, BODY, key=lambda result: result["size"]).ok
    honest = recorder.sweep(
        reader,
        BODY,
        kind="truncations",
        key=lambda result: result["done"],
        accepts=lambda result: bool(result["done"]),
        contract=CONTRACT,
    )
    assert honest.ok


def test_a_report_shows_counts_and_the_story() -> None:
    """As text, and as JSON without any bytes of the stream."""
    report = recorder.sweep(raise_on_a_cut_code_point, BODY)
    text = str(report)
    assert text.startswith("cuts: 160 of 162 right, 2 raised\n  stream  cuts  160/162  2 raised\nby boundary class:\n")
    assert "\n  inside a code point, 1 of 3           0/1                       1 raised\n" in text
    assert (
        "raised: the same bytes, delivered in other pieces, raised an error (UnicodeDecodeError)\n"
        "stream: stream\n"
        'plan: "chunks=at:50"\n'
        "cut at byte 50, inside a code point, 1 of 3:\n"
        '  a":{"content":"\\xe4 | \\xbd\\xa0"},"finish_rea\n'
        "  61 22 3a 7b 22 63 6f 6e 74 65 6e 74 22 3a 22 e4 | bd a0 22 7d 2c 22 66 69 6e 69 73 68 5f 72 65 61\n"
        'expected: success, data: {"choices"...\n'
        f"actual:   raised UnicodeDecodeError at test_sweep.py:{_first_line(raise_on_a_cut_code_point) + 1}\n"
    ) in text.replace('success, "data: {"choices"..." (159 characters)', 'success, data: {"choices"...')
    told = json.loads(report.to_json())
    assert (told["total"], told["ok"], told["counts"]) == (162, False, {"right": 160, "raised": 2})
    assert (told["failures"][0]["plan"], told["failures"][0]["offset"]) == ("chunks=at:50", 50)
    assert told["failures"][0]["boundary"] == "inside a code point, 1 of 3"
    assert "finish_rea" not in report.to_json()


def test_only_the_first_hundred_failures_are_kept() -> None:
    """The counts are of all."""
    report = recorder.sweep(never_satisfied, BODY)
    assert (len(report.failures), report.counts[Result.FALSE_ALARM]) == (100, 162)


def test_a_report_of_nothing_is_not_ok() -> None:
    """No run, no proof."""
    assert not Report("cuts").ok


def test_check_reader_tells_the_smallest_failure() -> None:
    """One AssertionError with the story; nothing when all is right."""
    with pytest.raises(AssertionError, match="chunks=at:50"):
        recorder.check_reader(decode_each_chunk, BODY, kind="cuts")
    with pytest.raises(AssertionError, match="truncations: 0 of 161 right"):
        recorder.check_reader(finished_too, BODY, kind="truncations")
    recorder.check_reader(truthful, BODY, kind="cuts", contract=CONTRACT)


def test_just_these_plans() -> None:
    """What a story gives to run again."""
    with pytest.raises(AssertionError, match="plans: 1 of 2 right, 1 differs"):
        recorder.check_reader(decode_each_chunk, BODY, plans=["chunks=at:50", "chunks=at:49"])
    assert recorder.sweep(truthful, BODY, plans=["end=eof@160", recorder.Plan(edits=("crlf",))]).total == 2


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (BODY, "cutz", "kind='cutz' is unknown: use cuts, bytewise, random, truncations, "),
        (b"hello", "truncations", "where this stream is complete is not known: pass contract="),
        (recorder.Cassette(()), "cuts", "no response with the content-type text/event-stream"),
        ([], "cuts", "no source: give the path of a cassette"),
    ],
)
def test_what_cannot_be_swept(source: Any, kind: str, message: str) -> None:
    """Is an error, not an empty success."""
    with pytest.raises(ValueError, match=message):
        recorder.sweep(truthful, source, kind=kind)


def test_a_stream_of_an_unknown_dialect_can_be_cut() -> None:
    """Partition invariance needs no contract."""
    assert recorder.sweep(finished_at_the_end_of_the_bytes, b"data: hello\n\n").ok


def test_bytes_are_printable() -> None:
    """Nothing that steers a terminal is shown raw."""
    shown = printable("a\x1b[31m\n\t\u2028\u202e\ufeff\x7f\x9b好".encode() + b"\xff")
    assert shown == "a\\x1b[31m\\n\\t\\u2028\\u202e\\ufeff\\x7f\\x9b好\\xff"


def test_a_failure_hides_the_bytes_in_its_repr() -> None:
    """The story shows them on request."""
    cut = Cut(3, "somewhere", b"PLANTED", b"PLANTED")
    failure = Failure(recorder.Plan(), Result.DIFFERS, "stream", expected="PLANTED", actual="PLANTED", cuts=(cut,))
    assert "PLANTED" not in repr(failure)
    assert "PLANTED | PLANTED" in failure.explain()


def test_ctrl_c_gives_the_partial_report() -> None:
    """True as far as it goes, not ok, and said; in a test it goes on up."""

    def interrupted(chunks: Iterable[bytes]) -> Any:
        pieces = list(chunks)
        if len(pieces[0]) == 100:
            raise KeyboardInterrupt
        return decode_each_chunk(pieces)

    report = recorder.sweep(interrupted, BODY)
    assert (report.total, report.counts[Result.DIFFERS], report.interrupted, report.ok) == (100, 2, True, False)
    assert sum(counts.total() for counts in report.cut.values()) == 100
    assert "broken off from the keyboard" in str(report)
    with pytest.raises(KeyboardInterrupt):
        recorder.check_reader(interrupted, BODY, kind="cuts")


def test_what_an_iterator_yields_is_the_result() -> None:
    """Readers are often generators, synchronous or not."""

    def texts(chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield b"".join(chunks)

    async def later(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            yield chunk

    assert recorder.sweep(texts, BODY).ok
    assert recorder.sweep(later, BODY).counts == {Result.RIGHT: 2, Result.DIFFERS: 160}


def test_a_coroutine_that_nobody_announced() -> None:
    """A lambda over a coroutine function hides that it must be awaited: an error, not a result."""
    with pytest.raises(TypeError, match="define it with `async def`"):
        recorder.sweep(lambda chunks: finished_too(chunks), BODY)


def test_progress_is_told() -> None:
    """The runs done, how many there are, and of what."""
    told: list[tuple[int, int, str]] = []
    recorder.sweep(truthful, BODY, progress=lambda *each: told.append(each))
    assert told == [(64, 162, "stream, cuts"), (128, 162, "stream, cuts"), (162, 162, "stream, cuts")]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"sample": 0}, ValueError, "sample=0: use None, 'classes', 'all', or a number of at least 1"),
        ({"sample": -3}, ValueError, "sample=-3: use"),
        ({"sample": True}, ValueError, "sample=True: use"),
        ({"sample": 1.5}, ValueError, "sample=1.5: use"),
        ({"sample": "clases"}, ValueError, "sample='clases': use"),
        ({"kind": None}, TypeError, "kind=None: a str, such as 'cuts' or 'cuts,truncations'"),
        ({"hung_after": -1}, ValueError, "hung_after=-1: seconds above 0, or None"),
        ({"hung_after": 0}, ValueError, "hung_after=0: seconds above 0, or None"),
        ({"executor": 4}, TypeError, "executor=4: use an executor, such as ProcessPoolExecutor(4), or a Dask client"),
        ({"via": 5}, TypeError, "via=5: use 'chunks' or 'client', or an object that opens a way of its own"),
    ],
)
def test_an_option_that_is_none_is_refused(options: dict[str, Any], error: type[Exception], said: str) -> None:
    """With the value, and what would be right; before anything is run."""
    with pytest.raises(error, match=re.escape(said)):
        recorder.sweep(truthful, recorder.gallery()["chat-lf"], **options)


@pytest.mark.parametrize(
    ("reader", "via", "said"),
    [
        (lambda: 1, "chunks", r"<lambda> cannot be called with the chunks: too many positional arguments"),
        (lambda chunks, more: 1, "chunks", "cannot be called with the chunks: missing a required argument: 'more'"),
        (lambda *, chunks: 1, "chunks", "cannot be called with the chunks: too many positional arguments"),
        (lambda chunks: 1, "client", "cannot be called with nothing: missing a required argument: 'chunks'"),
    ],
)
def test_a_reader_that_cannot_be_called_so_is_refused(reader: Any, via: str, said: str) -> None:
    """It would fail in every run, and a wall of failures says less."""
    with pytest.raises(TypeError, match=said):
        recorder.check_reader(reader, recorder.gallery()["chat-lf"], via=via)


def test_a_reader_whose_arguments_are_not_known_is_called() -> None:
    """One in C, say; and one that takes more than it needs."""
    with pytest.raises(ValueError, match="signature"):
        inspect.signature(iter)
    assert recorder.sweep(iter, b"data: 1\n\n", plans="chunks=whole").ok
    assert recorder.sweep(b"".join, b"data: 1\n\n", kind="cuts").ok
    assert recorder.sweep(lambda chunks, key=None, *more, **options: len(list(chunks)) and 1, BODY, kind="cuts").ok


def _first_line(function: Any) -> int:
    return int(function.__code__.co_firstlineno)


def _later(chunks: Iterable[bytes]) -> Iterable[bytes]:
    yield from chunks
    raise KeyError("PLANTED")


async def _awaited(chunks: AsyncIterable[bytes]) -> None:
    await aiter(chunks).__anext__()
    raise KeyError("PLANTED")


def _through_another(chunks: Iterable[bytes]) -> list[bytes]:
    return list(_later(chunks))


@pytest.mark.parametrize(
    ("reader", "line"),
    [(_later, 2), (_awaited, 2), (_through_another, 1)],
)
def test_a_story_says_where_the_reader_raised(reader: Any, line: int) -> None:
    """The line of the reader itself, whatever it calls; never what the error says."""
    report = recorder.sweep(reader, BODY, kind="cuts")
    assert report.failures[0].actual == f"raised KeyError at test_sweep.py:{_first_line(reader) + line}"
    assert "PLANTED" not in str(report)


def test_an_error_at_another_line_is_the_same_error() -> None:
    """Errors compare by class and code: where they are raised does not count."""

    def reader(chunks: Iterable[bytes]) -> None:
        if len(list(chunks)) == 1:
            raise KeyError("here")
        raise KeyError("there")

    assert recorder.sweep(reader, b"data: 1\n\n", kind="cuts").ok


def test_a_reader_that_is_no_function_is_refused() -> None:
    not_a_reader: Any = "my.module:reader"
    with pytest.raises(TypeError, match=r"a reader is a function or a recorder\.sweeps\.Command, not str"):
        recorder.sweep(not_a_reader, b"data: 1\n\n")


@pytest.mark.parametrize("source", [[5], memoryview(b"data: 1\n\n"), {"a": None}])
def test_a_source_among_others_that_is_none_is_named(source: Any) -> None:
    with pytest.raises(TypeError, match="a source is bytes, an interaction, a cassette or a path, not"):
        recorder.sweep(truthful, source)


def test_of_several_cassettes_the_one_without_a_stream_is_named() -> None:
    with pytest.raises(ValueError, match=r"the cassette .*html-200\.yaml has no response"):
        recorder.sweep(truthful, [recorder.gallery()["chat-lf"], recorder.gallery()["html-200"]])


def test_all_among_several_kinds_is_all_and_none_is_run_twice() -> None:
    source = recorder.gallery()["chat-lf"]
    assert len(recorder.sweep(truthful, source, kind="cuts, all", sample=3).rows) == 10
    assert [row.kind for row in recorder.sweep(truthful, source, kind="cuts,cuts", sample=3).rows] == ["cuts"]


@pytest.mark.parametrize("plan", ["chunks=bytes:1", recorder.Plan(chunks="bytes:1")])
def test_plans_may_be_one_plan(plan: Any) -> None:
    report = recorder.sweep(truthful, recorder.gallery()["chat-lf"], plans=plan)
    assert (report.ok, report.total) == (True, 1)


class Odd(Exception):
    """Its code cannot be had."""

    @property
    def code(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("error", [SystemExit(0), Odd()])
def test_a_reader_that_ends_its_process_or_raises_oddly_has_raised(error: BaseException) -> None:
    """It ends neither the sweep nor the process that runs it."""

    def reader(chunks: Iterable[bytes]) -> Any:
        raise error

    async def reader_too(chunks: AsyncIterable[bytes]) -> Any:
        raise error

    for each in (reader, reader_too):
        report = recorder.sweep(each, recorder.gallery()["chat-lf"], sample=3)
        assert report.counts == {Result.FALSE_ALARM: 3}
        assert report.failures[0].error == type(error).__name__


class Plain:
    """A result that is equal to nothing but itself."""


@pytest.mark.parametrize("made", [Plain, lambda: float("nan"), iter(range(9)).__next__])
def test_a_reader_that_does_not_do_the_same_twice_is_told_so(made: Any) -> None:
    """Not that the pieces were to blame."""

    def reader(chunks: Iterable[bytes]) -> Any:
        list(chunks)
        return made()

    story = recorder.sweep(reader, b"data: 1\n\n", sample=3).failures[0]
    assert str(story.plan) == "chunks=whole"
    assert story.reason == (
        "the same delivery once more gave another result: the reader keeps something from run to run, "
        "or == says nothing about its results (then pass key=)"
    )


class Wide:
    """Compares as arrays of different shapes do."""

    __hash__ = None  # type: ignore[assignment]  # as theirs

    def __eq__(self, other: object) -> bool:
        raise ValueError("operands could not be broadcast together")


def test_results_whose_comparison_raises_need_a_key() -> None:
    with pytest.raises(TypeError, match="two results of type Wide cannot be compared with ==: pass key="):
        recorder.sweep(lambda chunks: (list(chunks), Wide())[1], b"data: 1\n\n")


@pytest.mark.parametrize(("kind", "waiting"), [("random", 100), ("ends", 6), ("cuts", 0)])
def test_a_wait_gives_other_tasks_their_turn(kind: str, waiting: int) -> None:
    """Half of the random partitions wait, and so does a rest of a second that the reader gets to: at start,
    mid:codepoint, mid:event, -1, event:1 and event:2; there is no mid:crlf. No task gets a turn where nothing waits.
    """
    turns: list[int] = []

    async def reader(chunks: AsyncIterable[bytes]) -> recorder.Verdict:
        turns.append(0)
        number = len(turns) - 1

        async def another() -> None:
            turns[number] = 1

        task = asyncio.ensure_future(another())
        verdict = await recorder.aread(chunks, recorder.contracts.chat())
        task.cancel()
        return verdict

    recorder.sweep(reader, BODY, kind=kind)
    assert sum(turns) == waiting


def test_an_asynchronous_generator_that_is_returned_is_no_result() -> None:
    async def pieces(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            yield chunk

    with pytest.raises(TypeError, match="the reader returned an asynchronous generator: define it with `async def`"):
        recorder.sweep(lambda chunks: pieces(chunks), b"data: 1\n\n")
