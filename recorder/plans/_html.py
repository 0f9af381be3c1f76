"""Plans for notebooks: each term, with the default in words where none is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recorder.markup import card

if TYPE_CHECKING:
    from recorder.plans._plan import Plan


def plan_html(plan: Plan) -> str:
    """The terms of a plan, one a line."""
    facts = [
        ("chunks", plan.chunks or "as recorded if known, else whole"),
        ("delay", plan.delay or "none"),
        ("end", plan.end or "as recorded if known, else complete"),
        ("framing", plan.framing),
        ("edit", ", ".join(plan.edits) or None),
    ]
    return card(f"Plan: {plan}" if str(plan) else "Plan: as recorded", facts)
