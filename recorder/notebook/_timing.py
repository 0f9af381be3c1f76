"""The timing of recordings: the time to the first event, the gaps, the events a second.

Rule: numbers first, as a value; a plot is one of three drawings of them. A drawing asks no other host for anything.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from recorder.markup import card, table
from recorder.notebook._compare import event_ms
from recorder.notebook._run import make_run
from recorder.notebook._source import Source, Stream, event_streams
from recorder.plans import Plan

BACKENDS = ("matplotlib", "altair", "svg")


@dataclass(frozen=True, slots=True)
class Timing:
    """The timing of one recorded stream, from its head on, in ms.

    Attributes:
        name: the cassette's, with the number of the stream where there are several.
        event_ms: when each event was complete.
        gaps_ms: between one chunk and the next.
        end_ms: when the body ended.
    """

    name: str
    event_ms: tuple[float, ...] = field(repr=False)
    gaps_ms: tuple[float, ...] = field(repr=False)
    end_ms: float

    @property
    def first_event_ms(self) -> float | None:
        """The time to the first event, None where there is none."""
        return self.event_ms[0] if self.event_ms else None

    @property
    def events_per_s(self) -> float | None:
        """Events a second, from the first to the last; None where that is no time."""
        if len(self.event_ms) < 2 or self.event_ms[-1] <= self.event_ms[0]:
            return None
        return (len(self.event_ms) - 1) / (self.event_ms[-1] - self.event_ms[0]) * 1000

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """In words: name, first event, median gap, longest gap, events a second."""
        rate, gaps = self.events_per_s, self.gaps_ms
        return (
            self.name,
            "none" if self.first_event_ms is None else f"{self.first_event_ms:,.0f}",
            f"{median(gaps):,.0f}" if gaps else "none",
            f"{max(gaps):,.0f}" if gaps else "none",
            "unknown" if rate is None else f"{rate:,.1f}",
        )


HEAD = ("stream", "first event, ms", "median gap, ms", "longest gap, ms", "events a second")


@dataclass(frozen=True, slots=True, repr=False)
class TimingPlot:
    """A plot of timings.

    Attributes:
        timings: the numbers.
        backend: what drew it.
        figure: the matplotlib figure or the altair chart, to go on with; None for SVG.
        image: finished HTML.
        bundle: what else a notebook may show instead.
    """

    timings: tuple[Timing, ...]
    backend: str
    figure: Any
    image: str
    bundle: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = [HEAD, *(timing.row for timing in self.timings)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        words = card("Timing", (), self.image, table(HEAD, [timing.row for timing in self.timings]))
        return {"text/plain": repr(self), "text/html": words} | self.bundle


def plot_timing(*sources: Source, backend: str | None = None) -> TimingPlot:
    """Plot when the events of recordings came, and the gaps between their chunks.

    Args:
        sources: interactions, cassettes, paths or names of shipped cassettes, with recorded times; every event stream.
        backend: "matplotlib", "altair" or "svg"; the first that is installed unless given.

    Raises:
        ValueError: no source, an unknown backend, or a stream whose times were not recorded.
        ImportError: the backend is not installed.
    """
    if not sources:
        raise ValueError("plot_timing() needs at least one source, such as the path of a cassette")
    chosen = backend or next(name for name in BACKENDS if name == "svg" or importlib.util.find_spec(name))
    if chosen not in BACKENDS:
        raise ValueError(f"backend={backend!r} is unknown: use {', '.join(BACKENDS)}")
    timings = tuple(timing_of(stream) for source in sources for stream in event_streams(source))
    from recorder.notebook import _plots

    figure, image, bundle = getattr(_plots, chosen)(timings)
    return TimingPlot(timings, chosen, figure, image, bundle)


def timing_of(stream: Stream) -> Timing:
    """The timing of one stream.

    Raises:
        ValueError: its times were not recorded.
    """
    if not stream.interaction.response.chunks:
        raise ValueError(f"{stream.name}: no chunk times were recorded for this stream, so there is nothing to plot")
    run = make_run(stream, Plan(chunks="recorded", delay="recorded"))
    name = stream.name if stream.number == 1 else f"{stream.name} {stream.number}"
    gaps = tuple(later - earlier for earlier, later in pairwise(run.delivery.chunk_ms))
    return Timing(name, tuple(event_ms(run)), gaps, run.delivery.end_ms)
