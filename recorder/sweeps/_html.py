"""A report as HTML: for a notebook, or as a page of its own.

Rule: everything that comes from a stream or a name is escaped; no script, nothing from outside, readable without style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from recorder.sweeps._report import PROVES, Report, summary
from recorder.sweeps._shown import printable_text
from recorder.sweeps._strip import svg
from recorder.sweeps._text import CLASS_HEAD, ROW_HEAD, absent, class_cells, row_cells, stories

_STYLE = (
    ".sse-sweep table{border-collapse:collapse;margin:.5em 0}"
    ".sse-sweep th,.sse-sweep td{text-align:left!important;padding:.1em .8em .1em 0;background:transparent!important}"
    ".sse-sweep pre{white-space:pre-wrap;border-left:3px solid #d55e00;padding:.2em .8em;background:transparent}"
)


def fragment(report: Report) -> str:
    """The report for a notebook cell."""
    return "".join(_parts(report))


def page(report: Report) -> str:
    """The report as a whole page."""
    title = escape(f"recorder sweep: {report.kind}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
        "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em}</style></head>"
        f"<body>{fragment(report)}</body></html>\n"
    )


def _parts(report: Report) -> Iterator[str]:
    yield f'<div class="sse-sweep"><style>{_STYLE}</style>'
    sign = "passed" if report.ok else "broken off" if report.interrupted else "failed"
    yield f"<p><strong>{sign}</strong>: {escape(f'{report.kind}: {summary(report)}')}</p>"
    yield svg(report.rows)
    yield _table(ROW_HEAD, row_cells(report))
    classes = class_cells(report)
    if classes:
        yield "<details><summary>By boundary class</summary>"
        yield _table(CLASS_HEAD, classes)
        if report.absent:
            yield f"<p>{escape(absent(report))}</p>"
        yield "</details>"
    told, rest = stories(report)
    yield from (f"<pre>{escape(each)}</pre>" for each in told)
    yield f"<pre>{escape(chr(10).join(rest))}</pre>" if rest else ""
    for note in (*report.notes, PROVES):
        yield f"<p>{escape(printable_text(note))}</p>"
    yield "</div>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{escape(each)}</th>" if each else "<td></td>" for each in head)  # a header is never empty
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
