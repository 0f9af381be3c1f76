"""The storable model: what a cassette is, apart from how it is written down.

Rule: plain frozen values; `repr` gives shapes and counts, never a body, a header value or a query string.
Not known here: YAML, files, sanitizing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Any
from urllib.parse import urlsplit

HeaderSource = Mapping[str, str | Iterable[str]] | Iterable[tuple[str, str | Iterable[str]]]


class Headers(Mapping[str, tuple[str, ...]]):
    """HTTP headers (RFC 9110 section 5): a case-insensitive, ordered, immutable mapping from a name to its values.

    Args:
        source: a mapping or pairs; a value is one string or several. A name given twice collects its values in order;
            one without a value is not there.
    """

    __slots__ = ("_items",)

    def __init__(self, source: HeaderSource = ()) -> None:
        items: dict[str, tuple[str, tuple[str, ...]]] = {}
        repeated: dict[str, list[str]] = {}
        for name, value in source.items() if isinstance(source, Mapping) else source:
            values = (value,) if isinstance(value, str) else tuple(value)
            key = name.lower()
            if key in items:
                repeated.setdefault(key, [*items[key][1]]).extend(values)
            elif values:
                items[key] = (name, values)
        for key, all_values in repeated.items():
            items[key] = (items[key][0], tuple(all_values))
        self._items = items

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return self._items[name.lower()][1]

    def __iter__(self) -> Iterator[str]:
        return (spelled for spelled, _ in self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._items

    def _key(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        return frozenset((name, values) for name, (_, values) in self._items.items())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Headers):
            return self._key() == other._key()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def first(self, name: str, default: str = "") -> str:
        """The first value of `name`, or `default`."""
        values = self.get(name, ())
        return values[0] if values else default

    def __repr__(self) -> str:
        return f"Headers({', '.join(self)})"


class EndKind(StrEnum):
    """How a recorded body ended (the provider's end of the story, as the client saw it)."""

    COMPLETE = "complete"  # a proper HTTP end
    EOF = "eof"  # close-delimited, or a clean end before the terminal event
    INCOMPLETE = "incomplete"  # the peer closed inside the HTTP framing
    RESET = "reset"
    TIMEOUT = "timeout"
    CLIENT_CLOSED = "client_closed"


@dataclass(frozen=True, slots=True)
class Chunk:
    """`size` bytes that arrived together, `delay_s` seconds after the previous chunk (the first: after the head)."""

    delay_s: float
    size: int


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """How the body ended, `after_s` seconds after the last chunk.

    `terminal_seen` is known for `client_closed` only: whether the terminal event had arrived before the client left.
    """

    kind: EndKind
    after_s: float = 0.0
    terminal_seen: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", EndKind(self.kind))
        if not 0 <= self.after_s < inf:
            raise ValueError("a body ends a finite time of at least 0 s after its last chunk")


@dataclass(frozen=True, slots=True)
class Recording:
    """What else is known of a recording; every part is optional, none changes what is replayed.

    `imported` says of a recording that was converted which `format` it came in, and what that left `unknown`; `extra`
    carries the members a newer version wrote, as they are.
    """

    head_s: float | None = None
    wire: Mapping[str, str] = field(default_factory=dict)
    recorded: str | None = None
    client: Mapping[str, str] = field(default_factory=dict)
    tool: str | None = None
    outcome: Mapping[str, str] = field(default_factory=dict)
    sanitizer: Mapping[str, str | int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    imported: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.head_s is not None and not 0 <= self.head_s < inf:
            raise ValueError("a head arrives a finite time of at least 0 s after the request")


def _without_query(uri: str) -> str:
    try:
        parts = urlsplit(uri)
        return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
    except ValueError:
        return "(not a URI)"


def _as_headers(headers: Headers | HeaderSource) -> Headers:
    return headers if isinstance(headers, Headers) else Headers(headers)


@dataclass(frozen=True, slots=True, repr=False)
class Request:
    """What was asked; `body` is None when there was none. `headers` may be given as a plain mapping or pairs."""

    method: str
    uri: str
    headers: Headers = field(default_factory=Headers)
    body: bytes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", _as_headers(self.headers))

    def __repr__(self) -> str:
        size = "no body" if self.body is None else f"{len(self.body)} bytes"
        return f"<Request {self.method} {_without_query(self.uri)} {size}>"


@dataclass(frozen=True, slots=True, repr=False)
class Response:
    """What was answered.

    `body` is content-decoded; `chunks`, when known, are its pieces in order, and their sizes sum to its length.
    `headers` may be given as a plain mapping or pairs.
    """

    status: int
    headers: Headers = field(default_factory=Headers)
    body: bytes = b""
    chunks: tuple[Chunk, ...] | None = None
    end: StreamEnd | None = None
    reason: str = ""
    recording: Recording | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", _as_headers(self.headers))
        if self.chunks is None:
            return
        object.__setattr__(self, "chunks", tuple(self.chunks))
        total = sum(chunk.size for chunk in self.chunks)
        if total != len(self.body):
            raise ValueError(f"chunk sizes sum to {total}, the body has {len(self.body)} bytes: they must be equal")
        if not all(chunk.size >= 1 and 0 <= chunk.delay_s < inf for chunk in self.chunks):
            raise ValueError("a chunk has at least 1 byte and a finite delay of at least 0 s")

    def __repr__(self) -> str:
        pieces = "unknown chunks" if self.chunks is None else f"{len(self.chunks)} chunks"
        end = "unknown end" if self.end is None else f"end {self.end.kind}"
        return f"<Response {self.status} {len(self.body)} bytes, {pieces}, {end}>"


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request and its response."""

    request: Request
    response: Response

    @classmethod
    def from_body(cls, body: bytes) -> Interaction:
        """A 200 event stream with this body, for trying things without a recording."""
        return cls(
            Request("POST", "https://example.invalid/v1/chat/completions", Headers({"accept": "text/event-stream"})),
            Response(200, Headers({"content-type": "text/event-stream"}), body, reason="OK"),
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.cassette._html import interaction_html

        return {"text/plain": repr(self), "text/html": interaction_html(self)}


@dataclass(frozen=True, slots=True)
class Cassette:
    """The interactions of one file, in order; equal to another when the interactions are.

    What a rewrite of the file needs to know travels along; `dataclasses.replace(cassette, interactions=...)` keeps it.

    Attributes:
        interactions: in the order of the file.
        preamble: the comment lines above `interactions:` (a licence, say); a rewrite writes them again.
        ascii: the file says everything beyond ASCII in escapes; a rewrite does the same.
        not_kept: the places of what the file held beyond this model; a rewrite warns that it loses them.
    """

    interactions: tuple[Interaction, ...]
    preamble: str = field(default="", compare=False, repr=False)
    ascii: bool = field(default=False, compare=False)
    not_kept: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "interactions", tuple(self.interactions))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.cassette._html import cassette_html

        return {"text/plain": repr(self), "text/html": cassette_html(self)}
