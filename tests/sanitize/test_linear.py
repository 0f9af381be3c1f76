"""Bodies made to cost more than their length: each is handled in time that grows with its size.

There is no clock in here: at these sizes anything quadratic would not finish.
"""

from __future__ import annotations

import json

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import Sanitizer

N = 20_000


def event(text: str) -> bytes:
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode()


BODIES = {
    "backslashes": event("\\" * N),
    "raw backslashes": b"data: " + b"\\" * N + b"\n\n",
    "quotes": event('"' * N),
    "blanks": event("a" + " " * N + "b"),
    "raw blanks": b"data: a" + b" " * N + b"b\n\n" + b"data: a" + b"\t" * N + b"\r\n\r\n",
    "assignments": event("token=" * (N // 6)),
    "percent signs": event("%" * N + "%41" * (N // 3)),
    "headings of keys": event("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA" * (N // 44)),
    "at signs": event("a@" * (N // 2)),
    "dots": event("1." * (N // 2)),
    "starts of tokens": event("eyJ" * (N // 3)),
    "brackets": b"data: " + b"[" * N + b"\n\n",
    "braces": b"data: " + b'{"a":' * (N // 5) + b"\n\n",
    "names": b"data: {" + b'"a":1,' * (N // 6) + b'"b":2}\n\n',
    "stand-ins": event("secret-REDACTED-0001 planted-secret-1234 " * (N // 41)),
    "known values in lines": event("planted-secret-1234\n" * N),
    "many secrets": b"".join(event(f"mail{number}@example.com") for number in range(N // 60)),
    "many ids": b'{"a":[%s]}' % b",".join(b'{"user_id":"user-%d-id"}' % number for number in range(N // 24)),
    "many items": b"".join(
        b'data: {"type":"x","item_id":"i%d","delta":"a"}\n\n' % number for number in range(N // 40)
    ),
    "many names": b"".join(b'data: {"n%d":"a"}\n\n' % number for number in range(N // 20)),
    "one line": b"x" * N,
    "no line": b"\n" * N,
    "colons": b":" * N + b"\n\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ["keep", "shape"])
@pytest.mark.parametrize("name", BODIES)
def test_no_body_costs_more_than_its_length(name: str, text: str) -> None:
    """Cleaned, scanned, and clean."""
    sanitizer = Sanitizer.default(["planted-secret-1234"], text=text)  # type: ignore[arg-type]
    response = Response(200, Headers({"content-type": "text/event-stream"}), BODIES[name])
    clean = sanitizer.apply(Cassette((Interaction(Request("GET", "https://a.example/"), response),)))
    assert sanitizer.scan(clean) == ()
