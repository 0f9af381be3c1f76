"""What the runs of the dialects share: counting events, deciding once, and one budget for all that is kept.

Rule: a run judges one event at a time and, once it has decided, stays decided. Whatever it keeps of a stream (text,
names, ids, arguments) is taken from one budget before it is kept.

It does not know any dialect.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from recorder.contracts._assembly import Pieces
from recorder.contracts._bounded import Bounded
from recorder.contracts._limits import MEASURES
from recorder.contracts._verdict import Accepted, Partial, Rejected, Verdict
from recorder.errors import FaultCode
from recorder.sse import Event, Limit

Outcome = FaultCode | Accepted | None
"""What an event comes to: a rejection, the verdict, or go on."""


class Room:
    """What is left of the budget for everything a run keeps."""

    __slots__ = ("_left", "_measure")

    def __init__(self, limit: Limit | None) -> None:
        limit = limit or Limit(sys.maxsize, "code_points")
        self._left = limit.n
        self._measure = MEASURES[limit.unit]

    def take(self, text: str) -> FaultCode | None:
        """Account for a text that is about to be kept."""
        size = self._measure(text)
        if size > self._left:
            return FaultCode.OUTPUT_LIMIT
        self._left -= size
        return None

    def append(self, to: Pieces, text: Any, fault: FaultCode) -> FaultCode | None:
        """Keep a piece of text; null and a missing one are none, anything else that is no text is the `fault`."""
        if text is None:
            return None
        if not isinstance(text, str):
            return fault
        code = self.take(text)
        if code is None and (text or not to.pieces):
            to.pieces.append(text)
        return code


class DialectRun(ABC):
    """One stream under judgement.

    Attributes:
        events: events seen so far.
        unknown: of these, the ones of a type the contract does not know, which were passed over.
    """

    def __init__(self, contract: Bounded) -> None:
        self.events = 0
        self.unknown = 0
        self._contract = contract
        self._room = Room(contract.max_output)
        self._last_event_id = ""
        self._verdict: Verdict | None = None

    def event(self, event: Event) -> Verdict | None:
        """Judge the next event."""
        if self._verdict is None:
            self.events += 1
            self._last_event_id = event.last_event_id
            limit = self._contract.max_events
            over = limit is not None and self.events > limit
            self._settle(FaultCode.EVENT_COUNT_LIMIT if over else self._judge(event), self.events)
        return self._verdict

    def several(self, events: Iterable[Event]) -> Verdict | None:
        """Judge events one after the other until one decides."""
        return next((verdict for event in events if (verdict := self.event(event)) is not None), None)

    def eof(self) -> Verdict:
        """Judge the end of the stream."""
        if self._verdict is None:
            self._settle(self._end_of_stream() or FaultCode.MISSING_TERMINAL, None)
        assert self._verdict is not None
        return self._verdict

    @property
    @abstractmethod
    def partial(self) -> Partial:
        """What has arrived so far: evidence, not an answer."""

    @abstractmethod
    def _judge(self, event: Event) -> Outcome:
        """What one event comes to."""

    def _end_of_stream(self) -> Outcome:
        """What the end of the stream comes to; None where only an event can end this dialect."""
        return None

    def _accepted(self) -> Accepted:
        said = self.partial
        return Accepted(
            text=said.text,
            tool_calls=said.tool_calls,
            choices=said.choices,
            finish=said.finish,
            usage=said.usage,
            events=self.events,
            last_event_id=self._last_event_id,
            unknown=self.unknown,
        )

    def _settle(self, outcome: Outcome, at_event: int | None) -> None:
        if isinstance(outcome, FaultCode):
            self._verdict = Rejected(
                outcome,
                at_event=at_event,
                events=self.events,
                unknown=self.unknown,
                partial=self.partial,
                contract=self._contract.name,
            )
        else:
            self._verdict = outcome
