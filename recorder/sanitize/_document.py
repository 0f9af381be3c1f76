"""A body as what it says: its strings, names, numbers and lines, each once, and the texts put together of them.

Rule: what is looked at is decided by the body's own form (event stream, JSON, anything else), never by how it was cut
into chunks. Not known here: secrets, rules, replacing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from recorder.contracts import BodyKind, body_kind
from recorder.sanitize._carriers import Key
from recorder.sanitize._json_text import is_json_string, looks_like_json
from recorder.sanitize._members import MemberTable
from recorder.sanitize._pieces import Kind, Lines, Piece, Spot, decoded
from recorder.sanitize._stream_text import JSON_OPENING, fields, holds_events
from recorder.sanitize._units import Plans, Unit, Variant

Place = tuple[Spot, ...]
"""Where one occurrence of a text is written: several spots when it is spread over pieces."""


class Said:
    """A text that pieces say each by itself."""

    __slots__ = ("_document", "text")

    def __init__(self, text: str, document: Document) -> None:
        self.text, self._document = text, document

    def places(self, start: int, end: int) -> Iterator[Place]:
        """Where `text[start:end]` is written: once for each piece that says the text."""
        for piece in self._document.pieces_that_say(self.text):
            yield tuple(piece.spots(start, end))


class Woven:
    """A text put together of several pieces.

    Attributes:
        strict: by the strict measure of what belongs together.
    """

    __slots__ = ("_sources", "_starts", "strict", "text")

    def __init__(self, sources: Sequence[tuple[Unit, int]] | Sequence[Piece], strict: bool) -> None:
        self._sources, self.strict = sources, strict
        texts = [each.text if isinstance(each, Piece) else decoded(each[0].parts[2 * each[1] + 1]) for each in sources]
        self._starts = [0, *accumulate(map(len, texts))]
        self.text = "".join(texts)

    def places(self, start: int, end: int) -> Iterator[Place]:
        """Where `text[start:end]` is written."""
        spots: list[Spot] = []
        number = bisect_right(self._starts, start) - 1
        while number < len(self._sources) and self._starts[number] < end:
            low, high = max(start, self._starts[number]), min(end, self._starts[number + 1])
            if low < high:
                shift = self._starts[number]
                spots += self._piece(number).spots(low - shift, high - shift)
            number += 1
        yield tuple(spots)

    def _piece(self, number: int) -> Piece:
        source = self._sources[number]
        return source if isinstance(source, Piece) else source[0].string(source[1])


WHOLE = "body"
"""The name of the line that is a whole body."""

IN_FRONT = "in front"
"""The name of what stands in front of JSON in a line that is no field."""


class Line(NamedTuple):
    """A text that is no JSON: the value of a field (a comment's name is ""), or a body that is no event stream.

    `alone` says that it was not read as JSON as well, which is done where JSON is broken off.
    """

    name: str
    piece: Piece
    alone: bool = True


class Document:
    """The contents of one body.

    Args:
        base: the body as text (`surrogateescape`).
        by_line: read a body that is neither an event stream nor JSON line by line too, where there are events or JSON.

    Attributes:
        is_stream: whether it is read as an event stream.
        is_lenient: whether that is so because of `by_line` alone.
        units: its JSON texts.
        lines: its other texts.
        broken: the units that are no valid JSON.
    """

    def __init__(self, base: str, *, by_line: bool = True) -> None:
        self.base = base
        self.units: list[Unit] = []
        self.lines: list[Line] = []
        self.broken: list[Unit] = []
        self.plans = Plans()
        text = base.removeprefix("\ufeff")
        is_json = looks_like_json(text)
        kind = body_kind(base[:2048].encode("utf-8", "surrogateescape"))
        self.is_lenient = kind is not BodyKind.EVENT_STREAM and by_line and not is_json and holds_events(base)
        self.is_stream = kind is BodyKind.EVENT_STREAM or self.is_lenient
        if self.is_stream:
            self._read_stream()
        elif not (is_json and self._unit(text, len(base) - len(text))):
            self.add_line(base, alone=not is_json)

    def add_line(self, text: str, *, alone: bool = True) -> None:
        """Take a text as a whole, whatever it looks like."""
        if text:
            self.lines.append(Line(WHOLE, Piece(text, 0, len(text), Kind.TEXT, text), alone))

    # -- reading ------------------------------------------------------------------------------------------------------

    def _read_stream(self) -> None:
        base = self.base
        for name, spans in fields(base):
            if name == "data" and len(spans) == 1 and base.startswith("{", spans[0][0]):  # as most are
                start, end = spans[0]
                if not self._unit(base[start:end], start):
                    self._line(name, start, end, alone=False)
            elif name == "?":
                self._unknown(*spans[0])
            elif name != "data":
                self._line(name, *spans[0])
            elif len(spans) == 1:
                start, end = spans[0]
                self._data(self.base[start:end], start, name, spans)
            else:
                lines = Lines(self.base, spans)
                self._data(lines.text, 0, name, spans, lines)

    def _data(
        self, text: str, start: int, name: str, spans: Sequence[tuple[int, int]], lines: Lines | None = None
    ) -> None:
        """What is JSON is read as such; what may be a part of something else is a line too."""
        opens = looks_like_json(text)
        is_string = not opens and is_json_string(text)
        is_json = opens or is_string
        valid = is_json and self._unit(text, start, lines)
        if is_string or not valid:
            for span in spans:
                self._line(name, *span, alone=not is_json)

    def _unknown(self, start: int, end: int) -> None:
        """A line that is no field: JSON in it is read as such, and all of it is a line."""
        opening = JSON_OPENING.search(self.base, start, end)
        if opening is not None:
            self._unit(self.base[opening.start() : end], opening.start())
            self._line(IN_FRONT, start, opening.start())
        self._line("?", start, end, alone=opening is None)

    def _line(self, name: str, start: int, end: int, *, alone: bool = True) -> None:
        if start < end:
            raw = self.base[start:end]
            self.lines.append(Line(name, Piece(raw, start, end, Kind.LINE, raw), alone))

    def _unit(self, text: str, start: int, lines: Lines | None = None) -> bool:
        unit = Unit(len(self.units), text, start, lines)
        self.units.append(unit)
        valid = self.plans.add(unit)
        if not valid:
            self.broken.append(unit)
        return valid

    # -- what it says -------------------------------------------------------------------------------------------------

    @cached_property
    def _raws(self) -> dict[str, list[str]]:
        """How each distinct string and name is written."""
        raws: set[str] = set()
        for unit in self.units:
            raws.update(unit.parts[1::2])
        by_text: dict[str, list[str]] = {}
        for raw in sorted(raws):
            by_text.setdefault(decoded(raw), []).append(raw)
        return by_text

    def said(self) -> Iterator[Said]:
        """Every distinct string, name and line."""
        texts = dict.fromkeys([*self._raws, *[line.piece.text for line in self.lines]])
        return (Said(text, self) for text in texts if text)

    def pieces_that_say(self, text: str) -> Iterator[Piece]:
        """The strings, names and lines that say exactly this."""
        yield from self._lines_by_text.get(text, ())
        for raw in self._raws.get(text, ()):
            yield from (unit.string(at) for unit, at in self._strings_by_raw[raw])

    @cached_property
    def _lines_by_text(self) -> dict[str, list[Piece]]:
        found: dict[str, list[Piece]] = {}
        for line in self.lines:
            found.setdefault(line.piece.text, []).append(line.piece)
        return found

    @cached_property
    def _strings_by_raw(self) -> dict[str, list[tuple[Unit, int]]]:
        """Where each distinct string and name is; worked out when something was found."""
        found: dict[str, list[tuple[Unit, int]]] = {}
        for unit in self.units:
            for at, raw in enumerate(unit.parts[1::2]):
                found.setdefault(raw, []).append((unit, at))
        return found

    def woven(self) -> Iterator[Woven]:
        """Every text that is put together of several pieces."""
        groups: dict[Key, list[tuple[Variant, int]]] = {}
        paths: dict[Key, str] = {}
        for variant in (variant for plan in self.plans.plans for variant in plan.variants.values()):
            for number, slot in enumerate(variant.plan.slots):
                if slot.kind is Kind.TEXT:
                    keys = variant.plan.keys(number, variant.said)
                    paths[keys[0]] = slot.path
                    for key in keys:
                        groups.setdefault(key, []).append((variant, slot.ordinal))
        # Where by the strict measure every piece is alone, an identity counts the events; then the path says more.
        together = {path for key, path in paths.items() if sum(len(variant.units) for variant, _ in groups[key]) > 1}
        counted = {*paths.values()} - together
        distinct: dict[tuple[tuple[int, int], ...], tuple[bool, list[tuple[Variant, int]]]] = {}
        for key, members in groups.items():
            same = tuple([(id(variant), at) for variant, at in members])
            strict = key[0] == "fine" or (key[0] == "path" and key[1] in counted)
            distinct[same] = (strict or (same in distinct and distinct[same][0]), members)
        for strict, members in distinct.values():
            sources = _in_order(members)
            if len(sources) > 1:
                yield Woven(sources, strict)
        yield from self._woven_lines()
        yield from self._woven_bytes()

    def _woven_lines(self) -> Iterator[Woven]:
        by_name: dict[str, list[Piece]] = {}
        for line in self.lines:
            by_name.setdefault(line.name, []).append(line.piece)
        for pieces in by_name.values():
            if len(pieces) > 1:
                yield Woven(pieces, True)

    def _woven_bytes(self) -> Iterator[Woven]:
        """Log probabilities give the bytes of each token as a list of numbers, which is a text once more."""
        lists: dict[str, list[tuple[Variant, int]]] = {}
        for plan in self.plans.plans:
            for slot in plan.slots:
                if slot.kind is Kind.NUMBER and slot.name == "bytes":
                    lists.setdefault(slot.path, []).extend((each, slot.ordinal) for each in plan.variants.values())
        for members in lists.values():
            pieces = [unit.bare(at) for unit, at in _in_order(members)]
            bytes_only = [piece for piece in pieces if piece.raw.isdigit() and int(piece.raw[:4]) < 256]
            if len(bytes_only) > 1:
                yield Woven([piece._replace(text=chr(int(piece.raw))) for piece in bytes_only], True)

    def numbers(self, is_wanted: Callable[[str, str], bool]) -> Iterator[tuple[str, Piece]]:
        """The JSON numbers whose member's name and pointer are wanted, with the name."""
        for plan in self.plans.plans:
            for slot in plan.slots:
                if slot.kind is Kind.NUMBER and is_wanted(slot.name, slot.pointer):
                    for variant in plan.variants.values():
                        yield from ((slot.name, unit.bare(slot.ordinal)) for unit in variant.units)

    def carried(self, is_left_out: Callable[[str, str, str], bool]) -> Iterator[list[tuple[Unit, int]]]:
        """The string values by unit and ordinal, those that belong together by the strict measure in one list.

        Args:
            is_left_out: told the names of the parent and the member, and the value as written.
        """
        groups: dict[Key, list[tuple[Variant, int]]] = {}
        for variant in (variant for plan in self.plans.plans for variant in plan.variants.values()):
            for number, slot in enumerate(variant.plan.slots):
                if slot.kind is Kind.TEXT:
                    key = (*variant.plan.keys(number, variant.said)[0], slot.frame.name)
                    groups.setdefault(key, []).append((variant, slot.ordinal))
        for key, members in groups.items():
            parent, name = key[-1], key[1]
            kept = [
                (unit, at) for unit, at in _in_order(members) if not is_left_out(parent, name, unit.parts[2 * at + 1])
            ]
            if kept:
                yield kept

    def members(self, table: MemberTable[str]) -> Iterator[tuple[str, Piece]]:
        """The values at the places a table means, with what it says of them."""
        for plan in self.plans.plans:
            for slot in plan.slots:
                meant = table.get(slot.name, slot.pointer)
                if meant is not None:
                    text = slot.kind is Kind.TEXT
                    for unit in (unit for variant in plan.variants.values() for unit in variant.units):
                        yield meant, unit.string(slot.ordinal) if text else unit.bare(slot.ordinal)


def _in_order(members: Iterable[tuple[Variant, int]]) -> list[tuple[Unit, int]]:
    members = list(members)
    if len(members) == 1:
        variant, ordinal = members[0]
        return [(unit, ordinal) for unit in variant.units]
    found = [(unit.number, at, unit) for variant, at in members for unit in variant.units]
    found.sort(key=lambda each: each[:2])
    return [(unit, at) for _, at, unit in found]
