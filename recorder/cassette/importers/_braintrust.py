"""Braintrust's JSON cassettes: bodies by kind. An event stream is a list of event texts, without what stood between."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Request, Response
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "Braintrust"


def sniff(path: Path, head: bytes) -> bool:
    """`entries` with bodies that have a `kind`."""
    return names(head, "entries", "kind", "matchKey") or names(head, "entries", "kind", "request", "url")


def load(source: Source) -> Converted:
    """The cassette in a file of Braintrust's."""
    return converted(NAME, [_draft(item) for item in document(source)["entries"].items()])


def _draft(item: Item) -> Draft:
    request, response = item["request"], item["response"]
    unknown: set[Unknown] = set()
    asked = _body(request, unknown, Unknown.REQUEST_TEXT, Unknown.REQUEST_BODY)
    answered = _body(response, unknown, Unknown.BODY_TEXT, Unknown.BODY)
    return Draft(
        Request(request["method"].text(), request["url"].text(), header_lists(request), asked),
        Response(
            response["status"].status(),
            header_lists(response),
            answered or b"",
            reason=response.text_at("statusText"),
        ),
        unknown,
        recorded=item.text_at("recordedAt") or None,
    )


def _body(message: Item, unknown: set[Unknown], when_parsed: Unknown, when_lost: Unknown) -> bytes | None:
    body = message.get("body")
    kind = "empty" if body is None else body["kind"].text()
    if body is None or kind == "empty":
        return None
    if kind == "json":
        unknown.add(when_parsed)
        return Item(body.source, f"{body.place}.value", body.value.get("value")).as_json()
    if kind == "text":
        return body["value"].raw()
    if kind == "sse":
        unknown.add(Unknown.SEPARATORS)
        return b"".join([event.raw() + b"\n\n" for event in body["chunks"].items()])
    if kind == "base64":
        return body["value"].base64()
    if kind == "binary":
        found = _blob(body)
        if found is None:
            unknown.add(when_lost)
        return found
    raise body["kind"].fail("none of empty, json, text, sse, base64, binary; another version wrote this")


def _blob(body: Item) -> bytes | None:
    """The bytes in a file of their own, which has the digest the cassette names; None when there is no such file."""
    found = body.source.companion(body["path"].text())
    if found is not None and sha256(found).hexdigest() != body["sha256"].text():
        raise body.fail("the file it names has another sha256; it was changed")
    return found
