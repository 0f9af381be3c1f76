"""httpmock's recordings: YAML documents of `when` and `then`. They have a path, and no host."""

from __future__ import annotations

from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._documents import documents, names_on_top
from recorder.cassette.importers._draft import Draft, converted, path_uri, uri
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source

NAME = "httpmock"


def sniff(path: Path, head: bytes) -> bool:
    """`when:` and `then:`."""
    return names_on_top(head, "when", "then")


def load(source: Source) -> Converted:
    """The cassette in a recording of httpmock's."""
    return converted(NAME, [_draft(item) for item in documents(source)])


def _draft(item: Item) -> Draft:
    when, then = item["when"], item["then"]
    return Draft(
        Request(
            when.text_at("method", "GET"),
            uri(path_uri(when["path"].text()), _pairs(when.get("query_param"))),
            Headers(_pairs(when.get("header"))),
            when.raw_at("body"),
        ),
        Response(then["status"].status(), Headers(_pairs(then.get("header"))), _body(then)),
        {Unknown.HOST} if when.get("method") is not None else {Unknown.HOST, Unknown.REQUEST},
    )


def _pairs(listed: Item | None) -> list[tuple[str, str]]:
    return [] if listed is None else [(item["name"].text(), item["value"].text()) for item in listed.items()]


def _body(then: Item) -> bytes:
    coded = then.first("body_base64", "bodyBase64")
    return then.raw_at("body") or b"" if coded is None else coded.base64()
