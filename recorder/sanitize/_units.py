"""A JSON text among many of the same layout, as the events of a stream are.

Rule: a stream says the same members thousands of times, so a layout is worked out once for all texts that differ only
in what their strings and numbers say. The text of a unit is split by one regular expression; the exact places are found
again when something must be replaced there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

from recorder.sanitize._carriers import Key, Ref
from recorder.sanitize._json_text import BARE, NUMBER, STRING, Layout, is_valid_json, layout
from recorder.sanitize._pieces import Kind, Lines, Piece
from recorder.sanitize._shape_names import is_structure

_MANY_PARTS = 100
_LONG = 256
"""A string of more characters is read once, however much is found in it."""

_MOST_LOOSE = 64
"""So many different values of loose identities are told apart; a stream with more gives each event a new id."""


class Unit:
    """One JSON text of a body.

    Attributes:
        number: its position among the units.
        text: as written.
        start: where it is in the base; in its `lines` it starts at 0.
        parts: what is between strings and the strings, in turns, as written.
    """

    __slots__ = ("_layout", "_long", "_starts", "lines", "number", "parts", "start", "text")

    def __init__(self, number: int, text: str, start: int, lines: Lines | None) -> None:
        self.number, self.text, self.start, self.lines = number, text, start, lines
        self.parts: tuple[str, ...] = tuple(STRING.split(text))  # Python's collector lets go of tuples of texts
        self._layout: Layout | None = None
        self._long: dict[int, Piece] = {}
        self._starts: list[int] | None = None

    @property
    def layout(self) -> Layout:
        """Where everything is."""
        if self._layout is None:
            self._layout = layout(self.text)
        return self._layout

    def string(self, ordinal: int) -> Piece:
        """A string, a name or a value, as a piece."""
        piece = self._long.get(ordinal)
        if piece is None:
            raw = self.parts[2 * ordinal + 1]
            start = self._start(ordinal)
            is_name = self.parts[2 * ordinal + 2].lstrip().startswith(":")
            piece = self._piece((start, start + len(raw)), Kind.NAME if is_name else Kind.TEXT)
            if len(raw) > _LONG:
                self._long[ordinal] = piece
        return piece

    def place(self, ordinal: int) -> int:
        """Where in the base the content of a string starts; in a unit that is not spread over lines."""
        return self.start + self._start(ordinal)

    def _start(self, ordinal: int) -> int:
        """Before the content of the n-th string are 2 n + 1 quotation marks and all parts before it."""
        if len(self.parts) < _MANY_PARTS:
            return sum(map(len, self.parts[: 2 * ordinal + 1])) + 2 * ordinal + 1
        if self._starts is None:
            lengths = list(accumulate(map(len, self.parts)))[::2]
            self._starts = [length + 2 * number + 1 for number, length in enumerate(lengths)]
        return self._starts[ordinal]

    def bare(self, ordinal: int) -> Piece:
        """A number as a piece."""
        return self._piece(self.layout.bares[ordinal], Kind.NUMBER)

    def _piece(self, span: tuple[int, int], kind: Kind) -> Piece:
        raw = self.text[span[0] : span[1]]
        shift = 0 if self.lines else self.start
        return Piece.of(raw, span[0] + shift, kind, self.lines)


class Plan:
    """What all units of one layout have in common.

    Attributes:
        slots: their values.
        variants: the units, by what their identity members say.
    """

    def __init__(self, first: Unit) -> None:
        self.slots = first.layout.slots
        identities = [slot.frame.identity() for slot in self.slots]
        self._fine = [fine for fine, _ in identities]
        self._loose = [loose for _, loose in identities]
        self._refs = sorted({ref for _, loose in identities for ref in loose})
        self._fine_only = sorted({ref for fine, _ in identities for ref in fine})
        self._bare = any(not ref.is_text for ref in self._refs)
        self.variants: dict[tuple[str, ...], Variant] = {}
        self._many = False

    def add(self, unit: Unit, structure: str) -> None:
        """Take one more unit."""
        refs = self._fine_only if self._many else self._refs
        values: tuple[str, ...] = ()
        if refs:
            bares = BARE.findall(structure) if self._bare else ()
            parts = unit.parts
            values = tuple([parts[2 * ref.ordinal + 1] if ref.is_text else bares[ref.ordinal] for ref in refs])
        variant = self.variants.get(values)
        if variant is None:
            if len(self.variants) >= _MOST_LOOSE and not self._many:
                self._many = True
                self.add(unit, structure)
                return
            variant = self.variants[values] = Variant(self, dict(zip(refs, values, strict=True)))
        variant.units.append(unit)

    def keys(self, number: int, said: dict[Ref, str]) -> Sequence[Key]:
        """The ways in which a value is put together with others; the first is the strict one."""
        slot = self.slots[number]
        fine = tuple([(ref.name, said[ref]) for ref in self._fine[number]])
        loose = tuple([(ref.name, said.get(ref, "")) for ref in self._loose[number]])
        keys: list[Key] = [("fine", slot.name, *fine)]
        keys += [("path", slot.path), ("pointer", slot.pointer), ("name", slot.name)]
        if not is_structure(slot.frame.name, slot.name, ""):
            keys.append(("content",))  # whatever the members are called: some dialects change between two
        return keys if len(loose) == len(fine) else [*keys, ("loose", slot.name, *loose)]


class Variant:
    """The units of a plan whose identity members say the same."""

    __slots__ = ("plan", "said", "units")

    def __init__(self, plan: Plan, said: dict[Ref, str]) -> None:
        self.plan, self.said = plan, said
        self.units: list[Unit] = []


class _Entry(NamedTuple):
    """The plans of one structure: how to get at the names, and the plans by them; and whether it is JSON."""

    names_of: Callable[[Sequence[str]], Any]
    plans: dict[Any, Plan]
    valid: bool


class Plans:
    """The plans of one body, by the structure of the units."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self._by_structure: dict[str, _Entry] = {}
        self._by_signature: dict[str, _Entry] = {}

    def add(self, unit: Unit) -> bool:
        """Find the unit's plan, or make one of it; tells whether the unit is valid JSON."""
        parts = unit.parts
        structure = "\x00".join(parts[::2])
        entry = self._by_structure.get(structure)
        if entry is None:
            entry = self._entry(unit, structure)
        names_of, plans, valid = entry
        names = names_of(parts)
        plan = plans.get(names)
        if plan is None:
            plan = plans[names] = Plan(unit)
            self.plans.append(plan)
        plan.add(unit, structure)
        if valid and "\\" in unit.text:  # an escape may be none
            return is_valid_json(unit.text)
        return valid and (parts[-1] != "" or len(parts) == 1 or unit.text.endswith('"'))  # no string is cut off

    def _entry(self, unit: Unit, structure: str) -> _Entry:
        signature = BARE.sub(lambda match: "0" if NUMBER.fullmatch(match.group()) else match.group(), structure)
        entry = self._by_signature.get(signature)
        if entry is None:
            between = unit.parts[2::2]
            at = [2 * number + 1 for number, after in enumerate(between) if after.lstrip().startswith(":")]
            entry = self._by_signature[signature] = _Entry(itemgetter(*at) if at else _no_names, {}, True)
        entry = entry._replace(valid=is_valid_json('""'.join(unit.parts[::2])))
        if len(self._by_structure) < 4096:
            self._by_structure[structure] = entry
        return entry


def _no_names(_: Sequence[str]) -> None:
    return None
