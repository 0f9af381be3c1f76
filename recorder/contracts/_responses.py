"""The contract of OpenAI's Responses API: typed events around output items.

Rule: a stream is over with `response.completed`, `response.incomplete` or `response.failed`; no `[DONE]` is needed,
and one that follows is a later byte. `response.failed`, like the event `error`, is the provider's error inside a stream
that began well. A response that is complete has been created first, and its events follow each other without a gap in
`sequence_number` where they have one.

Some servers send no more than bare text deltas and the terminal event; that is read as it is. What names an item,
a number or a state belongs to a whole life cycle, and is held to it.

Source: the OpenAI API reference, Responses, "Streaming events"; Azure, Amazon Bedrock, OpenRouter, DeepSeek, xAI and
GitHub Copilot as recorded or reported. It does not know bytes, offsets or clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._dialect_run import Outcome
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._response_items import (
    ARGUMENTS,
    CONTENT_PART,
    INPUT,
    REASONING,
    REASONING_PART,
    REFUSAL,
    SUMMARY,
    SUMMARY_PART,
    TEXT,
    Items,
)
from recorder.contracts._typed_events import Typed, TypedRun, is_index
from recorder.contracts._verdict import Partial
from recorder.errors import FaultCode


class Phase(StrEnum):
    """How far a response is."""

    NEW = "nothing came"
    CREATED = "it was created"
    BARE = "texts came that name nothing"
    HEADLESS = "the middle of a life cycle came, without its beginning"


class Sign(StrEnum):
    """What an event says of the life cycle."""

    BEGINNING = "response.created"
    PART = "part of a life cycle"
    BARE = "a text that names nothing"
    TERMINAL = "the end"


_MOVES: Mapping[tuple[Phase, Sign], Phase] = {  # what is not here is impossible
    (Phase.NEW, Sign.BEGINNING): Phase.CREATED,
    (Phase.NEW, Sign.PART): Phase.HEADLESS,
    (Phase.NEW, Sign.BARE): Phase.BARE,
    (Phase.CREATED, Sign.PART): Phase.CREATED,
    (Phase.CREATED, Sign.BARE): Phase.CREATED,
    (Phase.CREATED, Sign.TERMINAL): Phase.CREATED,
    (Phase.BARE, Sign.PART): Phase.HEADLESS,
    (Phase.BARE, Sign.BARE): Phase.BARE,
    (Phase.BARE, Sign.TERMINAL): Phase.BARE,
    (Phase.HEADLESS, Sign.PART): Phase.HEADLESS,
    (Phase.HEADLESS, Sign.BARE): Phase.HEADLESS,
}

CREATED = "response.created"
FAILED = "response.failed"
TERMINAL = {"response.completed": "completed", "response.incomplete": "incomplete"}
"""The events that end a response the provider answers for, and the status each goes with."""

_TEXTS = {
    "response.output_text.delta": (TEXT, "delta"),
    "response.output_text.done": (TEXT, "text"),
    "response.refusal.delta": (REFUSAL, "delta"),
    "response.refusal.done": (REFUSAL, "refusal"),
    "response.reasoning_text.delta": (REASONING, "delta"),
    "response.reasoning_text.done": (REASONING, "text"),
    "response.reasoning_summary_text.delta": (SUMMARY, "delta"),
    "response.reasoning_summary_text.done": (SUMMARY, "text"),
    "response.function_call_arguments.delta": (ARGUMENTS, "delta"),
    "response.function_call_arguments.done": (ARGUMENTS, "arguments"),
    "response.custom_tool_call_input.delta": (INPUT, "delta"),
    "response.custom_tool_call_input.done": (INPUT, "input"),
}
_PARTS = {
    "response.content_part.added": (CONTENT_PART, True),
    "response.content_part.done": (CONTENT_PART, False),
    "response.reasoning_summary_part.added": (SUMMARY_PART, True),
    "response.reasoning_summary_part.done": (SUMMARY_PART, False),
    "response.reasoning_part.added": (REASONING_PART, True),
    "response.reasoning_part.done": (REASONING_PART, False),
}
_ITEMS: Mapping[str, Callable[[Items, dict[str, Any]], FaultCode | None]] = {
    "response.output_item.added": Items.add,
    "response.output_item.done": Items.finish,
}
_STATES = frozenset({"response.queued", "response.in_progress"})
_SHOWN_ELSEWHERE = frozenset(  # progress of the provider's own tools, and texts that are no part of the answer
    f"response.{family}.{step}"
    for family, steps in {
        "output_text": "annotation.added",
        "audio": "delta done",
        "audio.transcript": "delta done",
        "file_search_call": "in_progress searching completed",
        "web_search_call": "in_progress searching completed",
        "code_interpreter_call": "in_progress interpreting completed",
        "code_interpreter_call_code": "delta done",
        "image_generation_call": "in_progress generating partial_image completed",
        "mcp_call": "in_progress completed failed",
        "mcp_call_arguments": "delta done",
        "mcp_list_tools": "in_progress completed failed",
        "shell_call_command": "added delta done",
        "shell_call_output_content": "delta done",
        "compaction": "compacting",
    }.items()
    for step in steps.split()
)
_NAMING = ("sequence_number", "output_index", "item_id")


@dataclass(frozen=True, slots=True)
class Responses(Bounded):
    """A contract made by `responses`."""

    def start(self) -> ResponsesRun:
        """A fresh run."""
        return ResponsesRun(self)


def responses(
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_output: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> Responses:
    """The contract of a reader of OpenAI's Responses API.

    Accepted with `response.completed` (the finish is "completed") and with `response.incomplete` (the finish is its
    reason, such as "max_output_tokens"); the text is that of all message items joined. Function calls of a completed
    response must have JSON arguments; those of an incomplete one may be cut, and say so.

    A truthful reader cannot know whether a server that sends neither `sequence_number` nor whole texts lost a delta,
    nor anything of a response resumed in its middle (`starting_after`), which is `invalid_sequence`.

    Args:
        max_line, max_event: 16 MiB unless given; the terminal event repeats the whole answer.
        max_output: everything kept (text, refusal, reasoning, arguments, names, ids), 16 Mi code points unless given.
        max_events: 1,000,000 unless given.

    Raises:
        TypeError, ValueError: a limit that is none.
    """
    return Responses(*bounds(max_line, max_event, max_output, max_events))


class ResponsesRun(TypedRun):
    """One response under judgement."""

    known: ClassVar[frozenset[str]] = frozenset(
        {CREATED, FAILED, *TERMINAL, *_TEXTS, *_PARTS, *_ITEMS, *_STATES, *_SHOWN_ELSEWHERE}
    )

    def __init__(self, contract: Responses) -> None:
        super().__init__(contract)
        self._phase = Phase.NEW
        self._number: int | None = None
        self._items = Items(self._room)
        self._finish: str | None = None
        self._usage: Any = None

    def _in_order(self, read: Typed) -> FaultCode | None:
        """Numbers follow each other: a gap is an event that did not arrive, a repeated one arrived twice."""
        number = read.record.get("sequence_number")
        if number is None or read.type == FAILED:
            return None
        if not is_index(number):
            return FaultCode.INVALID_CHUNK
        expected = number if self._number is None else self._number + 1
        self._number = number
        return None if number == expected else FaultCode.INVALID_SEQUENCE

    def _take(self, type_: str, record: dict[str, Any]) -> Outcome:
        if type_ == FAILED:
            return FaultCode.UPSTREAM_ERROR
        phase = _MOVES.get((self._phase, _sign(type_, record)))
        if phase is None:
            return FaultCode.INVALID_SEQUENCE
        self._phase = phase
        if type_ in TERMINAL:
            return self._end(record.get("response"), TERMINAL[type_])
        if type_ in _TEXTS:
            return self._items.text(record, *_TEXTS[type_])
        if type_ in _PARTS:
            return self._items.part(record, *_PARTS[type_])
        if type_ in _ITEMS:
            return _ITEMS[type_](self._items, record)
        is_state = type_ in _STATES or type_ == CREATED
        return FaultCode.INVALID_CHUNK if is_state and not isinstance(record.get("response"), dict | None) else None

    def _end(self, response: Any, status: str) -> Outcome:
        if not isinstance(response, dict):
            return FaultCode.INVALID_CHUNK
        said, usage = response.get("status"), response.get("usage")
        if said == "failed" or response.get("error") is not None:
            return FaultCode.UPSTREAM_ERROR
        if said is not None and said != status:
            return FaultCode.INVALID_CHUNK
        if not isinstance(usage, dict | None):
            return FaultCode.INVALID_USAGE
        self._usage = usage
        code = self._items.end(response.get("output"))
        if code is not None:
            return code
        self._finish = status if status == "completed" else _reason(response)
        if status == "completed" and not all(item.can_be_run() for item in self._items):
            return FaultCode.INVALID_TOOL_ARGUMENTS
        choice = self._items.choice(None)
        if any(has_lone_surrogate(text or "") for text in (choice.text, choice.refusal, choice.reasoning)):
            return FaultCode.INVALID_CONTENT
        return self._accepted()

    @property
    def partial(self) -> Partial:
        """What has arrived so far."""
        choice = self._items.choice(self._finish)
        return Partial(choice.text, choice.tool_calls, (choice,), self._finish, self._usage)


def _sign(type_: str, record: dict[str, Any]) -> Sign:
    if type_ == CREATED:
        return Sign.BEGINNING
    if type_ in TERMINAL:
        return Sign.TERMINAL
    bare = type_ in _TEXTS and all(record.get(each) is None for each in _NAMING)
    return Sign.BARE if bare else Sign.PART


def _reason(response: dict[str, Any]) -> str:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return reason if isinstance(reason, str) and reason else "incomplete"
