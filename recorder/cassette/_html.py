"""Cassettes and interactions for notebooks: shapes, times and the way they ended.

Rule: facts, no content. A cassette is untrusted, so what it says (a path, an event's type) is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from recorder.errors import StreamFault
from recorder.markup import card, details, picture, table
from recorder.sse import Event, EventStreamParser

if TYPE_CHECKING:
    from recorder.cassette._model import Cassette, Interaction, Response

WIDTH, HEIGHT = 600, 40
MOST_ROWS = 50
_HEAD = ("#", "request", "status", "content type", "bytes", "end")


def cassette_html(cassette: Cassette) -> str:
    """A table of the interactions."""
    shown = cassette.interactions[:MOST_ROWS]
    rows = [(number, *_row(each)) for number, each in enumerate(shown, 1)]
    return card(f"Cassette, {_count(len(cassette.interactions), 'interaction')}", (), table(_HEAD, rows))


def interaction_html(interaction: Interaction) -> str:
    """What was asked and answered, the arrivals as a picture, and the events by size."""
    request, response = interaction.request, interaction.response
    facts: list[tuple[str, object]] = [
        ("request body", None if request.body is None else _count(len(request.body), "byte")),
        ("status", response.status),
        ("content type", response.headers.first("content-type") or None),
        ("response body", _count(len(response.body), "byte")),
        ("chunks", _chunks(response)),
        ("end", None if response.end is None else response.end.kind),
    ]
    if response.recording is not None and response.recording.outcome:
        facts.append(("outcome", ", ".join(map(str, response.recording.outcome.values()))))
    more = [_arrivals(response)] if response.chunks else []
    events = _events(response)
    if events:
        rows = ((number, event.type[:80], len(event.data)) for number, event in enumerate(events[:MOST_ROWS], 1))
        more.append(details(_count(len(events), "event"), table(("event", "type", "characters of data"), rows)))
    return card(_asked(interaction), facts, *more)


def _asked(interaction: Interaction) -> str:
    words = repr(interaction.request).split()  # <Request METHOD URI-without-query SIZE>
    return f"{words[1]} {words[2]}"


def _row(interaction: Interaction) -> Iterator[object]:
    response = interaction.response
    yield from (_asked(interaction), response.status, response.headers.first("content-type"), len(response.body))
    yield "" if response.end is None else response.end.kind


def _chunks(response: Response) -> str | None:
    if response.chunks is None:
        return None
    seconds = sum(chunk.delay_s for chunk in response.chunks)
    return f"{_count(len(response.chunks), 'chunk')} in {seconds:.3f} s"


def _events(response: Response) -> list[Event]:
    if not response.headers.first("content-type").lower().startswith("text/event-stream"):
        return []
    try:
        return EventStreamParser().feed(response.body)
    except StreamFault as fault:
        return list(fault.events)


def _arrivals(response: Response) -> str:
    """Bytes over time, folded by pixel column."""
    chunks = response.chunks or ()
    moments = list(accumulate(chunk.delay_s for chunk in chunks))
    total = moments[-1] or 1.0
    columns = [0] * WIDTH
    for at_s, chunk in zip(moments, chunks, strict=True):
        columns[int(at_s / total * (WIDTH - 2))] += chunk.size
    most = max(columns)
    bars = "".join(
        f"M{x} {HEIGHT}v{-max(2, HEIGHT * size // most)}h2V{HEIGHT}Z" for x, size in enumerate(columns) if size
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"><path d="{bars}" fill="#2f7fbf"/>'
        f'<path d="M0 {HEIGHT - 0.5}H{WIDTH}" stroke="#8c959f"/></svg>'
    )
    return picture(svg, f"Arrivals over {total:.3f} s: {_count(len(chunks), 'chunk')}", WIDTH, HEIGHT)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
