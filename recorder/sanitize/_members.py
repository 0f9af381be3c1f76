"""JSON paths: which member of a document a rule means.

Rule: a document's members are named by JSON pointers (RFC 6901); a path is turned into a pattern over pointers. Paths
are a part of RFC 9535: names, `[*]` and `.*`, indices, and `..` for any depth. A bare name means the member at any
depth, in whatever spelling: `api_key` also means apiKey and API-KEY; `*_api_key` means every name that ends so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Generic, TypeVar

_SEGMENT = re.compile(
    r"(?P<deep>\.\.)?(?:(?(deep)|\.)(?P<name>[A-Za-z_$][\w$-]*|\*)|\[(?:'(?P<quoted>[^']*)'|(?P<index>\d+)|\*)\])"
)
_BARE = re.compile(r"\*?[A-Za-z_][\w$-]*")

_MOST_NAMES = 4096

T = TypeVar("T")


def pointer_step(name: str) -> str:
    """One step of a pointer: the slash and the escaped name."""
    return "/" + name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else "/" + name


def check_path(path: str) -> None:
    """Look at a path before it is used.

    Raises:
        ValueError: it is not a path as described above.
    """
    _parsed(path)


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name without case, hyphens and underscores."""
    return name.lower().replace("_", "").replace("-", "")


@lru_cache(maxsize=512)
def _parsed(path: str) -> tuple[str | None, str | None]:
    """The pattern over pointers (None: only the name matters), and the plain name of the last step (None: any)."""
    if _BARE.fullmatch(path):
        return None, plain_name(path)
    if not path.startswith("$") or len(path) == 1:
        raise ValueError(f"{path!r} is not a JSON path: write $.metadata.user_id, $..email, $.items[*].name or a name")
    pattern, position = "", 1
    last: str | None = None
    while position < len(path):
        match = _SEGMENT.match(path, position)
        if match is None:
            raise ValueError(f"{path!r} is not a JSON path from character {position + 1} on")
        step, last = _step(match)
        pattern += ("(?:/[^/]*)*" if match["deep"] else "") + step
        position = match.end()
    return pattern, None if last is None else plain_name(last)


def _step(match: re.Match[str]) -> tuple[str, str | None]:
    name = match["quoted"] if match["quoted"] is not None else match["name"]
    if name is not None and name != "*":
        return re.escape(pointer_step(name)), name
    if match["index"] is not None:
        return f"/{match['index']}", None
    return "/[^/]*", None


class MemberTable(Generic[T]):
    """Which of several things, each with its paths, means a member.

    Args:
        entries: the things, each with its paths; the first that fits wins.
    """

    def __init__(self, entries: Sequence[tuple[T, Sequence[str]]]) -> None:
        self._by_name: dict[str, list[tuple[re.Pattern[str] | None, T]]] = {}
        self._any: list[tuple[re.Pattern[str] | None, T]] = []
        self._by_ending: list[tuple[str, T]] = []
        self._found: dict[str, list[tuple[re.Pattern[str] | None, T]]] = {}
        for thing, paths in entries:
            for path in paths:
                pattern, last = _parsed(path)
                if pattern is None and last is not None and last.startswith("*"):
                    self._by_ending.append((last[1:], thing))
                    continue
                entry = (None if pattern is None else re.compile(pattern), thing)
                (self._any if last is None else self._by_name.setdefault(last, [])).append(entry)

    def __bool__(self) -> bool:
        return bool(self._by_name or self._any or self._by_ending)

    def may_mean(self, name: str) -> bool:
        """Whether a member of this name can be meant."""
        return bool(self._entries(name))

    def get(self, name: str, pointer: str) -> T | None:
        """What means the member of this name at this pointer."""
        for pattern, thing in self._entries(name):
            if pattern is None or pattern.fullmatch(pointer):
                return thing
        return None

    def _entries(self, name: str) -> list[tuple[re.Pattern[str] | None, T]]:
        """All that may mean a member of this name, worked out once."""
        found = self._found.get(name)
        if found is None:
            plain = plain_name(name)
            ending = [(None, thing) for end, thing in self._by_ending if plain.endswith(end)]
            found = [*self._by_name.get(plain, ()), *ending, *self._any]
            if len(self._found) < _MOST_NAMES:
                self._found[name] = found
        return found
