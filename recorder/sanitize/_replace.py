"""From hits to edits: which of them count, what stands in for each, and how it is written where it was.

Rule: of hits that share characters the sure ones count, then the longest; what is left of another is found in the next
round. A stand-in is written whole at the first place a value is spread over; the other places become empty, or a hyphen
where emptiness would swallow an event. In what is shaped there are no stand-ins: they would have a length of their own.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from recorder.cassette import Chunk
from recorder.sanitize._document import Document, Place
from recorder.sanitize._edits import Edit, rewritten
from recorder.sanitize._pieces import Kind
from recorder.sanitize._search import Hit, Searcher
from recorder.sanitize._shape_known import apart, fillings
from recorder.sanitize._stand_ins import StandIns

_ROUNDS = 8
_FILLER = "-"
_BYTE = "42"  # an asterisk


class Cover(Enum):
    """How much of a stretch is claimed by hits that count."""

    NONE = 0
    PART = 1
    ALL = 2


class Replacer:
    """Replaces what a searcher finds; counts what each rule did.

    Args:
        searcher: finds it.
        stand_ins: gives the names.
        counts: receives the numbers of replacements by rule.
    """

    def __init__(self, searcher: Searcher, stand_ins: StandIns, counts: Counter[str]) -> None:
        self._searcher, self._stand_ins, self._counts = searcher, stand_ins, counts
        self._clean: set[tuple[str, bool]] = set()

    def body(
        self, base: str, chunks: tuple[Chunk, ...] | None, *, shaped: bool = False
    ) -> tuple[str, tuple[Chunk, ...] | None]:
        """A body without what must not be stored, and its chunks.

        Args:
            base: the body.
            chunks: sizes in bytes of UTF-8.
            shaped: its texts are shapes, and stay so.
        """
        for _ in range(_ROUNDS):
            document = Document(base)
            hits = self._searcher.hits(document)
            if shaped:
                inside, hits = apart(document, hits)
                if inside:
                    base = self._filled(base, inside)
                    continue
            edits, rest = self._edits(hits)
            base, chunks = rewritten(base, edits, chunks)
            if not rest:
                break
        return base, chunks

    def to_shape(self, base: str) -> Document:
        """A body to be shaped, without the known values in what will be; not a byte longer or shorter."""
        document = Document(base)
        inside, _ = apart(document, self._searcher.known(document))
        if inside:
            base = self._filled(base, inside)
        elif not document.is_lenient:
            return document
        return Document(base, by_line=False)

    def _filled(self, base: str, hits: Sequence[Hit]) -> str:
        for hit in _without_overlaps(hits)[0]:
            self._counts[hit.rule] += 1
        return rewritten(base, fillings(base, hits), None)[0]

    def line(self, text: str, *, path: bool = False) -> str:
        """A header's value, or the path and query of a URI, in the same way."""
        if (text, path) in self._clean:
            return text
        for _ in range(_ROUNDS):
            edits, rest = self._edits(self._searcher.hits_in_line(text, path=path))
            text, _ = rewritten(text, edits, None)
            if not rest:
                break
        self._clean.add((text, path))
        return text

    def host(self, text: str) -> str:
        """A text in which only known values are replaced."""
        edits, _ = self._edits(self._searcher.known_in_line(text))
        return rewritten(text, edits, None)[0]

    def value(self, rule: str, kind: str, value: str) -> str:
        """The stand-in for a whole value."""
        self._counts[rule] += 1
        return self._stand_ins.of(kind, value)

    def _edits(self, hits: Iterable[Hit]) -> tuple[list[Edit], bool]:
        """The edits, and whether there may be more to find when they are made."""
        chosen, rest = _without_overlaps(hits)
        edits: list[Edit] = []
        for hit in sorted(chosen, key=lambda each: each.place[0].start):
            self._counts[hit.rule] += 1
            edits += _written(hit, self._stand_ins.of(hit.kind, hit.value))
        return edits, rest


def _written(hit: Hit, stand_in: str) -> Iterator[Edit]:
    first, *others = hit.place
    if hit.is_number:
        stand_in = str(int(stand_in.rpartition("-")[2]))
    elif first.kind is Kind.NUMBER:  # a text that is given as a list of bytes
        yield from (Edit(spot.start, spot.end, _BYTE) for spot in hit.place)
        return
    yield Edit(first.start, first.end, stand_in)
    for spot in others:
        yield Edit(spot.start, spot.end, _FILLER if spot.whole and spot.kind is Kind.LINE else "")


def _without_overlaps(hits: Iterable[Hit]) -> tuple[list[Hit], bool]:
    """Hits that share nothing, and whether something of another one is left."""
    claimed: list[tuple[int, int]] = []
    chosen: list[Hit] = []
    rest = False
    # a number before a text; stable: then as they were found
    for hit in sorted(hits, key=lambda each: (each.is_guess, -_length(each.place), not each.is_number)):
        covers = [_cover(claimed, spot.start, spot.end) for spot in hit.place]
        if all(cover is Cover.NONE for cover in covers):
            chosen.append(hit)
            for spot in hit.place:
                insort(claimed, (spot.start, spot.end))
        elif not all(cover is Cover.ALL for cover in covers):
            rest = True
    return chosen, rest


def _length(place: Place) -> int:
    return sum(spot.end - spot.start for spot in place)


def _cover(claimed: list[tuple[int, int]], start: int, end: int) -> Cover:
    number = bisect_left(claimed, (start + 1, 0)) - 1
    if number >= 0 and claimed[number][1] > start:
        return Cover.ALL if claimed[number][1] >= end else Cover.PART
    return Cover.PART if number + 1 < len(claimed) and claimed[number + 1][0] < end else Cover.NONE
