"""One interaction as it may be stored: head, body and the facts of its recording, in the order in which they are read.

Rule: nothing is changed in place; what needs no cleaning comes back as the same value. The numbering of stand-ins
follows this order, so the order is part of the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from recorder.cassette import Chunk, Interaction, Recording, Request, Response
from recorder.contracts import BodyKind, body_kind
from recorder.sanitize._content import Content, content_of
from recorder.sanitize._edits import as_bytes, as_text
from recorder.sanitize._heads import HeadCleaner
from recorder.sanitize._known import Finder, Known
from recorder.sanitize._replace import Replacer
from recorder.sanitize._rule import AnyRule, Rule
from recorder.sanitize._search import Searcher
from recorder.sanitize._shape import Shaper, names_in
from recorder.sanitize._stand_ins import Numbered, StandIns, numbered


class Names:
    """What was given a name so far, so that the same gets the same name again. Memory only: it knows the values.

    Attributes:
        stand_ins: of what must not be stored.
        shaper: of the members of JSON whose texts are shaped.
    """

    __slots__ = ("shaper", "stand_ins")

    def __init__(self, stand_ins: StandIns | None = None, shaper: Shaper | None = None) -> None:
        self.stand_ins, self.shaper = stand_ins or StandIns(), shaper or Shaper()

    def copy(self) -> Names:
        """Names that go on from here, apart from these."""
        return Names(self.stand_ins.copy(), self.shaper.copy())


class Cleaner:
    """Cleans the interactions of one cassette, in order.

    Args:
        rules: those in force.
        known: the values known by now.
        names: what was given a name before; further ones are added. The cassette's own stand-ins have to be among them.
        shape: replace generated text and prompts by their shape.

    Attributes:
        counts: how many replacements each rule made.
    """

    def __init__(self, rules: Iterable[AnyRule], known: Iterable[Known], names: Names, *, shape: bool) -> None:
        rules = tuple(rules)
        self.counts: Counter[str] = Counter()
        searcher = Searcher([rule for rule in rules if isinstance(rule, Rule)], Finder(known))
        self._replacer = Replacer(searcher, names.stand_ins, self.counts)
        self._heads = HeadCleaner(rules, self._replacer, self.counts)
        self._shape, self._shaper = shape, names.shaper

    def preamble(self, text: str) -> str:
        """The comment lines of the file: only known values are replaced, since licences name their owners."""
        return self._replacer.host(text)

    def interaction(self, interaction: Interaction) -> Interaction:
        """The interaction as it may be stored; `counts` goes on."""
        request = self._request(interaction.request)
        return Interaction(request, self._response(interaction.response))

    def _request(self, request: Request) -> Request:
        content = content_of(request)
        if self._shape:
            self._shaper.declare(names_in(as_text(content.body)))
        uri = self._heads.uri(request.uri)
        headers = self._heads.headers(request.headers, "request-headers", content)
        body, _ = self._body(request, content)
        return replace(request, uri=uri, headers=headers, body=None if request.body is None else body)

    def _response(self, response: Response) -> Response:
        content = content_of(response)
        headers = self._heads.headers(response.headers, "response-headers", content)
        reason = self._replacer.line(response.reason)
        body, chunks = self._body(response, content)
        recording = response.recording
        if recording is not None:
            recording = self._recording(recording)
            if content.stored_decoded and "content_encoding" not in recording.wire:
                recording = replace(recording, wire={**recording.wire, "content_encoding": str(content.coding)})
        return replace(response, headers=headers, reason=reason, body=body, chunks=chunks, recording=recording)

    def _body(self, message: Request | Response, content: Content) -> tuple[bytes, tuple[Chunk, ...] | None]:
        before = base = as_text(content.body)
        if body_kind(content.body) is BodyKind.AWS_EVENTSTREAM:
            # its frames have lengths and checksums, so nothing in them can be replaced: the scan refuses what must go
            return message.body or b"", content.chunks
        if self._shape:
            base, count = self._shaper.body(self._replacer.to_shape(base), message.headers.first("content-type"))
            self.counts["text-shape"] += count
        base, chunks = self._replacer.body(base, content.chunks, shaped=self._shape)
        if content.coding is None or content.named:
            return as_bytes(base), chunks
        if base == before:
            return message.body or b"", message.chunks if isinstance(message, Response) else None
        return content.stored(as_bytes(base)), None

    def _recording(self, recording: Recording) -> Recording:
        names = ("wire", "client", "outcome", "imported", "recorded", "tool", "extra")
        return replace(recording, **{name: self._plain(getattr(recording, name)) for name in names})

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._replacer.line(value)
        if isinstance(value, Mapping):
            return {name: self._plain(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return type(value)([self._plain(member) for member in value])
        return value


def stand_ins_of(interaction: Interaction) -> set[Numbered]:
    """The stand-ins that an interaction holds."""
    return numbered(_texts(interaction))


def declared_by(request: Request) -> Iterator[str]:
    """The names that a request says."""
    return names_in(as_text(content_of(request).body))


def _texts(interaction: Interaction) -> Iterator[str]:
    """Everything in an interaction that may hold stand-ins."""
    yield interaction.request.uri
    for message in (interaction.request, interaction.response):
        yield from (value for values in message.headers.values() for value in values)
        yield as_text(content_of(message).body)
