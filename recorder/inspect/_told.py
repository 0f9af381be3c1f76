"""A comparison for people: a line for each difference, the notes after them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from recorder.inspect._diff import Comparison, Difference
from recorder.inspect._escape import safe

_WIDE = 60  # a side longer than this has a line of its own


def told(comparison: Comparison) -> Group:
    """The comparison as something rich can print."""
    lines = [line for each in comparison.differences for line in _lines(each, "")]
    if not lines:
        lines = [_line("no difference", "green")]
    for each in comparison.notes:
        lines += [_line(f"{_head('note', each)}: {safe(each.a or '')} -> {safe(each.b or '')}", "dim")]
    return Group(*lines)


def _lines(each: Difference, style: str) -> Iterator[Text]:
    a, b = ("(nothing)" if side is None else safe(side) for side in (each.a, each.b))
    head = _head(each.what, each)
    if len(a) + len(b) <= _WIDE:
        yield _line(f"{head}: {a} -> {b}", style)
        return
    yield _line(f"{head}:", style)
    yield _line(f"    - {a}", "red")
    yield _line(f"    + {b}", "green")


def _head(what: str, each: Difference) -> str:
    number = f"{each.interaction}  " if each.interaction else ""
    return f"{number}{what}  {safe(each.place)}"


def _line(text: str, style: str) -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ignore")
