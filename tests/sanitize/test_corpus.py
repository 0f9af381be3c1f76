"""Recorded streams from everywhere: clean afterwards, the same verdict. Collected where they are (see conftest.py)."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response, load_cassette
from recorder.contracts import detect, named, read
from recorder.errors import CassetteError, CassetteWarning
from recorder.sanitize import Sanitizer
from recorder.sse import Event, EventStreamParser

CORPUS = Path(os.environ["RECORDER_CORPUS"])
FILES = sorted(path for path in CORPUS.iterdir() if path.name != "MANIFEST.json")


def cassette(path: Path) -> Cassette:
    """The cassette in the file; of another format, its bytes as a body."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CassetteWarning)
        try:
            return load_cassette(path)
        except CassetteError:
            body = Response(200, Headers(), path.read_bytes())
            return Cassette((Interaction(Request("POST", "https://a.example/"), body),))


def events(body: bytes) -> list[Event]:
    return EventStreamParser(max_line=None, max_event=None).feed(body)


@pytest.mark.parametrize("text", ["keep", "shape"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_recording_is_clean_and_says_the_same(path: Path, text: str) -> None:
    """A fixed point; as many events of the same names; the dialect and its verdict unchanged; shaped, no byte moved."""
    sanitizer = Sanitizer.default(text=text)  # type: ignore[arg-type]
    dirty = cassette(path)
    clean = sanitizer.apply(dirty)
    refused = {residue.rule for residue in sanitizer.scan(clean)}
    assert refused <= ({"text-shape"} if b":event-type" in dirty.interactions[0].response.body else set())
    assert sanitizer.apply(clean) == clean
    for before, after in zip(dirty.interactions, clean.interactions, strict=True):
        was, now = before.response.body, after.response.body
        if was[:2] == b"\x1f\x8b":
            continue  # was stored compressed, is stored decoded
        assert [event.type for event in events(now)] == [event.type for event in events(was)]
        if text == "shape" and b"-REDACTED-" not in now:
            assert len(now) == len(was)
        dialect = detect({}, was[:65536])
        assert detect({}, now[:65536]) == dialect
        if dialect is not None:
            verdict, judged = read([was], named(dialect)), read([now], named(dialect))
            assert (judged.code, judged.events) == (verdict.code, verdict.events)
