"""A report as JUnit XML: a suite, with a test case for each kind on each stream.

Rule: well-formed whatever the streams hold: stories are escaped text, and what XML cannot carry is not in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from recorder.sweeps._report import PROVES, Report
from recorder.sweeps._result import Result
from recorder.sweeps._shown import printable_text
from recorder.sweeps._tally import Row
from recorder.sweeps._text import words


def junit(report: Report) -> str:
    """The XML text."""
    failed = sum(1 for row in report.rows if words(row.counts))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="{len(report.rows)}" failures="{failed}">',
        f"  <testsuite name={_attribute(f'recorder sweep {report.kind}')} "
        f'tests="{len(report.rows)}" failures="{failed}" errors="{int(report.interrupted)}">',
        *(line for row in report.rows for line in _case(row)),
        f"    <system-out>{_text(chr(10).join([*report.notes, PROVES]))}</system-out>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(row: Row) -> Iterator[str]:
    names = f"classname={_attribute(f'recorder.sweep.{row.stream}')} name={_attribute(row.kind)}"
    wrong = words(row.counts)
    if not wrong:
        yield f"    <testcase {names}/>"
        return
    story = row.story
    message = f"{row.counts[Result.RIGHT]} of {row.total} right, {wrong}"
    kind = _attribute(story.result if story else "failure")
    yield f"    <testcase {names}>"
    told = _text(story.explain() if story else message)
    yield f"      <failure type={kind} message={_attribute(message)}>{told}</failure>"
    yield "    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(printable_text(text))


def _text(text: str) -> str:
    return escape("\n".join(map(printable_text, text.splitlines())))
