"""The Azure SDK test proxy's JSON: entries whose bodies are lists of lines, parsed JSON, or base64."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists
from recorder.errors import CassetteError

NAME = "Azure test proxy"
_BINARY_LINE = "b64://"
_TEXT_TYPES = re.compile(r"text/|json|xml|form-urlencoded|event-stream", re.IGNORECASE)


def sniff(path: Path, head: bytes) -> bool:
    """`Entries` with a `RequestUri`."""
    return names(head, "Entries") and names(head, "RequestUri")


def load(source: Source) -> Converted:
    """The cassette in a recording of the test proxy."""
    return converted(NAME, [_draft(item) for item in document(source)["Entries"].items()])


def _draft(item: Item) -> Draft:
    unknown: set[Unknown] = set()
    sent, received = _headers(item, "RequestHeaders"), _headers(item, "ResponseHeaders")
    try:
        asked = _body(item.get("RequestBody"), sent, unknown, Unknown.REQUEST_TEXT)
    except CassetteError:  # the response is worth having without it
        asked = None
        unknown.add(Unknown.REQUEST_BODY)
    answered = _body(item.get("ResponseBody"), received, unknown, Unknown.BODY_TEXT)
    return Draft(
        Request(item["RequestMethod"].text(), item["RequestUri"].text(), sent, asked),
        Response(item["StatusCode"].status(), received, answered or b""),
        unknown,
    )


def _headers(item: Item, name: str) -> Headers:
    headers = item.get(name)
    return Headers() if headers is None else header_lists(Item(item.source, item.place, {"headers": headers.value}))


def _body(body: Item | None, headers: Headers, unknown: set[Unknown], when_parsed: Unknown) -> bytes | None:
    if body is None:
        return None
    if isinstance(body.value, list) and all(isinstance(line, str) for line in body.value):
        return b"".join([_line(line) for line in body.items()])
    if not body.is_text:
        unknown.add(when_parsed)
        return body.as_json()
    if _TEXT_TYPES.search(headers.first("content-type")):
        return body.raw()
    try:
        return b64decode(body.text(), validate=True)
    except (Base64Error, ValueError):
        return body.raw()


def _line(line: Item) -> bytes:
    text = line.text()
    if not text.startswith(_BINARY_LINE):
        return line.raw()
    return Item(line.source, line.place, text.removeprefix(_BINARY_LINE)).base64()
