"""One delivery looked at from all four sides: bytes, chunks, events, and the answer a contract accepts.

Rule: a frozen value, made by a pure function, so that it does not matter which thread makes it. It shows the content of
a cassette only through what is asked of it; its representation has counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from recorder.adapters import replay
from recorder.cassette import Interaction
from recorder.contracts import Accepted, Contract, Rejected, detected, named, read
from recorder.notebook._delivery import Delivery, delivery
from recorder.notebook._notes import Note, held_at_end, notes
from recorder.notebook._reader import Reader, Told, told
from recorder.notebook._source import Stream
from recorder.plans import Plan, event_ends
from recorder.sse import Event, EventStreamParser

Marks = tuple[tuple[int, int], ...]
SAMPLES = 400


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """What a plan makes of a stream.

    Attributes:
        stream: where the bytes are from.
        plan: the delivery.
        timeout: the reader's idle read timeout in seconds, None for none.
        delivery: which bytes arrive when.
        events: those the delivered bytes dispatch; `event_ends` says where each is complete.
        contract: the judge, None where the dialect is not recognised.
        verdict: what it says.
        text: the accepted text, or what had arrived; `marks` says how much of it there was after which event.
        reader: what the user's own reader made of it, None where there is none.
        notes: the notable places.
        own: that reader.
    """

    stream: Stream
    plan: Plan
    timeout: float | None
    delivery: Delivery
    events: tuple[Event, ...]
    event_ends: tuple[int, ...]
    contract: Contract | None
    verdict: Accepted | Rejected | None
    text: str
    marks: Marks
    reader: Told | None = None
    notes: tuple[Note, ...] = field(default=())
    own: Reader | None = field(default=None)

    @property
    def decided(self) -> int | None:
        """The offset after the byte that decided, None where the end of the stream did, or nothing."""
        if self.verdict is None or (self.verdict.bytes_read >= self.delivery.size and not self.verdict.ok):
            return None
        return self.verdict.bytes_read

    @property
    def outcome(self) -> str:
        """One sentence: the four boundaries in numbers, and what the contract says."""
        found = self.delivery
        held = held_at_end(found, self.event_ends)
        waiting = f", {held:,} bytes waiting for the end of an event" if held and self.decided is None else ""
        said = "no contract recognised" if self.contract is None else f"{self.verdict_word} by {self.contract.name}"
        return (
            f"{found.size:,} of {len(found.body):,} bytes in {_count(len(found.chunk_ends), 'chunk')} over "
            f"{found.end_ms:,.0f} ms, {_count(len(self.events), 'event')}{waiting}, end {found.ending}: {said}."
        )

    @property
    def test(self) -> str:
        """This run as a pytest test: the same delivery, the same verdict."""
        from recorder.notebook._code import as_test

        return as_test(self)

    @property
    def command(self) -> str:
        """This run as a command line; a sentence where there is no file to name."""
        from recorder.notebook._code import as_command

        return as_command(self)

    @property
    def verdict_word(self) -> str:
        """`accepted`, or `rejected, CODE`."""
        if self.verdict is None:
            return "no verdict"
        return "accepted" if self.verdict.ok else f"rejected, {self.verdict.code},"

    def __repr__(self) -> str:
        return f"<Run of {self.stream.name}: {self.outcome}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.notebook._html import run_html

        return {"text/plain": repr(self), "text/html": run_html(self)}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def make_run(
    stream: Stream,
    plan: Plan,
    *,
    contract: Contract | None = None,
    timeout: float | None = None,
    reader: Reader | None = None,
) -> Run:
    """Deliver `stream` as `plan` says, on a virtual clock, and look at it.

    Args:
        contract: the judge; the one the cassette names or the dialect shows, unless given.
        timeout: the reader's idle read timeout in seconds.
        reader: the user's own, run under the same plan.

    Raises:
        PlanError: the plan does not fit this stream.
        TooManyChunksError: there would be too much to see.
    """
    judge = contract or contract_of(stream.interaction)
    found = delivery(stream.interaction, plan, judge, timeout)
    arrived = found.body[: found.size]
    events, ends = _events(arrived)
    verdict, text, marks = None, "", ()  # type: tuple[Accepted | Rejected | None, str, Marks]
    if judge is not None:
        verdict = read(replay(stream.interaction, plan, timeout=timeout, contract=judge), judge)
        text = (verdict.text if verdict.ok else verdict.partial.text) or ""
        marks = _marks(arrived, judge, verdict.events)  # type: ignore[arg-type]  # a contract hashes
    made = None if reader is None else told(reader, stream.interaction, plan, timeout)
    run = Run(stream, plan, timeout, found, events, ends, judge, verdict, text, marks, made, own=reader)
    return _noted(run)


def _noted(run: Run) -> Run:
    return replace(run, notes=notes(run.delivery, run.event_ends, run.decided))


def contract_of(interaction: Interaction) -> Contract | None:
    """The contract the recording was judged by, else the one its dialect shows."""
    recording = interaction.response.recording
    name = "" if recording is None else recording.outcome.get("contract", "")
    try:
        return named(name)
    except ValueError:
        return detected(interaction.response.body)


@lru_cache(maxsize=4)
def _events(arrived: bytes) -> tuple[tuple[Event, ...], tuple[int, ...]]:
    events = EventStreamParser(max_line=None, max_event=None).feed(arrived)
    return tuple(events), event_ends(arrived)[: len(events)]


@lru_cache(maxsize=4)  # the same bytes in other chunks are asked for again and again
def _marks(arrived: bytes, contract: Contract, count: int) -> Marks:
    """How long the text was after some of the first `count` events, at most 400 of them."""
    events = _events(arrived)[0][:count]
    step, run = max(1, len(events) // SAMPLES), contract.start()
    made = []
    for number, event in enumerate(events, 1):
        decided = run.event(event)
        if number % step == 0 or number == len(events):
            made.append((number, len(run.partial.text)))
        if decided is not None:
            break
    return tuple(made)
