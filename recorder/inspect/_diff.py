"""What is different between two recordings: heads, names and order of events, shapes, terminal, usage; text on request.

Rule: what depends on the network, on the moment or on the words of the answer makes no difference: times, chunks, ids
with stand-ins, texts. It is a note at most. What is told of a text is its first difference and 16 characters around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest
from operator import eq
from typing import Any

from recorder.cassette import Cassette, Headers, Interaction
from recorder.inspect._shape import numbers, shape
from recorder.inspect._transcript import Run, Transcript, transcript
from recorder.sanitize import fits

AROUND = 16
MAX_PAIRS = 250_000  # of runs; beyond, where runs that alternate would take minutes, only the first difference is told
_VOLATILE = frozenset({"date"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same.

    Attributes:
        interaction: its number, from 1; 0 where the cassettes as a whole differ.
        what: "interactions", "request", "head", "events", "shape", "terminal", "usage", "end" or "text"; of a note
            "timing" or "body".
        place: where, such as "event 3 (message)".
        a, b: what stands there on each side; None where there is nothing.
    """

    interaction: int
    what: str
    place: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of `diff`.

    Attributes:
        differences: what is not the same.
        notes: what differs and does not count.
    """

    differences: tuple[Difference, ...]
    notes: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether there is no difference."""
        return not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "same": self.same,
            "differences": [asdict(each) for each in self.differences],
            "notes": [asdict(each) for each in self.notes],
        }


def diff(
    a: Cassette | Interaction, b: Cassette | Interaction, *, text: bool = False, loose: bool = False
) -> Comparison:
    """Compare two recordings as transcripts.

    Args:
        a, b: the one and the other, in memory.
        text: compare what was said too, and the request bodies.
        loose: for two answers of a model to one request: how many like events are in a row, and the numbers in the
            usage, make no difference.

    Raises:
        TypeError: one is neither a cassette nor an interaction.
    """
    ours, theirs = _interactions(a), _interactions(b)
    found: list[Difference] = []
    notes: list[Difference] = []
    if len(ours) != len(theirs):
        found.append(Difference(0, "interactions", "number", str(len(ours)), str(len(theirs))))
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        pair = _Pair(number, transcript(one), transcript(other), text, loose)
        found += pair.differences()
        notes += pair.notes()
    return Comparison(tuple(found), tuple(notes))


def _interactions(source: Cassette | Interaction) -> tuple[Interaction, ...]:
    if isinstance(source, Cassette):
        return source.interactions
    if not isinstance(source, Interaction):
        given = type(source).__name__
        raise TypeError(f"diff takes cassettes or interactions, not {given}: recorder.load_cassette(path)")
    return (source,)


