"""Headers and URIs as they may be stored: what is on the list stays, the rest goes, credentials leave their name.

Rule: a rule that names a header decides over it, if it is in force; the allowlist decides over all others. Without an
allowlist everything stays that no rule names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recorder.cassette import Headers
from recorder.sanitize._content import Content
from recorder.sanitize._placeholders import is_placeholder
from recorder.sanitize._replace import Replacer
from recorder.sanitize._rule import URI_PARTS, Allow, AnyRule, HeaderAction, Rule
from recorder.sanitize._stand_ins import REDACTED, is_stand_in
from recorder.sanitize._table import NAMED_HEADERS
from recorder.sanitize._uri import Uri

_ABOUT_THE_CODING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class HeadCleaner:
    """Cleans heads.

    Args:
        rules: those in force.
        replacer: cleans what stays, and gives stand-ins.
        counts: receives the numbers of replacements by rule.
    """

    def __init__(self, rules: Iterable[AnyRule], replacer: Replacer, counts: Counter[str]) -> None:
        self._by_header: dict[str, Rule] = {}
        self._allowed: dict[str, frozenset[str]] = {}
        self._uri_parts = False
        for rule in rules:
            if isinstance(rule, Allow):
                self._allowed[rule.name] = frozenset(rule.names)
            else:
                self._uri_parts |= rule.name == URI_PARTS
                for name in rule.headers:
                    self._by_header.setdefault(name, rule)
        self._replacer, self._counts = replacer, counts

    def headers(self, headers: Headers, allowlist: str, content: Content) -> Headers:
        """The headers that may be stored.

        Args:
            headers: as they were.
            allowlist: "request-headers" or "response-headers".
            content: of the body. Where a coding was undone, what the head says of it is not true any more; where it
                could not be, its name stays, for the scan to refuse.
        """
        kept: list[tuple[str, tuple[str, ...]]] = []
        for name, values in headers.items():
            lower = name.lower()
            if content.opaque and lower == "content-encoding":
                kept.append((lower, values))
                continue
            if content.stored_decoded and lower in _ABOUT_THE_CODING:
                self._counts[allowlist] += 1
                continue
            new = self._header(lower, values, allowlist)
            if new is not None:
                kept.append((lower, new))
        return Headers(kept) if allowlist not in self._allowed else Headers(sorted(kept))

    def _header(self, name: str, values: tuple[str, ...], allowlist: str) -> tuple[str, ...] | None:
        rule = self._by_header.get(name)
        if rule is not None:
            return self._named(rule, values)
        allowed = self._allowed.get(allowlist)
        if allowed is not None and name not in allowed and name not in NAMED_HEADERS:
            self._counts[allowlist] += 1
            return None
        return tuple([self._replacer.line(value) for value in values])

    def _named(self, rule: Rule, values: tuple[str, ...]) -> tuple[str, ...] | None:
        if rule.header_action is HeaderAction.DROP:
            self._counts[rule.name] += 1
            return None
        if rule.header_action is HeaderAction.REDACT:
            self._counts[rule.name] += values != (REDACTED,)
            return (REDACTED,)
        return tuple([self._stand_in(rule, value) for value in values])

    def _stand_in(self, rule: Rule, value: str) -> str:
        if is_stand_in(value) or is_placeholder(value):
            return self._replacer.line(value)
        return self._replacer.value(rule.name, rule.kind, value)

    def uri(self, uri: str) -> str:
        """The URI that may be stored."""
        parts = Uri.parse(uri)
        if self._uri_parts:
            self._counts[URI_PARTS] += bool(parts.user) + bool(parts.fragment)
            parts = parts._replace(user="", fragment="")
        if "query" in self._allowed:
            query = parts.parameters()
            kept = [written for name, _, written in query if name.lower() in self._allowed["query"]]
            self._counts["query"] += len(query) - len(kept)
            if len(kept) < len(query):
                parts = parts.with_query(kept)
        host = self._replacer.host(parts.host)
        behind = self._replacer.line(parts.path + parts.query + parts.fragment, path=True)
        return f"{parts.scheme}{parts.user}{host}{behind}"
