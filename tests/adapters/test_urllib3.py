"""Replay under urllib3: pieces through every way to read, ends, time, heads, and what is left open."""

from __future__ import annotations

import http.client
import io
from dataclasses import replace
from typing import Any

import pytest
import urllib3

from recorder.adapters import OpenResponses, VirtualClock
from recorder.adapters.urllib3 import request_of, respond
from recorder.cassette import Headers, Interaction, Request, Response
from recorder.errors import ReplayStalled
from recorder.plans import Plan

URL = "https://api.example.com/v1/chat/completions"
BODY = b"data: 1\n\ndata: 22\n\n"  # events of 9 and 10 bytes
STREAM = Interaction(
    Request("POST", URL), Response(200, Headers({"content-type": "text/event-stream"}), BODY, reason="OK")
)


def ask(plan: str = "", *, timeout: float | None = 5.0, interaction: Interaction = STREAM, **given: Any) -> Any:
    return respond("POST", "/v1/chat/completions", interaction, Plan.parse(plan), timeout=timeout, **given)


def test_a_stream_of_chunks_gives_those_of_the_plan() -> None:
    """Where the framing says what a chunk is."""
    assert list(ask("chunks=at:3,12").stream()) == [b"dat", b"a: 1\n\ndat", b"a: 22\n\n"]
    assert list(ask("chunks=bytes:1").stream()) == [bytes([byte]) for byte in BODY]
    assert list(ask("chunks=at:3,12").stream(4)) == [b"dat", b"a: 1", b"\n\nda", b"t", b"a: 2", b"2\n\n"]


def test_without_chunked_framing_urllib3_reads_as_much_as_it_is_asked_for() -> None:
    """It joins the pieces itself, as it does from a socket."""
    for framing in ("length", "close"):
        assert list(ask(f"chunks=bytes:3; framing={framing}").stream(8)) == [b"data: 1\n", b"\ndata: 2", b"2\n\n"]


def test_a_piece_larger_than_a_buffer_loses_nothing() -> None:
    """It fills the standard library's buffer several times over."""
    body = b"".join(b"%09d\n" % number for number in range(30_000))
    stored = replace(STREAM, response=replace(STREAM.response, body=body))
    pieces = list(ask("chunks=at:100000", interaction=stored).stream(None))
    assert [len(piece) for piece in pieces] == [100_000, 200_000]
    assert b"".join(pieces) == body
    assert ask("chunks=at:100000; framing=close", interaction=stored).read() == body


def test_read1_gives_a_piece_at_a_time() -> None:
    """One read of the socket each."""
    got = ask("chunks=at:3,12; framing=length")
    assert [got.read1() for _ in range(4)] == [b"dat", b"a: 1\n\ndat", b"a: 22\n\n", b""]


def test_every_way_to_read_gives_the_bytes() -> None:
    """`read`, `read(n)`, `readinto`, `readline`, iteration over lines, `data`."""
    plan = "chunks=bytes:4"
    assert ask(plan).read() == BODY
    got = ask(plan)
    assert [got.read(6), got.read(6), got.read(6), got.read(6)] == [b"data: ", b"1\n\ndat", b"a: 22\n", b"\n"]
    got, buffer = ask(plan), bytearray(8)
    assert (got.readinto(buffer), bytes(buffer)) == (8, b"data: 1\n")
    lines = [b"data: 1\n", b"\n", b"data: 22\n", b"\n"]
    got = ask(plan)
    got.auto_close = False  # urllib3's own switch for wrappers such as this
    assert io.BufferedReader(got).readlines() == lines
    assert list(ask(plan)) == lines
    assert ask(plan).data == BODY
    assert ask(plan, preload_content=True).data == BODY


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_content_coding_is_undone_when_asked_for(coding: str) -> None:
    """Piece by piece; raw it is the coded bytes."""
    if coding == "zstd":
        pytest.importorskip("backports.zstd")  # urllib3 leaves zstd to this package
    got = ask(f"chunks=at:9; edit={coding}")
    assert got.headers["content-encoding"] == coding
    assert b"".join(got.stream(decode_content=True)) == BODY
    assert b"".join(ask(f"chunks=at:9; edit={coding}").stream(decode_content=False)) != BODY


