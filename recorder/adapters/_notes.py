"""What the exceptions of a replay say: the plan, as a note, so that whoever sees one can run it again."""

from __future__ import annotations

from typing import TypeVar

STALLED = "the plan stalls here for ever, and this reader has no timeout: a real connection would hang"

E = TypeVar("E", bound=BaseException)


def with_plan(error: E, plan: object) -> E:
    """`error` with the plan, or whatever has its text, among its notes, once."""
    note = f"plan: {str(plan) or 'as recorded'}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
    return error
