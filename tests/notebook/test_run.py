"""A run: what arrives when, which events that makes, and what it is said to be. All numbers are counted by hand."""

from __future__ import annotations

import base64
import contextlib

import pytest

import recorder
from recorder.notebook import event_streams, make_run
from recorder.notebook._delivery import TooManyChunksError

HELLO = 'data: {"choices":[{"index":0,"delta":{"content":"Hi 👋"},"finish_reason":"stop"}]}\n\n'.encode()
BODY = b": hi\n\n" + HELLO + b"data: [DONE]\n\n"  # 6 + 86 + 14 bytes; the emoji is the bytes 58 to 61


def run_of(plan: str, body: bytes = BODY, **options: object):  # type: ignore[no-untyped-def]
    return make_run(event_streams(body)[0], recorder.Plan.parse(plan), **options)  # type: ignore[arg-type]


def test_the_numbers_of_a_delivery() -> None:
    """Ends and times of the chunks, ends of the events, and the verdict."""
    run = run_of("chunks=at:10,92; delay=fixed:20ms")
    assert list(run.delivery.chunk_ends) == [10, 92, 106]
    assert list(run.delivery.chunk_ms) == pytest.approx([20, 40, 60])
    assert run.event_ends == (92, 106)
    assert [event.type for event in run.events] == ["message", "message"]
    assert run.verdict is not None
    assert run.verdict.ok
    assert run.text == "Hi 👋"
    assert run.marks == ((1, 4), (2, 4))
    assert run.outcome == "106 of 106 bytes in 3 chunks over 60 ms, 2 events, end complete: accepted by chat."


def test_an_end_before_the_terminal_event() -> None:
    """Bytes that wait for the end of their event are counted, and the text so far is there as evidence."""
    run = run_of("end=eof@96")
    assert run.verdict is not None
    assert run.verdict.code == "missing_terminal"
    assert run.text == "Hi 👋"
    assert run.outcome == (
        "96 of 106 bytes in 1 chunk over 0 ms, 1 event, 4 bytes waiting for the end of an event, end eof: "
        "rejected, missing_terminal, by chat."
    )


@pytest.mark.parametrize(
    ("plan", "timeout", "ending", "code", "end_ms"),
    [
        ("end=stall@92", 30.0, "timeout", "stream_timeout", 30_000),
        ("end=stall@92", None, "stall", "stream_read_failed", 0),
        ("end=stall@92:5s", 30.0, "complete", "accepted", 5_000),
        ("end=stall@92:40s", 30.0, "timeout", "stream_timeout", 30_000),
        ("end=reset@92", 30.0, "reset", "stream_read_failed", 0),
        ("end=incomplete@92", 30.0, "incomplete", "stream_read_failed", 0),
    ],
)
def test_ends(plan: str, timeout: float | None, ending: str, code: str, end_ms: float) -> None:
    """Each, for a reader with a timeout and for one without."""
    run = run_of(plan, timeout=timeout)
    assert (run.delivery.ending, str(run.verdict.code), run.delivery.end_ms) == (ending, code, end_ms)


def test_the_notable_places() -> None:
    """A comment, a cut inside the emoji, a pause, the verdict; each at its byte."""
    run = run_of("chunks=at:60,92; end=stall@92:2s", timeout=30)
    assert [(note.at, note.kind) for note in run.notes] == [
        (0, "comment"),
        (60, "utf-8"),
        (92, "gap"),
        (106, "verdict"),
    ]
    assert run_of("chunks=at:mid:crlf; edit=crlf").notes[1].kind == "cr-lf"


def test_a_stream_of_no_known_dialect() -> None:
    """Has no verdict, and says so."""
    run = run_of("", body=b"data: 1\n\n")
    assert run.verdict is None
    assert run.outcome.endswith("no contract recognised.")


def test_a_plan_with_too_many_pieces_is_told_in_words() -> None:
    """One-byte chunks of a megabyte would be a million: a sentence, not a hang."""
    body = b"data: " + b"x" * 1_000_000 + b"\n\n"
    with pytest.raises(TooManyChunksError, match=r"1,000,008 bytes into more than 50,000 chunks, too many to look at"):
        run_of("chunks=bytes:1", body=body)


def test_a_reader_beside_ours() -> None:
    """What it made of this delivery, and whether that is what it makes of the whole body."""

    def each_by_itself(chunks):  # type: ignore[no-untyped-def]
        return "".join(chunk.decode() for chunk in chunks)

    assert run_of("chunks=at:10", reader=each_by_itself).reader.same
    told = run_of("chunks=at:60", reader=each_by_itself).reader
    assert (told.said, told.same, told.claims) == ("raised UnicodeDecodeError", False, False)
    assert told.name.endswith("each_by_itself")


def test_an_async_reader_is_run_to_its_end_also_inside_a_loop() -> None:
    """As it is in a notebook."""
    import asyncio

    async def count(chunks):  # type: ignore[no-untyped-def]
        return [len(chunk) async for chunk in chunks]

    async def inside():  # type: ignore[no-untyped-def]
        return run_of("chunks=at:10", reader=count).reader

    assert run_of("chunks=at:10", reader=count).reader.value == [10, 96]
    assert asyncio.run(inside()).value == [10, 96]


def test_a_representation_has_counts_and_no_content() -> None:
    """In text, and in HTML."""
    run = run_of("end=eof@96")
    assert "Hi" not in repr(run)
    html = run._repr_mimebundle_()["text/html"]
    assert "missing_terminal" in html
    assert "Hi" not in html
    assert "<script" not in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_the_picture_names_what_it_shows() -> None:
    """Beside each lane; the words are in the image, where nothing can part them from it."""
    html = run_of("end=eof@96")._repr_mimebundle_()["text/html"]
    drawn = base64.b64decode(html.split("base64,")[1].split('"')[0]).decode()
    assert [word for word in ("chunks", "events") if f">{word}</text>" in drawn] == ["chunks", "events"]


def test_the_gallery_can_be_looked_at() -> None:
    """Every shipped event stream, as recorded and in one-byte chunks, with a picture of each."""
    for name in recorder.gallery():
        with contextlib.suppress(ValueError):  # some hold an answer that is no event stream
            streams = event_streams(name)
        for stream in streams:
            whole = make_run(stream, recorder.Plan.parse(""), timeout=30)
            assert "<img" in whole._repr_mimebundle_()["text/html"]
            if len(stream.interaction.response.body) < 20_000:
                assert make_run(stream, recorder.Plan.parse("chunks=bytes:1"), timeout=30).events == whole.events


def test_sources_that_are_none() -> None:
    """A clear error for each."""
    with pytest.raises(TypeError, match="a source is bytes, an interaction, a cassette or a path, not int"):
        event_streams(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing to explore"):
        event_streams(recorder.Cassette(()))
