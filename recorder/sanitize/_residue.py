"""The second look: what must not be stored and still is in what is about to be.

Rule: other code than the replacing one. The replacer encodes what it looks for and keeps places; this decodes what is
there, puts it together, and only asks whether. It names the rule and the place, never the value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.contracts import BodyKind, body_kind
from recorder.sanitize._content import content_of
from recorder.sanitize._known import Known
from recorder.sanitize._members import MemberTable
from recorder.sanitize._placeholders import is_placeholder
from recorder.sanitize._residue_readings import readings, undone
from recorder.sanitize._residue_texts import Member, Reader, nested
from recorder.sanitize._rule import URI_PARTS, Allow, AnyRule, HeaderAction, Rule
from recorder.sanitize._shape_classes import is_shape
from recorder.sanitize._shape_residue import is_kept, unshaped
from recorder.sanitize._stand_ins import REDACTED, STAND_IN, is_stand_in
from recorder.sanitize._table import NAMED_HEADERS

_HEADER_NAME = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Residue:
    """One secret that is still there: the rule that knows it, and where it is."""

    rule: str
    place: str

    def __str__(self) -> str:
        return f"{self.rule} in {self.place}"


def scan(cassette: Cassette, rules: Iterable[AnyRule], known: Iterable[Known], *, shaped: bool) -> tuple[Residue, ...]:
    """Every place of the cassette that holds what a rule must not let through; empty when it may be stored."""
    scanner = Scanner(rules, known, shaped)
    found = [*scanner.preamble(cassette.preamble)]
    for number, interaction in enumerate(cassette.interactions, 1):
        found += scanner.residue(interaction, number)
    return tuple(found)


def forms(known: Known) -> list[bytes]:
    """How a known value may be written in a text that is decoded."""
    found = [known.value.encode("utf-8", "surrogateescape")]
    if not known.value.isascii() and max(known.value) <= "\xff":
        found.append(known.value.encode("latin-1"))  # in octal numbers and in digits
    found += [value.replace(b" ", b"+") for value in found if b" " in value]  # in forms
    return found + [b"".join(value.splitlines()) for value in found if b"\n" in value]


class Scanner:
    """Looks for what must not be stored.

    Args:
        rules: those in force.
        known: the values known by now.
        shaped: texts should be shapes.

    Attributes:
        shortest: the length in bytes of the shortest known value; 0 when none is.
    """

    def __init__(self, rules: Iterable[AnyRule], known: Iterable[Known], shaped: bool) -> None:
        rules = tuple(rules)
        self._rules = [rule for rule in rules if isinstance(rule, Rule)]
        self._allowed = {rule.name: rule.names for rule in rules if isinstance(rule, Allow)}
        self._known = [(value, each) for each in known for value in forms(each)]
        self._shapes = {at for at, (_, each) in enumerate(self._known) if shaped and is_shape(each.value)}
        self.shortest = min([len(value) for value, _ in self._known], default=0)
        self._members = MemberTable([(rule.name, rule.members) for rule in self._rules])
        self._by_header = {name: rule for rule in reversed(self._rules) for name in rule.headers}
        self._shaped = shaped
        self._clean: dict[tuple[str, bool, bool], tuple[bytes, ...]] = {}  # with what was read there
        self._read: dict[bytes, None] | None = None

    def preamble(self, text: str) -> Iterator[Residue]:
        """What is left in the comment lines of the file: known values."""
        for rule in self.known_in(text):
            yield Residue(rule, "the comments above the interactions")

    def residue(self, interaction: Interaction, number: int) -> list[Residue]:
        """What is left in an interaction, which is the cassette's `number`-th."""
        return list(dict.fromkeys(Residue(rule, f"interaction {number}, {at}") for rule, at in self._in(interaction)))

    def readings(self, interaction: Interaction, number: int) -> tuple[list[Residue], Iterable[bytes]]:
        """The same, and everything in which known values were looked for."""
        self._read = {}
        try:
            return self.residue(interaction, number), self._read
        finally:
            self._read = None

    def _in(self, interaction: Interaction) -> Iterator[tuple[str, str]]:
        request, response = interaction.request, interaction.response
        yield from self._line(request.method, "request method", patterns=False)
        yield from self._uri(request.uri)
        yield from self._headers(request.headers, "request")
        yield from self._body(request, "request")
        yield from self._headers(response.headers, "response")
        yield from self._line(response.reason, "response reason")
        yield from self._body(response, "response")
        if response.recording is not None:
            told = response.recording
            facts = (told.wire, told.client, told.outcome, told.imported, told.recorded, told.tool, told.extra)
            for text in _texts([*facts]):
                yield from self._line(text, "recording facts")

    def _is_wanted(self, name: str) -> bool:
        return self._shaped or self._members.may_mean(name)

    # -- texts --------------------------------------------------------------------------------------------------------

    def known_in(self, text: str, *, folded: bool = True, besides: Collection[int] = ()) -> list[str]:
        """The rules whose known values a text has. They are looked for nowhere else: proofs rest on what it reads.

        Args:
            text: what is searched.
            folded: without its line breaks too.
            besides: the numbers of values that do not count.
        """
        if not self._known or not text:
            return []
        plain = STAND_IN.sub("\x00", text) if REDACTED in text else text
        left = dict.fromkeys(number for number in range(len(self._known)) if number not in besides)
        found: dict[str, None] = {}
        for reading in readings(plain.encode("utf-8", "surrogatepass"), self.shortest, folded=folded):
            if self._read is not None:
                self._read[reading] = None
            for number in list(left):
                if self._known[number][0] in reading:
                    found[self._known[number][1].rule] = None
                    del left[number]
        return list(found)

    def _patterns_in(self, text: str, *, path: bool = False) -> Iterator[str]:
        texts = [text, *(read.decode("utf-8", "replace") for read in undone(text.encode("utf-8", "surrogatepass")))]
        for rule in self._rules:
            if path or not rule.paths_only:
                for each in texts:
                    yield from (rule.name for start, end in rule.find(each) if not self._is_shape(each[start:end]))

    def _is_shape(self, value: Any) -> bool:
        return self._shaped and isinstance(value, str) and is_shape(value)

    def _line(self, text: str, place: str, *, patterns: bool = True, path: bool = False) -> Iterator[tuple[str, str]]:
        if not text:
            return
        if (text, patterns, path) in self._clean:
            self._note(self._clean[text, patterns, path])
            return
        outer, self._read = self._read, {}
        found = self.known_in(text)
        inner, self._read = self._read, outer
        self._note(inner)
        if patterns:
            found += self._patterns_in(text, path=path)
        yield from ((rule, place) for rule in found)
        if not found:
            self._clean[text, patterns, path] = tuple(inner)

    def _note(self, readings: Iterable[bytes]) -> None:
        if self._read is not None:
            self._read.update(dict.fromkeys(readings))

    # -- heads --------------------------------------------------------------------------------------------------------

    def _uri(self, uri: str) -> Iterator[tuple[str, str]]:
        yield from self._line(uri, "request uri", patterns=False)
        try:
            parts = urlsplit(uri)
        except ValueError:
            return
        # each part of a path by itself: the slashes between them would be digits of base64
        yield from self._line(parts.path.replace("/", " "), "request uri", patterns=False)
        behind = uri.partition("//")[2].partition("/")[2]
        yield from self._line(f"/{behind}", "request uri", path=True)
        if any(rule.name == URI_PARTS for rule in self._rules) and ("@" in parts.netloc or parts.fragment):
            yield URI_PARTS, "request uri"
        allowed = self._allowed.get("query")
        names = [name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
        if allowed is not None and not set(names) <= set(allowed):
            yield "query", "request uri"

    def _headers(self, headers: Headers, what: str) -> Iterator[tuple[str, str]]:
        allowed = self._allowed.get(f"{what}-headers")
        for name, values in headers.items():
            lower = name.lower()
            dirty = list(self._line(name, f"a {what} header name", patterns=False))
            yield from dirty
            place = f"{what} header {lower}" if _HEADER_NAME.fullmatch(lower) and not dirty else f"a {what} header"
            rule = self._by_header.get(lower)
            if rule is not None:
                if rule.header_action is HeaderAction.DROP or not all(_is_clean_header(rule, each) for each in values):
                    yield rule.name, place
            elif allowed is not None and not {lower} & {*allowed, *NAMED_HEADERS, "content-encoding"}:
                yield f"{what}-headers", place
            for value in values if len(values) == 1 else (*values, "".join(values)):
                yield from self._line(value, place)

    # -- bodies -------------------------------------------------------------------------------------------------------

    def _body(self, message: Request | Response, what: str) -> Iterator[tuple[str, str]]:
        content = content_of(message)
        if content.named:  # nothing is stored in a coding, unless it could not be undone
            yield "content-coding", f"{what} body"
        elif "content-encoding" in message.headers:
            yield f"{what}-headers", f"{what} header content-encoding"
        if content.coding is not None:
            packed = (message.body or b"").decode("utf-8", "surrogateescape")
            yield from self._line(packed, f"{what} body", patterns=False)
        texts = Reader(what, content.body, self._is_wanted).texts
        strict = [*((place, text) for text, place in texts.single.items()), *texts.joined]
        yield from self._known_among([*strict, *texts.loosely])
        whole = content.body.decode("utf-8", "surrogateescape")
        yield from ((rule, f"{what} body") for rule in self.known_in(whole, folded=False, besides=self._shapes))
        if self._shapes:  # of shapes they cannot be told
            for member in filter(is_kept, texts.members):
                yield from ((rule, member.place) for rule in self.known_in(str(member.value)))
        yield from self._patterns_among(strict)
        if self._members:
            inside = [member for place, text in strict for member in nested(text, place)]
            yield from self._members_among([*texts.members, *inside])
            yield from self._form(content.body, what)
        if self._shaped:
            media_type = message.headers.first("content-type")
            yield from (("text-shape", place) for place in unshaped(what, content.body, texts, media_type))

    def _known_among(self, texts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        if self.known_in("\x00".join([text for _, text in texts]), besides=self._shapes):
            for place, text in texts:
                yield from ((rule, place) for rule in self.known_in(text, besides=self._shapes))

    def _patterns_among(self, texts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        if any(True for _ in self._patterns_in("\x00".join([text for _, text in texts]))):
            for place, text in texts:
                yield from ((rule, place) for rule in self._patterns_in(text))

    def _members_among(self, members: Iterable[Member]) -> Iterator[tuple[str, str]]:
        for each in members:
            rule = self._members.get(each.name, each.pointer)
            if rule is not None and not (_is_clean_member(each.value) or self._is_shape(each.value)):
                yield rule, each.place

    def _form(self, body: bytes, what: str) -> Iterator[tuple[str, str]]:
        if body_kind(body) is BodyKind.EVENT_STREAM:  # the comment `:a=1&b=2`, say
            return
        text = body.decode("utf-8", "replace").strip()
        if "=" in text and not re.search(r"[\s{<]", text):
            fields = parse_qsl(text)
        else:
            fields = list(_parts(text)) if text.startswith("--") else []
        for name, value in fields:
            rule = self._members.get(name, f"/{name}")
            if rule is not None and not (_is_clean_member(value) or self._is_shape(value)):
                yield rule, f"{what} body"


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The fields of `multipart/form-data`: text up to a boundary, a head and a value."""
    boundary = text.partition("\r\n")[0]
    for part in text.split(boundary):
        head, _, value = part.partition("\r\n\r\n")
        name = re.search(r'\bname="?([^"\r\n;]+)', head)
        if name is not None and "filename" not in head and value.strip():
            yield name[1], value.strip()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (str(key), *_texts(member))
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts(member)


def _is_clean_header(rule: Rule, value: str) -> bool:
    if rule.header_action is HeaderAction.REDACT:
        return value == REDACTED
    return is_stand_in(value) or is_placeholder(value)


def _is_clean_member(value: Any) -> bool:
    if isinstance(value, str):
        return is_placeholder(value) or STAND_IN.search(value) is not None
    return isinstance(value, float) or 0 <= value <= 9999
