"""The checks a reader of text-only chat streams makes, one small function each.

Rule: a step looks at one thing. It gives None to go on, a fault code to reject, or `REST` when the event needs no
further step. A profile is an ordered table of steps, and that order decides which code a chunk with two faults gets.

It does not know the profiles, nor bytes, nor budgets other than the output's.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from recorder.contracts._limits import JOINED, MEASURES
from recorder.errors import FaultCode
from recorder.sse import Limit

MARKER = "chat.completion.chunk"
_SURROGATE = re.compile("[\ud800-\udfff]")


class Skip(Enum):
    """Says that the event is judged."""

    REST = "the rest"


REST: Final = Skip.REST
Outcome = FaultCode | Skip | None


class Said:
    """What a stream has said so far."""

    __slots__ = ("finish", "halves", "joined", "measure", "pieces", "room", "usage")

    def __init__(self, limit: Limit | None) -> None:
        limit = limit or Limit(sys.maxsize, "code_points")
        self.pieces: list[str] = []
        self.room = limit.n  # what is left of the budget
        self.measure = MEASURES[limit.unit]
        self.joined = JOINED[limit.unit]
        self.halves = False  # some piece holds a lone surrogate; it may join with the next piece
        self.finish: str | None = None
        self.usage: Any = None

    def text(self) -> str:
        """The text, surrogate halves joined where they meet; a half without its other half stays."""
        return joined("".join(self.pieces)) if self.halves else "".join(self.pieces)


class Work:
    """One chunk on its way through the steps; each step may leave what the next one looks at."""

    __slots__ = ("choice", "choices", "chunk", "content", "delta", "said")

    def __init__(self, said: Said, chunk: Any) -> None:
        self.said = said
        self.chunk = chunk
        self.choices: Any = None
        self.choice: Any = None
        self.delta: Any = None
        self.content = ""


Step = Callable[[Work], Outcome]
DoneStep = Callable[[Said], FaultCode | None]


def joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def has_lone_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None


# The chunk.


def object_chunk(work: Work) -> Outcome:
    return None if isinstance(work.chunk, dict) else FaultCode.INVALID_CHUNK


def no_error(work: Work) -> Outcome:
    return None if work.chunk.get("error") is None else FaultCode.UPSTREAM_ERROR


def marked(work: Work) -> Outcome:
    return None if work.chunk.get("object") == MARKER else FaultCode.INVALID_CHUNK


def choices_there(work: Work) -> Outcome:
    return None if "choices" in work.chunk else FaultCode.INVALID_CHUNK


def choices_listed(work: Work) -> Outcome:
    work.choices = work.chunk.get("choices")
    return None if isinstance(work.choices, list) else FaultCode.INVALID_CHOICES


def usage_object(work: Work) -> Outcome:
    usage = work.chunk.get("usage")
    return None if usage is None or isinstance(usage, dict) else FaultCode.INVALID_USAGE


def usage_taken(work: Work) -> Outcome:
    usage = work.chunk.get("usage")
    if usage is not None:
        work.said.usage = usage
    return None


def no_choice_is_enough(work: Work) -> Outcome:
    return None if work.choices else REST


# The choice.


def one_choice(work: Work) -> Outcome:
    work.choice = work.choices[0]
    return None if len(work.choices) == 1 else FaultCode.UNSUPPORTED_CHOICES


def object_choice(work: Work) -> Outcome:
    return None if isinstance(work.choice, dict) else FaultCode.INVALID_CHUNK


def index_number_zero(work: Work) -> Outcome:
    """`index === 0` in JavaScript, `== 0` of a number in Python: 0.0 and -0 are zero too, False is not."""
    index = work.choice.get("index") if isinstance(work.choice, dict) else None
    return None if type(index) in (int, float) and index == 0 else FaultCode.UNSUPPORTED_CHOICES


def index_integer_zero(work: Work) -> Outcome:
    """.NET's `TryGetInt32`: 0.0 and 0e0 are not 32-bit integers."""
    index = work.choice.get("index")
    return None if type(index) is int and index == 0 else FaultCode.UNSUPPORTED_CHOICES


def before_finish(work: Work) -> Outcome:
    return None if work.said.finish is None else FaultCode.CHOICE_AFTER_FINISH


# The delta.


def delta_there(work: Work) -> Outcome:
    return None if "delta" in work.choice else FaultCode.INVALID_CHUNK


def object_delta(work: Work) -> Outcome:
    work.delta = work.choice.get("delta")
    return None if isinstance(work.delta, dict) else FaultCode.INVALID_DELTA


def _null(*names: str) -> Step:
    def only_text(work: Work) -> Outcome:
        return FaultCode.UNSUPPORTED_DELTA if any(work.delta.get(each) is not None for each in names) else None

    return only_text


def falsy_tools_and_audio(work: Work) -> Outcome:
    """Python's truth: `[]`, `""`, `{}`, 0 and false pass."""
    names = ("tool_calls", "function_call", "refusal", "audio")
    return FaultCode.UNSUPPORTED_DELTA if any(work.delta.get(each) for each in names) else None


null_tools = _null("tool_calls", "function_call", "refusal")
null_tools_and_audio = _null("tool_calls", "function_call", "refusal", "audio")


def text_content(work: Work) -> Outcome:
    content = work.delta.get("content")
    if content is None:
        return None
    work.content = content
    return None if isinstance(content, str) else FaultCode.INVALID_CONTENT


def whole_content(work: Work) -> Outcome:
    """.NET strings are read whole or not at all: a lone surrogate cannot wait for its other half."""
    return FaultCode.INVALID_CHUNK if has_lone_surrogate(work.content) else None


def within_output(work: Work) -> Outcome:
    """Looked at before the text is appended."""
    said, content = work.said, work.content
    if not content:
        return None
    room = said.room - said.measure(content)
    if said.halves and "\udc00" <= content[0] <= "\udfff" and "\ud800" <= said.pieces[-1][-1] <= "\udbff":
        room += said.joined
    if room < 0:
        return FaultCode.OUTPUT_LIMIT
    said.room = room
    return None


def text_appended(work: Work) -> Outcome:
    if work.content:
        work.said.halves = work.said.halves or has_lone_surrogate(work.content)
        work.said.pieces.append(work.content)
    return None


def whole_finish(work: Work) -> Outcome:
    finish = work.choice.get("finish_reason")
    return FaultCode.INVALID_CHUNK if isinstance(finish, str) and has_lone_surrogate(finish) else None


def stop_or_none(work: Work) -> Outcome:
    finish = work.choice.get("finish_reason")
    if finish is None:
        return None
    if finish != "stop":
        return FaultCode.UNACCEPTED_FINISH
    work.said.finish = finish
    return None


# The terminal event.

_DOTNET_WHITE = (
    "\t\n\v\f\r\x20\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""`char.IsWhiteSpace` of .NET; unlike Python's, without U+001C to U+001F."""


def finish_seen(said: Said) -> FaultCode | None:
    return None if said.finish is not None else FaultCode.MISSING_FINISH


def some_text(said: Said) -> FaultCode | None:
    return None if any(said.pieces) else FaultCode.EMPTY_OUTPUT


def text_not_blank(said: Said) -> FaultCode | None:
    return None if any(each.strip(_DOTNET_WHITE) for each in said.pieces) else FaultCode.EMPTY_OUTPUT


def no_half_left(said: Said) -> FaultCode | None:
    return FaultCode.INVALID_CONTENT if said.halves and has_lone_surrogate(said.text()) else None
