"""Bytes as they were: raw streams with and without a head, and httprr's traces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import Headers, import_recording
from recorder.errors import CassetteError

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nvary: a\r\nvary: b\r\n"
MADE_UP = ("POST", "https://host.invalid/")
WITHOUT_HEAD = ("request", "host", "head", "chunks", "end")
WITH_HEAD = ("request", "host", "chunks", "end")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"data: 1\n\n"),
        ("a.json", b"event: a\r\ndata: 1\r\n\r\n"),
        ("a.bin", b": comment\n\nid: 7\ndata\n\n"),
        ("a.txt", b"\n\nretry: 5\n\n"),
        ("a.txt", b" data: {}\n\n"),
        ("a.sse", b"unknown field\n\n"),
        ("a.sse.gz", b"data: \x00\xff\n\n"),
    ],
)
def test_a_stream_without_its_head(check: Any, name: str, data: bytes) -> None:
    """The bytes are the body, whatever the file is called; the rest is made up, and that is said."""
    converted = check(
        name, data, format="raw event stream", body=data, request=MADE_UP, asked=None, unknown=WITHOUT_HEAD
    )
    assert converted.cassette.interactions[0].request.headers == Headers({"accept": "text/event-stream"})


def test_a_byte_order_mark_before_a_stream_is_the_streams(check: Any) -> None:
    """An event stream may begin with one, and a reader must cope with it."""
    data = b"\xef\xbb\xbfdata: 1\n\n"
    check("a.sse", data, format="raw event stream", body=data, request=MADE_UP, asked=None, unknown=WITHOUT_HEAD)


@pytest.mark.parametrize(
    ("head", "body", "content"),
    [
        (b"", b"data: 1\n\n", b"data: 1\n\n"),
        (b"transfer-encoding: chunked\r\n", b"data: 1\n\n", b"data: 1\n\n"),
        (b"transfer-encoding: chunked\r\n", b"5\r\ndata:\r\n4;x=y\r\n 1\n\n\r\n0\r\n\r\n", b"data: 1\n\n"),
        (b"transfer-encoding: chunked\r\n", b"5\r\ndata:\r\n9\r\n 1\n\n", b"5\r\ndata:\r\n9\r\n 1\n\n"),
    ],
    ids=["plain", "framing undone by the tool", "in its framing", "framing cut off"],
)
def test_a_response_with_its_head(check: Any, head: bytes, body: bytes, content: bytes) -> None:
    """As `curl -i` prints it, which undoes the framing, or as a socket gave it."""
    unknown = (*WITH_HEAD[:2], *(("last_event",) if content[-2:] != b"\n\n" else ()), *WITH_HEAD[2:])
    converted = check(
        "a.txt",
        HEAD + head + b"\r\n" + body,
        format="raw response with its head",
        body=content,
        request=MADE_UP,
        asked=None,
        unknown=unknown,
    )
    response = converted.cassette.interactions[0].response
    assert response.headers["vary"] == ("a", "b")
    assert response.recording.wire == {"http": "1.1"} | ({"framing": "chunked"} if head else {})


def test_the_last_of_several_heads_counts(check: Any) -> None:
    """Interim responses, redirects and a proxy's answer stand before the final one."""
    before = b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/2 302\nlocation: x\n\n"
    check(
        "a.txt",
        before + HEAD + b"\r\ndata: 1\n\n",
        format="raw response with its head",
        body=b"data: 1\n\n",
        request=MADE_UP,
        asked=None,
        unknown=WITH_HEAD,
    )


def test_a_body_that_begins_as_a_head_is_a_body(check: Any) -> None:
    """No head ends in it."""
    check(
        "a.txt",
        HEAD + b"\r\nHTTP/1.1 is a protocol",
        format="raw response with its head",
        body=b"HTTP/1.1 is a protocol",
        request=MADE_UP,
        asked=None,
        unknown=("request", "host", "last_event", "chunks", "end"),
    )


def test_folded_headers(written: Callable[[str, bytes], Path]) -> None:
    """Obsolete, and one header each; very many of them cost no more than their bytes."""
    head = b"HTTP/1.1 200 OK\r\na: 1\r\n  2\r\n\t3\r\nb: 1\r\n" + b" x\r\n" * 200_000 + b"\r\n"
    headers = import_recording(written("a.txt", head)).cassette.interactions[0].response.headers
    assert headers["a"] == ("1 2 3",)
    assert headers["b"] == ("1" + " x" * 200_000,)


def test_a_head_that_does_not_end(written: Callable[[str, bytes], Path]) -> None:
    """There is no response then."""
    with pytest.raises(CassetteError, match=r"a\.txt: it begins with a status line, and no empty line ends the head"):
        import_recording(written("a.txt", HEAD))


ASKED = b"POST /v1/chat HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 15\r\n\r\n" + b'{"stream":true}'


def httprr(*exchanges: tuple[bytes, bytes]) -> bytes:
    parts = [b"httprr trace v1\n"]
    for asked, answered in exchanges:
        parts.append(b"%d %d\n%s%s" % (len(asked), len(answered), asked, answered))
    return b"".join(parts)


def test_httprr(check: Any) -> None:
    """Lengths, a request, a response; the framing that Go writes is undone."""
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n"
    plain = HEAD + b"Content-Length: 11\r\n\r\ndata: 2\r\n\r\n"
    second = ASKED.replace(b"/v1/chat", b"http://other.example/x")
    converted = check(
        "a.httprr", httprr((ASKED, chunked), (second, plain)), format="httprr", body=b"data: 1\n\n", count=2
    )
    first, other = converted.cassette.interactions
    assert first.response.recording.wire == {"http": "1.1", "framing": "chunked"}
    assert other.request.uri == "http://other.example/x"
    assert other.response.body == b"data: 2\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (httprr((ASKED, HEAD + b"\r\n"))[:-1], "exchange 1: its lengths reach beyond the end of the file"),
        (httprr((ASKED, HEAD + b"\r\n")) + b"x", "exchange 2: no line with the two lengths"),
        (httprr((b"nothing\r\n\r\n", HEAD + b"\r\n")), "exchange 1: its request does not begin with an HTTP head"),
        (
            httprr((ASKED, HEAD + b"\r\n"), (b"nothing", HEAD + b"\r\n")),
            "exchange 2: its request does not begin with an HTTP head",
        ),
        (httprr((b"nothing", HEAD + b"\r\n")), "exchange 1: its request does not begin with an HTTP head"),
        (httprr((ASKED, b"data: 1\n\n")), "exchange 1: its response does not begin with an HTTP head"),
        (b"httprr trace v1\n999999999999 1\n", "exchange 1: its lengths reach beyond"),
    ],
)
def test_httprr_that_is_broken(written: Callable[[str, bytes], Path], data: bytes, said: str) -> None:
    """The exchange is named."""
    with pytest.raises(CassetteError, match=said):
        import_recording(written("a.httprr", data))
