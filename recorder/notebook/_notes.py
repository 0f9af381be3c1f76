"""The notable places of a delivery: what a reader is likely to get wrong, and where.

Rule: a note is an offset, a kind and a sentence in our own words; no text of the stream is in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, pairwise
from statistics import median
from typing import NamedTuple

from recorder.notebook._delivery import Delivery

MOST = 60  # of a kind
_LONG_MS = 100.0


class Note(NamedTuple):
    """One notable place; `kind` is one word."""

    at: int
    kind: str
    text: str


def notes(found: Delivery, event_ends: tuple[int, ...], decided: int | None) -> tuple[Note, ...]:
    """The notable places, by offset.

    Args:
        event_ends: where each event is complete.
        decided: the offset after the byte that decided the verdict, None where nothing did.
    """
    made = [*islice(_cuts(found), MOST), *islice(_comments(found), MOST), *_gaps(found)]
    if decided is not None:
        made.append(Note(decided, "verdict", "here the contract decided"))
    if found.ending != "complete" or found.size < len(found.body):
        made.append(Note(found.size, "end", _end(found, event_ends)))
    return tuple(sorted(made))


def _cuts(found: Delivery) -> Iterator[Note]:
    """Chunk edges that divide what belongs together."""
    body = found.body
    for at in found.chunk_ends[:-1]:
        if body[at] & 0xC0 == 0x80 and body[at - 1] >= 0x80:
            yield Note(at, "utf-8", "a chunk ends inside a code point")
        elif body[at - 1 : at + 1] == b"\r\n":
            yield Note(at, "cr-lf", "a chunk ends between CR and LF")


def _comments(found: Delivery) -> Iterator[Note]:
    """Lines that begin with a colon. `find` for each line end, as a pattern for both takes a hundred times as long."""
    places = [0] if found.body.startswith(b":", 0, found.size) else []
    for line_end in (b"\n:", b"\r:"):
        at = found.body.find(line_end, 0, found.size)
        while at >= 0 and len(places) < 2 * MOST:
            places.append(at + 1)
            at = found.body.find(line_end, at + 1, found.size)
    for at in sorted(places):
        yield Note(at, "comment", "a comment, often a keep-alive: no event")


def _gaps(found: Delivery) -> list[Note]:
    """The three longest waits, when they stand out."""
    times = found.chunk_ms
    waits = [later - earlier for earlier, later in pairwise(times)]
    if not waits:
        return []
    usual = median(waits)
    longest = sorted(range(len(waits)), key=waits.__getitem__, reverse=True)[:3]
    return [
        Note(found.chunk_ends[index], "gap", f"nothing comes for {waits[index]:,.0f} ms")
        for index in longest
        if waits[index] >= _LONG_MS and waits[index] > 1.5 * usual
    ]


_ENDINGS = {
    "complete": "the body ends",
    "eof": "a clean HTTP end",
    "incomplete": "the connection is closed inside the HTTP framing",
    "reset": "the connection is reset",
    "stall": "nothing more comes, for ever",
    "timeout": "nothing more comes, and the reader gives up",
}


def _end(found: Delivery, event_ends: tuple[int, ...]) -> str:
    held = held_at_end(found, event_ends)
    inside = f" inside event {bisect_left(event_ends, found.size) + 1}, {held:,} bytes waiting" if held else ""
    return _ENDINGS[found.ending] + inside


def held_at_end(found: Delivery, event_ends: tuple[int, ...]) -> int:
    """Bytes that arrived and belong to no complete event."""
    return found.size - (event_ends[-1] if event_ends else 0)
