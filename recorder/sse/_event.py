"""What the parser gives: one dispatched event.

Rule: an event exists only when the standard dispatches one: never for a comment, never for a block without data.
"""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """One dispatched event; a plain tuple with names, because making it is on the hot path.

    Attributes:
        type: the event's type, "message" when the block names none or names the empty string.
        data: its data lines joined with line feeds.
        last_event_id: the last event ID at its dispatch; it stays in force until a block sets another.
    """

    type: str
    data: str
    last_event_id: str
