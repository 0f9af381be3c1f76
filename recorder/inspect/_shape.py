"""The shape of a payload: which members it has and of what type, without what they say.

Rule: two answers of a model to one request have the same shapes. A few members hold a word of the protocol and not of
the answer (a type, a role, a finish); those words belong to the shape. Not known here: dialects, order of events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from recorder.sse import Event

MAX_DEPTH = 64
NOT_JSON = "not JSON"

_WORDS = frozenset(
    {
        "blockReason", "event", "finishReason", "finish_reason", "jsonrpc", "kind", "method", "native_finish_reason",
        "object", "role", "state", "status", "stop_reason", "type",
    }
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z][\w./-]{0,63}|\d\.\d")
_MARKER = re.compile(r"\[?[A-Z]{2,16}\]?")

Shape = tuple[str, ...]


def shape_of_event(event: Event) -> Shape:
    """The shape of an event's data; a marker such as [DONE] is a shape of its own."""
    if _MARKER.fullmatch(event.data):
        return (event.data,)
    return shape_of_text(event.data)


def shape_of_text(text: str) -> Shape:
    """The shape of a JSON text, or that it is none."""
    try:
        value = json.loads(text, parse_int=float)  # a number of any length
    except (ValueError, RecursionError):
        return (NOT_JSON,)
    return shape(value)


def shape(value: Any) -> Shape:
    """One line for each kind of member: `choices[].delta.content: string`."""
    return tuple(sorted(set(_lines(value, "", "", MAX_DEPTH))))


def _lines(value: Any, path: str, name: str, depth: int) -> Iterator[str]:
    if depth == 0:
        yield f"{path or '$'}: deeper"
    elif isinstance(value, dict) and value:
        for key, member in value.items():
            yield from _lines(member, f"{path}.{key}" if path else key, key, depth - 1)
    elif isinstance(value, list) and value:
        for member in value:
            yield from _lines(member, f"{path}[]", name, depth - 1)
    else:
        yield f"{path or '$'}: {_type(value, name)}"


def numbers(value: Any, path: str = "", depth: int = MAX_DEPTH) -> Iterator[tuple[str, float]]:
    """The numbers in a JSON value, each with its path."""
    if isinstance(value, dict) and depth:
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}" if path else key, depth - 1)
    elif isinstance(value, list) and depth:
        for index, member in enumerate(value):
            yield from numbers(member, f"{path}[{index}]", depth - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _type(value: Any, name: str) -> str:
    if isinstance(value, str):
        return f'"{value}"' if name in _WORDS and _WORD.fullmatch(value) else "string"
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    return "number" if isinstance(value, int | float) else "{}" if isinstance(value, dict) else "[]"
