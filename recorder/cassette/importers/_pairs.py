"""A plain list of requests and responses, JSON or YAML: what test suites write when they write their own recorder."""

from __future__ import annotations

from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Request, Response
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "list of requests and responses"


def sniff(path: Path, head: bytes) -> bool:
    """A list of objects with a `request` and a `response`."""
    text = head.lstrip()
    if text.startswith(b"["):
        return names(head, "request", "response")
    return text.startswith(b"- ") and b"request:" in head and b"response:" in head


def load(source: Source) -> Converted:
    """The cassette in such a list."""
    return converted(NAME, [_draft(item) for item in document(source).items()])


def _draft(item: Item) -> Draft:
    request, response = item["request"], item["response"]
    unknown: set[Unknown] = set()
    target, code = request.first("url", "uri"), response.first("status_code", "status", "code")
    if target is None or code is None:
        raise item.fail("a request has `url` or `uri`, a response `status`, `status_code` or `code`; one is missing")
    if isinstance(code.value, dict):
        code = code["code"]
    asked = _body(request, unknown, Unknown.REQUEST_TEXT)
    answered = _body(response, unknown, Unknown.BODY_TEXT)
    return Draft(
        Request(request["method"].text().upper(), target.text(), header_lists(request), asked),
        Response(code.status(), header_lists(response), answered or b""),
        unknown,
    )


def _body(message: Item, unknown: set[Unknown], when_parsed: Unknown) -> bytes | None:
    body = message.get("body")
    if body is None:
        return None
    if isinstance(body.value, dict) and set(body.value) == {"string"}:
        return body["string"].raw()
    if body.is_text or isinstance(body.value, bytes):
        return body.raw()
    unknown.add(when_parsed)
    return body.as_json()
