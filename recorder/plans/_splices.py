"""Splices: what an edit does to a body, and what that does to recorded boundaries and times.

Rule: every original byte keeps the chunk it arrived in, and so its time. Inserted bytes go with the byte before them
(at the very beginning, with the byte after): a boundary exactly there moves behind the insertion. A chunk of which
nothing is left is gone, and what came after it still comes when it did.

    chunks 0.5 s "ab" | 0.25 s "cd"    and "X" inserted at 2    0.5 s "abX" | 0.25 s "cd"
    chunks 0.5 s "ab" | 0.25 s "cd"    and 0 to 2 deleted       0.75 s "cd"
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from recorder.cassette import Chunk


class Splice(NamedTuple):
    """`new` stands in the place of `body[start:end]`; an insertion has `start == end`."""

    start: int
    end: int
    new: bytes


Splices = Sequence[Splice]  # in order, none overlapping another


def spliced(body: bytes, splices: Splices) -> bytes:
    """`body` with `splices` done."""
    parts: list[bytes] = []
    at = 0
    for start, end, new in splices:
        parts += (body[at:start], new)
        at = end
    return b"".join([*parts, body[at:]]) if parts else body


class Timeline(NamedTuple):
    """The chunks a body arrived in.

    Attributes:
        bounds: the offset at which each ends, strictly increasing.
        delays: how many seconds after the chunk before (the first: after the head) each came.
    """

    bounds: tuple[int, ...]
    delays: tuple[float, ...]

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Timeline:
        """The timeline of recorded chunks."""
        chunks = tuple(chunks)
        return cls(tuple(accumulate([chunk.size for chunk in chunks])), tuple([chunk.delay_s for chunk in chunks]))

    def spliced(self, splices: Splices, size: int) -> Timeline:
        """The timeline of the body with `splices` done, which has `size` bytes."""
        moved = _moved(self.bounds, splices)
        if moved:
            moved[-1] = size
        bounds: list[int] = []
        delays: list[float] = []
        last, passed = 0, 0.0
        for bound, delay in zip(moved, self.delays, strict=True):
            passed += delay
            if bound > last:
                bounds.append(bound)
                delays.append(passed)
                last, passed = bound, 0.0
        if not bounds and size:
            return Timeline((size,), (0.0,))  # nothing was recorded before these bytes, or nothing of it is left
        return Timeline(tuple(bounds), tuple(delays))


def _moved(bounds: Iterable[int], splices: Splices) -> list[int]:
    """Where each bound is after the splices; not decreasing."""
    moved = []
    shift = number = 0
    for bound in bounds:
        while number < len(splices) and _lies_before(splices[number], bound):
            start, end, new = splices[number]
            shift += len(new) - (end - start)
            number += 1
        inside = number < len(splices) and splices[number].start < bound
        if inside:
            start, _, new = splices[number]
            moved.append(start + shift + min(bound - start, len(new)))
        else:
            moved.append(bound + shift)
    return moved


def _lies_before(splice: Splice, bound: int) -> bool:
    """Whether the whole of `splice` comes before `bound`, an insertion at the bound included."""
    return splice.end <= bound
