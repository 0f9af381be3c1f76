"""Which answer a request gets: keys, paths, methods, bodies, models; and clients that speak no HTTP."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from typing import Any

import pytest

from recorder.provider import BuiltScenario, Piece, Provider, Scenario

Ask = Callable[..., Any]
GEMINI = "/v1beta/models/mine:streamGenerateContent"
MINE = Scenario("mine", pieces=(Piece(0.0, b"data: mine\n\n"),))


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ({"key": "sk-wrong"}, 401, "invalid_api_key"),
        ({"key": "sk-wrong", "target": "/nowhere"}, 401, "invalid_api_key"),
        ({"key": "sk-wrong", "method": "GET"}, 401, "invalid_api_key"),
        ({"key": "sk-wrong", "body": b"{"}, 401, "invalid_api_key"),
        ({"target": "/nowhere"}, 404, "unknown_url"),
        ({"target": "/"}, 404, "unknown_url"),
        ({"target": "/v1/chat/completions/"}, 404, "unknown_url"),
        ({"target": "http://example.invalid/v1/chat/completions"}, 404, "unknown_url"),
        ({"method": "GET"}, 405, "method_not_allowed"),
        ({"method": "PUT"}, 405, "method_not_allowed"),
        ({"body": b""}, 400, "invalid_json"),
        ({"body": b"{"}, 400, "invalid_json"),
        ({"body": b"\xff"}, 400, "invalid_json"),
        ({"body": b"[" * 100_000}, 400, "invalid_json"),
        ({"body": b"[]"}, 400, "invalid_type"),
        ({"body": b'{"model":1}'}, 400, "invalid_type"),
        ({"body": b'{"model":null}'}, 400, "invalid_type"),
        ({"body": b'{"model":"nobody"}'}, 404, "model_not_found"),
        ({"target": "/v1/responses"}, 400, "invalid_type"),
    ],
)
def test_refusals(plain: Provider, ask: Ask, how: dict[str, Any], status: int, code: str) -> None:
    """Each is a JSON error in OpenAI's shape; the key is looked at before anything else."""
    answer = ask(plain, **how)
    assert (answer.status, answer.error_code) == (status, code)
    assert b"\r\ncontent-type: application/json\r\n" in answer.head
    assert set(json.loads(answer.rest)["error"]) == {"message", "type", "param", "code"}
    (exchange,) = plain.exchanges
    assert (exchange.scenario, exchange.status) == (None, status)
    assert exchange.request.authorized is (status != 401)
    assert plain.sent == ()


