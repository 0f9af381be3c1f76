"""HTTP/1.1 as clients use it: connections that live on, HEAD, OPTIONS, CORS, and what is no request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recorder.adapters.server import ReplayServer, serve

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"
LAST = b"\r\n0\r\n\r\n"
ORIGIN = "origin: http://localhost:3000\r\n"


def test_a_connection_carries_many_requests(server: ReplayServer, connect: Ask, asking: Ask) -> None:
    """Without `connection: close` in between; the log says that nobody left after the first two."""
    client = connect(server)
    for _ in range(3):
        client.send(asking())
        answer = client.read_until(LAST)
        assert b"connection" not in answer
    client.sock.close()
    client = connect(server)
    client.send(asking("/~framing=length/v1/chat/completions") + asking(more="connection: close\r\n"))
    data, end = client.read_all()
    assert (data.count(b"HTTP/1.1 200 OK"), data.count(BODY), end) == (2, 2, "closed")
    client.sock.close()
    assert [entry.end for entry in server.wait_quiet()] == ["complete"] * 5


@pytest.mark.parametrize(
    ("plan", "lives"),
    [("end=eof@event:1", True), ("framing=length", True), ("framing=close", False), ("end=incomplete@event:1", False)],
)
def test_whether_a_connection_lives_on(server: ReplayServer, connect: Ask, asking: Ask, plan: str, lives: bool) -> None:
    """After every end that HTTP delimits, and no other."""
    client = connect(server)
    client.send(asking(f"/~{plan}/v1/chat/completions") + asking())
    client.sock.settimeout(0.2)
    data = b""
    try:
        while more := client.sock.recv(65536):
            data += more
    except TimeoutError:
        assert lives
    assert data.count(b"HTTP/1.1 200 OK") == (2 if lives else 1)


def test_http_1_0_gets_no_chunks(server: ReplayServer, ask: Ask) -> None:
    """It knows no transfer chunks (RFC 9112 section 7.1): the body ends with the connection."""
    answer = ask(server, version="1.0")
    assert b"transfer-encoding" not in answer.head
    assert (answer.rest, answer.end) == (BODY, "closed")


def test_a_request_body_in_chunks(server: ReplayServer, connect: Ask) -> None:
    """And one that waits for 100 Continue."""
    client = connect(server)
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n"
    client.send(head + b'transfer-encoding: chunked\r\n\r\n3\r\n{"n\r\n4\r\n":1}\r\n0\r\n\r\n')
    assert BODY in client.read_until(LAST)
    client.send(head + b"expect: 100-continue\r\ncontent-length: 7\r\n\r\n")
    assert client.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(b'{"n":1}')
    assert BODY in client.read_until(LAST)


def test_head_is_answered_like_get_without_a_body(recorded: Ask, ask: Ask) -> None:
    """And plays nothing."""
    with serve(recorded(method="GET", asked=None)) as server:
        answer = ask(server, body=b"", method="HEAD")
        assert (answer.status, answer.rest) == (200, b"")
        assert b"content-type: text/event-stream" in answer.head
        assert server.unplayed == (0,)
        assert ask(server, "/v1/other", b"", method="HEAD").status == 404
        assert ask(server, body=b"", method="GET", version="1.0").rest == BODY


def test_a_recorded_head_request(recorded: Ask, ask: Ask) -> None:
    """Is played as it was."""
    with serve(recorded(b"", method="HEAD", asked=None, kind="text/plain", headers={"x-mine": "1"})) as server:
        answer = ask(server, body=b"", method="HEAD")
        assert b"x-mine: 1" in answer.head
        assert server.unplayed == ()


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body(recorded: Ask, ask: Ask, status: int) -> None:
    """The head alone, whatever was recorded (RFC 9110 section 6.4.1)."""
    with serve(recorded(b"", status=status, kind="text/plain")) as server:
        answer = ask(server)
    assert (answer.status, answer.rest) == (status, b"")
    assert b"transfer-encoding" not in answer.head
    assert b"content-length" not in answer.head


def test_a_preflight_request(server: ReplayServer, ask: Ask) -> None:
    """A browser may send anything, authorization included; nothing is played."""
    more = f"{ORIGIN}access-control-request-method: POST\r\naccess-control-request-headers: authorization, x-a\r\n"
    answer = ask(server, "/~chunks=bytes:1/v1/chat/completions", b"", method="OPTIONS", more=more)
    assert answer.status == 204
    lines = answer.head.split(b"\r\n")
    assert b"access-control-allow-origin: *" in lines
    assert b"access-control-allow-methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" in lines
    assert b"access-control-allow-headers: authorization, x-a" in lines
    assert (answer.rest, server.log[0].interaction) == (b"", None)


def test_a_preflight_request_for_the_log(server: ReplayServer, ask: Ask) -> None:
    """So that a page may clear it."""
    more = f"{ORIGIN}access-control-request-method: DELETE\r\n"
    assert ask(server, "/~recorder/log", b"", method="OPTIONS", more=more).status == 204


@pytest.mark.parametrize(
    "line", ["POST /v1/chat/completions", "POST http://[x/v1/chat/completions", "POST http://a:x/v1/chat/completions"]
)
@pytest.mark.parametrize("host", ["[", "a:x", "a b", "", "[::1]:80", "a:70000"])
def test_a_host_that_is_none(server: ReplayServer, connect: Ask, line: str, host: str) -> None:
    """Does not matter here."""
    client = connect(server)
    head = f"{line} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 7\r\n\r\n"
    client.send(head.encode() + b'{"n":1}')
    assert client.read_all()[0].startswith(b"HTTP/1.1 200 OK\r\n")


def test_options_without_a_preflight(recorded: Ask, ask: Ask) -> None:
    """Says which methods there are: those the path was recorded with, whatever its query; else any."""
    models = recorded(method="GET", path="/v1/models?alt=sse", asked=None)
    with serve([recorded(), models]) as server:
        for target, allowed in (
            ("/v1/chat/completions", b"POST, OPTIONS"),
            ("/v1/models", b"GET, HEAD, OPTIONS"),
            ("/v1/else", b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
        ):
            answer = ask(server, target, b"", method="OPTIONS")
            assert answer.status == 204
            assert b"allow: " + allowed in answer.head.split(b"\r\n")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "BREW"])
def test_a_method_that_was_not_recorded(server: ReplayServer, ask: Ask, method: str) -> None:
    """405 with those that were (RFC 9110 section 15.5.6), and nothing is played."""
    answer = ask(server, body=b"", method=method, more=ORIGIN)
    assert answer.status == 405
    assert answer.head.split(b"\r\n")[0] == b"HTTP/1.1 405 Method Not Allowed"
    assert b"allow: POST, OPTIONS" in answer.head.split(b"\r\n")
    assert (server.log[0].error, server.log[0].interaction) == ("method_not_recorded", None)
    if method == "HEAD":
        assert answer.rest == b""
        return
    error = answer.error
    assert (error["code"], error["methods"]) == ("method_not_recorded", ["POST"])
    first, nearest, difference = error["message"].splitlines()[:3]
    assert first.endswith("/v1/chat/completions: the path was recorded with POST only")
    assert (nearest, difference) == (
        "interaction 1 comes nearest, it differs in", f"  method: recorded 'POST', here '{method}'",
    )  # fmt: skip


def test_another_path_or_query_is_not_found(recorded: Ask, ask: Ask) -> None:
    """404: the method is not to blame; nor is it where methods are not compared."""
    models = recorded(method="GET", path="/v1/models?alt=sse", asked=None)
    with serve([recorded(), models], repeat=True) as server:
        for method, target in (("GET", "/v1/else"), ("GET", "/v1/models"), ("HEAD", "/v1/models?alt=json")):
            answer = ask(server, target, b"", method=method)
            assert (answer.status, b"allow:" in answer.head) == (404, False)
    with serve(recorded(), match_on=["query"]) as server:
        assert ask(server, "/v1/chat/completions?alt=sse", b"", method="GET").status == 404


def test_a_web_page_may_read_every_answer(recorded: Ask, ask: Ask) -> None:
    """Streams, misses and the log; what was recorded about another page is replaced. Others are not told."""
    with serve(recorded(headers={"access-control-allow-origin": "https://app.example.com"}), repeat=True) as server:
        for target, method in (("/v1/chat/completions", "POST"), ("/v1/none", "POST"), ("/~recorder/log", "GET")):
            answer = ask(server, target, method=method, more=ORIGIN)
            allowed = [line for line in answer.head.split(b"\r\n") if line.startswith(b"access-control-allow-origin")]
            assert allowed == [b"access-control-allow-origin: *"]
        assert b"access-control-expose-headers" not in ask(server).head


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/3.0\r\nhost: a\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000, 431),
        (b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
    ],
)
def test_what_is_no_request(server: ReplayServer, connect: Ask, data: bytes, status: int) -> None:
    """Is told so, and the connection ends."""
    client = connect(server)
    client.send(data)
    answer, end = client.read_all()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert (b'"code": "bad_request"' in answer, end) == (True, "closed")


def test_a_body_that_is_too_large(server: ReplayServer, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """413, before all of it has come."""
    monkeypatch.setattr("recorder.adapters.server._http1.MAX_BODY", 4)
    assert ask(server).status == 413


def test_a_connection_that_says_nothing(server: ReplayServer, connect: Ask, ask: Ask) -> None:
    """Opened and closed, or left in the middle of a request: nobody else notices."""
    connect(server).sock.close()
    half = connect(server)
    half.send(b"POST /v1")
    half.sock.close()
    assert ask(server).status == 200
