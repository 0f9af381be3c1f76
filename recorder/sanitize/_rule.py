"""What a rule is: one named instruction, a frozen value.

Rule: a rule says what it hits in a *text* and at which places; how texts are made of a body (decoded, put together over
events), once to replace and once more to scan, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from recorder.sanitize._members import check_path
from recorder.sanitize._placeholders import is_placeholder
from recorder.sanitize._stand_ins import holds_stand_in

KNOWN_SECRET = "known-secret"
URI_PARTS = "uri-parts"
_WITHOUT_PARTS = frozenset({KNOWN_SECRET, URI_PARTS})
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_KIND = re.compile(r"[a-z][a-z0-9]{0,31}")
_ESCAPED = re.compile(r"\\+\Z")


class HeaderAction(StrEnum):
    """What happens to a header a rule names."""

    DROP = "drop"
    REDACT = "redact"  # the name stays, the value becomes REDACTED
    STAND_IN = "stand-in"


class Example(NamedTuple):
    """A text and what the rule makes of it: `name: value` for a header, JSON for a member, else the text itself."""

    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Finds one kind of value, by header, by JSON member, by its form, or by several of these.

    Args:
        name: lower case words with hyphens, unique in a sanitizer.
        what: one line for people.
        kind: what stand-ins begin with; the name without hyphens unless given.
        headers: names of headers whose values it replaces, in requests and responses.
        header_action: what happens to them.
        members: JSON paths: `$.metadata.user_id`, `$..email`, `$.messages[*].name`, or a name, which is found at any
            depth, in JSON inside of strings too.
        pattern: a regular expression; where it has groups, the last one that took part is what is replaced.
        anchors: a text without any of these is not searched (speed).
        paths_only: the pattern is for the paths of URIs, and looked for nowhere else.
        check: a further condition on a found value.
        everywhere: a value that stood in its headers or at its members is looked for in the whole cassette.
        examples: true ones, with what becomes of them.
        misses: texts that look similar and are no hits.

    Raises:
        ValueError: an argument is not as above.
    """

    name: str
    what: str = ""
    kind: str = ""
    headers: tuple[str, ...] = ()
    header_action: HeaderAction = HeaderAction.STAND_IN
    members: tuple[str, ...] = ()
    pattern: str = ""
    anchors: tuple[str, ...] = ()
    paths_only: bool = False
    check: Callable[[str], bool] | None = field(default=None, repr=False, compare=False)
    everywhere: bool = False
    examples: tuple[Example, ...] = ()
    misses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a rule called {self.name!r}: use lower case words with hyphens, such as employee-id")
        object.__setattr__(self, "kind", self.kind or self.name.replace("-", ""))
        if not _KIND.fullmatch(self.kind):
            raise ValueError(f"rule {self.name}: kind={self.kind!r}: use lower case letters and digits")
        object.__setattr__(self, "headers", tuple(name.lower() for name in self.headers))
        object.__setattr__(self, "header_action", HeaderAction(self.header_action))
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "anchors", tuple(self.anchors))
        if not (self.headers or self.members or self.pattern or self.name in _WITHOUT_PARTS):
            raise ValueError(f"rule {self.name} finds nothing: give it a pattern, members or headers")
        for path in self.members:
            check_path(path)
        _check_pattern(self.name, self.pattern)

    def data(self) -> str:
        """What the rule is, as a text that is the same on every machine."""
        action = str(self.header_action)
        return repr((self.name, self.kind, self.headers, action, self.members, self.pattern, self.paths_only))

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where its pattern hits the text, from left to right."""
        if not self.pattern or (self.anchors and not any(anchor in text for anchor in self.anchors)):
            return
        for match in re.compile(self.pattern).finditer(text):
            start, end = match.span(match.lastindex or 0)
            if end > start and self._accepts(text, start, end):
                yield start, end

    def _accepts(self, text: str, start: int, end: int) -> bool:
        value = text[start:end]
        if is_placeholder(value) or holds_stand_in(value):
            return False
        if text[start - 1 : start] == "\\" and is_escaped(text, start):
            return False  # the first character belongs to an escape; where that is undone, the value is found whole
        return self.check is None or self.check(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """The names that may be stored; everything else of that kind is left out.

    Args:
        name: "request-headers", "response-headers" or "query".
        names: in lower case.
        what, examples: as for a rule.
    """

    name: str
    names: tuple[str, ...]
    what: str = ""
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in ALLOWLISTS:
            raise ValueError(f"an allowlist called {self.name!r}: one of {', '.join(ALLOWLISTS)}")
        object.__setattr__(self, "names", tuple(sorted({name.lower() for name in self.names})))

    def data(self) -> str:
        """What the list is, as a text that is the same on every machine."""
        return repr((self.name, self.names))


ALLOWLISTS = ("request-headers", "response-headers", "query")
AnyRule = Rule | Allow


def is_escaped(text: str, start: int) -> bool:
    """Whether the character at `start` is the second one of an escape such as a backslash and an n."""
    if text[start] not in "bfnrtu":
        return False
    before = _ESCAPED.search(text, max(0, start - 64), start)
    return before is not None and len(before.group()) % 2 == 1


def _check_pattern(name: str, pattern: str) -> None:
    try:
        if pattern and re.compile(pattern).search("") is not None:
            raise ValueError(f"rule {name}: its pattern matches the empty text")
    except re.error as error:
        raise ValueError(f"rule {name}: its pattern is not a regular expression: {error}") from None
