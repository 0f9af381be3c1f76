"""Taking a run of complete blocks by the shortcut that fits it.

Rule: all or nothing. A run is taken as the machine would have taken it, but for the offset, or nothing has changed.
What its length in bytes says about limits is the caller's business; what it does not say is looked at here.
"""

from __future__ import annotations

from recorder.sse._blocks import LONG_BLOCK, any_blocks, first_lines, long_events, named_events, unnamed_events
from recorder.sse._event import Event
from recorder.sse._lines import LF
from recorder.sse._machine import Machine
from recorder.sse._rules import Rules


class Runs:
    """Takes runs for one machine."""

    __slots__ = ("_machine", "_rules")

    def __init__(self, machine: Machine, rules: Rules) -> None:
        self._machine = machine
        self._rules = rules

    def take(self, run: bytes) -> list[Event] | None:
        """Take a run; or change nothing and give None.

        Args:
            run: the blocks, with line feeds only; the machine stands between two blocks.
        """
        if run[0] == LF:
            run = run.lstrip(b"\n")  # blank lines between blocks
            if not run:
                return []
        machine = self._machine
        events = None
        try:
            if first_lines(run)[1] > LONG_BLOCK:
                events = long_events(run, machine.id)
            else:
                text = run.decode()
                events = unnamed_events(text, machine.id) or named_events(text, machine.id)
            if events is None and self._rules.strict and not run.isascii():
                run.decode()
        except UnicodeDecodeError:
            if self._rules.strict:
                return None
        if events is None:
            return self._take_any(run)
        return events if self._rules.uncounted or self.count(events) else None

    def _take_any(self, run: bytes) -> list[Event] | None:
        """Take a run of blocks of any shape, line by line."""
        machine = self._machine
        events, last_event_id, time, comments, longest_name = any_blocks(run, machine.id, machine.reconnection_time)
        if not self._rules.uncounted and not self._count(len(events), longest_name):
            return None
        machine.id = machine.last_event_id = last_event_id
        machine.reconnection_time = time
        if machine.on_comment:
            for comment in comments:
                machine.on_comment(comment)
        return events

    def count(self, events: list[Event]) -> bool:
        """Count events of blocks that all have data, if they surely pass the limits on events and on event names."""
        longest = 4 * max(len(event.type) for event in events) if self._rules.name else 0
        return self._count(len(events), longest)

    def _count(self, events: int, longest_name: int) -> bool:
        """Count so many events, the longest of whose names has at most so many bytes, if they surely pass."""
        rules = self._rules
        if rules.name is not None and longest_name > rules.name.n:
            return False
        after = self._machine.events + events
        if rules.events is not None and after > rules.events:
            return False
        self._machine.events = after
        return True
