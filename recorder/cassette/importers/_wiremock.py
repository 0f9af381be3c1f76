"""WireMock mappings, JSON or YAML, one or many in a file; a body may be in a file that the mapping names.

Rule: a request is a pattern here. What it says literally is taken, and the rest is said to be unknown.
"""

from __future__ import annotations

from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._documents import documents, names_on_top
from recorder.cassette.importers._draft import Draft, converted, path_uri, uri
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "WireMock"
_EXACT = ("url", "urlPath")
_PATTERNS = ("urlPattern", "urlPathPattern", "urlPathTemplate")


def sniff(path: Path, head: bytes) -> bool:
    """`request` and `response` at the top, or a list of `mappings`."""
    return names_on_top(head, "mappings") or names_on_top(head, "request", "response")


def load(source: Source) -> Converted:
    """The cassette in a file of mappings."""
    drafts = []
    for each in documents(source):
        mappings = each.get("mappings")
        drafts += [_draft(item) for item in ([each] if mappings is None else mappings.items())]
    return converted(NAME, drafts)


def _draft(mapping: Item) -> Draft:
    request, response = mapping["request"], mapping["response"]
    unknown: set[Unknown] = set()
    target = request.first(*_EXACT)
    if target is None:
        target = request.first(*_PATTERNS)
        unknown.add(Unknown.REQUEST)
    query = _literals(request.get("queryParameters"), unknown)
    asked = _asked(request, unknown)
    verb = request.text_at("method", "ANY").upper()
    if verb == "ANY":
        unknown.add(Unknown.REQUEST)
        verb = "GET" if asked is None else "POST"
    status = response.get("status")
    return Draft(
        Request(
            verb,
            uri(_absolute("" if target is None else target.text(), unknown), query),
            Headers(_literals(request.get("headers"), unknown)),
            asked,
        ),
        Response(
            200 if status is None else status.status(),
            header_lists(response),
            _answer(response, unknown),
            reason=response.text_at("statusMessage"),
        ),
        unknown,
    )


def _absolute(target: str, unknown: set[Unknown]) -> str:
    if target.startswith(("http://", "https://")):
        return target
    unknown.add(Unknown.HOST)
    return path_uri(target)


def _literals(patterns: Item | None, unknown: set[Unknown]) -> list[tuple[str, str]]:
    found = []
    for name, pattern in () if patterns is None else patterns.members():
        exact = pattern.get("equalTo")
        if exact is None:
            unknown.add(Unknown.REQUEST)
        else:
            found.append((name, exact.text()))
    return found


def _asked(request: Item, unknown: set[Unknown]) -> bytes | None:
    patterns = request.get("bodyPatterns")
    if patterns is None or not patterns.value:
        return None
    pattern = patterns.items()[0]
    exact, parsed, coded = pattern.get("equalTo"), pattern.get("equalToJson"), pattern.get("binaryEqualTo")
    if coded is not None:
        return coded.base64()
    if exact is not None:
        return exact.raw()
    unknown.add(Unknown.REQUEST_TEXT if parsed is not None else Unknown.REQUEST)
    if parsed is None:
        return None
    return parsed.raw() if parsed.is_text else parsed.as_json()


def _answer(response: Item, unknown: set[Unknown]) -> bytes:
    body, coded = response.get("body"), response.get("base64Body")
    parsed, named = response.get("jsonBody"), response.get("bodyFileName")
    if coded is not None:
        return coded.base64()
    if body is not None:
        return body.raw()
    if parsed is not None:
        unknown.add(Unknown.BODY_TEXT)
        return parsed.as_json()
    if named is None:
        return b""
    found = response.source.companion(named.text(), "__files", "../__files")
    if found is None:
        raise named.fail("the file it names is neither beside the mapping nor in __files; put it there")
    return found
