"""The strings, names and numbers of a JSON text, each with its place; broken JSON gives what it has.

Rule: one pass of a tokenizer that never fails and never recurses; nesting beyond `DEEPEST` shares one frame. It is
lenient on purpose: what a strict decoder refuses may still hold a secret.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from recorder.sanitize._carriers import Frame, Ref
from recorder.sanitize._pieces import Kind, decoded

DEEPEST = 64
STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"?', re.DOTALL)
BARE = re.compile(r'[^\s"{}\[\]:,\x00]+')
NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")
_TOKEN = re.compile(
    rf'"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)(?:"(?P<colon>\s*:)?)?|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<bare>{BARE.pattern})',
    re.DOTALL,
)
_OPENING = re.compile(r"[ \t\r\n]*[{\[]")  # RFC 8259 section 2: no other white space
_DECODER = json.JSONDecoder(strict=False)
_ONE_STRING = re.compile(r'[ \t\r\n]*"[^"\\]*(?:\\.[^"\\]*)*"[ \t\r\n]*', re.DOTALL)


class Slot(NamedTuple):
    """A value: the `ordinal`-th string (names count) or bare token, the member it is of, and what it is in."""

    kind: Kind
    ordinal: int
    name: str
    pointer: str
    path: str
    frame: Frame


class Layout(NamedTuple):
    """Where everything is in a JSON text.

    Attributes:
        slots: its string and number values, in order.
        strings, bares: the places of all strings (names too, without quotation marks) and of all other scalars.
        names: the ordinals of the strings that are names.
    """

    slots: list[Slot]
    strings: list[tuple[int, int]]
    bares: list[tuple[int, int]]
    names: list[int]


def looks_like_json(text: str) -> bool:
    """Whether the text opens like an object or an array."""
    return _OPENING.match(text) is not None


def is_valid_json(text: str) -> bool:
    """Whether a text is one or several JSON values, one after the other; control characters in strings are let pass."""
    position, end = 0, len(text)
    while True:
        while position < end and text[position] in " \t\r\n":
            position += 1
        if position == end:
            return True
        try:
            _, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return False


def is_json_string(text: str) -> bool:
    """Whether the text is a JSON string and nothing else."""
    return _ONE_STRING.fullmatch(text) is not None


def layout(text: str) -> Layout:
    """Read a JSON text; several, one after the other, count as one."""
    slots: list[Slot] = []
    strings: list[tuple[int, int]] = []
    bares: list[tuple[int, int]] = []
    names: list[int] = []
    top = frame = Frame("", "", "", False, None)
    depth = 0
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group == "colon":
            frame.key = decoded(match["text"])
            names.append(len(strings))
            strings.append(match.span("text"))
        elif group == "text":
            pointer, path, name = frame.next()
            frame.identify(Ref(name, True, len(strings)))
            slots.append(Slot(Kind.TEXT, len(strings), name, pointer, path, frame))
            strings.append(match.span("text"))
        elif group == "open":
            depth += 1
            if depth <= DEEPEST:
                pointer, path, name = ("", "", "") if depth == 1 else frame.next()
                frame = Frame(pointer, path, name, match.group() == "[", frame)
        elif group == "close":
            if depth <= DEEPEST:
                frame = frame.parent or top
            depth = max(0, depth - 1)
        else:
            pointer, path, name = frame.next()
            frame.identify(Ref(name, False, len(bares)))
            if NUMBER.fullmatch(match.group()):
                slots.append(Slot(Kind.NUMBER, len(bares), name, pointer, path, frame))
            bares.append(match.span())
    return Layout(slots, strings, bares, names)
