"""Verdicts for notebooks.

Rule: what `repr` may say and the explanation in words; nothing the stream said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recorder.markup import BAD, GOOD, card, paragraph

if TYPE_CHECKING:
    from recorder.contracts._verdict import Accepted, Rejected


def accepted_html(verdict: Accepted, finish: str) -> str:
    """An accepted stream in counts.

    Args:
        finish: as it may be shown.
    """
    found = verdict.facts
    facts = [
        ("finish", finish),
        ("events", f"{verdict.events:,}"),
        ("bytes read", f"{verdict.bytes_read:,}"),
        ("choices", found.choices),
        ("tool calls", found.tool_calls or None),
        ("output", f"{found.output:,} characters"),
        ("usage", "seen" if found.usage else "unknown"),
        ("unknown events", verdict.unknown or None),
    ]
    return card("accepted", facts, colour=GOOD)


def rejected_html(verdict: Rejected) -> str:
    """A rejected stream: why, where, and what to do."""
    facts = [
        ("contract", verdict.contract or None),
        ("at event", verdict.at_event),
        ("at byte", None if verdict.offset is None else f"{verdict.offset:,}"),
        ("events", f"{verdict.events:,}"),
        ("bytes read", f"{verdict.bytes_read:,}"),
    ]
    return card(f"rejected: {verdict.code}", facts, paragraph(verdict.explain()), colour=BAD)
