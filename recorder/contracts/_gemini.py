"""The contract of Gemini's `streamGenerateContent` with `alt=sse`, at Google AI and at Vertex AI.

Rule: the dialect has no terminal event: a stream is over when it ends after every candidate that was begun has a
`finishReason`, or after the prompt was blocked. A finish reason may come on every chunk, and content after one: the
last reason counts. An end of the stream before any is `missing_terminal`.

Source: the Gemini API reference, `GenerateContentResponse`; Google AI and Vertex AI as recorded. It does not know
bytes, offsets or clocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recorder.contracts._arguments import json_text
from recorder.contracts._assembly import Pieces
from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat import MAX_DEPTH
from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._chat_text import DONE
from recorder.contracts._dialect_run import DialectRun, Outcome, Room
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._typed_events import is_index
from recorder.contracts._verdict import Choice, Partial, ToolCall
from recorder.errors import FaultCode
from recorder.sse import Event

_NO_REASON = (None, "", "FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED")
_SAYS_SOMETHING = ("candidates", "promptFeedback", "usageMetadata")


@dataclass(frozen=True, slots=True)
class Gemini(Bounded):
    """A contract made by `gemini`."""

    def start(self) -> GeminiRun:
        """A fresh run."""
        return GeminiRun(self)


def gemini(
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Gemini:
    """The contract of a reader of Gemini streams.

    Accepted at the end of the stream once every candidate has a finish reason, whatever it is ("STOP", "MAX_TOKENS",
    "SAFETY"); a blocked prompt is accepted without a candidate, its block reason the finish. Thoughts are kept apart
    from the text. The arguments of a function call come as an object and are given as its JSON text; those that Vertex
    AI streams in parts (`partialArgs`) are not put together, and the call is marked as incomplete.

    A truthful reader cannot know whether more was to come after a finish reason: nothing tells a stream cut there from
    a whole one, nor that a chunk in the middle was lost. An error that is sent without a `data` field is no event.

    Args:
        max_line, max_event: 16 MiB unless given.
        max_output: everything kept (text, thoughts, calls), 16 Mi code points unless given.
        max_events: 1,000,000 unless given.

    Raises:
        TypeError, ValueError: a limit that is none.
    """
    return Gemini(*bounds(max_line, max_event, max_output, max_events))


class GeminiRun(DialectRun):
    """One stream under judgement."""

    def __init__(self, contract: Gemini) -> None:
        super().__init__(contract)
        self._candidates: dict[int, _Candidate] = {}
        self._blocked: str | None = None
        self._usage: Any = None

    @property
    def complete(self) -> bool:
        """Whether the stream would be accepted if it ended here."""
        if not self._candidates:
            return self._blocked is not None
        return all(each.finish is not None for each in self._candidates.values())

    def _judge(self, event: Event) -> Outcome:
        if event.type != "message":
            return FaultCode.UPSTREAM_ERROR if event.type == "error" else FaultCode.UNEXPECTED_EVENT_TYPE
        if event.data in ("", DONE):  # a heartbeat; a marker this dialect does not have, from some gateways
            self.unknown += event.data == DONE
            return None
        chunk = decode(event.data, MAX_DEPTH)
        if chunk is NOT_JSON:
            return FaultCode.INVALID_JSON
        return self._chunk(chunk) if isinstance(chunk, dict) else FaultCode.INVALID_CHUNK

    def _chunk(self, chunk: dict[str, Any]) -> Outcome:
        if chunk.get("error") is not None:
            return FaultCode.UPSTREAM_ERROR
        candidates, feedback, usage = map(chunk.get, _SAYS_SOMETHING)
        if candidates is None and feedback is None and usage is None:
            return FaultCode.INVALID_CHUNK
        if not isinstance(candidates, list | None):
            return FaultCode.INVALID_CHOICES
        if not isinstance(usage, dict | None):
            return FaultCode.INVALID_USAGE
        self._usage = self._usage if usage is None else usage
        candidates = candidates or []
        codes = (self._candidate(each, alone=len(candidates) == 1) for each in candidates)
        return self._feedback(feedback) or next((code for code in codes if code is not None), None)

    def _feedback(self, feedback: Any) -> FaultCode | None:
        if not isinstance(feedback, dict | None):
            return FaultCode.INVALID_CHUNK
        reason = (feedback or {}).get("blockReason")
        if reason in _NO_REASON:
            return None
        if not isinstance(reason, str):
            return FaultCode.INVALID_CHUNK
        self._blocked = reason
        return None

    def _candidate(self, candidate: Any, alone: bool) -> FaultCode | None:
        if not isinstance(candidate, dict):
            return FaultCode.INVALID_CHUNK
        index = candidate.get("index", 0 if alone else None)
        if not is_index(index):
            return FaultCode.UNSUPPORTED_CHOICES
        known = self._candidates.get(index)
        if known is None:
            known = self._candidates[index] = _Candidate(index, self._room)
        return known.add(candidate)

    def _end_of_stream(self) -> Outcome:
        if not self.complete:
            return None
        if any(each.has_half_left() for each in self._candidates.values()):
            return FaultCode.INVALID_CONTENT
        return self._accepted()

    @property
    def partial(self) -> Partial:
        """What has arrived so far; `text`, `tool_calls` and `finish` are the first candidate's."""
        choices = tuple(self._candidates[index].choice() for index in sorted(self._candidates))
        if not choices:
            return Partial(finish=self._blocked, usage=self._usage)
        first = choices[0]
        return Partial(first.text, first.tool_calls, choices, first.finish, self._usage)


