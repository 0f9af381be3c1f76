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
_MEMBER = re.compile(rb"(?m)^ {2,8}(?:url|form|proto|duration): |^ {2,8}form: ?\{?\}?$")


def sniff(path: Path, head: bytes) -> bool:
    """`interactions:` and `version:`, with members that only go-vcr has."""
    return names(head, "interactions", "version") and _MEMBER.search(head) is not None and b"  uri: " not in head


def load(source: Source) -> Converted:
    """The cassette in a file of go-vcr's."""
    top = document(source)
    version = top["version"].number(1, 2)
    return converted(f"{NAME} format {version}", [_draft(item) for item in top["interactions"].items()])


def _draft(item: Item) -> Draft:
    request, response = item["request"], item["response"]
    asked, answered = request.get("body"), response.get("body")
    status, protocol = response.get("status"), response.get("proto")
    code = response["code"].number(100, 999)
    reason = "" if status is None else status.text().removeprefix(str(code)).strip()
    return Draft(
        Request(
            request["method"].text() or "GET",
            request["url"].text(),
            header_lists(request),
            (None if asked is None else asked.raw()) or None,  # it does not tell an empty body from none
        ),
        Response(code, header_lists(response), b"" if answered is None else answered.raw(), reason=reason),
        http="" if protocol is None else http_version(protocol.text()),
    )
