"""The quick look at a chat chunk: decoded straight into the few members a reader needs.

Rule: it may only accept. What it gives is an ordinary chunk that every reader here takes: no error, usage an object or
none, at most one choice, of index 0, whose delta brings text or nothing. Anything else (other members set, another
shape, no JSON, nested too deep, a lone surrogate) is None, which says nothing but "look properly".

A test holds every reader with this path to the same reader without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

_REFUSALS = (msgspec.MsgspecError, RecursionError, UnicodeError)
_CONVERTIBLE = 4300
"""Digits of the longest integer Python converts; only a longer text can hold a longer one."""


class Delta(msgspec.Struct, gc=False):
    """What a plain delta may bring. Members that a reader looks at and that are not text must be null or missing."""

    content: str | None = None
    tool_calls: None = None
    function_call: None = None
    refusal: None = None
    audio: None = None
    reasoning_content: None = None
    reasoning: None = None


class Choice(msgspec.Struct, gc=False):
    """The one choice. `Literal[0]` takes the integer only: not 0.0, not false."""

    index: Literal[0]
    delta: Delta
    finish_reason: Literal["stop"] | None = None


class Chunk(msgspec.Struct, gc=False):
    """A chunk of any OpenAI-compatible provider."""

    choices: Annotated[list[Choice], msgspec.Meta(max_length=1)]
    error: None = None
    usage: dict[str, Any] | None = None


class MarkedChunk(Chunk, gc=False, kw_only=True):
    """A chunk that must say what it is."""

    object: Literal["chat.completion.chunk"]


Look = Callable[[str], Chunk | None]


def quick_look(max_depth: int, marked: bool) -> Look:
    """A function from an event's data to its chunk, or to None.

    Args:
        max_depth: how deep the JSON may nest.
        marked: whether `object` must be the marker of chat completion chunks.
    """
    decode = msgspec.json.Decoder(MarkedChunk if marked else Chunk).decode
    too_short = 2 * max_depth  # characters that cannot nest deeper: each level opens and closes

    def look(data: str) -> Chunk | None:
        size = len(data)
        if size > _CONVERTIBLE or (size > too_short and data.count("{") + data.count("[") > max_depth):
            return None
        try:
            return decode(data)
        except _REFUSALS:
            return None

    return look
