"""What a cassette tells about its own secrets: credentials, cookies, identifiers of its requests and responses.

Rule: what a rule marked `everywhere` finds in a header or at a member is known from then on, and looked for in every
place and encoding. Placeholders and what is too short to be told from a word are not.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_plus

from recorder.cassette import Headers, Interaction, Request, Response
from recorder.sanitize._checks import has_digit
from recorder.sanitize._content import content_of
from recorder.sanitize._document import Document
from recorder.sanitize._edits import as_text
from recorder.sanitize._known import Finder, Known
from recorder.sanitize._members import MemberTable
from recorder.sanitize._placeholders import is_placeholder
from recorder.sanitize._rule import URI_PARTS, Allow, AnyRule, Rule
from recorder.sanitize._search import Hit, Searcher
from recorder.sanitize._stand_ins import holds_stand_in
from recorder.sanitize._uri import Uri

_SHORTEST = 8
_MOST = 64  # so many values of one body are looked for everywhere; a list of thousands of ids is not
_NAMES = re.compile(r"\b([A-Za-z][A-Za-z_-]{2,40})(?:\\*\"(?:\s*:|\s*\r?\n)|=)")  # of members and of form fields
_CREDENTIAL = re.compile(r"auth|cookie|credential|jwt|key|passw|secret|session|signature|token", re.IGNORECASE)
_PARAMETER = re.compile(r"[A-Za-z-]{1,32}=\"?([^\",;\s]+)")


class Learner:
    """Learns from the interactions of one cassette.

    Args:
        rules: those in force.
    """

    def __init__(self, rules: Iterable[AnyRule]) -> None:
        rules = tuple(rules)
        self._allowed = {rule.name: rule.names for rule in rules if isinstance(rule, Allow)}
        self._query = self._allowed.get("query")
        self._named = {name for rule in rules if isinstance(rule, Rule) for name in rule.headers}
        self._uri_parts = any(rule.name == URI_PARTS for rule in rules)
        self._marked = {rule.name: rule for rule in rules if isinstance(rule, Rule) and rule.everywhere}
        self._members = MemberTable([(rule.name, rule.members) for rule in self._marked.values()])
        self._searcher = Searcher(self._marked.values(), Finder(()))

    def known(self, interaction: Interaction) -> set[Known]:
        """What the rules know after they have seen this interaction."""
        in_uri = self._in_uri(interaction.request.uri)
        found = {Known(value, "secret", rule) for rule, value in in_uri if _is_known(value)}
        for rule in self._marked.values():
            for headers in (interaction.request.headers, interaction.response.headers):
                values = [value for value in _in_headers(rule, headers) if _is_known(value, rule.kind)]
                found |= {Known(value, rule.kind, rule.name) for value in values}
        for message, allowed in ((interaction.request, "request-headers"), (interaction.response, "response-headers")):
            found |= self._in_dropped(message.headers, allowed)
            found |= self._in_body(message)
        return found

    def _in_dropped(self, headers: Headers, allowlist: str) -> set[Known]:
        """What is left out because it is not on the list may be a credential: its name says so."""
        allowed = self._allowed.get(allowlist)
        if allowed is None:
            return set()
        names = [name for name in headers if name.lower() not in (*allowed, *self._named) and _CREDENTIAL.search(name)]
        values = [part for name in names for value in headers[name] for part in (value, *_credential_parts(value))]
        return {Known(value, "secret", allowlist) for value in values if _is_known(value) and has_digit(value)}

    def _in_uri(self, uri: str) -> Iterator[tuple[str, str]]:
        parts = Uri.parse(uri)
        if self._uri_parts:
            user, _, password = parts.user.removesuffix("@").partition(":")
            yield from ((URI_PARTS, unquote_plus(each)) for each in (user, password))
        if self._query is not None:
            dropped = [value for name, value, _ in parts.parameters() if name.lower() not in self._query]
            yield from (("query", value) for value in dropped)

    def _in_body(self, message: Request | Response) -> set[Known]:
        text = as_text(content_of(message).body)
        if not self._members or not any(map(self._members.may_mean, set(_NAMES.findall(text)))):
            return set()
        hits = self._searcher.members(Document(text))
        parts = [(part, hit.kind, hit.rule) for hit in hits for part in (hit.value, *_scheme_parts(hit))]
        values = dict.fromkeys(each for each in parts if _is_known(*each[:2]))
        return {Known(*each) for each in list(values)[:_MOST]}


def _scheme_parts(hit: Hit) -> Iterator[str]:
    """A member that is a header's value, such as `"Authorization": "Bearer ..."` in the settings of a tool."""
    return _credential_parts(hit.value) if hit.kind == "secret" else iter(())


def _is_known(value: str, kind: str = "secret") -> bool:
    if len(value) < _SHORTEST or is_placeholder(value) or holds_stand_in(value):
        return False
    # an identifier without a digit may be a word of the answer, and several words may be a sentence of it
    return has_digit(value) or (kind == "secret" and " " not in value)


def _in_headers(rule: Rule, headers: Headers) -> Iterator[str]:
    for name in rule.headers:
        for value in headers.get(name, ()):
            if rule.kind == "cookie":
                yield from _cookie_values(value)
            else:
                yield value
                yield from _credential_parts(value)


def _cookie_values(value: str) -> Iterator[str]:
    """RFC 6265: of `name=value; name=value`, and of `name=value; attribute`, the values that are no attribute's."""
    for part in value.split(";"):
        name, _, text = part.strip().partition("=")
        if name.lower() not in ("domain", "expires", "max-age", "path", "samesite") and any(map(str.isdigit, text)):
            yield text.strip('"')


def _credential_parts(value: str) -> Iterator[str]:
    """RFC 9110 section 11.4: what follows the scheme, and the values of its parameters; the password of Basic."""
    scheme, space, rest = value.partition(" ")
    rest = rest.strip()
    if not space or not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", scheme):
        return
    yield rest
    if scheme.lower() == "basic":
        yield from _basic(rest)
    elif "=" in rest.rstrip("="):
        for parameter in _PARAMETER.finditer(rest):
            yield parameter[1]
            yield from parameter[1].split("/")[:1]  # AWS: Credential=KEY/date/region/service


def _basic(value: str) -> Iterator[str]:
    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4)).decode()
    except ValueError:
        return
    user, _, password = text.partition(":")
    yield from (text, user, password)
