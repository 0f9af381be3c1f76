"""What all contracts are made of: four limits and a parser that holds the stream to two of them.

It does not know any dialect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from recorder.contracts._limits import Budget, Own, budget, event_budget
from recorder.sse import EventStreamParser, Limit

MAX_LINE = Limit(16 * 1024 * 1024)
MAX_EVENT = Limit(16 * 1024 * 1024)
MAX_OUTPUT = Limit(16 * 1024 * 1024, "code_points")
MAX_EVENTS = 1_000_000


class Bounds(NamedTuple):
    """The limits in force."""

    max_line: Limit | None
    max_event: Limit | None
    max_output: Limit | None
    max_events: int | None


def bounds(max_line: Budget, max_event: Budget, max_output: Budget, max_events: int | Own | None) -> Bounds:
    """The limits in force: the caller's over those of `chat`.

    Raises:
        TypeError, ValueError: an argument is not a limit.
    """
    return Bounds(
        max_line=budget("max_line", max_line, MAX_LINE),
        max_event=budget("max_event", max_event, MAX_EVENT),
        max_output=budget("max_output", max_output, MAX_OUTPUT),
        max_events=event_budget(max_events, MAX_EVENTS),
    )


@dataclass(frozen=True, slots=True)
class Bounded:
    """A contract with these limits and strict UTF-8."""

    max_line: Limit | None
    max_event: Limit | None
    max_output: Limit | None
    max_events: int | None

    @property
    def name(self) -> str:
        """The name of the function that makes it."""
        return type(self).__name__.lower()

    def parser(self) -> EventStreamParser:
        """A fresh parser: strict UTF-8 and these limits."""
        return EventStreamParser(utf8="strict", max_line=self.max_line, max_event=self.max_event)
