"""The contract of Anthropic's Messages API: named events around content blocks.

Rule: a stream is over with `message_stop`, after a `message_delta` that gave the stop reason; `error` is the provider's
error inside a stream that began well; a `ping` may come anywhere and means nothing. A message that says it ended by
itself has stopped every block it started.

Some servers start no block at all and send text deltas alone; that is read as it is. A stream does one or the other.

Source: the Anthropic documentation, "Streaming messages"; Amazon Bedrock, Vertex AI and compatible servers as recorded
or reported. It does not know bytes, offsets or clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._dialect_run import Outcome
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._message_blocks import TOOL_USE, Blocks, is_unknown_delta
from recorder.contracts._typed_events import TypedRun
from recorder.contracts._verdict import Partial
from recorder.errors import FaultCode

TERMINAL = "message_stop"
BY_ITSELF = frozenset({"end_turn", "stop_sequence", TOOL_USE})
"""Stop reasons of a message that ended by itself; with another one it was cut, and so may its last block be."""

_NEW, _BEGUN, _TOLD, _ENDED = "nothing came", "the message began", "a message_delta came", "the stop reason came"
_MOVES: Mapping[tuple[str, str], str] = {  # what is not here is impossible
    (_NEW, "message_start"): _BEGUN,
    (_BEGUN, "content_block_start"): _BEGUN,
    (_BEGUN, "content_block_delta"): _BEGUN,
    (_BEGUN, "content_block_stop"): _BEGUN,
    (_BEGUN, "message_delta"): _TOLD,
    (_TOLD, "content_block_start"): _TOLD,
    (_TOLD, "content_block_delta"): _TOLD,
    (_TOLD, "content_block_stop"): _TOLD,
    (_TOLD, "message_delta"): _TOLD,
    (_TOLD, TERMINAL): _TOLD,
    (_ENDED, "message_delta"): _ENDED,
    (_ENDED, TERMINAL): _ENDED,
}


@dataclass(frozen=True, slots=True)
class Messages(Bounded):
    """A contract made by `messages`."""

    def start(self) -> MessagesRun:
        """A fresh run."""
        return MessagesRun(self)


def messages(
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Messages:
    """The contract of a reader of Anthropic's Messages API.

    Accepted with `message_stop`; the finish is the stop reason as sent, the text that of all text blocks joined, and
    usage what `message_start` told with what the last `message_delta` told over it. The input of tool calls must be
    JSON when the stop reason is "tool_use"; cut by "max_tokens", say, it is marked as incomplete.

    A truthful reader cannot know whether a delta inside a block was lost: events have no numbers, and a block is never
    sent whole.

    Args:
        max_line, max_event: 16 MiB unless given.
        max_output: everything kept (text, thinking, tool input, names, ids), 16 Mi code points unless given.
        max_events: 1,000,000 unless given; a ping counts.

    Raises:
        TypeError, ValueError: a limit that is none.
    """
    return Messages(*bounds(max_line, max_event, max_output, max_events))


class MessagesRun(TypedRun):
    """One message under judgement."""

    known: ClassVar[frozenset[str]] = frozenset({"ping", *(type_ for _, type_ in _MOVES)})

    def __init__(self, contract: Messages) -> None:
        super().__init__(contract)
        self._phase = _NEW
        self._blocks = Blocks(self._room)
        self._stop_reason: str | None = None
        self._first_usage: dict[str, Any] | None = None
        self._last_usage: dict[str, Any] | None = None

    def _take(self, type_: str, record: dict[str, Any]) -> Outcome:
        if type_ == "ping":
            return None
        phase = _MOVES.get((self._phase, type_))
        if phase is None:
            return FaultCode.INVALID_SEQUENCE
        self._phase = phase
        return _HANDLERS[type_](self, record)

    def _start(self, record: dict[str, Any]) -> Outcome:
        message = record.get("message")
        if not isinstance(message, dict) or message.get("content") not in (None, []):
            return FaultCode.INVALID_CHUNK  # content in this place would be text that no delta repeats
        self._first_usage = message.get("usage")
        return None if isinstance(self._first_usage, dict | None) else FaultCode.INVALID_USAGE

    def _block(self, record: dict[str, Any]) -> Outcome:
        return self._blocks.start(record)

    def _delta(self, record: dict[str, Any]) -> Outcome:
        self.unknown += is_unknown_delta(record)
        return self._blocks.delta(record)

    def _stop_block(self, record: dict[str, Any]) -> Outcome:
        return self._blocks.stop(record)

    def _end(self, record: dict[str, Any]) -> Outcome:
        """`message_delta`: usage, and once the stop reason."""
        delta, usage = record.get("delta"), record.get("usage")
        if not isinstance(delta, dict):
            return FaultCode.INVALID_DELTA
        if not isinstance(usage, dict | None):
            return FaultCode.INVALID_USAGE
        self._last_usage = usage if usage is not None else self._last_usage
        reason = delta.get("stop_reason")
        if reason is None:
            return None
        if not isinstance(reason, str) or not reason:
            return FaultCode.UNACCEPTED_FINISH
        return self._stop(reason)

    def _stop(self, reason: str) -> FaultCode | None:
        if self._stop_reason is not None:
            return None if reason == self._stop_reason else FaultCode.INVALID_SEQUENCE
        self._phase, self._stop_reason = _ENDED, reason
        if reason in BY_ITSELF and not self._blocks.are_closed():
            return FaultCode.INVALID_SEQUENCE
        if reason == TOOL_USE and not self._blocks.can_be_run():
            return FaultCode.INVALID_TOOL_ARGUMENTS
        return self._room.take(reason)

    def _finish(self, record: dict[str, Any]) -> Outcome:
        if self._stop_reason is None:
            return FaultCode.MISSING_FINISH
        return FaultCode.INVALID_CONTENT if self._blocks.has_half_left() else self._accepted()

    @property
    def partial(self) -> Partial:
        """What has arrived so far."""
        choice = self._blocks.choice(self._stop_reason)
        return Partial(choice.text, choice.tool_calls, (choice,), self._stop_reason, self._usage())

    def _usage(self) -> dict[str, Any] | None:
        first, last = self._first_usage, self._last_usage
        if not isinstance(first, dict):
            return last
        return first if last is None else {**first, **last}


_HANDLERS: Mapping[str, Callable[[MessagesRun, dict[str, Any]], Outcome]] = {
    "message_start": MessagesRun._start,
    "content_block_start": MessagesRun._block,
    "content_block_delta": MessagesRun._delta,
    "content_block_stop": MessagesRun._stop_block,
    "message_delta": MessagesRun._end,
    TERMINAL: MessagesRun._finish,
}
