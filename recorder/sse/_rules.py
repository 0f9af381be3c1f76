"""The parser's arguments, checked once and frozen.

Rule: misuse raises here, at the call, with the bad value and what would be right; nothing past this point checks an
argument again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypedDict

from recorder.errors import FaultCode
from recorder.sse._limit import Limit, as_limit, one_of, whole_number

UTF8_POLICIES = ("replace", "strict")
# Far above every recorded event (137 KB at most), far below what a reader's host would miss.
DEFAULT_LIMIT = 16 * 1024 * 1024


class ParserOptions(TypedDict, total=False):
    """The keyword arguments of `EventStreamParser`, for those who pass them on."""

    utf8: Literal["replace", "strict"]
    max_line: int | Limit | None
    max_event: int | Limit | None
    max_event_name: int | Limit | None
    max_events: int | None
    max_bytes: int | None
    on_comment: Callable[[str], None] | None


@dataclass(frozen=True, slots=True)
class Rules:
    """What one parser is held to. Each field is the argument of the same meaning, with an int limit made a `Limit`."""

    strict: bool
    line: Limit | None
    event: Limit | None
    name: Limit | None
    events: int | None
    bytes: int | None
    on_comment: Callable[[str], None] | None

    def bytes_for_event(self, units: int) -> int:
        """How many bytes of data lines surely cost no more than `units` of the event limit.

        A data line of v bytes of value costs at most v + `per_line` units and has at least v + 5 bytes ("data", LF).
        """
        per_line = self.event.per_line if self.event else 0
        return units if per_line <= 5 else units * 5 // (5 + per_line)

    def harmless_bytes(self) -> int:
        """How many bytes of complete blocks surely pass the limits on lines and on data."""
        line = self.line.n if self.line else sys.maxsize
        return min(line, self.bytes_for_event(self.event.n)) if self.event else line

    def limit_words(self, code: FaultCode) -> str:
        """What was gone over, with the limit and its unit, for a message."""
        words = {
            FaultCode.LINE_LIMIT: f"line longer than {self.line}",
            FaultCode.EVENT_SIZE_LIMIT: f"event data larger than {self.event}",
            FaultCode.EVENT_NAME_LIMIT: f"event name longer than {self.name}",
            FaultCode.EVENT_COUNT_LIMIT: f"more than {self.events} events",
            FaultCode.BYTE_LIMIT: f"more than {self.bytes} bytes",
        }
        return words[code]


def read_rules(
    utf8: str,
    max_line: object,
    max_event: object,
    max_event_name: object,
    max_events: object,
    max_bytes: object,
    on_comment: Callable[[str], None] | None,
) -> Rules:
    """Check the parser's arguments.

    Raises:
        TypeError, ValueError: with the argument's name, the bad value and what would be right.
    """
    one_of("utf8", utf8, UTF8_POLICIES)
    if on_comment is not None and not callable(on_comment):
        raise TypeError(f"on_comment must be callable with a comment's text, or None, not {on_comment!r}")
    return Rules(
        strict=utf8 == "strict",
        line=as_limit("max_line", max_line),
        event=as_limit("max_event", max_event),
        name=as_limit("max_event_name", max_event_name),
        events=None if max_events is None else whole_number("max_events", max_events),
        bytes=None if max_bytes is None else whole_number("max_bytes", max_bytes),
        on_comment=on_comment,
    )
