"""What two requests are compared by: vcrpy's matchers by their names, on requests that may hold stand-ins.

Rule: as vcrpy compares, but for two things: `body` is understood (JSON by value, forms, multipart), and a stand-in of
the stored request equals any text at its place. A callable is called as vcrpy calls one, with two of its requests;
both are sanitized.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from recorder.matching._bodies import body_differences, same_pairs
from recorder.matching._differences import MISSING, Difference
from recorder.matching._side import Side
from recorder.sanitize import MemberTable, fits

MatchOn: TypeAlias = Iterable[str | Callable[[Any, Any], Any]]
Matcher: TypeAlias = Callable[[Side, Side], Iterator[Difference]]

DEFAULT_MATCH_ON = ("method", "scheme", "host", "port", "path", "query", "body")


def _method(stored: Side, live: Side) -> Iterator[Difference]:
    if stored.request.method != live.request.method:
        yield Difference("method", stored.request.method, live.request.method, shown=True)


def _scheme(stored: Side, live: Side) -> Iterator[Difference]:
    if stored.url.scheme != live.url.scheme:
        yield Difference("scheme", stored.url.scheme, live.url.scheme, shown=True)


def _host(stored: Side, live: Side) -> Iterator[Difference]:
    one, other = stored.url.hostname or "", live.url.hostname or ""
    if not _fits_host(one, other):
        yield Difference("host", one, other, shown=True)


def _fits_host(stored: str, live: str) -> bool:
    return stored == live or fits(stored.replace("-redacted-", "-REDACTED-"), live)  # `hostname` is lower case


def _port(stored: Side, live: Side) -> Iterator[Difference]:
    if stored.port != live.port:
        yield Difference("port", stored.port, live.port)


def _path(stored: Side, live: Side) -> Iterator[Difference]:
    one, other = stored.url.path or "/", live.url.path or "/"  # RFC 3986 section 6.2.3
    if not fits(one, other):
        yield Difference("path", one, other, shown=True)


def _query(stored: Side, live: Side) -> Iterator[Difference]:
    if same_pairs(stored.query, live.query):
        return
    one, other = dict(stored.query), dict(live.query)
    differing = [name for name in one | other if not _fits_parameter(one.get(name), other.get(name))]
    for name in differing:
        yield Difference("query", one.get(name, MISSING), other.get(name, MISSING), name)
    if not differing:  # a parameter given several times
        yield Difference("query", stored.url.query, live.url.query)


def _fits_parameter(stored: str | None, live: str | None) -> bool:
    return stored == live or (stored is not None and live is not None and fits(stored, live))


def _uri(stored: Side, live: Side) -> Iterator[Difference]:
    for part in (_scheme, _host, _port, _path, _query):
        yield from part(stored, live)


def _headers(stored: Side, live: Side) -> Iterator[Difference]:
    one, other = stored.request.headers, live.request.headers
    for name in sorted({key.lower() for key in (*one, *other)}):
        values, found = one.get(name, ()), other.get(name, ())
        if len(values) != len(found) or not all(map(fits, values, found)):
            yield Difference(f"header {name}", _joined(values), _joined(found))


def _joined(values: tuple[str, ...]) -> Any:
    return ", ".join(values) if values else MISSING


def _raw_body(stored: Side, live: Side) -> Iterator[Difference]:
    if stored.body != live.body:
        yield Difference("body", stored.body, live.body)


_BY_NAME: dict[str, Matcher] = {
    "method": _method,
    "scheme": _scheme,
    "host": _host,
    "port": _port,
    "path": _path,
    "query": _query,
    "uri": _uri,
    "url": _uri,
    "headers": _headers,
    "raw_body": _raw_body,
}


_ADDRESS = ("scheme", "host", "port", "path")


def address_of(match_on: MatchOn) -> tuple[Matcher, ...] | None:
    """Of what is compared, what tells one resource from another, but for its query.

    Args:
        match_on: as for `matchers_of`.

    Returns:
        None where the method or the path is not compared: then no method is a wrong one.
    """
    names = {each for each in match_on if isinstance(each, str)}
    if names & {"uri", "url"}:
        names |= {*_ADDRESS}
    return tuple([_BY_NAME[name] for name in _ADDRESS if name in names]) if {"method", "path"} <= names else None


def matchers_of(match_on: MatchOn, ignore: Iterable[str]) -> tuple[Matcher, ...]:
    """The matchers that are meant.

    Args:
        match_on: names, or callables that take the live and the stored request as vcrpy's and return a bool or assert.
        ignore: JSON paths of the body that may differ.

    Raises:
        ValueError: a name or a path is not known, or the names are one text.
    """
    if isinstance(match_on, str) or isinstance(ignore, str):
        raise ValueError("match_on= and ignore= take a list, such as match_on=['method', 'path'], ignore=['$.seed']")
    ignored = MemberTable([(path, (path,)) for path in ignore])

    def body(stored: Side, live: Side) -> Iterator[Difference]:
        return body_differences(stored, live, ignored)

    return tuple(_matcher(each, body) for each in match_on)


def _matcher(each: str | Callable[[Any, Any], Any], body: Matcher) -> Matcher:
    if callable(each):
        return _called(each)
    if each == "body":
        return body
    if each not in _BY_NAME:
        known = ", ".join(["body", *_BY_NAME])
        raise ValueError(f"match_on names {each!r}: use some of {known}, or a function of two requests")
    return _BY_NAME[each]


def _called(function: Callable[[Any, Any], Any]) -> Matcher:
    name = getattr(function, "__name__", "custom")

    def matcher(stored: Side, live: Side) -> Iterator[Difference]:
        if live.before is None:  # it is shown sanitized requests only
            yield Difference(f"matcher {name}", MISSING, MISSING)
            return
        try:
            same = function(_of_vcrpy(live), _of_vcrpy(stored))
        except AssertionError:
            same = False
        if same is not None and not same:
            yield Difference(f"matcher {name}", MISSING, MISSING)

    return matcher


def _of_vcrpy(side: Side) -> Any:
    from vcr.request import Request  # type: ignore[import-untyped]  # vcrpy has no types

    request = side.request
    headers = {name: list(values) for name, values in request.headers.items()}
    return Request(request.method, request.uri, request.body, headers)
