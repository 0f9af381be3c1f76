"""A report as plain text, and the tables that every form of it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from recorder.plans import Boundary
from recorder.sweeps._report import PROVES, Report, summary
from recorder.sweeps._result import FAILING, Result

STORIES = 6  # told at length; more are one line each
ROW_HEAD = ("stream", "kind", "right", "not right", "")
CLASS_HEAD = ("boundary class", "cut there", "stopped there", "not right")
Cells = tuple[str, ...]


def text(report: Report) -> str:
    """The tables, the smallest failures, and what a pass proves."""
    return "\n".join(_lines(report))


def row_cells(report: Report) -> list[Cells]:
    """For each kind on each stream: both names, how many were right, what was not, and what was left out."""
    return [(row.stream, row.kind, _share(row.counts), words(row.counts), row.note) for row in report.rows]


def class_cells(report: Report) -> list[Cells]:
    """For each boundary class: how many cuts and how many stops there were right, and what was not."""
    return [
        (
            str(boundary),
            _share(report.cut.get(boundary, Counter())),
            _share(report.stopped.get(boundary, Counter())),
            words(report.cut.get(boundary, Counter()) + report.stopped.get(boundary, Counter())),
        )
        for boundary in Boundary
        if boundary in report.cut or boundary in report.stopped
    ]


def words(counts: Counter[Result]) -> str:
    """What was not right: `2 raised, 1 hung`; "" when nothing was."""
    return ", ".join(f"{counts[result]} {result}" for result in FAILING if counts[result])


def stories(report: Report) -> tuple[list[str], list[str]]:
    """The smallest failures: some told at length, the others in one line each."""
    told, rest = report.smallest[:STORIES], report.smallest[STORIES:]
    return [each.explain() for each in told], [each.line_of() for each in rest]


def absent(report: Report) -> str:
    """Which classes were not tried, because no stream has them."""
    return f"not in {'this stream' if len(report.streams) == 1 else 'these streams'}: {', '.join(report.absent)}"


def _share(counts: Counter[Result]) -> str:
    return f"{counts[Result.RIGHT]}/{counts.total()}" if counts.total() else ""


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.kind}: {summary(report)}" + (" (broken off)" if report.interrupted else "")
    yield from _table(row_cells(report))
    classes = class_cells(report)
    if classes:
        yield "by boundary class:"
        yield from _table([CLASS_HEAD, *classes])
        if report.absent:
            yield f"  {absent(report)}"
    yield from (f"note: {note}" for note in report.notes)
    told, rest = stories(report)
    for each in told:
        yield ""
        yield each
    yield from ["", *rest] if rest else []
    yield from [] if report.failures else [PROVES]


def _table(rows: Sequence[Cells]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
