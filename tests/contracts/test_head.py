"""The response head, and bodies that are no event stream."""

from __future__ import annotations

import gzip
from email.message import Message
from typing import Any

import pytest

from recorder.contracts import BodyKind, body_kind, chat, check_head, generation, read

SSE = {"content-type": "text/event-stream"}


@pytest.mark.parametrize(("status", "headers", "options", "code"), [
    (200, SSE, {}, None),
    (299, SSE, {}, None),
    (199, SSE, {}, "http_error"),
    (300, SSE, {}, "redirect_refused"),
    (301, {}, {"has_body": False}, "redirect_refused"),
    (304, SSE, {}, "redirect_refused"),
    (307, SSE, {"accept": range(200, 400)}, "redirect_refused"),
    (399, SSE, {}, "redirect_refused"),
    (400, {"content-type": "application/json"}, {}, "http_error"),
    (401, SSE, {"has_body": False}, "http_error"),
    (503, {}, {}, "http_error"),
    (201, SSE, {"accept": (200,)}, "http_error"),
    (200, {}, {}, "unexpected_content_type"),
    (200, {"content-type": "text/html"}, {"has_body": False}, "unexpected_content_type"),
    (200, SSE, {"has_body": False}, "missing_body"),
    (204, SSE, {"has_body": False}, "missing_body"),
])  # fmt: skip
def test_the_order_of_the_checks(status: int, headers: Any, options: Any, code: str | None) -> None:
    """Redirect, status, media type, body: the first that applies."""
    assert check_head(status, headers, **options) == code


@pytest.mark.parametrize(("value", "is_one"), [
    ("text/event-stream", True),
    ("text/event-stream; charset=utf-8", True),
    ("text/event-stream;charset=utf-8", True),
    ("Text/Event-Stream ; charset=UTF-8; x=y", True),
    ("\ttext/event-stream ", True),
    ("text/event-stream;", True),
    ("", False),
    ("text/event-streams", False),
    ("text/event", False),
    ("application/json", False),
    ("text/html; charset=text/event-stream", False),
    ("text/plain, text/event-stream", False),
    ("application/x-ndjson", False),
    ("text/event-stream\u2028", False),
])  # fmt: skip
def test_the_media_type(value: str, is_one: bool) -> None:
    """Before the semicolon, trimmed, in any case; parameters are allowed."""
    assert (check_head(200, {"Content-Type": value}) is None) == is_one


def _message() -> Message:
    message = Message()
    message["Content-Type"] = "text/event-stream"
    return message


@pytest.mark.parametrize("headers", [
    {"content-type": "text/event-stream"},
    {"CONTENT-TYPE": ["text/event-stream"]},
    {"Content-Type": ("text/event-stream; a=b", "text/event-stream")},
    [("Content-Type", "text/event-stream")],
    [(b"content-type", b"text/event-stream")],
    (pair for pair in [("X", "text/html"), ("Content-Type", "text/event-stream")]),
    _message(),
], ids=["mapping", "list values", "two values", "pairs", "bytes pairs", "generator", "email.message"])  # fmt: skip
def test_what_headers_may_be(headers: Any) -> None:
    """Whatever HTTP libraries have: mappings, lists of values, pairs, in any case, text or bytes."""
    assert check_head(200, headers) is None


def test_headers_of_installed_libraries() -> None:
    """Their own types, as they are."""
    import httpx
    import multidict
    import requests

    for kind in (httpx.Headers, requests.structures.CaseInsensitiveDict, multidict.CIMultiDict):
        assert check_head(200, kind({"Content-Type": "text/event-stream"})) is None


def test_two_content_types_that_differ() -> None:
    """One of them is not an event stream: neither is the response."""
    assert check_head(200, [("content-type", "text/event-stream"), ("content-type", "text/html")]) is not None


ERROR = b'{"error": {"message": "no", "code": 400}}\n'
PRETTY = b'{\n  "error": {\n    "code": 400,\n    "message": "API key not valid",\n    "status": "INVALID"\n  }\n}\n'
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>data: x</body></html>\n"
NDJSON = b'{"message":{"content":"Hi"},"done":false}\n{"message":{"content":""},"done":true}\n'
AWS = b"\x00\x00\x00\x9d\x00\x00\x00\x4b\x8c\xb0\x2a\x11\x0b:event-type\x07\x00\x05chunk"