class _Candidate:
    """One candidate in pieces."""

    __slots__ = ("_calls", "_index", "_room", "_text", "_thoughts", "finish")

    def __init__(self, index: int, room: Room) -> None:
        self._index = index
        self._room = room
        self._text = Pieces()
        self._thoughts = Pieces()
        self._calls: list[ToolCall] = []
        self.finish: str | None = None

    def add(self, candidate: dict[str, Any]) -> FaultCode | None:
        """Take what one chunk says of this candidate."""
        content, reason = candidate.get("content"), candidate.get("finishReason")
        if not isinstance(content, dict | None):
            return FaultCode.INVALID_DELTA
        parts = (content or {}).get("parts")
        if not isinstance(parts, list | None):
            return FaultCode.INVALID_DELTA
        for part in parts or ():
            code = self._part(part)
            if code is not None:
                return code
        if reason in _NO_REASON:
            return None
        if not isinstance(reason, str):
            return FaultCode.UNACCEPTED_FINISH
        taken = None if reason == self.finish else self._room.take(reason)
        self.finish = reason
        return taken

    def _part(self, part: Any) -> FaultCode | None:
        """Text, a thought or a function call; other parts (images, code that was run) are passed over."""
        if not isinstance(part, dict):
            return FaultCode.INVALID_DELTA
        call = part.get("functionCall")
        code = None if call is None else self._call(call)
        to = self._thoughts if part.get("thought") is True else self._text
        return code or self._room.append(to, part.get("text"), FaultCode.INVALID_CONTENT)

    def _call(self, call: Any) -> FaultCode | None:
        if not isinstance(call, dict):
            return FaultCode.INVALID_DELTA
        id_, name, args = call.get("id"), call.get("name"), call.get("args")
        if not isinstance(id_, str | None) or not isinstance(name, str | None) or not isinstance(args, dict | None):
            return FaultCode.INVALID_DELTA
        if not name:  # a further part of a call that is told in parts
            return None if self._calls else FaultCode.INVALID_DELTA
        in_parts = call.get("willContinue") is True or call.get("partialArgs")
        arguments = "" if in_parts else json_text(args or {})
        code = self._room.take("".join((id_ or "", name, arguments)))
        if code is None:
            self._calls.append(ToolCall(id_, name, arguments, bool(arguments) and not has_lone_surrogate(arguments)))
        return code

    def has_half_left(self) -> bool:
        """Whether text ends up with half a surrogate pair in it."""
        return has_lone_surrogate(str(self._text)) or has_lone_surrogate(str(self._thoughts))

    def choice(self) -> Choice:
        """The candidate as it stands."""
        return Choice(
            index=self._index,
            text=str(self._text),
            finish=self.finish,
            tool_calls=tuple(self._calls),
            reasoning=self._thoughts.or_none(),
        )
