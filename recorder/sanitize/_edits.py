"""Replacing stretches of a body, and moving the chunk boundaries along.

Rule: a boundary outside of what is replaced keeps its distance to the text around it; one inside stays as far inside
the replacement, or at its end. A chunk that would become empty lends its time to the next one; no other is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from recorder.cassette import Chunk


class Edit(NamedTuple):
    """What takes the place of the characters from `start` to `end`; ASCII."""

    start: int
    end: int
    text: str


def as_text(body: bytes) -> str:
    """The body as characters, without loss."""
    return body.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """The way back."""
    return text.encode("utf-8", "surrogateescape")


def rewritten(
    base: str, edits: Iterable[Edit | tuple[int, int, str]], chunks: tuple[Chunk, ...] | None
) -> tuple[str, tuple[Chunk, ...] | None]:
    """The text with the edits made, and its chunks.

    Args:
        base: the text.
        edits: none overlaps another; any order. Many are cheaper as plain tuples.
        chunks: sizes in bytes of UTF-8.
    """
    ordered = sorted(edits)
    parts: list[str] = []
    hits: list[tuple[int, int, int]] = []
    position = at = 0
    ascii_only = base.isascii()
    for start, end, text in ordered:
        parts += (base[position:start], text)
        if chunks is not None:
            at += start - position if ascii_only else len(as_bytes(base[position:start]))
            width = end - start if ascii_only else len(as_bytes(base[start:end]))
            hits.append((at, at + width, len(text)))
            at += width
        position = end
    parts.append(base[position:])
    if chunks is None or not hits:
        return "".join(parts), chunks
    return "".join(parts), _rebuilt(chunks, _moved(accumulate([chunk.size for chunk in chunks]), hits))


def _moved(ends: Iterable[int], hits: Sequence[tuple[int, int, int]]) -> list[int]:
    moved, shift, index = [], 0, 0
    for end in ends:
        while index < len(hits) and hits[index][1] <= end:
            start, stop, width = hits[index]
            shift += width - (stop - start)
            index += 1
        if index < len(hits) and hits[index][0] < end:
            start, _, width = hits[index]
            moved.append(start + shift + min(end - start, width))
        else:
            moved.append(end + shift)
    return moved


def _rebuilt(chunks: Sequence[Chunk], ends: Sequence[int]) -> tuple[Chunk, ...]:
    built: list[Chunk] = []
    start, waited = 0, 0.0
    for chunk, end in zip(chunks, ends, strict=True):
        waited += chunk.delay_s
        if end > start:
            built.append(Chunk(waited, end - start))
            start, waited = end, 0.0
    return tuple(built)
