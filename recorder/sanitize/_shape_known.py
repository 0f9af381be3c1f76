"""What must not be stored and stands in what is shaped: its bytes become all the same, so that no shape of it is left.

Rule: as many bytes as before, hence every cut and chunk stays where it was; of how it was written nothing else can be
seen. A value that is the shape of other texts too, such as `xxxx`, says nothing where everything is shape.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from recorder.sanitize._document import Document
from recorder.sanitize._edits import Edit, as_bytes
from recorder.sanitize._pieces import Kind
from recorder.sanitize._search import Hit
from recorder.sanitize._shape import shaped_spans
from recorder.sanitize._shape_classes import is_shape

_RUN = re.compile(rb"x+|1+|,+(?:\0{1,3},+)*")  # letters, a JSON number, the numbers of a list of bytes
_DIGITS = re.compile(r"[0-9]+")
_BYTES = {1: "9", 2: "88", 3: "120"}  # a tab, X and x


def apart(document: Document, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Those of the hits that touch what is shaped, without those that say nothing there; and all others.

    Args:
        document: the body.
        hits: what was found in it.
    """
    if not hits:
        return [], []
    spans = shaped_spans(document)
    inside = [any(_touches(spans, spot.start, spot.end) for spot in hit.place) for hit in hits]
    says = [hit for hit, is_in in zip(hits, inside, strict=True) if is_in and not is_shape(hit.value)]
    return says, [hit for hit, is_in in zip(hits, inside, strict=True) if not is_in]


def fillings(base: str, hits: Sequence[Hit]) -> Iterator[Edit]:
    """What takes the place of the hits, all of them, whether they share characters or not."""
    paint = bytearray(len(base))
    for hit in sorted(hits, key=lambda each: each.is_number):
        for spot in hit.place:
            colour = b"1" if hit.is_number else b"," if spot.kind is Kind.NUMBER else b"x"
            paint[spot.start : spot.end] = colour * (spot.end - spot.start)
    for run in _RUN.finditer(paint):
        start, end = run.span()
        if run.group()[:1] == b",":
            yield Edit(start, end, _list(base[start:end]))
        else:
            yield Edit(start, end, run.group()[:1].decode() * len(as_bytes(base[start:end])))


def _touches(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a stretch shares something with one of these, which share nothing with each other."""
    number = bisect_left(spans, (end, 0))
    return number > 0 and spans[number - 1][1] > start


def _list(text: str) -> str:
    """A list of bytes with as many digits, the longest numbers first: their order would tell letters from digits."""
    widths = iter(sorted(map(len, _DIGITS.findall(text)), reverse=True))
    return _DIGITS.sub(lambda _: _BYTES.get(width := next(widths), "1" * width), text)
