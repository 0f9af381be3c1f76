"""go-vcr, format 1 (of its v1 and v2) and format 2 (of its v3 and v4): members are named otherwise than vcrpy's."""

from __future__ import annotations

import re
from pathlib import Path

from recorder.cassette._imported import Converted
from recorder.cassette._model import Request, Response
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted, http_version
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.cassette.importers._vcrpy import header_lists

NAME = "go-vcr"
_INDENT = re.compile(rb"(?m)^ *(?:- )?request:[ \r]*\n( +)")


def sniff(path: Path, head: bytes) -> bool:
    """`interactions:` and `version:`, and in the first request a member that only go-vcr has."""
    indent = _INDENT.search(head) if names(head, "interactions", "version") else None
    return indent is not None and re.search(rb"(?m)^%s(?:url|form|proto):" % indent[1], head) is not None


def load(source: Source) -> Converted:
    """The cassette in a file of go-vcr's."""
    top = document(source)
    version = top["version"].number(1, 2)
    return converted(f"{NAME} format {version}", [_draft(item) for item in top["interactions"].items()])


def _draft(item: Item) -> Draft:
    request, response = item["request"], item["response"]
    code = response["code"].status()
    reason = response.text_at("status").removeprefix(str(code)).strip()
    return Draft(
        Request(
            request["method"].text() or "GET",
            request["url"].text(),
            header_lists(request),
            request.raw_at("body") or None,  # it does not tell an empty body from none
        ),
        Response(code, header_lists(response), response.raw_at("body") or b"", reason=reason),
        http=http_version(response.text_at("proto")),
    )
