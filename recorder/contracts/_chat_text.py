"""The contract of text-only chat completion streams: one choice, text alone, `[DONE]` at the end.

Rule: the profile's table of steps is the judge. The typed path in front of it may only accept: whatever it does not
take whole is judged again by the table, from the same state.

It does not know bytes, offsets or clocks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from recorder.contracts._bounded import Bounded
from recorder.contracts._chat_steps import REST, Said, Work
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import OWN, Budget, Own, budget, event_budget
from recorder.contracts._profiles import PROFILES
from recorder.contracts._typed import (
    CONVERTIBLE,
    LEFT_BRACE,
    LEFT_BRACKET,
    REFUSALS,
    decode_chunk,
    decode_marked_chunk,
    not_plain,
    one_array_within,
)
from recorder.contracts._verdict import Accepted, Choice, Partial, Rejected, Verdict
from recorder.errors import FaultCode
from recorder.sse import Event, EventStreamParser

DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class ChatText(Bounded):
    """A contract made by `chat_text`. The limits are the ones in force."""

    profile: str

    @property
    def name(self) -> str:
        """ "chat_text/" and the profile."""
        return f"chat_text/{self.profile}"

    def parser(self) -> EventStreamParser:
        """A fresh parser with the profile's UTF-8 policy and these limits."""
        return EventStreamParser(utf8=PROFILES[self.profile].utf8, max_line=self.max_line, max_event=self.max_event)

    def start(self) -> ChatTextRun:
        """A fresh run."""
        return ChatTextRun(self)


def chat_text(
    profile: str = "openai",
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> ChatText:
    """The contract of a reader that takes one choice of plain text and rejects everything else.

    A stream is accepted when `[DONE]` arrives after a finish of "stop". The profiles are three published readers and,
    as "openai", a stricter reader of our own for every OpenAI-compatible provider.

    Args:
        profile: "openai", "cometapi-node", "cometapi-dotnet" or "flowbar".
        max_line: over this, one line is `line_limit`.
        max_event: over this, the joined data of one event is `event_size_limit`.
        max_output: over this, the accumulated text is `output_limit`.
        max_events: over this, delivered events are `event_count_limit`; the terminal one counts, comments do not.

    A plain number keeps the profile's unit and way of counting, a `Limit` replaces them, None lifts the limit.

    Raises:
        ValueError: no such profile, or a negative limit.
        TypeError: a limit that is not a number, a `Limit` or None.
    """
    own = PROFILES.get(profile)
    if own is None:
        raise ValueError(f"profile={profile!r}: one of {', '.join(map(repr, PROFILES))} would be right")
    return ChatText(
        profile=profile,
        max_line=budget("max_line", max_line, own.max_line),
        max_event=budget("max_event", max_event, own.max_event),
        max_output=budget("max_output", max_output, own.max_output),
        max_events=event_budget(max_events, own.max_events),
    )


class ChatTextRun:
    """One stream under a profile.

    Args:
        contract: what the stream must be.
        quick: False to judge every event by the profile's table alone.
    """

    def __init__(self, contract: ChatText, quick: bool = True) -> None:
        profile = PROFILES[contract.profile]
        self.events = 0
        self._name = contract.name
        self._profile = profile
        self._max_events = sys.maxsize if contract.max_events is None else contract.max_events
        self._any_name = profile.named_events == "ignored"
        self._decode = not_plain if not quick else decode_marked_chunk if profile.marked else decode_chunk
        self._depth = profile.max_depth
        self._shallow = one_array_within(profile.max_depth)
        self._said = Said(contract.max_output)
        self._verdict: Verdict | None = None

    def event(self, event: Event) -> Verdict | None:
        """Judge the next event."""
        return self.several((event,))

    def several(self, events: Iterable[Event]) -> Verdict | None:
        """Judge events one after the other until one decides."""
        if self._verdict is not None:
            return self._verdict
        for event in events:
            if (event.type == "message" or self._any_name) and self.plain(
                (event.data.encode("utf-8", "surrogatepass"),)
            ):
                continue
            self.events += 1
            if self.events > self._max_events:
                return self._reject(FaultCode.EVENT_COUNT_LIMIT)
            verdict = self._judge(event)
            if verdict is not None:
                return verdict
        return None

    def plain(self, values: Iterable[bytes]) -> int:
        """Take the data of unnamed events as long as they are plain chunks: each wholly or not at all.

        The hot path, so everything is written out here.

        Returns:
            how many were taken; nothing has happened to the others.
        """
        decode, depth, shallow, said = self._decode, self._depth, self._shallow, self._said
        before, most = self.events, self._max_events
        for data in values:
            if self.events >= most or said.finish is not None:
                break
            arrays, size = data.count(LEFT_BRACKET), len(data)
            if arrays > 1 or (size > shallow and (size > CONVERTIBLE or arrays + data.count(LEFT_BRACE) > depth)):
                break
            try:
                chunk = decode(data)
            except REFUSALS:
                break
            if not chunk.choices:
                break
            choice = chunk.choices[0]
            content = choice.delta.content
            if content:
                room = said.room - said.measure(content)
                if room < 0:
                    break
                said.room = room
                said.pieces.append(content)
            said.finish = choice.finish_reason
            if chunk.usage is not None:
                said.usage = chunk.usage
            self.events += 1
        return self.events - before

    def _judge(self, event: Event) -> Verdict | None:
        profile = self._profile
        if event.type != "message" and profile.named_events == "rejected":
            return self._reject(FaultCode.UNEXPECTED_EVENT_TYPE)
        if event.data == DONE:
            return self._done(event)
        chunk = decode(event.data, profile.max_depth, constants=profile.constants)
        if chunk is NOT_JSON:
            return self._reject(FaultCode.INVALID_JSON)
        work = Work(self._said, chunk)
        for step in profile.chunk:
            outcome = step(work)
            if outcome is REST:
                return None
            if outcome is not None:
                return self._reject(outcome)
        return None

    def _done(self, event: Event) -> Verdict:
        for step in self._profile.done:
            code = step(self._said)
            if code is not None:
                return self._reject(code)
        choice = self._choice()
        self._verdict = Accepted(
            text=choice.text,
            choices=(choice,),
            finish=choice.finish,
            usage=self._said.usage,
            events=self.events,
            last_event_id=event.last_event_id,
        )
        return self._verdict

    def eof(self) -> Verdict:
        """The stream ended: without `[DONE]` nothing is complete."""
        if self._verdict is None:
            self._verdict = Rejected(
                FaultCode.MISSING_TERMINAL, events=self.events, partial=self.partial, contract=self._name
            )
        return self._verdict

    @property
    def partial(self) -> Partial:
        """What has arrived so far."""
        choice = self._choice()
        begun = bool(choice.text) or choice.finish is not None
        return Partial(choice.text, (), (choice,) if begun else (), choice.finish, self._said.usage)

    def _choice(self) -> Choice:
        return Choice(0, self._said.text(), self._said.finish)

    def _reject(self, code: FaultCode) -> Verdict:
        self._verdict = Rejected(
            code, at_event=self.events, events=self.events, partial=self.partial, contract=self._name
        )
        return self._verdict
