"""Everything a body must not hold: known values, members of a name, and what the patterns find.

Rule: texts are searched together, once for each rule, decoded and put together over events; a hit leads back to every
place that says it. Searching changes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote_plus

from recorder.sanitize._document import WHOLE, Document, Place, Said, Woven
from recorder.sanitize._json_text import NUMBER, layout, looks_like_json
from recorder.sanitize._known import Finder
from recorder.sanitize._members import MemberTable
from recorder.sanitize._pieces import Kind, decoded
from recorder.sanitize._placeholders import is_placeholder
from recorder.sanitize._rule import Rule
from recorder.sanitize._stand_ins import holds_stand_in, is_number_stand_in
from recorder.sanitize._views import View, unescaped

_FORM = re.compile(r"\s*[^\s{<]+\s*")
_FIELD = re.compile(r"([^=&\s]+)=([^&\s]*)")
_PART = re.compile(  # RFC 7578: the head of a part, a blank line, its first line
    r"Content-Disposition:[^\r\n]*\bname=\"?([^\"\r\n;]+)[^\r\n]*(?:\r\n[^\r\n]+)*\r\n\r\n([^\r\n]+)", re.IGNORECASE
)


class Hit(NamedTuple):
    """Something that must be replaced.

    Attributes:
        place: where.
        value: what, decoded; what has the same value gets the same stand-in.
        rule, kind: of the rule.
        is_number: what replaces it must be a JSON number.
        is_guess: only its form speaks for it.
    """

    place: Place
    value: str
    rule: str
    kind: str
    is_number: bool = False
    is_guess: bool = False

    def __repr__(self) -> str:
        return f"<Hit of {self.rule}>"


class Haystack:
    """Several texts as one, so that each rule runs once.

    Args:
        texts: what is searched.
    """

    def __init__(self, texts: Sequence[Said | Woven]) -> None:
        self._texts = texts
        self._starts: list[int] = []
        position = 0
        for each in texts:
            self._starts.append(position)
            position += len(each.text) + 1
        self.text = "\x00".join([each.text for each in texts])

    def at(self, start: int, end: int) -> tuple[Said | Woven, int, int] | None:
        """Which text a stretch is in, and where there; None when it is in no single one."""
        number = bisect_right(self._starts, start) - 1
        shift = self._starts[number]
        text = self._texts[number]
        return (text, start - shift, end - shift) if end - shift <= len(text.text) else None

    def touched(self, start: int, end: int) -> Sequence[Said | Woven]:
        """All texts a stretch is in."""
        return self._texts[bisect_right(self._starts, start) - 1 : bisect_right(self._starts, end - 1)]


class Searcher:
    """Finds what must not be stored.

    Args:
        rules: those that are in force.
        finder: knows the known values.
    """

    def __init__(self, rules: Iterable[Rule], finder: Finder) -> None:
        self._rules = {rule.name: rule for rule in rules}
        self._patterns = [rule for rule in self._rules.values() if rule.pattern and not rule.paths_only]
        self._path_patterns = [rule for rule in self._rules.values() if rule.pattern and rule.paths_only]
        self._table = MemberTable([(rule.name, rule.members) for rule in self._rules.values()])
        self._finder = finder

    def hits(self, document: Document) -> list[Hit]:
        """What a body holds."""
        said = list(document.said())
        woven = list(document.woven())
        strict: list[Said | Woven] = [*said, *[each for each in woven if each.strict]]
        found = [*self._known(Haystack([*said, *woven])), *self._known_numbers(document)]
        found += self._members_of(document, strict)
        found += self._by_pattern(Haystack(strict), self._patterns)
        return found

    def known(self, document: Document) -> list[Hit]:
        """The known values that a body holds."""
        if not self._finder:
            return []
        return [*self._known(Haystack([*document.said(), *document.woven()])), *self._known_numbers(document)]

    def members(self, document: Document) -> list[Hit]:
        """The members and form fields of a body that rules mean."""
        texts: list[Said | Woven] = [*document.said()]
        texts += [each for each in document.woven() if each.strict]
        return self._members_of(document, texts)

    def hits_in_line(self, text: str, *, path: bool = False) -> list[Hit]:
        """What a header's value holds, or the path and query of a URI."""
        stack = _line(text)
        patterns = [*self._patterns, *self._path_patterns] if path else self._patterns
        return [*self._known(stack), *self._by_pattern(stack, patterns)]

    def known_in_line(self, text: str) -> list[Hit]:
        """The known values in a single text."""
        return list(self._known(_line(text)))

    # -- how each is found --------------------------------------------------------------------------------------------

    def _members_of(self, document: Document, texts: Sequence[Said | Woven]) -> list[Hit]:
        if not self._table:
            return []
        return [*self._by_member(document), *self._in_nested(texts), *self._in_form(document)]

    def _known(self, stack: Haystack) -> Iterator[Hit]:
        bares: dict[str, list[tuple[int, int]]] = {}
        for start, end, known in self._finder.find(stack.text):
            located = stack.at(start, end)
            if located is not None:
                text, low, high = located
                around = _number_around(text.text, low, high, bares) if known in self._finder.numbers else None
                for place in text.places(*(around or (low, high))):
                    yield Hit(place, known.value, known.rule, known.kind, around is not None)

    def _known_numbers(self, document: Document) -> Iterator[Hit]:
        for known in self._finder.numbers:
            if known.value in document.base:
                for _, piece in document.numbers(lambda *_: True):
                    if known.value in piece.text:
                        yield Hit(tuple(piece.spots(0, len(piece.text))), known.value, known.rule, known.kind, True)

    def _by_pattern(self, stack: Haystack, patterns: Iterable[Rule]) -> Iterator[Hit]:
        for view in _readings(stack.text):
            for rule in patterns:
                for start, end in rule.find(view.text):
                    low, high = view.back(start, end)
                    located = stack.at(low, high)
                    if located is not None:
                        yield from self._hits(rule, located[0], located[1], located[2], view.text[start:end])
                    else:  # the pattern ran over the end of a text
                        for text in stack.touched(low, high):
                            yield from self._alone(rule, text)

    def _alone(self, rule: Rule, text: Said | Woven) -> Iterator[Hit]:
        for view in _readings(text.text):
            for start, end in rule.find(view.text):
                yield from self._hits(rule, text, *view.back(start, end), view.text[start:end])

    def _hits(self, rule: Rule, text: Said | Woven, start: int, end: int, value: str) -> Iterator[Hit]:
        """A pattern may take in more than a known value; what it found is that value all the same."""
        known = self._finder.within(value)
        for place in text.places(start, end):
            if known is None:
                yield Hit(place, value, rule.name, rule.kind, is_guess=True)
            else:
                yield Hit(place, known.value, rule.name, known.kind)

    def _by_member(self, document: Document) -> Iterator[Hit]:
        for name, piece in document.members(self._table):
            if is_replaced(piece.text, piece.kind is Kind.NUMBER):
                rule, place = self._rules[name], tuple(piece.spots(0, len(piece.text)))
                yield Hit(place, piece.text, rule.name, rule.kind, piece.kind is Kind.NUMBER)

    def _in_nested(self, texts: Iterable[Said | Woven]) -> Iterator[Hit]:
        """Members of JSON inside of strings: tool arguments, above all."""
        for each in texts:
            if looks_like_json(each.text):
                inner = layout(each.text)
                for slot in inner.slots:
                    name = self._table.get(slot.name, slot.pointer)
                    is_number = slot.kind is Kind.NUMBER
                    start, end = (inner.bares if is_number else inner.strings)[slot.ordinal]
                    value = decoded(each.text[start:end])
                    if name is not None and is_replaced(value, is_number):
                        rule = self._rules[name]
                        for place in each.places(start, end):
                            yield Hit(place, value, rule.name, rule.kind, is_number)

    def _in_form(self, document: Document) -> Iterator[Hit]:
        """Fields of `application/x-www-form-urlencoded` and of `multipart/form-data`."""
        for name, piece, _ in document.lines:
            if name == WHOLE and "=" in piece.text:
                if _FORM.fullmatch(piece.text):
                    fields = [
                        (match, unquote_plus(match[1]), unquote_plus(match[2])) for match in _FIELD.finditer(piece.text)
                    ]
                else:
                    fields = [(match, match[1], match[2]) for match in _PART.finditer(piece.text)]
                for match, field, value in fields:
                    meant = self._table.get(field, f"/{field}")
                    if meant is not None and is_replaced(value, False):
                        rule = self._rules[meant]
                        yield Hit(tuple(piece.spots(*match.span(2))), value, rule.name, rule.kind)


def _number_around(text: str, start: int, end: int, bares: dict[str, list[tuple[int, int]]]) -> tuple[int, int] | None:
    """The number that a stretch is of, in a text that is JSON itself, as tool arguments are.

    Args:
        text, start, end: the stretch.
        bares: where the numbers and literals of a text are, for texts that were looked into before.
    """
    if not looks_like_json(text):
        return None
    if text not in bares:
        bares[text] = layout(text).bares
    number = bisect_right(bares[text], (start, len(text))) - 1
    if number < 0:
        return None
    low, high = bares[text][number]
    return (low, high) if end <= high and NUMBER.fullmatch(text, low, high) else None


def _line(text: str) -> Haystack:
    document = Document("")
    document.add_line(text)
    return Haystack(list(document.said()))


def _readings(text: str) -> Iterator[View]:
    yield View(text)
    read = unescaped(text)
    if read is not None:
        yield read


def is_replaced(value: str, is_number: bool) -> bool:
    """Whether what stands at a member's place is more than a placeholder."""
    if is_number:
        return not is_number_stand_in(value) and "." not in value
    return not is_placeholder(value) and not holds_stand_in(value)
