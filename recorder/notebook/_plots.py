"""Three drawings of timings: each gives its figure, finished HTML, and what else a notebook may show.

Rule: the library is imported in the function that draws with it. Above: events over time. Below: the gaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recorder.markup import escaped, picture

if TYPE_CHECKING:
    from recorder.notebook._timing import Timing

Drawn = tuple[Any, str, dict[str, Any]]
COLOURS = ("#2f7fbf", "#c4432b", "#2b8a57", "#9a6a00", "#8250df", "#6e7781")  # read on white and on #111
_INK = "#7d8590"
WIDTH, HEIGHT = 640, 300


def matplotlib(timings: tuple[Timing, ...]) -> Drawn:
    """As a matplotlib figure, without pyplot and its state."""
    from io import StringIO

    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    above, below = figure.subplots(2, 1)
    for number, timing in enumerate(timings):
        colour = COLOURS[number % len(COLOURS)]
        counts = range(1, len(timing.event_ms) + 1)
        above.step(timing.event_ms, counts, where="post", color=colour, label=timing.name.replace("$", r"\$"))
        below.hist(timing.gaps_ms, bins=20, histtype="step", color=colour)
    above.legend(fontsize="small")
    for axes, across, up in ((above, "ms", "events"), (below, "gap, ms", "gaps")):
        axes.set_xlabel(across)
        axes.set_ylabel(up)
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return figure, picture(text.getvalue(), _alt(timings), WIDTH, 360), {}


def altair(timings: tuple[Timing, ...]) -> Drawn:
    """As an altair chart. A notebook that knows Vega-Lite draws it; where not, our SVG stands for it."""
    import altair as alt

    rows = [
        {"stream": timing.name, "ms": moment, "events": number}
        for timing in timings
        for number, moment in enumerate(timing.event_ms, 1)
    ]
    gaps = [{"stream": timing.name, "gap": gap} for timing in timings for gap in timing.gaps_ms]
    above = (
        alt.Chart({"values": rows}).mark_line(interpolate="step-after").encode(x="ms:Q", y="events:Q", color="stream:N")
    )
    below = (
        alt.Chart({"values": gaps})
        .mark_bar()
        .encode(x=alt.X("gap:Q", bin=True, title="gap, ms"), y="count()", color="stream:N")
    )
    chart = alt.vconcat(above, below)
    specification = chart.to_dict()
    major = specification["$schema"].rpartition("/v")[2].partition(".")[0]
    _, image, _ = svg(timings)
    return chart, image, {f"application/vnd.vegalite.v{major}+json": specification}


def svg(timings: tuple[Timing, ...]) -> Drawn:
    """As a picture of our own."""
    parts = [_events(timings, 40, 20, WIDTH - 60, 130), _gaps(timings, 40, 190, WIDTH - 60, 80)]
    parts += [
        f'<text x="{60 + number * 140}" y="12" font-size="11" fill="{COLOURS[number % len(COLOURS)]}">'
        f"{escaped(timing.name[:20])}</text>"
        for number, timing in enumerate(timings[:4])
    ]
    document = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'
    return None, picture(document, _alt(timings), WIDTH, HEIGHT), {}


def _alt(timings: tuple[Timing, ...]) -> str:
    rows = [timing.row for timing in timings]
    said = (f"{name}: first event after {first} ms, {rate} events a second" for name, first, _, _, rate in rows)
    return "Events over time, and the gaps between chunks. " + "; ".join(said)


def _events(timings: tuple[Timing, ...], left: int, top: int, width: int, height: int) -> str:
    """Steps: how many events are complete at each moment."""
    total = max((timing.end_ms for timing in timings), default=0.0) or 1.0
    most = max((len(timing.event_ms) for timing in timings), default=0) or 1
    parts = [_axes(left, top, width, height, f"{total:,.0f} ms", f"{most} events")]
    for number, timing in enumerate(timings):
        path = f"M{left} {top + height}"
        for count, moment in enumerate(timing.event_ms, 1):
            path += f"H{left + moment / total * width:.1f}V{top + height - count / most * height:.1f}"
        parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="1.5"/>')
    return "".join(parts)


def _gaps(timings: tuple[Timing, ...], left: int, top: int, width: int, height: int) -> str:
    """Bars: how many gaps are how long, in 20 classes."""
    longest = max((gap for timing in timings for gap in timing.gaps_ms), default=0.0) or 1.0
    counts = [[0] * 20 for _ in timings]
    for classes, timing in zip(counts, timings, strict=True):
        for gap in timing.gaps_ms:
            classes[min(19, int(gap / longest * 20))] += 1
    most = max((max(classes) for classes in counts), default=0) or 1
    parts = [_axes(left, top, width, height, f"gap {longest:,.0f} ms", f"{most} gaps")]
    wide = width / 20
    bar, base = wide / max(1, len(timings)), top + height
    for number, classes in enumerate(counts):
        path = "".join(
            f"M{left + place * wide + number * bar:.1f} {base}v{-count / most * height:.1f}h{bar * 0.9:.1f}V{base}Z"
            for place, count in enumerate(classes)
            if count
        )
        parts.append(f'<path d="{path}" fill="{COLOURS[number % len(COLOURS)]}"/>')
    return "".join(parts)


def _axes(left: int, top: int, width: int, height: int, across: str, up: str) -> str:
    right, base, style = left + width, top + height, f'font-size="11" fill="{_INK}"'
    return (
        f'<path d="M{left} {top}V{base}H{right}" fill="none" stroke="{_INK}"/>'
        f'<text x="{right}" y="{base + 13}" text-anchor="end" {style}>{across}</text>'
        f'<text x="{left + 4}" y="{top + 9}" {style}>{up}</text>'
    )
