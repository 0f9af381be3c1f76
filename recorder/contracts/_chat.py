"""The contract of chat completion streams in full: several choices, tool calls, refusals, audio, provider habits.

Rule: a stream is accepted when `[DONE]` arrives and every choice that was begun has a finish we know. What providers
are seen to do without losing anything (an empty `data:` as a heartbeat, a finish of "" or "null" for none, a choice
without `delta`, a chunk with usage and no `choices`) is read; what could hide a loss is rejected.

Sources: the OpenAI API reference for chat completion chunks; Azure, OpenRouter, DeepSeek, Groq, Mistral and others as
recorded. It does not know bytes, offsets or clocks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from recorder.contracts._assembly import ChoiceInProgress
from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat_text import DONE
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import MEASURES, OWN, Budget, Own
from recorder.contracts._typed import NOT_PLAIN, REFUSALS, decode_chunk, is_surely_within, not_plain
from recorder.contracts._verdict import Accepted, Partial, Rejected, Verdict
from recorder.errors import FaultCode
from recorder.sse import Event, Limit

MAX_DEPTH = 128
MAX_CHOICES = 128
"""The largest n the OpenAI API takes."""

_NO_FINISH = (None, "", "null")


@dataclass(frozen=True, slots=True)
class Chat(Bounded):
    """A contract made by `chat`."""

    terminal: Literal["done", "finish"]

    @property
    def name(self) -> str:
        """ "chat", or "chat/finish" when the finish alone is enough."""
        return "chat" if self.terminal == "done" else "chat/finish"

    def start(self) -> ChatRun:
        """A fresh run."""
        return ChatRun(self)


def chat(
    terminal: Literal["done", "finish"] = "done",
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Chat:
    """The contract of a reader that understands all of a chat completion stream.

    Args:
        terminal: "done" demands `[DONE]`. "finish" also accepts the end of the stream once every choice has its
            finish, for providers that send no marker (Perplexity, some behind Hugging Face); such a stream may still
            have lost what followed the finish, usage for one.
        max_line, max_event: 16 MiB unless given.
        max_output: everything kept (text, refusal, reasoning, audio, tool calls), 16 Mi code points unless given.
        max_events: 1,000,000 unless given.

    Raises:
        ValueError: another `terminal`, or a negative limit.
        TypeError: a limit that is not a number, a `Limit` or None.
    """
    if terminal not in ("done", "finish"):
        raise ValueError(f"terminal={terminal!r}: 'done' or 'finish' would be right")
    return Chat(*bounds(max_line, max_event, max_output, max_events), terminal)


def chunk_fault(chunk: dict[str, Any]) -> FaultCode | None:
    """What is wrong with a chunk of chat or legacy completions, before its choices are looked at."""
    choices, usage = chunk.get("choices"), chunk.get("usage")
    if chunk.get("error") is not None or (choices is None and chunk.get("object") == "error"):  # vLLM's older form
        return FaultCode.UPSTREAM_ERROR
    if choices is None and usage is None:
        return FaultCode.INVALID_CHOICES if "choices" in chunk else FaultCode.INVALID_CHUNK
    if not isinstance(choices, list | None):
        return FaultCode.INVALID_CHOICES
    return None if isinstance(usage, dict | None) else FaultCode.INVALID_USAGE


class ChatRun:
    """One chat stream under judgement.

    Args:
        contract: what the stream must be.
        quick: False to judge every event the long way.
    """

    def __init__(self, contract: Chat, quick: bool = True) -> None:
        self.events = 0
        self._contract = contract
        self._max_events = sys.maxsize if contract.max_events is None else contract.max_events
        self._decode = decode_chunk if quick else not_plain
        self._choices: dict[int, ChoiceInProgress] = {}
        self._usage: Any = None
        limit = contract.max_output or Limit(sys.maxsize, "code_points")
        self._room = limit.n  # what is left of the budget
        self._measure = MEASURES[limit.unit]
        self._last_event_id = ""
        self._verdict: Verdict | None = None

    def event(self, event: Event) -> Verdict | None:
        """Judge the next event."""
        return self.several((event,))

    def several(self, events: Iterable[Event]) -> Verdict | None:
        """Judge events one after the other until one decides.

        The hot path, so what a plain chunk does is written out here: text for the first choice, which has begun and
        does not end, is taken wholly or not at all.
        """
        if self._verdict is not None:
            return self._verdict
        decode, first = self._decode, self._choices.get(0)
        for event in events:
            self.events += 1
            if self.events > self._max_events:
                return self._reject(FaultCode.EVENT_COUNT_LIMIT)
            name, data, self._last_event_id = event
            if name == "message" and first is not None and first.finish is None and is_surely_within(data, MAX_DEPTH):
                try:
                    chunk = decode(data)
                except REFUSALS:
                    chunk = NOT_PLAIN
                if chunk.choices and chunk.choices[0].finish_reason is None:
                    content = chunk.choices[0].delta.content or ""
                    room = self._room - self._measure(content)
                    if room >= 0:
                        self._room = room
                        if content:
                            first.content.pieces.append(content)
                        if chunk.usage is not None:
                            self._usage = chunk.usage
                        continue
            verdict = self._judge(name, data)
            if verdict is not None:
                return verdict
            first = self._choices.get(0)
        return None

    def _judge(self, name: str, data: str) -> Verdict | None:
        if name != "message":
            return self._reject(FaultCode.UPSTREAM_ERROR if name == "error" else FaultCode.UNEXPECTED_EVENT_TYPE)
        if data == DONE:
            return self._end()
        code = self._chunk(data) if data else None  # an empty `data:` is a heartbeat
        return None if code is None else self._reject(code)

    def _chunk(self, data: str) -> FaultCode | None:
        chunk = decode(data, MAX_DEPTH)
        if chunk is NOT_JSON:
            return FaultCode.INVALID_JSON
        if not isinstance(chunk, dict):
            return FaultCode.INVALID_CHUNK
        fault = chunk_fault(chunk)
        if fault is not None:
            return fault
        usage, choices = chunk.get("usage"), chunk.get("choices") or []
        self._usage = self._usage if usage is None else usage
        for choice in choices:
            code = self._choice(choice, alone=len(choices) == 1)
            if code is not None:
                return code
        return None

    def _choice(self, choice: Any, alone: bool) -> FaultCode | None:
        if not isinstance(choice, dict):
            return FaultCode.INVALID_CHUNK
        index = choice.get("index", 0 if alone else None)
        if type(index) is not int or index < 0:
            return FaultCode.UNSUPPORTED_CHOICES
        known = self._choices.get(index)
        if known is None:
            if len(self._choices) == MAX_CHOICES:
                return FaultCode.UNSUPPORTED_CHOICES
            known = self._choices[index] = ChoiceInProgress(index, self._measure)
        finish = choice.get("finish_reason")
        if known.finish is not None:
            if _brings_nothing(choice, known.finish):
                return None
            if not known.reopens(choice):
                return FaultCode.CHOICE_AFTER_FINISH
        return known.add(choice) or self._grown(known) or self._finish(known, finish)

    def _grown(self, choice: ChoiceInProgress) -> FaultCode | None:
        self._room -= choice.grown
        return FaultCode.OUTPUT_LIMIT if self._room < 0 else None

    def _finish(self, choice: ChoiceInProgress, finish: Any) -> FaultCode | None:
        if finish in _NO_FINISH:
            return None
        return choice.end(finish) if isinstance(finish, str) else FaultCode.UNACCEPTED_FINISH

    def _end(self) -> Verdict:
        if not self._all_finished():
            return self._reject(FaultCode.MISSING_FINISH)
        if any(choice.has_half_left() for choice in self._choices.values()):
            return self._reject(FaultCode.INVALID_CONTENT)
        said = self.partial
        self._verdict = Accepted(
            text=said.text,
            tool_calls=said.tool_calls,
            choices=said.choices,
            finish=said.finish,
            usage=said.usage,
            events=self.events,
            last_event_id=self._last_event_id,
        )
        return self._verdict

    def _all_finished(self) -> bool:
        return bool(self._choices) and all(choice.finish is not None for choice in self._choices.values())

    def eof(self) -> Verdict:
        """The stream ended without `[DONE]`."""
        if self._verdict is not None:
            return self._verdict
        if self._contract.terminal == "finish" and self._all_finished():
            return self._end()
        return self._reject(FaultCode.MISSING_TERMINAL, at_event=None)

    @property
    def partial(self) -> Partial:
        """What has arrived so far; `text`, `tool_calls` and `finish` are the first choice's."""
        choices = tuple(self._choices[index].choice() for index in sorted(self._choices))
        if not choices:
            return Partial(usage=self._usage)
        first = choices[0]
        return Partial(first.text, first.tool_calls, choices, first.finish, self._usage)

    def _reject(self, code: FaultCode, at_event: int | None = -1) -> Verdict:
        self._verdict = Rejected(
            code,
            at_event=self.events if at_event == -1 else at_event,
            events=self.events,
            partial=self.partial,
            contract=self._contract.name,
        )
        return self._verdict


def _brings_nothing(choice: dict[str, Any], finish: str) -> bool:
    """Whether a choice after its finish says nothing new, as the usage chunk of some gateways does."""
    delta = choice.get("delta")
    if not isinstance(delta, dict | None) or choice.get("finish_reason") not in (*_NO_FINISH, finish):
        return False
    return not any(value for name, value in (delta or {}).items() if name != "role")