def test_a_missing_key_is_refused(plain: Provider, connect: Callable[..., Any]) -> None:
    """No credential at all, and the scheme to use is named (RFC 9110, 11.6.1)."""
    client = connect(plain)
    client.send(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
    head = client.read_until(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
    assert b"\r\nwww-authenticate: Bearer\r\n" in head


def test_a_method_that_is_not_allowed_names_the_one_that_is(plain: Provider, ask: Ask) -> None:
    """RFC 9110, 15.5.6; and HEAD gets no body."""
    answer = ask(plain, method="HEAD")
    assert (answer.status, answer.rest) == (405, b"")
    assert b"\r\nallow: POST\r\n" in answer.head


@pytest.mark.parametrize(("body", "name"), [(b"{}", "chat-lf"), (b'{"model":"chat-crlf","stream":true}', "chat-crlf")])
def test_the_model_names_the_scenario(plain: Provider, ask: Ask, body: bytes, name: str) -> None:
    """Without a model the chat path streams the LF chat."""
    assert ask(plain, body=body).status == 200
    assert [exchange.scenario for exchange in plain.exchanges] == [name]


@pytest.mark.parametrize(
    ("target", "header", "status"),
    [
        ("/v1/messages", "x-api-key: KEY", 200),
        ("/v1/messages", "x-goog-api-key: KEY", 401),
        ("/v1/messages?key=KEY", "", 401),
        ("/v1/chat/completions", "x-api-key: KEY", 401),
        (GEMINI, "x-goog-api-key: KEY", 200),
        (GEMINI + "?alt=sse&key=KEY", "", 200),
        (GEMINI + "?alt=sse", "x-api-key: KEY", 401),
        (GEMINI + "?alt=sse", "authorization: Bearer KEY", 200),
        ("/v1/messages", "authorization: bearer KEY", 200),
        ("/v1/messages", "authorization: Basic KEY", 401),
        ("/v1/messages", "authorization: KEY", 401),
        ("/v1/responses", "authorization: Bearer KEY", 200),
        ("/v2/chat", "authorization: Bearer KEY", 200),
    ],
)
def test_each_kind_of_path_takes_the_key_where_its_clients_put_it(
    connect: Callable[..., Any], target: str, header: str, status: int
) -> None:
    """A key in another provider's place is no key."""
    with Provider(scenarios=[MINE], pace=0, tls=False) as provider:
        client = connect(provider)
        lines = [f"POST {target} HTTP/1.1", "host: x", "connection: close", "content-length: 16", header]
        head = "".join(f"{line}\r\n" for line in lines if line).replace("KEY", provider.key)
        client.send(head.encode() + b'\r\n{"model":"mine"}')
        assert int(client.read_all()[0].split()[1]) == status


def test_an_own_scenario_may_take_a_shipped_name(ask: Ask) -> None:
    """What a test brings wins over what ships."""
    own = Scenario("chat-lf", pieces=(Piece(0.0, b"data: own\n\n"),))
    with Provider(scenarios=[own], pace=0, tls=False) as provider:
        assert ask(provider).chunks() == ([b"data: own\n\n"], True)


def test_a_scenario_built_from_the_request(ask: Ask) -> None:
    """The builder sees method, path, headers and body, and the exchange has the name it was asked by."""

    def build(request: Any) -> Scenario:
        said = f"{request.method} {request.path} {request.json()['n']} {request.header('x-a')} {request.authorized}"
        return Scenario("anything", pieces=(Piece(0.0, said.encode()),))

    with Provider(scenarios=[BuiltScenario("mine", build)], pace=0, tls=False) as provider:
        answer = ask(provider, body=b'{"model":"mine","n":7}', more="connection: close\r\nX-A: b\r\n")
        assert answer.chunks() == ([b"POST /v1/chat/completions 7 b True"], True)
        assert provider.exchanges[0].scenario == "mine"


def test_a_body_over_the_limit_is_refused(ask: Ask) -> None:
    """At the limit it passes; one byte more is 413 and the end of the connection."""
    with Provider(pace=0, tls=False, max_body=100) as provider:
        assert ask(provider, body=b"{}".ljust(100)).status == 200
        answer = ask(provider, body=b"{}".ljust(101), more="")
        assert (answer.status, answer.error_code, answer.end) == (413, "request_too_large", "closed")
        assert b"\r\nconnection: close" in answer.head
        assert [len(request.body) for request in provider.requests] == [100, 100]


def test_a_large_body_that_is_refused_is_read_away(ask: Ask) -> None:
    """The client gets the 413 and no RST, although most of what it sends is never used."""
    with Provider(pace=0, max_body=100) as provider:
        answer = ask(provider, body=b" " * 3_000_000)
        assert (answer.status, answer.end) == (413, "closed")


def test_requests_follow_each_other_on_one_connection(
    provider: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """Keep-alive: after a complete answer, a refusal included, the connection serves the next request."""
    client = connect(provider)
    for model, mark in (("empty-200", b"\r\n\r\n0\r\n\r\n"), ("nobody", b"}}"), ("chat-crlf", b"\r\n0\r\n\r\n")):
        client.send(request_with(provider.key, json.dumps({"model": model}).encode()))
        assert b"connection: close" not in client.read_until(mark)
    assert [exchange.status for exchange in provider.wait_ended()] == [200, 404, 200]


def test_pipelined_requests_are_answered_in_order(
    plain: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """Two requests in one write (RFC 9112, 9.3.2)."""
    client = connect(plain)
    first = request_with(plain.key, b'{"model":"json-200"}')
    client.send(first + request_with(plain.key, b'{"model":"status-500"}', more="connection: close\r\n"))
    data, end = client.read_all()
    assert data.index(b"HTTP/1.1 200 OK") < data.index(b"HTTP/1.1 500 Internal Server Error")
    assert end == "closed"


def test_a_chunked_request_body_is_understood(plain: Provider, connect: Callable[..., Any]) -> None:
    """Clients that stream their request body (RFC 9112, 7.1)."""
    client = connect(plain)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {plain.key}\r\n"
    client.send(
        head.encode() + b'transfer-encoding: chunked\r\n\r\n9\r\n{"model":\r\nb\r\n"empty-200"\r\n1\r\n}\r\n0\r\n\r\n'
    )
    client.read_until(b"\r\n\r\n0\r\n\r\n")
    assert plain.requests[0].body == b'{"model":"empty-200"}'


def test_a_client_that_asks_before_sending_its_body_may_go_on(plain: Provider, connect: Callable[..., Any]) -> None:
    """Expect: 100-continue (RFC 9110, 10.1.1)."""
    client = connect(plain)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {plain.key}\r\n"
    client.send(head.encode() + b"expect: 100-continue\r\ncontent-length: 21\r\n\r\n")
    assert client.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(b'{"model":"empty-200"}')
    assert client.read_until(b"\r\n\r\n0\r\n\r\n").startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("garbage", "status"),
    [
        (b"\x00\x01\x02\x03\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"\r\n\r\n\r\n\r\n", 400),
        (b"POST / HTTP/9.9\r\n\r\n", 505),
        (b"POST /v1/chat/completions HTTP/1.1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: rot13\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"a" * 70_000, 431),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else str(value),
)
def test_garbage_is_refused_and_the_connection_closed(
    provider: Provider, connect: Callable[..., Any], ask: Ask, garbage: bytes, status: int
) -> None:
    """A JSON error, an orderly close, no request noted; the next connection is served."""
    client = connect(provider)
    client.send(garbage)
    data, end = client.read_all()
    assert (int(data.split()[1]), end) == (status, "closed")
    assert json.loads(data.partition(b"\r\n\r\n")[2])["error"]["code"] == "bad_request"
    assert provider.requests == ()
    assert ask(provider, "empty-200").status == 200


def test_a_request_that_breaks_off_is_no_request(
    plain: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """The sending side closed inside the body."""
    client = connect(plain)
    client.send(request_with(plain.key, b"{" * 50)[:-10])
    client.sock.shutdown(1)
    assert client.read_all()[0].startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert plain.requests == ()


def test_plain_http_at_the_tls_port_disturbs_nobody(secure: Provider, connect: Callable[..., Any], ask: Ask) -> None:
    """The connection ends, with or without an alert; the provider serves on."""
    import socket

    with socket.create_connection(("127.0.0.1", secure.port), 20) as sock:
        sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n\r\n")
        while sock.recv(4096):
            pass
    assert ask(secure, "empty-200").status == 200


def test_a_client_without_the_run_s_authority_does_not_connect(secure: Provider, ask: Ask) -> None:
    """The certificate is vouched for by this run's authority and nobody else's."""
    import socket

    context = ssl.create_default_context()
    with socket.create_connection(("127.0.0.1", secure.port), 20) as sock, pytest.raises(ssl.SSLCertVerificationError):
        context.wrap_socket(sock, server_hostname="127.0.0.1")
    assert ask(secure, "empty-200").status == 200
