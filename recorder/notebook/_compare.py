"""Two deliveries on one axis of time: when bytes arrive, when events are complete, and what comes of it.

Rule: a static value, drawn from two runs; the words beside the picture say everything it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.markup import card, paragraph, picture, table
from recorder.notebook._html import ABSENT, CHUNK, EVENT, LANE, WIDTH
from recorder.notebook._run import Run, make_run
from recorder.notebook._source import Source, Stream, event_streams
from recorder.plans import Plan

Side = Source | Plan | Run
TIMEOUT_S = 30.0
_LEGEND = "above the line: chunks, as high as they are large; below it: events, when they are complete"
_HEIGHT = 2 * (2 * LANE + 14) + 16


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Two runs side by side.

    Attributes:
        a, b: the runs.
    """

    a: Run
    b: Run

    @property
    def same(self) -> bool:
        """Whether both have the same verdict: the code, the text and everything else that is compared."""
        return self.a.verdict == self.b.verdict

    def __repr__(self) -> str:
        return f"a: {_label(self.a)}: {self.a.outcome}\nb: {_label(self.b)}: {self.b.outcome}\n{self._said()}"

    def _said(self) -> str:
        if self.same:
            return "the same verdict"
        a, b = self.a.verdict, self.b.verdict
        if a is not None and b is not None and a.code == b.code:
            return f"{a.code} both times; what else the verdicts say differs"
        return "not the same verdict"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [(name, *_row(run)) for name, run in (("a", self.a), ("b", self.b))]
        head = ("side", "stream", "plan", "first event, ms", "end, ms", "chunks", "events", "outcome")
        words = card("a and b on one axis of time", (), _picture(self), table(head, rows), paragraph(self._said()))
        return {"text/plain": repr(self), "text/html": words}


def compare(
    a: Side, b: Side, source: Source | None = None, *, contract: Contract | None = None, timeout: float = TIMEOUT_S
) -> Comparison:
    """Two cassettes, or two plans for one, side by side.

    Args:
        a, b: each a source (as recorded, at its recorded pace), a plan or its text, or a run of the explorer. A plan
            beside a source is a plan for that source.
        source: what two plans are for.
        contract: the judge; the one the cassette names or the dialect shows unless given.
        timeout: the readers' idle read timeout in seconds.

    Raises:
        ValueError: two plans and no source; a source without an event stream; a plan that does not fit.
    """
    sides = [_side(each) for each in (a, b)]
    streams = [each for each in sides if isinstance(each, Stream)]
    if source is not None:
        streams.append(event_streams(source)[0])
    if not streams and any(isinstance(each, Plan) for each in sides):
        raise ValueError("two plans: pass source=, the stream they are for")
    runs = []
    for side in sides:
        if isinstance(side, Run):
            runs.append(side)
            continue
        stream, plan = (side, _as_recorded(side)) if isinstance(side, Stream) else (streams[0], side)
        runs.append(make_run(stream, plan, contract=contract, timeout=timeout))
    return Comparison(*runs)


def _side(value: Side) -> Stream | Plan | Run:
    if isinstance(value, Run | Plan):
        return value
    if isinstance(value, str) and "=" in value:
        try:
            return Plan.parse(value)
        except PlanError:
            if ".yaml" not in value:
                raise
    return event_streams(value)[0]


def _as_recorded(stream: Stream) -> Plan:
    return Plan(delay="recorded") if stream.interaction.response.chunks else Plan()


def _label(run: Run) -> str:
    return f"{run.stream.name}, {run.plan}" if str(run.plan) else run.stream.name


def event_ms(run: Run) -> list[float]:
    """When each event is complete: when the chunk with its last byte arrives, in ms."""
    times, chunk = [], 0
    for end in run.event_ends:
        while run.delivery.chunk_ends[chunk] < end:
            chunk += 1
        times.append(run.delivery.chunk_ms[chunk])
    return times


def _row(run: Run) -> tuple[object, ...]:
    moments = event_ms(run)
    first = f"{moments[0]:,.0f}" if moments else "none"
    found = run.delivery
    numbers = (first, f"{found.end_ms:,.0f}", len(found.chunk_ends), len(run.events))
    return (run.stream.name, str(run.plan) or "as recorded", *numbers, run.verdict_word.rstrip(","))


def _picture(both: Comparison) -> str:
    total = max(both.a.delivery.end_ms, both.b.delivery.end_ms) or 1.0
    most = max((*_sizes(both.a), *_sizes(both.b)), default=1)
    svg = _lanes("a", both.a, total, most, 0) + _lanes("b", both.b, total, most, 2 * LANE + 14)
    axis = "".join(
        f'<text x="{x}" y="{_HEIGHT - 3}" text-anchor="{anchor}" font-size="11" fill="{ABSENT}">{text}</text>'
        for x, anchor, text in (
            (14, "start", "0 ms"),
            (WIDTH // 2, "middle", _LEGEND),
            (WIDTH, "end", f"{total:,.0f} ms"),
        )
    )
    document = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{_HEIGHT}">{svg}{axis}</svg>'
    alt = f"Arrivals (bars) above complete events (ticks) over {total:,.0f} ms. {both!r}"
    return picture(document, alt, WIDTH, _HEIGHT)


def _sizes(run: Run) -> list[int]:
    ends = run.delivery.chunk_ends
    return [end - start for start, end in zip((0, *ends), ends, strict=False)]


def _lanes(name: str, run: Run, total: float, most: int, top: int) -> str:
    """Bars as high as the chunk is large, ticks for events, and a line to the end of the delivery."""
    bars = _columns(run.delivery.chunk_ms, _sizes(run), total)
    moments = event_ms(run)
    ticks = _columns(moments, [1] * len(moments), total)
    base = top + LANE
    path = "".join(f"M{x} {base}v{-max(2, min(LANE, LANE * size // most))}h2V{base}Z" for x, size in bars.items())
    dots = "".join(f"M{x} {base + 4}h2v{LANE - 4}h-2Z" for x in ticks)
    end = 14 + run.delivery.end_ms / total * (WIDTH - 18)
    return (
        f'<text x="0" y="{base}" font-size="12" fill="{ABSENT}">{name}</text>'
        f'<path d="M14 {base + 1.5}H{end:.1f}" stroke="{ABSENT}"/><path d="{path}" fill="{CHUNK}"/>'
        f'<path d="{dots}" fill="{EVENT}"/>'
    )


def _columns(moments: Sequence[float], sizes: Sequence[int], total: float) -> dict[int, int]:
    """What comes in each pixel column."""
    found: dict[int, int] = {}
    for moment, size in zip(moments, sizes, strict=True):
        column = 14 + int(moment / total * (WIDTH - 18))
        found[column] = found.get(column, 0) + size
    return found