@dataclass(frozen=True, slots=True)
class _Pair:
    number: int
    a: Transcript
    b: Transcript
    text: bool
    loose: bool

    def differences(self) -> Iterator[Difference]:
        a, b = self.a, self.b
        yield from self._values("request", (("method", a.method, b.method), ("uri", a.uri, b.uri)))
        yield from self._headers("request", a.request_headers, b.request_headers)
        yield from self._shapes("request", "body", a.request_shape, b.request_shape)
        yield from self._values("head", (("status", a.status, b.status),))
        yield from self._headers("head", a.headers, b.headers)
        yield from self._events()
        yield from self._shapes("shape", "body", a.body_shape, b.body_shape)
        judged = ("dialect", a.dialect, b.dialect), ("verdict", a.code, b.code)
        yield from self._values("terminal", (*judged, ("finish", a.finish, b.finish), ("state", a.state, b.state)))
        yield from self._usage()
        if a.end is not None and b.end is not None:
            yield from self._values("end", (("kind", a.end, b.end),))
        if self.text:
            yield from self._texts("request", {"body": a.request_text}, {"body": b.request_text})
            yield from self._texts("text", a.texts, b.texts)

    def notes(self) -> Iterator[Difference]:
        for name, ours in self.a.notes.items():
            theirs = self.b.notes[name]
            if ours != theirs:
                yield self._one("timing" if name.endswith("after") else "body", name, ours, theirs)
        if self.a.end != self.b.end and None in (self.a.end, self.b.end):
            yield self._one("body", "end", self.a.end or "unknown", self.b.end or "unknown")

    def _one(self, what: str, place: str, a: str | None, b: str | None) -> Difference:
        return Difference(self.number, what, place, a, b)

    def _values(self, what: str, pairs: Iterable[tuple[str, Any, Any]]) -> Iterator[Difference]:
        for place, a, b in pairs:
            if a != b and not _fit(a, b):
                yield self._one(what, place, None if a is None else str(a), None if b is None else str(b))

    def _headers(self, what: str, a: Headers, b: Headers) -> Iterator[Difference]:
        names = sorted({name.lower() for name in (*a, *b)} - _VOLATILE)
        for name in names:
            ours, theirs = a.get(name, ()), b.get(name, ())
            if len(ours) == len(theirs) and all(map(_fit, ours, theirs)):
                continue
            yield self._one(what, f"header {name}", ", ".join(ours) or None, ", ".join(theirs) or None)

    def _shapes(self, what: str, place: str, a: Sequence[str], b: Sequence[str]) -> Iterator[Difference]:
        ours = [line for line in a if line not in set(b)]
        theirs = [line for line in b if line not in set(a)]
        if ours or theirs:
            yield self._one(what, place, "; ".join(ours) or None, "; ".join(theirs) or None)

    def _events(self) -> Iterator[Difference]:
        a, b = self.a.runs, self.b.runs
        start = _common([run.token for run in a], [run.token for run in b])
        yield from self._counts(a[:start], b[:start])
        a, b = a[start:], b[start:]
        same = _common([run.token for run in reversed(a)], [run.token for run in reversed(b)])
        yield from self._middle(a[: len(a) - same], b[: len(b) - same])
        yield from self._counts(a[len(a) - same :], b[len(b) - same :])

    def _middle(self, a: Sequence[Run], b: Sequence[Run]) -> Iterator[Difference]:
        if len(a) * len(b) > MAX_PAIRS:
            yield from self._replaced(a[:1], b[:1])
            return
        matcher = SequenceMatcher(None, [run.token for run in a], [run.token for run in b], autojunk=False)
        for kind, a1, a2, b1, b2 in matcher.get_opcodes():
            yield from (self._counts if kind == "equal" else self._replaced)(a[a1:a2], b[b1:b2])

    def _counts(self, a: Sequence[Run], b: Sequence[Run]) -> Iterator[Difference]:
        for one, other in zip(a, b, strict=True):
            if one.count != other.count and not self.loose:
                yield self._one("events", f"{_place(one)} and those like it", str(one.count), str(other.count))

    def _replaced(self, a: Sequence[Run], b: Sequence[Run]) -> Iterator[Difference]:
        for one, other in zip_longest(a, b):
            if one and other and one.name == other.name:
                yield from self._shapes("shape", _place(one), one.shape, other.shape)
                yield from self._counts([one], [other])
            elif one or other:
                place = _place(one or other)
                yield self._one("events", place, _told(one) if one else None, _told(other) if other else None)

    def _usage(self) -> Iterator[Difference]:
        a, b = self.a.usage, self.b.usage
        if (a is None) != (b is None):
            yield self._one("usage", "usage", *("unknown" if each is None else "seen" for each in (a, b)))
            return
        differs = list(self._shapes("usage", "members", shape(a), shape(b)))
        yield from differs
        if not differs and a != b and not self.loose:
            ours, theirs = dict(numbers(a)), dict(numbers(b))
            changed = [name for name in ours if ours[name] != theirs.get(name)]
            told = [", ".join(f"{name} {each.get(name)}" for name in changed) for each in (ours, theirs)]
            yield self._one("usage", "numbers", *told)

    def _texts(self, what: str, a: dict[str, str], b: dict[str, str]) -> Iterator[Difference]:
        for name in dict.fromkeys([*a, *b]):
            ours, theirs = a.get(name), b.get(name)
            if ours != theirs:
                at = _common(ours or "", theirs or "")
                around = slice(max(0, at - AROUND), at + AROUND)
                yield self._one(what, f"{name}, character {at}", *(each and each[around] for each in (ours, theirs)))
                return


def _common(a: Sequence[Any], b: Sequence[Any]) -> int:
    """How many items the two begin with alike."""
    return sum(takewhile(bool, map(eq, a, b)))


def _fit(a: Any, b: Any) -> bool:
    """Whether two values are equal where a stand-in equals anything."""
    return a == b or (isinstance(a, str) and isinstance(b, str) and (fits(a, b) or fits(b, a)))


def _place(run: Run) -> str:
    return f"event {run.first} ({run.name})"


def _told(run: Run) -> str:
    return f"{run.count} x {run.name}: {'; '.join(run.shape)}"
