"""A cassette for people and for machines.

Rule: a cassette is untrusted input and a stream is somebody else's text: everything shown is escaped first. This is
one of the places that may show the content of a sanitized cassette; it does so only when asked for events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from recorder.cassette import Cassette, Interaction, Response
from recorder.contracts import detect
from recorder.plans import event_ends
from recorder.sse import Event, EventStreamParser

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 60


def safe(text: str) -> str:
    """Text in which nothing steers a terminal or its reading order."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def events_of(response: Response) -> list[Event]:
    """The dispatched events of a body."""
    return EventStreamParser(max_line=None, max_event=None).feed(response.body)


def dialect_of(response: Response) -> str | None:
    """The name of the contract that fits, None when none is recognised."""
    return detect(response.headers, response.body[:65536])


def describe(cassette: Cassette) -> list[dict[str, Any]]:
    """The facts of each interaction as plain values: shapes, counts and times, no content."""
    return [_facts(each) for each in cassette.interactions]


def _facts(interaction: Interaction) -> dict[str, Any]:
    request, response = interaction.request, interaction.response
    recording = response.recording
    return {
        "method": request.method,
        "uri": request.uri,
        "request_bytes": None if request.body is None else len(request.body),
        "status": response.status,
        "content_type": response.headers.first("content-type"),
        "bytes": len(response.body),
        "events": len(events_of(response)),
        "dialect": dialect_of(response),
        "chunks": None if response.chunks is None else len(response.chunks),
        "seconds": None if response.chunks is None else round(sum(chunk.delay_s for chunk in response.chunks), 3),
        "end": None if response.end is None else str(response.end.kind),
        "recorded": recording.recorded if recording else None,
        "outcome": dict(recording.outcome) if recording else {},
    }


def show(cassette: Cassette, *, events: bool = False) -> RenderableType:
    """The cassette as something rich can print.

    Args:
        events: with a table of the events and their data.
    """
    parts: list[RenderableType] = []
    for number, interaction in enumerate(cassette.interactions, 1):
        parts += _interaction(number, interaction, events)
    return Group(*parts) if parts else Text("an empty cassette: no interactions")


def show_json(cassette: Cassette) -> str:
    """`describe` as JSON text."""
    return json.dumps(describe(cassette), indent=2, ensure_ascii=False)


def _interaction(number: int, interaction: Interaction, events: bool) -> Iterator[RenderableType]:
    facts, response = _facts(interaction), interaction.response
    yield Text(f"{number}  {safe(facts['method'])} {safe(facts['uri'])}", style="bold")
    yield Text(f"   {response.status} {safe(response.reason)}  {safe(facts['content_type'])}  {facts['bytes']} bytes")
    known = f"{facts['chunks']} chunks in {facts['seconds']} s" if response.chunks is not None else "chunks unknown"
    yield Text(f"   {facts['events']} events  {known}  dialect {facts['dialect'] or '?'}  end {facts['end'] or '?'}")
    if facts["outcome"]:
        yield Text("   " + safe("  ".join(f"{name} {value}" for name, value in facts["outcome"].items())))
    if response.chunks:
        yield Text(f"   {timeline(response)}", style="cyan")
    if events:
        yield _event_table(response)


def timeline(response: Response, width: int = WIDTH) -> str:
    """Bytes that arrived over time, as bars: the first column is the head, the last the last chunk."""
    arrivals = list(accumulate(chunk.delay_s for chunk in response.chunks or ()))
    total = arrivals[-1] or 1.0
    columns = [0] * width
    for at_s, chunk in zip(arrivals, response.chunks or (), strict=True):
        columns[min(width - 1, int(at_s / total * (width - 1)))] += chunk.size
    top = max(columns)
    return "".join(" " if not size else BARS[min(7, size * 8 // (top + 1))] for size in columns) + f" {total:.2f} s"


def _event_table(response: Response) -> Table:
    table = Table("#", "type", "at byte", "data", box=None, pad_edge=False)
    starts = (0, *event_ends(response.body))
    for number, (event, start) in enumerate(zip(events_of(response), starts, strict=False), 1):
        table.add_row(str(number), escape(safe(event.type)), str(start), escape(safe(event.data)), style=None)
    return table
