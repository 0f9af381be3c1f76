"""Ruby VCR, YAML or JSON: `http_interactions`, bodies with an encoding, `!binary` for any text beyond ASCII."""

from __future__ import annotations

from pathlib import Path

from recorder.cassette._imported import Converted
from recorder.cassette._model import Request, Response
from recorder.cassette.importers._documents import document, names_on_top
from recorder.cassette.importers._draft import Draft, converted, http_version
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "Ruby VCR"


def sniff(path: Path, head: bytes) -> bool:
    """`http_interactions:` at the top."""
    return names_on_top(head, "http_interactions")


def load(source: Source) -> Converted:
    """The cassette in a file of Ruby VCR's."""
    return converted(NAME, [_draft(item) for item in document(source)["http_interactions"].items()])


def _draft(item: Item) -> Draft:
    request, response = item["request"], item["response"]
    status, recorded, version = response["status"], item.get("recorded_at"), response.get("http_version")
    message = status.get("message")
    return Draft(
        Request(request["method"].text().upper(), request["uri"].text(), header_lists(request), _body(request) or None),
        Response(
            status["code"].number(100, 999),
            header_lists(response),
            _body(response) or b"",
            reason="" if message is None else message.text(),
        ),
        recorded=None if recorded is None else recorded.text(),
        http="" if version is None else http_version(version.text()),
    )


def _body(message: Item) -> bytes | None:
    body = message.get("body")
    if body is None or body.is_text:
        return None if body is None else body.raw()
    coded = body.get("base64_string")
    if coded is not None:
        return coded.base64()
    string = body.get("string")
    return None if string is None else string.raw()
