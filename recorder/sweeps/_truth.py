"""What is true of a body, whoever reads it: whether its contract accepts it, and from which byte on it is complete.

Rule: this comes from the contract alone, never from the reader under test.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from recorder.adapters import replay
from recorder.cassette import EndKind, Interaction
from recorder.contracts import Contract, Verdict, detected, named, read, terminal_offset
from recorder.errors import StreamFault
from recorder.plans import Plan, edited_body, event_ends


def contract_of(interaction: Interaction) -> Contract | None:
    """The contract whose dialect the body shows, else the one the recording was judged by; None when none is known."""
    found = detected(interaction.response.body)
    recording = interaction.response.recording
    if found is None and recording is not None and "contract" in recording.outcome:
        try:
            return named(recording.outcome["contract"])
        except ValueError:
            return None
    return found


@dataclass(frozen=True)
class Truth:
    """One body under its contract.

    Attributes:
        body: after the edits of a plan.
        contract: the judge; None when no dialect is known, and then nothing but the body is.
        verdict: of the whole, with the end that was recorded.
        accepted: whether the whole is complete with a clean end.
    """

    body: bytes = field(repr=False)
    contract: Contract | None
    verdict: Verdict | None
    accepted: bool

    @classmethod
    def of(cls, interaction: Interaction, contract: Contract | None, edits: tuple[str, ...] = ()) -> Truth:
        """The truth about an interaction after `edits`."""
        plan = Plan(chunks="whole", edits=edits)
        body = edited_body(plan, interaction, contract=contract)
        if contract is None:
            return cls(body, None, None, False)
        clean = verdict = read([body], contract)
        if not ends_cleanly(interaction):
            verdict = read(replay(interaction, plan, contract=contract), contract)
        return cls(body, contract, verdict, clean.ok)

    @cached_property
    def decided_from(self) -> int | None:
        """The least number of bytes with which some event completes the stream; None: only its end does, or nothing."""
        if not self.accepted or self.contract is None or not _some_event_decides(self.body, self.contract):
            return None
        return terminal_offset(self.body, self.contract)

    @cached_property
    def complete_from(self) -> int | None:
        """The least number of bytes that, with a clean end, can be a complete stream; None: there is none.

        The end of the stream itself can complete it, also before an event would, or before one that breaks it: each
        longer prefix is judged for itself.
        """
        if self.contract is None:
            return None
        until = read([self.body], self.contract).bytes_read if self.decided_from is None else self.decided_from
        known = (0, *event_ends(self.body))
        ends = [end for end in known if end < until or (self.accepted and self.decided_from is None)]
        first = _first_complete(self.body, ends, self.contract)
        if first is not None:
            return next((end + 1 for end in reversed(ends) if end < first), 0)
        return ends[-1] + 1 if self.accepted and self.decided_from is None else self.decided_from

    @property
    def rejected(self) -> bool:
        """Whether the contract is known and rejects the whole."""
        return self.verdict is not None and not self.verdict.ok

    def decided_at(self, size: int) -> bool:
        """Whether an event among the first `size` bytes completes the stream, whatever comes after it."""
        return self.decided_from is not None and size >= self.decided_from

    def complete_at(self, size: int, clean: bool = True) -> bool:
        """Whether the first `size` bytes and an end, a `clean` one or not, are a complete stream."""
        if self.contract is None or self.complete_from is None or size < self.complete_from:
            return False
        return self.decided_at(size) or (clean and read([self.body[:size]], self.contract).ok)

    def has_sent(self, word: str, size: int) -> bool:
        """Whether `word` is the value of a JSON member somewhere in the first `size` bytes."""
        return re.search(rb':[ \t\r\n]*"%b"' % re.escape(word.encode("utf-8")), self.body[:size]) is not None


def ends_cleanly(interaction: Interaction) -> bool:
    """Whether the end that was recorded, if any was, is a clean one."""
    recorded = interaction.response.end
    return recorded is None or recorded.kind in (EndKind.COMPLETE, EndKind.EOF)


def _some_event_decides(body: bytes, contract: Contract) -> bool:
    run = contract.start()
    try:
        events = contract.parser().feed(body)
    except StreamFault as fault:
        events = list(fault.events)
    return any(run.event(event) is not None for event in events)


def _first_complete(body: bytes, ends: Sequence[int], contract: Contract) -> int | None:
    """The first of `ends` at which the stream could have ended and been complete; None: it could at none of them.

    Asked of all only where the contract may take back what was complete; else a few from the last one down tell.
    """

    def complete(end: int) -> bool:
        return read([body[:end]], contract).ok

    if hasattr(contract.start(), "complete"):
        return next(filter(complete, ends), None)
    found = list(takewhile(complete, reversed(ends)))
    return found[-1] if found else None
