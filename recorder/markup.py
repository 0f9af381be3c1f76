"""Values as HTML for notebooks: the few pieces that every `_repr_html_` is put together from.

Rule: self-contained and inert. Text is escaped, and what steers reading order or a terminal is written out; there is no
script, no style sheet, no class and no address, so it reads the same in an untrusted notebook, on GitHub and in
nbconvert, on white and on black. Pictures are SVG inside an `<img>`, with their meaning in `alt`.

It knows none of our values.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Sequence

GOOD, BAD, PLAIN = "#1a7f37", "#c4432b", "#6e7781"  # at least 3:1 on white and on #111
_TABLE = "border:0;margin:.2em 0;color:inherit;font-size:inherit"
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]"
    "|[\ud800-\udfff]"
)


def visible(text: str) -> str:
    """`text` with every control, reordering and invisible character written as an escape; tab and LF stay."""
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escaped(text: object) -> str:
    """`str(text)` for the inside of an element or of a quoted attribute."""
    return html.escape(visible(str(text)))


def card(title: str, facts: Iterable[tuple[str, object]], *more: str, colour: str = PLAIN) -> str:
    """A value: its title, its facts as one line each, and what else there is.

    Args:
        title: text.
        facts: pairs of text; a fact that is None is left out.
        more: finished HTML, appended.
        colour: of the bar at the left, beside words that say the same.
    """
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;padding:0 1em 0 0;font-weight:normal;opacity:.8">{escaped(name)}'
        f'</th><td style="text-align:left;padding:0">{escaped(value)}</td></tr>'
        for name, value in facts
        if value is not None
    )
    facts_table = f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>' if rows else ""
    return (
        f'<div style="border-left:4px solid {colour};padding:.1em 0 .1em .8em;margin:.3em 0">'
        f"<strong>{escaped(title)}</strong>{facts_table}{''.join(more)}</div>"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows of text under a head."""
    cell = 'style="text-align:left;padding:0 1em 0 0;vertical-align:top"'
    columns = "".join(f'<th scope="col" {cell}>{escaped(name)}</th>' for name in head)
    body = "".join("<tr>" + "".join(f"<td {cell}>{escaped(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f'<table style="{_TABLE}"><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>'


def details(summary: str, content: str) -> str:
    """Finished HTML that is folded away."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def paragraph(text: str) -> str:
    """One paragraph of text."""
    return f'<p style="margin:.2em 0">{escaped(text)}</p>'


def picture(svg: str, alt: str, width: int, height: int) -> str:
    """An SVG document as an image; sanitizers that drop `<svg>` keep this."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<img alt="{escaped(alt)}" width="{width}" height="{height}" style="max-width:100%" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
