"""HTTP archives (HAR 1.2): a browser's, and Polly's, JSON or YAML, which may hold bodies as base64 pieces or parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._documents import document, names_on_top
from recorder.cassette.importers._draft import Draft, converted, http_version
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source

NAME = "HAR"


def sniff(path: Path, head: bytes) -> bool:
    """`log` with `entries` or a `creator`, or the file is called `.har`."""
    return path.suffix == ".har" or (names_on_top(head, "log") and (b"entries" in head or b"creator" in head))


def load(source: Source) -> Converted:
    """The cassette in an HTTP archive."""
    log = document(source)["log"]
    creator = log.get("creator")
    is_polly = creator is not None and creator.text_at("name") == "Polly.JS"
    entries = log["entries"].items()
    drafts = [_draft(entry, is_polly) for entry in entries if _is_answered(entry)]
    if entries and not drafts:
        raise source.fail("no request in it was answered", "log.entries")
    lost = tuple([f"{entry.place} (not answered)" for entry in entries if not _is_answered(entry)])
    return converted("Polly HAR" if is_polly else NAME, drafts, not_kept=lost)


def _is_answered(entry: Item) -> bool:
    """Browsers note a request that was blocked or broken off with status 0."""
    return bool(entry["response"]["status"].value != 0)


def _draft(entry: Item, is_polly: bool) -> Draft:
    request, response = entry["request"], entry["response"]
    unknown: set[Unknown] = set()
    body = _content(response, unknown)
    return Draft(
        Request(request["method"].text(), request["url"].text(), _headers(request), _posted(request, unknown)),
        Response(response["status"].status(), _headers(response), body, reason=response.text_at("statusText")),
        unknown,
        head_s=None if is_polly else _head_s(entry),  # Polly's `wait` lasts until the last byte
        recorded=entry.text_at("startedDateTime") or None,
        http=http_version(response.text_at("httpVersion")),
    )


def _headers(message: Item) -> Headers:
    """HTTP/2 pseudo headers, which browsers list too, are no headers."""
    listed = message.get("headers")
    pairs = [] if listed is None else [(item["name"].text(), item.text_at("value")) for item in listed.items()]
    return Headers([(name, value) for name, value in pairs if name and not name.startswith(":")])


def _posted(request: Item, unknown: set[Unknown]) -> bytes | None:
    posted = request.get("postData")
    if posted is None:
        return None
    parsed = posted.get("textJSON")
    if parsed is not None:
        unknown.add(Unknown.REQUEST_TEXT)
        return parsed.as_json()
    return posted.raw_at("text")


def _content(response: Item, unknown: set[Unknown]) -> bytes:
    content = response.get("content")
    text = None if content is None else content.get("text")
    if content is None or text is None:
        if content is not None and (parsed := content.get("textJSON")) is not None:
            unknown.add(Unknown.BODY_TEXT)
            return parsed.as_json()
        size = None if content is None else content.get("size")
        if size is None or size.value != 0:
            unknown.add(Unknown.BODY)
        return b""
    encoding, binary = content.get("encoding"), content.get("_isBinary")
    if encoding is not None and encoding.text() == "base64":
        return b"".join([piece.base64() for piece in _pieces(text)])
    if binary is not None and binary.value is True:
        return b"".join([piece.hexadecimal() for piece in _pieces(text)])
    return text.raw()


def _pieces(text: Item) -> list[Item]:
    """Polly writes the pieces of a body as a JSON list inside the text."""
    if not text.text().startswith("["):
        return [text]
    value: Any = None
    try:
        value = json.loads(text.text())
    except (ValueError, RecursionError):
        raise text.fail("not a JSON list of encoded pieces") from None
    return Item(text.source, text.place, value).items()


def _head_s(entry: Item) -> float | None:
    """The time from the request to the first byte of the head, in seconds."""
    timings = entry.get("timings")
    wait = None if timings is None else timings.get("wait")
    if wait is None or isinstance(wait.value, bool) or not isinstance(wait.value, int | float):
        return None
    return wait.value / 1000 if 0 <= wait.value < 1e9 else None
