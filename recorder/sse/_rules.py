"""The parser's arguments, checked once and frozen.

Rule: misuse raises here, at the call, with the bad value and what would be right; nothing past this point checks an
argument again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
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


LARGEST_WINDOW = 64 * 1024  # of blocks taken at a time: it stays in the processor's cache
MOST_HELD = 256 * 1024  # of a block's beginning: what is to be ignored is not to be kept either


@dataclass(frozen=True, slots=True)
class Rules:
    """What parsers with the same options are held to, and what that says about bytes nobody has looked at.

    Attributes:
        strict, line, event, name, events, bytes: the options of the same meaning, with an int limit made a `Limit`.
        longest: blocks no longer than so many bytes cannot pass the limits on lines and data.
        window: the same for a run of several blocks.
        safe: the beginning of a block no longer than so many bytes cannot pass these nor the limit on names; negative
            if not even one byte is safe.
        far: up to this offset the limit on the stream's bytes is too far off for what is taken or held at a time.
        uncounted: there are no limits that a length in bytes says nothing about.
    """

    strict: bool
    line: Limit | None
    event: Limit | None
    name: Limit | None
    events: int | None
    bytes: int | None
    longest: int = field(init=False)
    window: int = field(init=False)
    safe: int = field(init=False)
    far: int = field(init=False)
    uncounted: bool = field(init=False)

    def __post_init__(self) -> None:
        line = self.line.n if self.line else sys.maxsize
        name = self.name.n if self.name else sys.maxsize
        data = self.bytes_for_event(self.event.n) if self.event else sys.maxsize
        longest = min(line, data)
        derived = {
            "longest": longest,
            "window": min(LARGEST_WINDOW, longest),
            "safe": max(-1, min(MOST_HELD, line, name, self.spare_for_event(0))),
            "far": sys.maxsize if self.bytes is None else self.bytes - LARGEST_WINDOW - MOST_HELD,
            "uncounted": self.events is None and self.name is None,
        }
        for attribute, value in derived.items():
            object.__setattr__(self, attribute, value)

    def spare_for_event(self, used: int) -> int:
        """How many bytes of an event's data lines, the first perhaps begun, surely pass when so many units are used."""
        if self.event is None:
            return sys.maxsize
        begun = max(1, self.event.per_line)  # what a colon that may come next costs
        return self.bytes_for_event(self.event.n - used - begun)

    def bytes_for_event(self, units: int) -> int:
        """How many bytes of data lines surely cost no more than `units` of the event limit.

        A data line of v bytes of value costs at most v + `per_line` units and has at least v + 5 bytes ("data", LF).
        """
        per_line = self.event.per_line if self.event else 0
        return units if per_line <= 5 else units * 5 // (5 + per_line)

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
    utf8: object, max_line: object, max_event: object, max_event_name: object, max_events: object, max_bytes: object
) -> Rules:
    """Check the options of a parser.

    Raises:
        TypeError, ValueError: with the option's name, the bad value and what would be right.
    """
    one_of("utf8", utf8, UTF8_POLICIES)
    return Rules(
        strict=utf8 == "strict",
        line=as_limit("max_line", max_line),
        event=as_limit("max_event", max_event),
        name=as_limit("max_event_name", max_event_name),
        events=None if max_events is None else whole_number("max_events", max_events),
        bytes=None if max_bytes is None else whole_number("max_bytes", max_bytes),
    )


# Most parsers of a process have the same options, and small streams are many: check the same options once.
_known_rules = lru_cache(maxsize=64, typed=True)(read_rules)


def rules_for(
    utf8: object, max_line: object, max_event: object, max_event_name: object, max_events: object, max_bytes: object
) -> Rules:
    """Do what `read_rules` does, once for the same options."""
    try:
        return _known_rules(utf8, max_line, max_event, max_event_name, max_events, max_bytes)
    except TypeError:  # an option of a wrong type, perhaps one that cannot be looked up
        pass
    return read_rules(utf8, max_line, max_event, max_event_name, max_events, max_bytes)
