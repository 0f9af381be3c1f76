"""A run without a widget: one sentence, one picture, and the first events, for where no kernel is.

Rule: drawn from the same numbers as the widget, folded by pixel column, so that a megabyte is not larger than a line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from recorder.markup import BAD, GOOD, PLAIN, card, details, paragraph, picture, table

if TYPE_CHECKING:
    from recorder.notebook._run import Run

WIDTH, NAMES, LANE, GAP = 720, 56, 18, 6
CHUNK, CHUNK_2, EVENT, EVENT_2, ABSENT = "#2f7fbf", "#6aa9dc", "#2b8a57", "#69b98f", "#8c959f"
FIRST_EVENTS = 8


def run_html(run: Run) -> str:
    """`run` as HTML; the data of its events is not in it."""
    verdict = run.verdict
    more = [paragraph(verdict.explain())] if verdict is not None and not verdict.ok else []
    more.append(details("The first events", table(("event", "type", "from byte", "characters of data"), _rows(run))))
    colour = PLAIN if verdict is None else GOOD if verdict.ok else BAD
    facts = [("plan", str(run.plan) or "as recorded, without delay"), ("outcome", run.outcome)]
    if run.reader is not None:
        same = "as for the whole body" if run.reader.same else "not what it makes of the whole body"
        facts.append((f"reader {run.reader.name}", f"{run.reader.said}, {same}"))
    return card(f"{run.stream.name} under a plan", facts, lanes(run), *more, colour=colour)


def _rows(run: Run) -> Iterator[tuple[int, str, int, int]]:
    starts = (0, *run.event_ends)[:FIRST_EVENTS]
    for number, (event, start) in enumerate(zip(run.events, starts, strict=False), 1):
        yield number, event.type, start, len(event.data)


def lanes(run: Run) -> str:
    """Chunks above events, on one axis of bytes, as an image."""
    size = max(1, len(run.delivery.body))
    parts = [_lane(run.delivery.chunk_ends, size, 0, (CHUNK, CHUNK_2))]
    parts.append(_lane(run.event_ends, size, LANE + GAP, (EVENT, EVENT_2)))
    arrived = run.delivery.size / size * WIDTH
    if run.delivery.size < size:
        parts.append(f'<rect x="{arrived:.1f}" y="0" width="{WIDTH - arrived:.1f}" height="3" fill="{ABSENT}"/>')
    for name, base in (("chunks", LANE - 5), ("events", 2 * LANE + GAP - 5)):
        parts.append(f'<text x="{WIDTH + 6}" y="{base}" font-size="12" fill="{ABSENT}">{name}</text>')
    height, width = 2 * LANE + GAP, WIDTH + NAMES
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{"".join(parts)}</svg>'
    alt = f"Chunks above events on an axis of bytes. {run.outcome}"
    return picture(svg, alt, width, height)


def _lane(ends: Sequence[int], size: int, top: int, colours: tuple[str, str]) -> str:
    """Pieces as bars in two colours by turns; where they are narrower than 2 px, columns as high as they are many."""
    if len(ends) * 2 > WIDTH:
        return _columns(ends, size, top, colours[0])
    paths, start = ["", ""], 0.0
    for number, end in enumerate(ends):
        stop = end / size * WIDTH
        paths[number % 2] += f"M{start:.1f} {top}H{stop:.1f}V{top + LANE}H{start:.1f}Z"
        start = stop
    return "".join(f'<path d="{path}" fill="{fill}"/>' for path, fill in zip(paths, colours, strict=True) if path)


def _columns(ends: Sequence[int], size: int, top: int, colour: str) -> str:
    edges = [size * column // WIDTH for column in range(WIDTH + 1)]
    counts = [bisect_right(ends, high) - bisect_left(ends, low + 1) for low, high in pairwise(edges)]
    most = max(counts) or 1
    path = "".join(
        f"M{x} {top + LANE}v{-max(1, LANE * count // most)}h1V{top + LANE}Z" for x, count in enumerate(counts) if count
    )
    return f'<path d="{path}" fill="{colour}"/>'
