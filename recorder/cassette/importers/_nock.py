"""nock's fixtures: a JSON list of scopes with paths; a binary body is hexadecimal, a compressed one a list of such."""

from __future__ import annotations

import re
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "nock"
_DEFAULT_PORT = re.compile(r"(?<=^https)(://[^/]+):443$|(?<=^http)(://[^/]+):80$")


def sniff(path: Path, head: bytes) -> bool:
    """A JSON list of objects with a `scope`."""
    return head.lstrip()[:1] == b"[" and names(head, "scope", "path", "status")


def load(source: Source) -> Converted:
    """The cassette in a fixture of nock's."""
    return converted(NAME, [_draft(item) for item in document(source).items()])


def _draft(item: Item) -> Draft:
    unknown: set[Unknown] = set()
    scope = _DEFAULT_PORT.sub(r"\1\2", item["scope"].text())
    sent = item.get("reqheaders")
    headers = Headers() if sent is None else header_lists(Item(item.source, item.place, {"headers": sent.value}))
    body = _answer(item, unknown)
    return Draft(
        Request(item.text_at("method", "GET"), scope + item["path"].text(), headers, _asked(item, unknown)),
        Response(item["status"].status(), _headers(item), body),
        unknown,
    )


def _headers(item: Item) -> Headers:
    raw = item.get("rawHeaders")
    if raw is None or isinstance(raw.value, dict):
        return header_lists(item if raw is None else Item(item.source, item.place, {"headers": raw.value}))
    flat = [each.text() for each in raw.items()]
    if len(flat) % 2:
        raise raw.fail("an odd number of texts; names and values alternate")
    return Headers(list(zip(flat[::2], flat[1::2], strict=True)))


def _asked(item: Item, unknown: set[Unknown]) -> bytes | None:
    body = item.get("body")
    if body is None or body.is_text:
        return item.raw_at("body") or None
    unknown.add(Unknown.REQUEST_TEXT)
    return body.as_json()


def _answer(item: Item, unknown: set[Unknown]) -> bytes:
    response, binary = item.get("response"), item.get("responseIsBinary")
    if response is None:
        unknown.add(Unknown.BODY)
        return b""
    if response.is_text:
        return response.hexadecimal() if binary is not None and binary.value is True else response.raw()
    if isinstance(response.value, list) and "content-encoding" in _headers(item):
        return b"".join([piece.hexadecimal() for piece in response.items()])
    unknown.add(Unknown.BODY_TEXT)
    return response.as_json()
