"""The quick look at a chat chunk: decoded straight into the few members a reader needs.

Rule: it may only accept. What a decoder here gives is an ordinary chunk that every reader takes: no error, usage an
object or none, at most one choice, of index 0, whose delta brings text or nothing. A text for which it raises one of
`REFUSALS` (other members set, another shape, no JSON, a lone surrogate) is to be looked at properly, no more.

A test holds every reader with this path to the same reader without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

REFUSALS = (msgspec.MsgspecError, RecursionError, UnicodeError)
"""What a typed decoder raises instead of giving a chunk."""

CONVERTIBLE = 4_300
"""Digits of the longest integer Python converts; only a longer text can hold a longer one."""

LEFT_BRACKET, LEFT_BRACE = b"[{"


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


Decode = Callable[[str | bytes], Chunk]

decode_chunk: Decode = msgspec.json.Decoder(Chunk).decode
decode_marked_chunk: Decode = msgspec.json.Decoder(MarkedChunk).decode


NOT_PLAIN = Chunk(choices=[])
"""In place of a chunk that was refused: nothing in it to take."""


def not_plain(text: str | bytes) -> Chunk:
    """A decoder that takes nothing."""
    return NOT_PLAIN


def one_array_within(depth: int) -> int:
    """How long a JSON text may be that has one array and certainly nests at most `depth` deep.

    What nests deep is long: each level is two brackets, and a name of three characters where it stands in an object,
    which only what stands directly in an array does without. So all levels but two need five characters.
    """
    return 5 * depth - 2


def is_surely_within(text: str, depth: int) -> bool:
    """Whether a JSON text certainly nests at most `depth` deep, and has no integer too long for Python."""
    size = len(text)
    if size <= one_array_within(depth) and "[" not in text.partition("[")[2]:
        return True
    return size <= CONVERTIBLE and text.count("[") + text.count("{") <= depth
