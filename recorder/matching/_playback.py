"""Which interaction answers a request, and which have been played.

Rule: identical requests are answered in the order in which they were recorded, each interaction once unless repeating
is allowed. Requests are compared as they came first, and once more with both sides sanitized.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from recorder.cassette import Cassette, Interaction, Request, Response
from recorder.matching._matchers import DEFAULT_MATCH_ON, Matcher, MatchOn, address_of, matchers_of
from recorder.matching._miss import Near, NoMatch
from recorder.matching._side import Side
from recorder.sanitize import Sanitizer

_REMEMBERED = 1024
"""How many different requests keep their answer: a sweep asks the same thing thousands of times."""
_MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Played:
    """What answers a request.

    Attributes:
        interaction: the one to be played.
        position: its place in the cassette, from 0.
        attempt: 0 for the first request that matches these interactions, 1 for the next.
    """

    interaction: Interaction
    position: int
    attempt: int


class Playback:
    """A cassette being played; safe to use from any thread.

    Args:
        cassette: what was recorded.
        match_on: what must be the same: names as vcrpy has them, or functions of two of its requests.
        ignore: JSON paths of the body that may differ: `$.seed`, `$..timestamp`, or a bare name.
        repeat: when all that match have been played, the last of them answers again.
        sanitizer: cleans both sides before they are compared; `Sanitizer.default()` unless given.

    Raises:
        ValueError: `match_on` or `ignore` names what is not known.
    """

    def __init__(
        self,
        cassette: Cassette,
        *,
        match_on: MatchOn = DEFAULT_MATCH_ON,
        ignore: tuple[str, ...] | list[str] = (),
        repeat: bool = False,
        sanitizer: Sanitizer | None = None,
    ) -> None:
        self.cassette = cassette
        self.repeat = repeat
        match_on = match_on if isinstance(match_on, str) else tuple(match_on)
        self._matchers: tuple[Matcher, ...] = matchers_of(match_on, ignore)
        self._address = address_of(match_on)
        self._sanitizer = sanitizer or Sanitizer.default()
        self._stored = tuple(Side(each.request) for each in cassette.interactions)
        self._known: OrderedDict[object, tuple[int, ...]] = OrderedDict()
        self._played: Counter[int] = Counter()
        self._asked: Counter[tuple[int, ...]] = Counter()
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Played:
        """What answers `request`; it counts as played from now on.

        Raises:
            NoMatch: nothing does, or everything that would has been played.
        """
        matching = self._matching(request)
        with self._lock:
            position = next((each for each in matching if not self._played[each]), None)
            if position is None and self.repeat and matching:
                position = matching[-1]
            if position is not None:
                self._played[position] += 1
                attempt = self._asked[matching]
                self._asked[matching] += 1
                return Played(self.cassette.interactions[position], position, attempt)
        raise self._miss(request, matching)

    def matches(self, request: Request) -> tuple[int, ...]:
        """The positions of all interactions that would answer `request`, played or not; nothing is counted."""
        return self._matching(request)

    def miss(self, request: Request) -> NoMatch:
        """What `answer` raises where nothing answers `request`."""
        return self._miss(request, self._matching(request))

    def methods(self, request: Request) -> tuple[str, ...]:
        """With which methods the path of `request` was recorded; none where methods or paths are not compared."""
        return self._methods(self._at(self._cleaned(Side(request))))

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of the interactions that have not been played."""
        return tuple([position for position in range(len(self._stored)) if not self._played[position]])

    @property
    def played(self) -> int:
        """How many requests were answered since the start or the last rewind."""
        return self._played.total()

    def rewind(self) -> None:
        """Nothing has been played, and nothing asked for."""
        with self._lock:
            self._played.clear()
            self._asked.clear()

    # -- comparing ----------------------------------------------------------------------------------------------------

    def _matching(self, request: Request) -> tuple[int, ...]:
        key = _key(request)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = self._compared(request)
        with self._lock:
            self._known[key] = found
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found

    def _compared(self, request: Request) -> tuple[int, ...]:
        raw = Side(request)
        same = [self._same(stored, raw) for stored in self._stored]
        if not all(same):
            live = self._cleaned(raw)
            same = [one or self._same(stored, live) for one, stored in zip(same, self._clean_stored, strict=True)]
        return tuple([position for position, one in enumerate(same) if one])

    def _same(self, stored: Side, live: Side) -> bool:
        return all(next(matcher(stored, live), None) is None for matcher in self._matchers)

    def _cleaned(self, raw: Side) -> Side:
        cassette = Cassette((Interaction(raw.request, Response(200)),))
        return Side(self._sanitizer.apply(cassette).interactions[0].request, before=raw)

    @cached_property
    def _clean_stored(self) -> tuple[Side, ...]:
        """The stored requests, clean: a cassette of another tool may not be."""
        bare = Cassette(tuple([Interaction(each.request, Response(200)) for each in self._stored]))
        return tuple([Side(each.request) for each in self._sanitizer.apply(bare).interactions])

    def _at(self, live: Side) -> tuple[int, ...]:
        """The positions of the interactions at the path of a sanitized request, whatever their method and query."""
        if self._address is None:
            return ()
        stored = enumerate(self._clean_stored)
        return tuple([at for at, one in stored if not any(list(part(one, live)) for part in self._address)])

    def _methods(self, positions: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted({self._stored[position].request.method for position in positions}))

    def _miss(self, request: Request, matching: tuple[int, ...]) -> NoMatch:
        live = self._cleaned(Side(request))
        there = () if matching else self._at(live)
        methods = self._methods(there)
        if request.method in methods:
            methods = ()
        found: list[tuple[int, int, list[str]]] = []
        for position, stored in enumerate(self._clean_stored if not matching else ()):
            if methods and position not in there:
                continue  # with the wrong method, what was recorded at another path is not near
            differing = [list(map(str, matcher(stored, live))) for matcher in self._matchers]
            failed = [lines for lines in differing if lines]
            if len(failed) < len(self._matchers) or len(self._matchers) == 1:  # nothing else could agree: it is near
                lines = [line for lines in failed for line in lines]
                lines.sort(key=lambda line: not line.startswith("method: "))  # stable: the method first
                found.append((len(failed), position, lines))
        found.sort(key=lambda each: (each[0], len(each[2]), each[1]))
        nearest = [Near(position, tuple(lines)) for failed, position, lines in found if failed == found[0][0]]
        return NoMatch(live.request, matching, nearest[:_MOST_NEAR], len(self._stored), methods)


def _key(request: Request) -> object:
    body = None if request.body is None else hashlib.blake2b(request.body, digest_size=20).digest()
    return request.method, request.uri, tuple(request.headers.items()), body
