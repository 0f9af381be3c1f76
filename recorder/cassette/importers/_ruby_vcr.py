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
    status = response["status"]
    return Draft(
        Request(request["method"].text().upper(), request["uri"].text(), header_lists(request), _body(request) or None),
        Response(
            status["code"].status(),
            header_lists(response),
            _body(response) or b"",
            reason=status.text_at("message"),
        ),
        recorded=item.text_at("recorded_at") or None,
        http=http_version(response.text_at("http_version")),
    )


def _body(message: Item) -> bytes | None:
    body = message.get("body")
    if body is None or body.is_text:
        return message.raw_at("body")
    coded = body.get("base64_string")
    return body.raw_at("string") if coded is None else coded.base64()
