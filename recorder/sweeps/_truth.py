"""What is true of a body, whoever reads it: whether its contract accepts it, and from which byte on it is complete.

Rule: this comes from the contract alone, never from the reader under test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

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
    def open_end(self) -> bool:
        """Whether the end of the stream itself completes it, so that every prefix is judged for itself."""
        return self.accepted and self.contract is not None and not _some_event_decides(self.body, self.contract)

    @cached_property
    def complete_from(self) -> int | None:
        """The least number of bytes that, with a clean end, can be a complete stream; None: not even the whole is."""
        if not self.accepted or self.contract is None:
            return None
        return (_first_open_end if self.open_end else terminal_offset)(self.body, self.contract)

    @property
    def rejected(self) -> bool:
        """Whether the contract is known and rejects the whole."""
        return self.verdict is not None and not self.verdict.ok

    def complete_at(self, size: int, clean: bool = True) -> bool:
        """Whether the first `size` bytes and an end, a `clean` one or not, are a complete stream."""
        if self.complete_from is None or size < self.complete_from or (self.open_end and not clean):
            return False
        return not self.open_end or self.contract is None or read([self.body[:size]], self.contract).ok

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


def _first_open_end(body: bytes, contract: Contract) -> int:
    """The byte after the last event at which the stream could not have ended."""
    for end in reversed((0, *event_ends(body))):
        if not read([body[:end]], contract).ok:
            return end + 1
    return 0
