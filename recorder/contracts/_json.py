"""Strict JSON, RFC 8259, with a depth limit, from untrusted text.

Rule: `decode` gives a value or `NOT_JSON`; no text makes it raise, whatever its nesting and however deep the caller's
own stack is. Of duplicate members the last wins; lone surrogate escapes are valid (RFC 8259 section 8.2).

It does not know what the values mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final, NoReturn

NOT_JSON: Final = object()
"""What `decode` gives for a text that is not JSON, or is nested too deep."""

_RECURSES_SAFELY = 64
"""Nesting up to here is left to the standard decoder, which recurses; deeper text is decoded without recursion."""

_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def depth(text: str) -> int:
    """The deepest nesting of arrays and objects in a JSON text; of other text some number, without failing."""
    steps = map(_STEP.__getitem__, _BRACKETS.findall(_STRINGS.sub("", text)))
    return max(accumulate(steps), default=0)


def is_within(text: str, limit: int) -> bool:
    """Whether a JSON text nests at most `limit` deep."""
    return text.count("{") + text.count("[") <= limit or depth(text) <= limit


def decode(text: str, max_depth: int, *, constants: bool = False) -> Any:
    """Decode one JSON text.

    Args:
        text: the text.
        max_depth: how many arrays and objects may be open at once; this many still pass.
        constants: let NaN and Infinity pass, and refuse numbers Python's decoder refuses (over 4,300 digits).

    Returns:
        The value, or `NOT_JSON`.
    """
    if not is_within(text, max_depth):
        return NOT_JSON
    if is_within(text, _RECURSES_SAFELY):
        try:
            return _decode_recursively(text, constants)
        except RecursionError:
            pass  # the caller's stack is nearly full
    return _decode_iteratively(text, constants)


def _refuse(constant: str) -> NoReturn:
    raise ValueError


def _integer(digits: str) -> int | float:
    """An integer; past the length Python converts, the nearest float, as readers with only doubles have it."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_STRICT = json.JSONDecoder(parse_constant=_refuse)
_STRICT_LONG_INTEGERS = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)
_WITH_CONSTANTS = json.JSONDecoder()


def _decode_recursively(text: str, constants: bool) -> Any:
    if constants:
        return _tried(_WITH_CONSTANTS, text)
    value = _tried(_STRICT, text)
    return _tried(_STRICT_LONG_INTEGERS, text) if value is NOT_JSON and len(text) > 640 else value


def _tried(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except ValueError:
        return NOT_JSON


# Without recursion: a token at a time, the open arrays and objects on a list.

_TOKEN = re.compile(
    r'[ \t\n\r]*(?:(?P<mark>[\[\]{},:])|(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity)"
    r"|(?P<end>\Z))"
)

_VALUE = {"[": "open", "{": "open", "string": "put", "scalar": "put"}
_MOVES: dict[str, dict[str, str]] = {  # what may come next, and what it does
    "value": _VALUE,
    "first element": {**_VALUE, "]": "close"},
    "in array": {",": "another", "]": "close"},
    "first key": {"string": "name", "}": "close"},
    "key": {"string": "name"},
    "colon": {":": "give"},
    "in object": {",": "another", "}": "close"},
    "end": {"end": "done"},
}


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while match := _TOKEN.match(text, position):
        group = str(match.lastgroup)
        yield (match[group] if group == "mark" else group), match[group]
        if group == "end":
            return
        position = match.end()


def _decode_iteratively(text: str, constants: bool) -> Any:
    decoder = _WITH_CONSTANTS if constants else _STRICT_LONG_INTEGERS
    open_: list[Any] = []
    names: list[str] = []  # one for each open object that awaits a value
    state, value = "value", NOT_JSON
    for kind, token in _tokens(text):
        match _MOVES[state].get(kind):
            case "open":
                open_.append([] if kind == "[" else {})
                state = "first element" if kind == "[" else "first key"
                continue
            case "name":
                name = _tried(decoder, token)
                if name is NOT_JSON:
                    return NOT_JSON
                names.append(name)
                state = "colon"
                continue
            case "give":
                state = "value"
                continue
            case "another":
                state = "value" if state == "in array" else "key"
                continue
            case "put":
                value = _tried(decoder, token)
                if value is NOT_JSON:
                    return NOT_JSON
            case "close":
                value = open_.pop()
            case "done":
                return value
            case _:
                return NOT_JSON
        state = _place(value, open_, names)
    return NOT_JSON


def _place(value: Any, open_: list[Any], names: list[str]) -> str:
    """Put a finished value where it belongs and say what may follow."""
    if not open_:
        return "end"
    if isinstance(open_[-1], list):
        open_[-1].append(value)
        return "in array"
    open_[-1][names.pop()] = value
    return "in object"
