"""The contract of long-running generations that report their progress as named events.

Rule: the stream is over when a record says a terminal state, or with the event `done` or `error`. How the job ended
is data: a failed job is accepted with its state. The job id is kept outside the stream; what cannot be read here is
asked for with a GET of that job, never with a new generation.

It does not use event ids, retry or reconnection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import OWN, Budget, Own, budget, event_budget
from recorder.contracts._profiles import OPENAI
from recorder.contracts._verdict import GenerationAccepted, Partial, Rejected, Verdict
from recorder.errors import FaultCode
from recorder.sse import Event, EventStreamParser, Limit

TERMINAL_STATES = frozenset({"succeeded", "completed", "failed", "cancelled", "canceled"})
SUCCEEDED_STATES = frozenset({"succeeded", "completed"})


@dataclass(frozen=True, slots=True)
class Generation:
    """A contract made by `generation`."""

    job_id: str | None
    terminal: frozenset[str]
    succeeded: frozenset[str]
    max_line: Limit | None
    max_event: Limit | None
    max_events: int | None

    @property
    def name(self) -> str:
        """ "generation"."""
        return "generation"

    def parser(self) -> EventStreamParser:
        """A fresh parser: UTF-8 with replacement, and these limits."""
        return EventStreamParser(utf8="replace", max_line=self.max_line, max_event=self.max_event)

    def start(self) -> GenerationRun:
        """A fresh run."""
        return GenerationRun(self)

    def __repr__(self) -> str:
        return f"Generation(terminal={sorted(self.terminal)})"


def generation(
    job_id: str | None = None,
    terminal: Iterable[str] = TERMINAL_STATES,
    *,
    succeeded: Iterable[str] = SUCCEEDED_STATES,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Generation:
    """The contract of a generation job's events (`progress`, `done`, `error`, unnamed ones).

    Args:
        job_id: the remote job's id, kept with the verdict so that a lost stream can be recovered by asking for the job.
        terminal: the states that end a job.
        succeeded: those of them that mean success.
        max_line, max_event, max_events: limits as for `chat_text`, whose "openai" profile's they are by default.

    Raises:
        TypeError, ValueError: a string in place of a set of states, or a limit that is none.
    """
    if isinstance(terminal, str) or isinstance(succeeded, str):
        raise TypeError("terminal and succeeded take a set of states, such as {'succeeded', 'failed'}, not one string")
    return Generation(
        job_id=job_id,
        terminal=frozenset(terminal),
        succeeded=frozenset(succeeded),
        max_line=budget("max_line", max_line, OPENAI.max_line),
        max_event=budget("max_event", max_event, OPENAI.max_event),
        max_events=event_budget(max_events, OPENAI.max_events),
    )


class GenerationRun:
    """One job's events under judgement."""

    def __init__(self, contract: Generation) -> None:
        self.events = 0
        self._contract = contract
        self._state: str | None = None
        self._progress: float | None = None
        self._verdict: Verdict | None = None

    def event(self, event: Event) -> Verdict | None:
        """Judge the next event; a repeated terminal record changes nothing."""
        if self._verdict is None:
            self.events += 1
            self._verdict = self._judge(event)
        return self._verdict

    def several(self, events: Iterable[Event]) -> Verdict | None:
        """Judge events one after the other until one decides."""
        return next((verdict for event in events if (verdict := self.event(event)) is not None), None)

    def _judge(self, event: Event) -> Verdict | None:
        limit = self._contract.max_events
        if limit is not None and self.events > limit:
            return self._rejected(FaultCode.EVENT_COUNT_LIMIT, self.events)
        record = decode(event.data, OPENAI.max_depth)
        if record is NOT_JSON:
            return self._rejected(FaultCode.INVALID_JSON, self.events)
        if not _is_record(record):
            return self._rejected(FaultCode.INVALID_CHUNK, self.events)
        self._state, self._progress = record.get("state"), record.get("progress")
        if self._state in self._contract.terminal or event.type in ("done", "error"):
            return self._accepted(event, record)
        return None

    def _accepted(self, event: Event, record: dict[str, Any]) -> Verdict:
        """State first, outputs after: a record that is not terminal by its own state has no outputs to use."""
        failed = event.type == "error"
        over = self._state is None or self._state in self._contract.terminal
        return GenerationAccepted(
            events=self.events,
            last_event_id=event.last_event_id,
            state=self._state,
            succeeded=not failed and self._state in self._contract.succeeded,
            outputs=record.get("outputs") if over and not failed else None,
            error=record.get("error"),
            progress=self._progress,
            job_id=self._contract.job_id,
        )

    def eof(self) -> Verdict:
        """The stream ended before a terminal record: the job may still be running."""
        if self._verdict is None:
            self._verdict = self._rejected(FaultCode.MISSING_TERMINAL, None)
        return self._verdict

    @property
    def partial(self) -> Partial:
        """The latest state and progress."""
        return Partial(state=self._state, progress=self._progress)

    def _rejected(self, code: FaultCode, at_event: int | None) -> Verdict:
        contract = self._contract
        return Rejected(
            code, at_event, events=self.events, partial=self.partial, contract=contract.name, job_id=contract.job_id
        )


def _is_record(record: Any) -> bool:
    """An object whose `state` is a text and whose `progress` is a number, or null, or missing."""
    if not isinstance(record, dict):
        return False
    state, progress = record.get("state"), record.get("progress")
    return (state is None or isinstance(state, str)) and (progress is None or type(progress) in (int, float))