@pytest.mark.parametrize(("prefix", "kind"), [
    (b"data: x\n\n", "event-stream"),
    (b"data", "unknown"),
    (b"data\n", "event-stream"),
    (b"event: x\r\n", "event-stream"),
    (b": OPENROUTER PROCESSING\n\n", "event-stream"),
    (b":\n\n", "event-stream"),
    (b"\xef\xbb\xbfdata: x", "event-stream"),
    (b"\n\nid: 1\nretry: 5\n", "event-stream"),
    (b' data: {"lost":1}\n\ndata: {}\n\n', "event-stream"),
    (b"unknown: 1\ndata: x\n\n", "event-stream"),
    (ERROR, "json"),
    (PRETTY, "json"),
    (b"\xef\xbb\xbf  [1,2]", "json"),
    (b'[{"candidates": []}\n,\r\n{"candidates": []}]', "json"),
    (NDJSON, "ndjson"),
    (b'{"a":1}\r\n{"b":2}\r\n', "ndjson"),
    (PAGE, "html"),
    (b"  <html lang=en>", "html"),
    (b"<!-- proxy --><p>data:", "html"),
    (b'<?xml version="1.0"?>', "html"),
    (AWS, "aws-eventstream"),
    (b"", "empty"),
    (b"\xef\xbb\xbf\r\n \t", "empty"),
    (b"Bad gateway", "unknown"),
    (b"\x1f\x8b\x08\x00\x00", "gzip"),
    (b"database: down\n", "unknown"),
])  # fmt: skip
def test_body_kind(prefix: bytes, kind: str) -> None:
    """From the first bytes alone, whatever the head says."""
    assert body_kind(prefix) == kind


def test_body_kind_looks_at_the_beginning_only() -> None:
    """So that its answer does not depend on how much had arrived."""
    assert body_kind(b"x" * 2000 + b"\ndata: x\n\n") == "unknown"


@pytest.mark.parametrize(("body", "kind", "says"), [
    (PAGE, BodyKind.HTML, "looks like an HTML page"),
    (ERROR, BodyKind.JSON, "looks like one JSON document"),
    (PRETTY, BodyKind.JSON, "looks like one JSON document"),
    (NDJSON, BodyKind.NDJSON, "looks like newline-delimited JSON"),
    (b"", BodyKind.EMPTY, "The body is empty"),
    (b": hb\n\n", BodyKind.EVENT_STREAM, None),
])  # fmt: skip
def test_a_body_without_events_is_explained(judge, body: bytes, kind: BodyKind, says: str | None) -> None:
    """Under text/event-stream an error document has no events: missing_terminal, and what came instead."""
    verdict = judge(body, chat())
    assert (verdict.code, verdict.events, verdict.body) == ("missing_terminal", 0, kind)
    assert (says in verdict.explain()) if says else ("looks like" not in verdict.explain())


def test_binary_bodies_are_explained(judge) -> None:
    """The AWS event stream where bytes that are not UTF-8 are replaced; gzip also where they are refused."""
    verdict = judge(AWS, generation())
    assert (verdict.code, verdict.body) == ("missing_terminal", BodyKind.AWS_EVENTSTREAM)
    assert "looks like the binary AWS event stream" in verdict.explain()
    for contract, code in ((generation(), "missing_terminal"), (chat(), "invalid_utf8")):
        verdict = judge(gzip.compress(b"data: x\n\n", mtime=0), contract)
        assert (verdict.code, verdict.body) == (code, BodyKind.GZIP)
        assert "looks like gzip" in verdict.explain()


def test_a_raw_error_block_after_good_events(judge) -> None:
    """No `data:` prefix: unknown fields, and the stream ends without its terminal event."""
    good = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    verdict = judge(good + PRETTY, chat())
    assert (verdict.code, verdict.events, verdict.body) == ("missing_terminal", 1, None)


def test_a_stream_with_events_has_no_body_kind() -> None:
    """It is what it is."""
    assert read([b"data: {\n\n"], chat()).body is None
