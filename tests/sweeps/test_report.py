"""What a report is written as: text, JSON, HTML with a picture, JUnit XML."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import readers

import recorder
from recorder.sweeps import PROVES, Cut, Failure, Report, Result, Row, printable
from recorder.sweeps._shown import difference
from recorder.sweeps._strip import stretches
from recorder.sweeps._tally import Tally

NASTY = '<script>alert("1")</script>\x1b[31m\u202e\ufffe&'
BODY = (
    b'data: {"choices":[{"index":0,"delta":{"content":'
    + json.dumps(NASTY, ensure_ascii=False).encode()
    + b'},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


@pytest.fixture(scope="module")
def broken() -> Report:
    """Two streams, one of them with everything in it that must be escaped."""

    def reader(chunks: Iterable[bytes]) -> Any:
        pieces = list(chunks)
        return b"".join(pieces).decode("utf-8", "replace") + "|" * (len(pieces) - 1)

    sources = {NASTY: BODY, "chat-usage": recorder.gallery()["chat-usage"]}
    return recorder.sweep(reader, sources, kind="cuts,truncations,edits")


def test_every_form_says_what_a_pass_proves(broken: Report) -> None:
    """These bytes under these deliveries."""
    passed = recorder.sweep(readers.right, recorder.gallery()["chat-usage"], sample=3)
    assert PROVES in str(passed)
    for report in (passed, broken):
        assert all(PROVES in form for form in (report.to_json(), report.to_html(), report.to_junit()))


def test_junit_is_well_formed(broken: Report) -> None:
    """A case for each kind on each stream; what failed has the story."""
    suites = ET.fromstring(broken.to_junit())
    assert (suites.get("tests"), suites.get("failures")) == ("6", "6")
    cases = suites.findall(".//testcase")
    assert [case.get("name") for case in cases] == ["cuts", "truncations", "edits"] * 2
    assert cases[3].get("classname") == "recorder.sweep.chat-usage"
    story = cases[3].findtext("failure") or ""
    assert "chunks=at:1" in story
    assert ET.fromstring(Report("cuts").to_junit()).get("tests") == "0"


def test_html_is_escaped_and_needs_nothing(broken: Report) -> None:
    """No tag of a stream, no script, no address; the picture is in it."""
    for html in (broken.to_html(), broken._repr_html_()):
        assert "<script" not in html
        assert "\x1b" not in html
        assert "\u202e" not in html
        assert "&lt;script&gt;" in html
        assert re.findall(r"https?://\S+", html) == ['http://www.w3.org/2000/svg"']
        assert html.count("<svg") == 1
    assert broken.to_html().startswith("<!doctype html>")


def test_the_picture_shows_each_stream_as_a_strip() -> None:
    """One failing offset of a long stream is seen; the colours are named."""
    body = b"data: " + b"x" * 50_000 + b"\n\n"

    def reader(chunks: Iterable[bytes]) -> int:
        return int(len(next(iter(chunks))) == 30_001)

    report = recorder.sweep(reader, body)
    svg = report.to_svg()
    (row,) = report.rows
    assert len(row.columns) == 600
    wrong = [(start, stop) for start, stop, result in stretches(row.columns) if result is Result.DIFFERS]
    assert wrong == [(30_001 * 600 // 50_009, 30_001 * 600 // 50_009 + 1)]
    assert ET.fromstring(svg).tag.endswith("svg")
    assert ">differs</text>" in svg
    assert Report("cuts").to_svg() == ""


def test_json_holds_no_content() -> None:
    """Plans, places, classes and numbers only."""
    written = recorder.sweep(readers.takes_a_chunk_for_whole_events, BODY, kind="all").to_json()
    assert "alert" not in written
    told = json.loads(written)
    assert told["classes"]["cut"]["inside a JSON string"]["raised"] > 10
    assert "between CR and LF" in told["absent"]
    assert len(told["failures"]) == 100


def test_several_sources_are_named() -> None:
    """By key, by file, or by number."""
    gallery = recorder.gallery()
    paths = [gallery["chat-usage"], gallery["chat-length"]]
    assert recorder.sweep(readers.right, paths, sample=2).streams == ("chat-usage", "chat-length")
    twice = recorder.load_cassette(gallery["chat-usage"]).interactions * 2
    report = recorder.sweep(readers.decodes_each_chunk, {"both": recorder.Cassette(twice)}, sample=2)
    assert report.streams == ("both #1", "both #2")


def test_what_a_sample_left_out_is_said() -> None:
    """In the row of its kind."""
    report = recorder.sweep(readers.right, recorder.gallery()["chat-usage"], kind="cuts,pairs", sample=5)
    assert [row.note for row in report.rows] == ["5 of 1144, spread evenly", "5 of 651511, spread evenly"]
    classes = recorder.sweep(readers.right, recorder.gallery()["chat-usage"], sample="classes")
    assert "up to 3 of each boundary class" in str(classes)


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        (
            "a" * 40 + "b",
            "a" * 40 + "c",
            ('"...aaaaaaaaaaaaaaaab" (41 characters)', '"...aaaaaaaaaaaaaaaac" (41 characters)'),
        ),
        ({"text": "x", "n": 1}, {"text": "x", "n": 2}, ("n: 1", "n: 2")),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, ('a[1].b: "x" (1 characters)', 'a[1].b: "y" (1 characters)')),
        (["x"], ["x", "y"], ("['x']", "['x', 'y']")),
        ("\x1b[31m", "", ('"\\x1b[31m" (5 characters)', '"" (0 characters)')),
    ],
)
def test_the_first_difference(expected: Any, actual: Any, shown: tuple[str, str]) -> None:
    """With 16 characters around it, by the name of the member, escaped."""
    assert difference(expected, actual) == shown


def test_more_on_request() -> None:
    """A first difference has 16 characters around it, unless the text is asked for."""

    def reader(chunks: Iterable[bytes]) -> str:
        return "long " * 30 + str(len(list(chunks)))

    body = b"data: hello\n\n"
    assert "long long" not in recorder.sweep(reader, body).failures[0].expected.replace("long long long ", "", 1)
    assert "long " * 30 in recorder.sweep(reader, body, show_text=True).failures[0].expected


def test_no_secret_of_a_result_is_in_a_repr() -> None:
    """A report and a failure are printed by accident."""

    def reader(chunks: Iterable[bytes]) -> str:
        return "PLANTED" * len(list(chunks))

    report = recorder.sweep(reader, b"data: PLANTED\n\n")
    assert "PLANTED" not in repr(report)
    assert "PLANTED" not in repr(report.failures[0])
    assert printable(b"PLANTED") == "PLANTED"


SECRET = "the whole prompt of somebody, in a place where only a name is looked for"


class Upstream(Exception):
    """As clients raise them: the code is what the stream said."""

    code = SECRET + "\x1b[31m"


def keyed(pieces: int) -> Any:
    return {SECRET: pieces}


def coded(pieces: int) -> Any:
    if pieces > 1:
        raise Upstream
    return "text"


@pytest.mark.parametrize("result", [keyed, coded])
def test_a_name_that_is_a_text_is_shown_as_little_as_any_text(result: Any) -> None:
    """A key of a result, the code of an error: 16 characters of it, and nothing that steers a terminal."""
    report = recorder.sweep(lambda chunks: result(len(list(chunks))), b"data: 1\n\n")
    for form in (str(report), report.to_html(), report.to_json(), report.to_junit()):
        assert SECRET[:17] not in form
        assert "\x1b" not in form
    assert SECRET[:16] in str(report)


def test_results_with_arrays_in_them_are_shown() -> None:
    """What compares element by element has no truth of its own."""

    class Array:
        def __eq__(self, other: object) -> Any:
            return [False]

        def __ne__(self, other: object) -> Any:
            raise ValueError("the truth value of an array is ambiguous")

        def __hash__(self) -> int:
            return 0

        def __repr__(self) -> str:
            raise ValueError("nor has it a text")

    assert difference({"a": Array()}, {"a": Array()}) == ("a: <Array>", "a: <Array>")


def test_a_smaller_failure_takes_the_place_of_a_larger_one_alike() -> None:
    """Of the same stream, word, end and edits; one that needs an edit instead of a cut is told beside it."""

    def made(plan: str, *offsets: int) -> Failure:
        cuts = tuple(Cut(at, "somewhere") for at in offsets)
        return Failure(recorder.Plan.parse(plan), Result.DIFFERS, "stream", cuts=cuts)

    report = Report("cuts")
    for failure in (made("chunks=at:9", 9), made("chunks=at:5", 5), made("edit=crlf"), made("chunks=at:4", 4)):
        report.add(Tally(Row("stream", "cuts"), failures=[failure], smallest={Result.DIFFERS: 0}))
    assert [str(failure.plan) for failure in report.smallest] == ["chunks=at:5", "edit=crlf"]


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 3 * 4096, 20_000])
def test_where_two_long_results_differ(size: int) -> None:
    """In the middle, or where the shorter one is over."""
    start = "..." if size > 16 else ""
    same = "x" * min(size, 16)
    assert difference("x" * size + "a", "x" * size + "bc") == (
        f'"{start}{same}a" ({size + 1} characters)',
        f'"{start}{same}bc" ({size + 2} characters)',
    )
    assert difference("x" * size, "x" * size + "b")[1] == f'"{start}{same}b" ({size + 1} characters)'


def test_streams_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """In two folders, or in memory: the failure of one does not hide that of the other."""
    paths = [tmp_path / folder / "chat.yaml" for folder in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        recorder.save_cassette(recorder.load_cassette(recorder.gallery()["chat-usage"]), path)
    report = recorder.sweep(readers.dispatches_at_the_end, [*paths, BODY, BODY], plans="end=eof@-1")
    assert report.streams == ("chat", "chat (2)", "stream", "stream (2)")
    assert [failure.stream for failure in report.smallest] == list(report.streams)
    assert [str(path) in failure.command for path, failure in zip(paths, report.smallest, strict=False)] == [True] * 2