def test_the_head_is_that_of_the_recording() -> None:
    """Status, reason, several values of a name."""
    headers = Headers({"content-type": "text/event-stream", "set-cookie": ("a=1", "b=2")})
    got = ask(interaction=replace(STREAM, response=Response(418, headers, BODY, reason="I'm a teapot")))
    assert (got.status, got.reason, got.version, got.version_string) == (418, "I'm a teapot", 11, "HTTP/1.1")
    assert got.headers.getlist("set-cookie") == ["a=1", "b=2"]
    assert got.headers["transfer-encoding"] == "chunked"
    assert got.url == "/v1/chat/completions"


def test_a_stall_is_a_read_timeout_at_once() -> None:
    """After the bytes before it, on the virtual clock."""
    clock = VirtualClock()
    pieces = ask("end=stall@9", timeout=60.0, clock=clock).stream()
    assert next(pieces) == b"data: 1\n\n"
    with pytest.raises(urllib3.exceptions.ReadTimeoutError, match="Read timed out") as caught:
        next(pieces)
    assert caught.value.__notes__ == ["plan: end=stall@9"]
    assert clock.now == 60.0


def test_a_timeout_counts_from_the_last_bytes() -> None:
    """Pauses below it pass, however many."""
    clock = VirtualClock()
    assert ask("chunks=bytes:1; delay=fixed:4s", clock=clock).read() == BODY
    assert clock.now == 76.0
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        ask("chunks=bytes:1; delay=fixed:6s").read()


def test_without_a_timeout_a_stall_is_reported() -> None:
    """A real connection would hang."""
    with pytest.raises(ReplayStalled) as caught:
        ask("end=stall@9", timeout=None).read()
    assert caught.value.__notes__ == ["plan: end=stall@9"]


@pytest.mark.parametrize(
    ("end", "error"),
    [
        ("reset@head", ConnectionResetError),
        ("incomplete@head", http.client.RemoteDisconnected),
        ("stall@head", TimeoutError),
    ],
)
def test_an_end_before_the_head_is_what_the_connection_raises(end: str, error: type[Exception]) -> None:
    """The pool makes its own of it, and tries again if it is told to."""
    responses = OpenResponses()
    with pytest.raises(error) as caught:
        ask(f"end={end}", on_close=responses.opened(STREAM.request))
    assert caught.value.__notes__ == [f"plan: end={end}"]
    assert len(responses) == 0


def test_a_response_is_open_until_it_is_read_closed_or_failed() -> None:
    """Or its connection is given back."""
    responses = OpenResponses()
    got = ask("chunks=bytes:1", on_close=responses.opened(STREAM.request))
    assert got.read(1) == b"d"
    assert responses.names == (f"POST {URL}",)
    got.close()
    assert responses.names == ()

    assert ask(on_close=responses.opened(STREAM.request)).read() == BODY
    assert responses.names == ()

    got = ask("chunks=bytes:1", on_close=responses.opened(STREAM.request))
    got.release_conn()
    assert responses.names == ()

    with pytest.raises(urllib3.exceptions.ProtocolError):
        ask("end=incomplete@9", on_close=responses.opened(STREAM.request)).read()
    assert responses.names == ()


def test_a_request_is_described_as_it_is_sent() -> None:
    """Bodies as bytes and text; headers as requests has them; a body that can be read once is left alone."""
    asked = request_of("POST", URL, {"authorization": b"Bearer x", "accept": "*/*"}, "é")
    assert (asked.method, asked.uri, asked.body) == ("POST", URL, b"\xc3\xa9")
    assert asked.headers["authorization"] == ("Bearer x",)
    assert request_of("POST", URL, {}, bytearray(b"a")).body == b"a"
    assert request_of("GET", URL).body is None
    body = io.BytesIO(b"a")
    assert request_of("POST", URL, {}, body).body is None
    assert body.read() == b"a"
