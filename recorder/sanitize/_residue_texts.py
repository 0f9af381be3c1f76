"""What a body says, for the scan: read with the event stream parser and the JSON decoder that readers use.

Rule: a place is named by where it is (event 12, events 3 to 29 put together) and never by what is there; member names
are shown only when they are everybody's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from recorder.contracts import BodyKind, body_kind
from recorder.sanitize._carriers import IDENTITIES
from recorder.sanitize._residue_carried import carried, frames
from recorder.sanitize._shape_names import is_structure
from recorder.sse import Event, EventStreamParser

_A_LINE = re.compile(rb"(?:\A|[\r\n])[ \t]*(?:data:|\{|\[[\"{\[])")
_DATA_LINE = re.compile(rb"[\r\n]data:")  # valid JSON has none
_OPENING = re.compile(r"[{\[]")
_NO_FIELD = re.compile(rb"(?:\A|(?<=[\r\n]))(?!:|(?:data|event|id)(?:[:\r\n]|\Z))[^\r\n]+")
_NAMED = re.compile(rb"(?:\A|(?<=[\r\n]))(?:event|id):[ ]?([^\r\n]+)")
_IDENTITIES = frozenset(IDENTITIES)
_LITERAL = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_WELL_KNOWN = frozenset(
    {
        "arguments", "args", "candidates", "choices", "completion", "content", "contents", "data", "delta", "error",
        "function", "id", "input", "instructions", "item", "message", "messages", "metadata", "output",
        "output_text", "parameters", "partial_json", "parts", "reasoning", "reasoning_content", "refusal",
        "response", "result", "signature", "summary", "system", "text", "thinking", "tool_calls", "transcript",
        "type", "url", "user", "value",
    }
)  # fmt: skip


class Member(NamedTuple):
    """A scalar in a JSON text, and where it is."""

    name: str
    pointer: str
    value: Any
    parent: str
    place: str
    ids: tuple[Any, ...] = ()


@dataclass(slots=True, repr=False)
class Texts:
    """Everything a body says.

    Attributes:
        single: the distinct texts, with the first place of each.
        joined, loosely: what is put together, as (place, text), by the strict measure and by any other.
        members: the scalars of its JSON texts.
        lines: the data that is no JSON.
    """

    single: dict[str, str] = field(default_factory=dict)
    joined: list[tuple[str, str]] = field(default_factory=list)
    loosely: list[tuple[str, str]] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)


Part = tuple[int, str]
Group = dict[Any, list[Part]]


class _Places(NamedTuple):
    """Where the texts of one member go: whether it is asked for, and the groups it is put together in."""

    is_wanted: bool
    groups: tuple[list[Part], ...]


class Reader:
    """Reads one body.

    Args:
        what: "request" or "response".
        body: decoded.
        is_wanted: whether members of this name are asked for.
    """

    def __init__(self, what: str, body: bytes, is_wanted: Callable[[str], bool]) -> None:
        self.texts = Texts()
        self._is_wanted = lru_cache(maxsize=None)(is_wanted)
        self._what = what
        self._strict: Group = {}
        self._loose: Group = {}
        self._places: dict[tuple[str, str, str, str, tuple[Any, ...]], _Places] = {}
        kind = body_kind(body)
        lines = _DATA_LINE if body.lstrip()[:1] in (b"{", b"[") else _A_LINE
        if kind is BodyKind.EVENT_STREAM or lines.search(body):
            self._read_stream(body)
        elif kind is BodyKind.AWS_EVENTSTREAM:
            for number, (headers, payload) in enumerate(frames(body), 1):
                self._read_frame(headers, payload.decode("utf-8", "surrogateescape"), number, f"{what} frame {number}")
        else:
            self._read(body.decode("utf-8", "surrogateescape"), 0, f"{what} body")
        self.texts.joined = list(self._put_together(self._strict))
        self.texts.loosely += self._put_together(self._loose)

    def _read_stream(self, body: bytes) -> None:
        comments: list[str] = []
        events: list[Event] = []
        parser = EventStreamParser(max_line=None, max_event=None, on_comment=comments.append)
        position = 0
        for match in _NO_FIELD.finditer(body):  # where it stands: what is spread over it and events is put together
            self._dispatched(events, parser.feed(body[position : match.start()]))
            self._no_field(match.group().decode("utf-8", "surrogateescape"))
            position = match.start()
        # a blank line more, so that what a reader would discard at the end is looked at too
        self._dispatched(events, [*parser.feed(body[position:]), *parser.feed(b"\n\n")])
        self._names("event name", [event.type for event in events])
        self._names("event id", [event.last_event_id for event in events])
        for value in _NAMED.findall(body):  # also of a block that is not dispatched
            self._single(value.decode("utf-8", "surrogateescape"), f"a field of the {self._what} body")
        for comment in comments:
            self._single(comment.removeprefix(" "), f"a comment of the {self._what} body")
            self._strict.setdefault(("field", "comments"), []).append((0, comment.removeprefix(" ")))

    def _dispatched(self, before: list[Event], events: list[Event]) -> None:
        for number, event in enumerate(events, len(before) + 1):
            self._read(event.data, number, f"{self._what} event {number}")
        before += events

    def _no_field(self, line: str) -> None:
        place = f"a line of the {self._what} body that is no field"
        self._single(line, place)
        self._strict.setdefault(("field", "others"), []).append((0, line))
        if opening := _OPENING.search(line):
            self._read(line[opening.start() :], 0, place)

    def _read_frame(self, headers: bytes, payload: str, number: int, place: str) -> None:
        self._single(headers.decode("utf-8", "surrogateescape"), f"the headers of {place}")
        self._read(payload, number, place)
        opening = _OPENING.search(payload)
        if opening and payload[: opening.start()].strip("\ufeff \t\r\n"):  # JSON in something else
            self._read(payload[opening.start() :], number, place)

    def _names(self, what: str, values: list[str]) -> None:
        """What the events of a stream are called, or their ids."""
        for number, value in enumerate(values, 1):
            if value not in self.texts.single:
                self._single(value, f"{self._what} event {number}, {what}")
        if not {"message", ""}.issuperset(values):  # else no event says anything of its own
            numbered = list(enumerate(values, 1))
            self._loose["field", what] = numbered
            # an id stays in force until another one is set
            changes = zip([None, *values], numbered, strict=False)
            self._strict["field", what] = [part for before, part in changes if before != part[1]]

    def _single(self, text: str, place: str) -> None:
        if text:
            self.texts.single.setdefault(text, place)

    def _read(self, text: str, number: int, place: str) -> None:
        if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
            self._read_line(text, number, place)
            return
        for document in _documents(text.removeprefix("\ufeff")):
            if document is None:
                self._read_broken(text, number, place)
            else:
                self._walk(document[0], number, place)

    def _read_broken(self, text: str, number: int, place: str) -> None:
        """What opens as JSON and is none: its literals, and all of it as a text."""
        self._single(text, place)
        self._strict.setdefault(("field", "data"), []).append((number, text))
        self._loose.setdefault(("field", "lines"), []).append((number, text.replace("\n", "")))
        literals = list(_LITERAL.finditer(text))
        for literal in literals:
            self._literal(literal.group(), number, place)
        for before, literal in pairwise(literals):
            if text[before.end() : literal.start()].strip() == ":":
                name, value = _plain(before.group()), _plain(literal.group())
                self._loose.setdefault(("name", name), []).append((number, value))
                if self._is_wanted(name):
                    self.texts.members.append(Member(name, "", value, "", place))

    def _read_line(self, text: str, number: int, place: str) -> None:
        lines = text.split("\n")
        self.texts.lines.append((place, text))
        for line in (text, *(lines if len(lines) > 1 else ())):
            self._single(line, place)
        self._strict.setdefault(("field", "data"), []).append((number, text))
        self._loose.setdefault(("field", "lines"), []).append((number, "".join(lines)))
        if len(lines) > 1:
            self.texts.loosely.append((place, "".join(lines)))
        if _LITERAL.fullmatch(text.strip()):
            self._literal(text.strip(), number, place)

    def _literal(self, literal: str, number: int, place: str) -> None:
        value = _plain(literal)
        self._single(value, place)
        self._loose.setdefault(("broken",), []).append((number, value))

    def _walk(self, document: Any, number: int, place: str) -> None:
        stack: list[tuple[Any, str, str, str, str, tuple[Any, ...]]] = [(document, "", "", "", "", ())]
        while stack:
            value, name, parent, pointer, path, ids = stack.pop()
            if isinstance(value, dict):
                own = [(key, str(value[key])) for key in _IDENTITIES.intersection(value) if _is_scalar(value[key])]
                ids = (*ids, *sorted(own)) if own else ids
                for key in reversed(value):
                    if key not in self.texts.single:
                        self._single(key, f"a member's name in {place}")
                    step = _step(key)
                    stack.append((value[key], key, name, pointer + step, path + step, ids))
            elif isinstance(value, list):
                at = len(value)
                if name == "bytes" and value:
                    self._bytes(value, path, number, place)
                for each in reversed(value):
                    at -= 1
                    stack.append((each, name, name, f"{pointer}/{at}", path, ids))
            elif isinstance(value, str):
                self._text(value, name, parent, pointer, path, ids, number, place)
            elif isinstance(value, int | float) and not isinstance(value, bool) and self._is_wanted(name):
                self.texts.members.append(Member(name, pointer, value, parent, place))

    def _bytes(self, value: list[Any], path: str, number: int, place: str) -> None:
        """Log probabilities give the bytes of a token as numbers."""
        if all(isinstance(each, int) and 0 <= each <= 255 for each in value):
            text = bytes(value).decode("utf-8", "replace")
            self._single(text, place)
            self._strict.setdefault(("bytes", path), []).append((number, text))

    def _text(
        self, value: str, name: str, parent: str, pointer: str, path: str, ids: tuple[Any, ...], number: int, place: str
    ) -> None:
        key = (name, parent, pointer, path, ids)
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = self._places_of(*key)
        if places.is_wanted:
            self.texts.members.append(Member(name, pointer, value, parent, place, ids))
        if value and value not in self.texts.single:
            self.texts.single[value] = place
        part = (number, value)
        for group in places.groups:
            group.append(part)
        for path, inner in carried(value):  # each piece in a coding of its own
            self._loose.setdefault(("carried", name, path), []).append((number, inner))

    def _places_of(self, name: str, parent: str, pointer: str, path: str, ids: tuple[Any, ...]) -> _Places:
        groups = [self._strict.setdefault((name, ids), [])]
        groups += [self._loose.setdefault(key, []) for key in (("path", path), ("name", name), ("pointer", pointer))]
        if not is_structure(parent, name, ""):
            groups.append(self._loose.setdefault(("content",), []))
        return _Places(self._is_wanted(name), tuple(groups))

    def _put_together(self, groups: Group) -> Iterator[tuple[str, str]]:
        for key, parts in groups.items():
            if len(parts) > 1:
                name = key[0] if isinstance(key[0], str) and key[0] in _WELL_KNOWN else "text"
                yield self._span(parts[0][0], parts[-1][0], name), "".join([text for _, text in parts])

    def _span(self, first: int, last: int, name: str) -> str:
        where = f"event {first}" if first == last else f"events {first} to {last}"
        return f"{self._what} {where if first and last else 'body'}, {name} put together"


def nested(text: str, place: str) -> Iterator[Member]:
    """The members of a text that is JSON itself, as tool arguments are."""
    if text.lstrip(" \t\r\n")[:1] in ("{", "["):
        for document in _documents(text):
            if document is not None:
                yield from _scalars(document[0], place)


def _scalars(document: Any, place: str) -> Iterator[Member]:
    stack: list[tuple[Any, str, str]] = [(document, "", "")]
    while stack:
        value, name, pointer = stack.pop()
        if isinstance(value, dict):
            for key, member in value.items():
                stack.append((member, key, pointer + _step(key)))
        elif isinstance(value, list):
            stack += [(member, name, f"{pointer}/{at}") for at, member in enumerate(value)]
        elif _is_scalar(value) and not isinstance(value, bool):
            yield Member(name, pointer, value, "", place)


def _plain(literal: str) -> str:
    """What a literal says; a broken one, what is between its quotation marks."""
    try:
        return str(json.loads(literal if literal.endswith('"') and len(literal) > 1 else literal + '"', strict=False))
    except ValueError:
        return literal.strip('"')


@lru_cache(maxsize=4096)
def _step(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _is_scalar(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list)


def _documents(text: str) -> Iterator[tuple[Any] | None]:
    """The JSON values of a text, one after the other; None for the rest when it is broken or too deep."""
    decode, position = _DECODER.raw_decode, 0
    while True:
        while position < len(text) and text[position] in " \t\r\n":
            position += 1
        if position == len(text):
            return
        try:
            value, position = decode(text, position)
        except (ValueError, RecursionError):
            yield None
            return
        yield (value,)


_DECODER = json.JSONDecoder(strict=False)
