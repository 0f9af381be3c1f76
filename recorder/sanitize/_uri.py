"""The parts of a URI that may be stored.

Rule: RFC 3986 appendix B takes any text apart, so no URI is too strange to be cleaned. The query parameters that stay
keep their spelling. The host stays, or the request could not be matched any more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote_plus

_URI = re.compile(
    r"(?P<head>(?:[^:/?#]+:)?(?://)?)(?:(?<=//)(?P<host>[^/?#]*))?(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<rest>#.*)?",
    re.DOTALL,
)


class Uri(NamedTuple):
    """A URI in parts; together, in order, they are the URI."""

    scheme: str
    user: str
    host: str
    path: str
    query: str
    fragment: str

    @classmethod
    def parse(cls, uri: str) -> Uri:
        """Any text."""
        match = _URI.fullmatch(uri)
        assert match is not None
        user, at, host = (match["host"] or "").rpartition("@")
        return cls(match["head"], user + at, host, match["path"], match["query"] or "", match["rest"] or "")

    def parameters(self) -> list[tuple[str, str, str]]:
        """The query: name, value, and both as written."""
        pairs = []
        for written in self.query[1:].split("&"):
            name, _, value = written.partition("=")
            if written:
                pairs.append((unquote_plus(name), unquote_plus(value), written))
        return pairs

    def with_query(self, written: Sequence[str]) -> Uri:
        """With these parameters alone."""
        return self._replace(query="?" + "&".join(written) if written else "")

    def __str__(self) -> str:
        return "".join(self)
