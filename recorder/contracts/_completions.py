"""The contract of OpenAI's legacy completions: unnamed events, `choices[].text`, `[DONE]` at the end.

Rule: a stream is accepted when `[DONE]` arrives and every choice that was begun has a finish we know. What `chat` reads
without loss (an empty `data:`, a finish of "" or "null" for none, usage on any chunk, an empty choice after its finish)
is read here too.

Source: the OpenAI API reference, Completions; vLLM, llama.cpp, Together and Databricks as documented. It does not know
bytes, offsets or clocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recorder.contracts._assembly import Pieces
from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat import MAX_DEPTH, chunk_fault
from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._chat_text import DONE
from recorder.contracts._dialect_run import DialectRun, Outcome
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._typed_events import is_index
from recorder.contracts._verdict import Choice, Partial
from recorder.errors import FaultCode
from recorder.sse import Event

FINISHES = frozenset({"stop", "length", "content_filter", "eos"})
"""`eos` is Together's word for a stop of the model's own."""

_NO_FINISH = (None, "", "null")


@dataclass(frozen=True, slots=True)
class Completions(Bounded):
    """A contract made by `completions`."""

    def start(self) -> CompletionsRun:
        """A fresh run."""
        return CompletionsRun(self)


def completions(
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Completions:
    """The contract of a reader of legacy completion streams, with one choice or several.

    A truthful reader cannot know whether a chunk in the middle was lost: chunks have no numbers, and the text is never
    sent whole.

    Args:
        max_line, max_event: 16 MiB unless given.
        max_output: the text of all choices, 16 Mi code points unless given.
        max_events: 1,000,000 unless given.

    Raises:
        TypeError, ValueError: a limit that is none.
    """
    return Completions(*bounds(max_line, max_event, max_output, max_events))


class CompletionsRun(DialectRun):
    """One stream under judgement."""

    def __init__(self, contract: Completions) -> None:
        super().__init__(contract)
        self._texts: dict[int, Pieces] = {}
        self._finishes: dict[int, str] = {}
        self._usage: Any = None

    def _judge(self, event: Event) -> Outcome:
        if event.type != "message":
            return FaultCode.UPSTREAM_ERROR if event.type == "error" else FaultCode.UNEXPECTED_EVENT_TYPE
        if not event.data:
            return None
        if event.data == DONE:
            return self._end()
        chunk = decode(event.data, MAX_DEPTH)
        if chunk is NOT_JSON:
            return FaultCode.INVALID_JSON
        return self._chunk(chunk) if isinstance(chunk, dict) else FaultCode.INVALID_CHUNK

    def _chunk(self, chunk: dict[str, Any]) -> Outcome:
        fault = chunk_fault(chunk)
        if fault is not None:
            return fault
        usage, choices = chunk.get("usage"), chunk.get("choices") or []
        self._usage = self._usage if usage is None else usage
        codes = (self._choice(each, alone=len(choices) == 1) for each in choices)
        return next((code for code in codes if code is not None), None)

    def _choice(self, choice: Any, alone: bool) -> FaultCode | None:
        if not isinstance(choice, dict):
            return FaultCode.INVALID_CHUNK
        index, text, finish = choice.get("index", 0 if alone else None), choice.get("text"), choice.get("finish_reason")
        if not is_index(index):
            return FaultCode.UNSUPPORTED_CHOICES
        if "text" not in choice and ("delta" in choice or "message" in choice):  # text of another dialect
            return FaultCode.INVALID_CHUNK
        finished = self._finishes.get(index)
        if finished is not None:
            nothing_new = not text and finish in (*_NO_FINISH, finished)
            return None if nothing_new else FaultCode.CHOICE_AFTER_FINISH
        code = self._room.append(self._texts.setdefault(index, Pieces()), text, FaultCode.INVALID_CONTENT)
        if code is not None or finish in _NO_FINISH:
            return code
        if not isinstance(finish, str) or finish not in FINISHES:
            return FaultCode.UNACCEPTED_FINISH
        self._finishes[index] = finish
        return None

    def _end(self) -> Outcome:
        if not self._texts or len(self._finishes) < len(self._texts):
            return FaultCode.MISSING_FINISH
        if any(has_lone_surrogate(str(text)) for text in self._texts.values()):
            return FaultCode.INVALID_CONTENT
        return self._accepted()

    @property
    def partial(self) -> Partial:
        """What has arrived so far; `text` and `finish` are the first choice's."""
        choices = tuple(
            Choice(index, str(self._texts[index]), self._finishes.get(index)) for index in sorted(self._texts)
        )
        if not choices:
            return Partial(usage=self._usage)
        return Partial(choices[0].text, (), choices, choices[0].finish, self._usage)
