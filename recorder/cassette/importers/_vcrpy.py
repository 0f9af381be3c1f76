"""vcrpy's YAML and JSON, and the variants of it: parsed bodies, the first httpx recordings, lists, `.yaml.gz`, tags.

Rule: what the codec reads is read by the codec, so a file of ours keeps what it tells. Only what it refuses is looked
at for the marks of a variant.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from pathlib import Path

from recorder.cassette._codec import edited_message
from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette._parse import Parsed, parse
from recorder.cassette.importers._documents import document, names
from recorder.cassette.importers._draft import Draft, converted
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.errors import CassetteError, CassetteWarning

NAME = "vcrpy"
_JSON = re.compile(rb"\s*\{\s*\"(?:version\"\s*:\s*1\s*,\s*\"interactions|interactions|requests)\"\s*:")
_VARIANT_MEMBERS = ("parsed_body", "content", "status_code")


def sniff(path: Path, head: bytes) -> bool:
    """`interactions:`, or lists of requests and responses, as langchain-tests writes them."""
    if head.lstrip()[:1] == b"{":
        return _JSON.match(head) is not None
    if head.lstrip()[:1] == b"[":
        return False
    return names(head, "interactions") or names(head, "requests")


def load(source: Source) -> Converted:
    """The cassette in a file of vcrpy's, or ours."""
    try:
        return _known(parse(source.data, str(source.path), len(source.data)), str(source.path))
    except CassetteError as error:
        problem = error
    pairs = _variant(document(source))
    if pairs is None:
        raise problem
    return converted(NAME, [_draft(request, response) for request, response in pairs])


def _known(parsed: Parsed, path: str) -> Converted:
    for line in parsed.edited:
        warnings.warn(edited_message(path, line), CassetteWarning, stacklevel=2)
    interactions = parsed.cassette.interactions
    drafts = [Draft(each.request, each.response, recording=each.response.recording) for each in interactions]
    return converted(NAME, drafts, parsed.cassette.preamble, parsed.cassette.not_kept)


def _variant(top: Item) -> list[tuple[Item, Item]] | None:
    """The requests with their responses, if the file is a variant we know."""
    if not isinstance(top.value, dict):
        return None
    requests, responses = top.get("requests"), top.get("responses")
    if requests is not None and responses is not None:
        asked, answered = requests.items(), responses.items()
        if len(asked) != len(answered):
            raise responses.fail(f"{len(answered)} responses to {len(asked)} requests; they must be as many")
        return list(zip(asked, answered, strict=True))
    pairs = [(item["request"], item["response"]) for item in top["interactions"].items()]
    return pairs if any(_marks(pair) for pair in pairs) else None


def _marks(pair: Iterable[Item]) -> bool:
    return any(item.get(name) is not None for item in pair for name in _VARIANT_MEMBERS)


def _draft(request: Item, response: Item) -> Draft:
    unknown: set[Unknown] = set()
    asked = _body(request, unknown, Unknown.REQUEST_TEXT)
    answered = _body(response, unknown, Unknown.BODY_TEXT)
    code, reason = _status(response)
    if answered is None:
        unknown.add(Unknown.BODY)
    return Draft(
        Request(request["method"].text(), request["uri"].text(), header_lists(request), asked),
        Response(code, header_lists(response), answered or b"", reason=reason),
        unknown,
    )


def header_lists(message: Item) -> Headers:
    """The member `headers`: a mapping of names to a text or a list of texts; there may be none."""
    headers = message.get("headers")
    pairs = [] if headers is None else [(name, _values(value)) for name, value in headers.members()]
    return Headers(pairs)


def _values(value: Item) -> list[str]:
    if value.value is None:
        return [""]
    return [each.text() for each in value.items()] if isinstance(value.value, list) else [value.text()]


def _status(response: Item) -> tuple[int, str]:
    old = response.get("status_code")
    if old is not None:
        return old.status(), ""
    status = response["status"]
    return status["code"].status(), status.text_at("message")


def _body(message: Item, unknown: set[Unknown], when_parsed: Unknown) -> bytes | None:
    parsed = message.get("parsed_body")
    if parsed is not None:
        unknown.add(when_parsed)
        return parsed.raw() if parsed.is_text else parsed.as_json()
    body = message.first("body", "content")
    if body is None or not isinstance(body.value, dict):
        return None if body is None else body.raw()
    coded = body.get("base64_string")
    return body.raw_at("string") if coded is None else coded.base64()
