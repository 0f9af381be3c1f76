"""The contract of Cohere's chat API, version 2: typed events around content blocks and tool calls.

Rule: a stream is over with `message-end`, which has the finish reason and the usage; the `[DONE]` that follows it is a
later byte, as nothing of the answer comes with it and older streams have none. A finish of "ERROR", or an error in
`message-end`, is the provider's error inside a stream that began well.

Source: the Cohere API reference, "Chat (v2)", streaming; as recorded. It does not know bytes, offsets or clocks, and
not version 1, which is newline-delimited JSON and no event stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from recorder.contracts._arguments import are_whole, can_be_run
from recorder.contracts._assembly import Pieces
from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._dialect_run import Outcome
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._typed_events import TypedRun, is_index
from recorder.contracts._verdict import Choice, Partial, ToolCall
from recorder.errors import FaultCode

TERMINAL = "message-end"
BY_ITSELF = frozenset({"COMPLETE", "STOP_SEQUENCE", "TOOL_CALL"})
"""Finish reasons of a message that ended by itself: everything it began has ended before."""

_BEGINNING = "message-start"
_PASSED_OVER = frozenset({"citation-start", "citation-end", "debug"})


@dataclass(frozen=True, slots=True)
class Cohere(Bounded):
    """A contract made by `cohere`."""

    def start(self) -> CohereRun:
        """A fresh run."""
        return CohereRun(self)


def cohere(
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Cohere:
    """The contract of a reader of Cohere's chat streams, version 2.

    Accepted with `message-end`; the finish is its reason as sent ("COMPLETE", "MAX_TOKENS", "TOOL_CALL"). Thinking and
    the tool plan are kept apart from the text. With "TOOL_CALL" the arguments of every call must be JSON.

    A truthful reader cannot know whether a delta inside a block was lost: events have no numbers, and a block is never
    sent whole.

    Args:
        max_line, max_event: 16 MiB unless given.
        max_output: everything kept (text, thinking, plan, calls), 16 Mi code points unless given.
        max_events: 1,000,000 unless given.

    Raises:
        TypeError, ValueError: a limit that is none.
    """
    return Cohere(*bounds(max_line, max_event, max_output, max_events))


class CohereRun(TypedRun):
    """One message under judgement."""

    known: ClassVar[frozenset[str]] = frozenset(
        {
            *(_BEGINNING, TERMINAL, "tool-plan-delta", *_PASSED_OVER),
            *("content-start", "content-delta", "content-end"),
            *("tool-call-start", "tool-call-delta", "tool-call-end"),
        }
    )

    def __init__(self, contract: Cohere) -> None:
        super().__init__(contract)
        self._begun = False
        self._plan = Pieces()
        self._blocks: dict[int, _Block] = {}
        self._calls: dict[int, _Call] = {}
        self._finish: str | None = None
        self._usage: Any = None

    def _take(self, type_: str, record: dict[str, Any]) -> Outcome:
        if self._begun == (type_ == _BEGINNING):
            return FaultCode.INVALID_SEQUENCE
        self._begun = True
        handle = _HANDLERS.get(type_)
        return None if handle is None else handle(self, record)

    # Content.

    def _content_start(self, record: dict[str, Any]) -> Outcome:
        index, content = record.get("index"), _inside(record, "content")
        if not is_index(index) or not isinstance(content, dict):
            return FaultCode.INVALID_CHUNK
        if index in self._blocks:
            return FaultCode.INVALID_SEQUENCE
        self._blocks[index] = _Block()
        return self._add_content(self._blocks[index], content)

    def _content_delta(self, record: dict[str, Any]) -> Outcome:
        index, content = record.get("index"), _inside(record, "content")
        if not is_index(index):
            return FaultCode.INVALID_CHUNK
        if not isinstance(content, dict):
            return FaultCode.INVALID_DELTA
        block = self._blocks.get(index)
        if block is None or block.over:
            return FaultCode.INVALID_SEQUENCE
        return self._add_content(block, content)

    def _add_content(self, block: _Block, content: dict[str, Any]) -> FaultCode | None:
        return self._room.append(block.text, content.get("text"), FaultCode.INVALID_CONTENT) or self._room.append(
            block.thinking, content.get("thinking"), FaultCode.INVALID_DELTA
        )

    def _content_end(self, record: dict[str, Any]) -> Outcome:
        return _over(self._blocks, record.get("index"))

    # Tools.

    def _plan_delta(self, record: dict[str, Any]) -> Outcome:
        return self._room.append(self._plan, _inside(record, "tool_plan"), FaultCode.INVALID_DELTA)

    def _call_start(self, record: dict[str, Any]) -> Outcome:
        index, piece = record.get("index"), _inside(record, "tool_calls")
        if not is_index(index) or not isinstance(piece, dict):
            return FaultCode.INVALID_CHUNK
        if index in self._calls:
            return FaultCode.INVALID_SEQUENCE
        call = self._calls[index] = _Call()
        id_, function = piece.get("id"), piece.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(id_, str | None) or not isinstance(name, str):
            return FaultCode.INVALID_DELTA
        call.id, call.name = id_, name
        return self._room.take((id_ or "") + name) or self._add_arguments(call, piece)

    def _call_delta(self, record: dict[str, Any]) -> Outcome:
        index, piece = record.get("index"), _inside(record, "tool_calls")
        if not is_index(index):
            return FaultCode.INVALID_CHUNK
        if not isinstance(piece, dict):
            return FaultCode.INVALID_DELTA
        call = self._calls.get(index)
        if call is None or call.over:
            return FaultCode.INVALID_SEQUENCE
        return self._add_arguments(call, piece)

    def _add_arguments(self, call: _Call, piece: dict[str, Any]) -> FaultCode | None:
        function = piece.get("function")
        if not isinstance(function, dict):
            return FaultCode.INVALID_DELTA
        return self._room.append(call.arguments, function.get("arguments"), FaultCode.INVALID_DELTA)

    def _call_end(self, record: dict[str, Any]) -> Outcome:
        return _over(self._calls, record.get("index"))

    # The end.

    def _end(self, record: dict[str, Any]) -> Outcome:
        delta = record.get("delta")
        if not isinstance(delta, dict):
            return FaultCode.INVALID_DELTA
        finish, usage = delta.get("finish_reason"), delta.get("usage")
        if finish == "ERROR" or delta.get("error") is not None:
            return FaultCode.UPSTREAM_ERROR
        if not isinstance(usage, dict | None):
            return FaultCode.INVALID_USAGE
        self._usage = usage
        if finish in (None, ""):
            return FaultCode.MISSING_FINISH
        if not isinstance(finish, str):
            return FaultCode.UNACCEPTED_FINISH
        self._finish = finish
        return self._unfinished(finish) or self._accepted()

    def _unfinished(self, finish: str) -> FaultCode | None:
        if finish in BY_ITSELF and not all(each.over for each in (*self._blocks.values(), *self._calls.values())):
            return FaultCode.INVALID_SEQUENCE
        if finish == "TOOL_CALL" and not all(can_be_run(str(each.arguments)) for each in self._calls.values()):
            return FaultCode.INVALID_TOOL_ARGUMENTS
        choice = self._choice()
        halves = has_lone_surrogate(choice.text) or has_lone_surrogate(choice.reasoning or "")
        return FaultCode.INVALID_CONTENT if halves else None

    @property
    def partial(self) -> Partial:
        """What has arrived so far."""
        choice = self._choice()
        return Partial(choice.text, choice.tool_calls, (choice,), self._finish, self._usage)

    def _choice(self) -> Choice:
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        thoughts = [self._plan.or_none(), *(each.thinking.or_none() for each in blocks)]
        said = [each for each in thoughts if each is not None]
        return Choice(
            index=0,
            text="".join(str(each.text) for each in blocks),
            finish=self._finish,
            tool_calls=tuple(self._calls[index].call() for index in sorted(self._calls)),
            reasoning="".join(said) if said else None,
        )


_HANDLERS: Mapping[str, Callable[[CohereRun, dict[str, Any]], Outcome]] = {
    "content-start": CohereRun._content_start,
    "content-delta": CohereRun._content_delta,
    "content-end": CohereRun._content_end,
    "tool-plan-delta": CohereRun._plan_delta,
    "tool-call-start": CohereRun._call_start,
    "tool-call-delta": CohereRun._call_delta,
    "tool-call-end": CohereRun._call_end,
    TERMINAL: CohereRun._end,
}


class _Begun:
    """What begins, goes on in pieces, and ends."""

    __slots__ = ("over",)

    def __init__(self) -> None:
        self.over = False


class _Block(_Begun):
    """A content block in pieces: text, or what a reasoning model thinks."""

    __slots__ = ("text", "thinking")

    def __init__(self) -> None:
        super().__init__()
        self.text = Pieces()
        self.thinking = Pieces()


class _Call(_Begun):
    """A tool call in pieces."""

    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        super().__init__()
        self.id: str | None = None
        self.name = ""
        self.arguments = Pieces()

    def call(self) -> ToolCall:
        """The call as far as it came."""
        arguments = str(self.arguments)
        return ToolCall(self.id, self.name, arguments, are_whole(arguments, self.over))


def _inside(record: dict[str, Any], name: str) -> Any:
    """`delta.message.<name>`, None where there is no such place."""
    delta = record.get("delta")
    message = delta.get("message") if isinstance(delta, dict) else None
    return message.get(name) if isinstance(message, dict) else None


def _over(begun: Mapping[int, _Begun], index: Any) -> FaultCode | None:
    """An end of one of several things, which must have begun and not ended yet."""
    if not is_index(index):
        return FaultCode.INVALID_CHUNK
    known = begun.get(index)
    if known is None or known.over:
        return FaultCode.INVALID_SEQUENCE
    known.over = True
    return None
