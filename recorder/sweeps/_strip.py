"""The picture of a sweep: each stream as a strip of offsets, coloured by result, as SVG.

Rule: one column shows the worst of its offsets, so a single failing byte in a megabyte is seen. Text is escaped; there
is no script and nothing from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from recorder.sweeps._result import Result
from recorder.sweeps._tally import NUMBERS, Row

COLOURS = {  # told apart by colour-blind readers, and seen on light and dark paper
    Result.RIGHT: "#7fb3d5",
    Result.DIFFERS: "#e69f00",
    Result.RAISED: "#d55e00",
    Result.SILENT: "#cc79a7",
    Result.LIE: "#8e44ad",
    Result.FALSE_ALARM: "#b8a200",
    Result.HUNG: "#555555",
}
_RESULTS = {number: result for result, number in NUMBERS.items()}
_WIDTH, _HEIGHT, _GAP, _LABEL = 900, 16, 6, 190


def svg(rows: Iterable[Row]) -> str:
    """The strips of the rows whose runs have one place each; "" when there is none."""
    shown = [row for row in rows if row.columns]
    if not shown:
        return ""
    height = len(shown) * (_HEIGHT + _GAP) + _HEIGHT + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + _LABEL} {height}" width="100%" role="img" '
        'aria-label="results by offset" font-family="sans-serif" font-size="11" fill="currentColor">'
    ]
    for number, row in enumerate(shown):
        parts += _strip(row, number * (_HEIGHT + _GAP))
    parts += _legend(shown, len(shown) * (_HEIGHT + _GAP))
    return "".join([*parts, "</svg>"])


def _strip(row: Row, top: int) -> Iterator[str]:
    middle = top + _HEIGHT - 4
    yield f'<text x="{_LABEL - 6}" y="{middle}" text-anchor="end">{escape(f"{row.stream}, {row.kind}")}</text>'
    yield f'<rect x="{_LABEL}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
    scale = _WIDTH / len(row.columns)
    for start, stop, result in stretches(row.columns):
        offsets = f"{_offset(row, start)} to {max(_offset(row, start), _offset(row, stop) - 1)}"
        yield (
            f'<rect x="{_LABEL + start * scale:.2f}" y="{top}" width="{(stop - start) * scale:.2f}" '
            f'height="{_HEIGHT}" fill="{COLOURS[result]}"><title>bytes {offsets}: {result}</title></rect>'
        )


def _legend(rows: Sequence[Row], top: int) -> Iterator[str]:
    present = {number for row in rows for number in row.columns}
    left = _LABEL
    for result, number in NUMBERS.items():
        if number in present:
            yield f'<rect x="{left}" y="{top}" width="12" height="12" fill="{COLOURS[result]}"/>'
            yield f'<text x="{left + 16}" y="{top + 10}">{result}</text>'
            left += 100


def stretches(columns: bytes | bytearray) -> Iterator[tuple[int, int, Result]]:
    """Neighbouring columns with the same result: first, one after the last, result. Untried ones are left out."""
    at = 0
    for number, group in groupby(columns):
        stop = at + sum(1 for _ in group)
        if number:
            yield at, stop, _RESULTS[number]
        at = stop


def _offset(row: Row, column: int) -> int:
    """The first offset that a column shows."""
    return -(-column * (row.size + 1) // len(row.columns))
