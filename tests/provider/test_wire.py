"""What goes over the wire, byte for byte, and how connections end, as a raw socket sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recorder.provider import Piece, Provider, Scenario, scenario

Ask = Callable[..., Any]
PIECES = (Piece(0.0, b"data: a\n"), Piece(0.0, b"\nda"), Piece(0.0, b"ta: \xe4"), Piece(0.0, b"\xbd\xa0\n\n"))
MID_SIZES = [16, 8, 385, 51, 156, 10, 205, 26, 243, 217, 5, 239]


@pytest.mark.parametrize("name", ["chat-lf", "chat-crlf"])
def test_one_piece_is_one_transfer_chunk(provider: Provider, ask: Ask, name: str) -> None:
    """The chunked framing on the wire has exactly the scenario's pieces, and the last chunk."""
    answer = ask(provider, name)
    assert answer.chunks() == ([piece.data for piece in scenario(name).pieces], True)
    assert answer.end == "closed"
    assert provider.sent == tuple(piece.data for piece in scenario(name).pieces)


def test_the_head_is_exact(plain: Provider, ask: Ask) -> None:
    """The scenario's headers in their order, then what the framing needs; no date, so that the bytes never change."""
    assert ask(plain, "chat-lf").head == (
        b"HTTP/1.1 200 OK\r\n"
        b"content-type: text/event-stream; charset=utf-8\r\n"
        b"access-control-expose-headers: X-Request-ID\r\n"
        b"cache-control: no-cache\r\n"
        b"openai-organization: org-loopback-example\r\n"
        b"openai-processing-ms: 12\r\n"
        b"openai-project: proj_loopbackexample00000001\r\n"
        b"openai-version: 2020-10-01\r\n"
        b"x-ratelimit-limit-requests: 10000\r\n"
        b"x-ratelimit-remaining-requests: 9999\r\n"
        b"x-request-id: req_loopback0001\r\n"
        b"set-cookie: __cf_bm=synthetic-loopback-cookie-1; path=/; HttpOnly; Secure; SameSite=None\r\n"
        b"server: cloudflare\r\n"
        b"cf-ray: 0000000000000001-XXX\r\n"
        b"transfer-encoding: chunked\r\n"
        b"connection: close"
    )


def test_the_framing_is_exact(ask: Ask) -> None:
    """Size in hexadecimal, CR LF, the bytes, CR LF; and the last chunk."""
    with Provider(scenarios=[Scenario("mine", pieces=PIECES)], pace=0, tls=False) as provider:
        answer = ask(provider, "mine")
    assert answer.rest == (b"8\r\ndata: a\n\r\n3\r\n\nda\r\n5\r\nta: \xe4\r\n4\r\n\xbd\xa0\n\n\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("end", "tls", "seen", "last_chunk"),
    [
        ("complete", True, "closed", True),
        ("complete", False, "closed", True),
        ("incomplete", True, "cut", False),
        ("incomplete", False, "closed", False),
        ("reset", True, "reset", False),
        ("reset", False, "reset", False),
    ],
)
def test_ends_of_a_chunked_body(ask: Ask, end: str, tls: bool, seen: str, last_chunk: bool) -> None:
    """Every piece arrives; then the last chunk or not, close_notify or not (TLS), FIN or RST."""
    mine = Scenario("mine", pieces=PIECES, end=end)  # type: ignore[arg-type]
    with Provider(scenarios=[mine], pace=0, tls=tls) as provider:
        answer = ask(provider, "mine")
        assert [exchange.ended for exchange in provider.wait_ended()] == [end]
    assert answer.chunks() == ([piece.data for piece in PIECES], last_chunk)
    assert answer.end == seen


def test_a_body_that_ends_with_the_connection(provider: Provider, ask: Ask) -> None:
    """`eof` has no framing, says so, and under TLS closes with close_notify: nothing tells it from a whole body."""
    answer = ask(provider, "eof-mid")
    assert answer.head.endswith(b"\r\nconnection: close")
    assert b"transfer-encoding" not in answer.head
    assert b"content-length" not in answer.head
    assert (len(answer.rest), answer.end) == (1561, "closed")
    assert provider.wait_ended()[0].ended == "eof"


@pytest.mark.parametrize(
    ("name", "tls_end", "plain_end"), [("refuse-head", "closed", "closed"), ("reset-head", "reset", "reset")]
)
def test_ends_before_the_head(provider: Provider, ask: Ask, name: str, tls_end: str, plain_end: str) -> None:
    """Not one byte of a head."""
    answer = ask(provider, name)
    assert (answer.head, answer.rest) == (b"", b"")
    assert answer.end == (tls_end if provider.url.startswith("https") else plain_end)
    (exchange,) = provider.wait_ended()
    assert (exchange.scenario, exchange.status, exchange.sent, exchange.ended) == (name, None, (), name)


@pytest.mark.parametrize(
    ("name", "last_chunk", "seen"),
    [("drop-mid", False, "cut"), ("reset-mid", False, "reset"), ("cut-mid", True, "closed")],
)
def test_faults_break_in_the_middle_of_an_event(
    secure: Provider, ask: Ask, name: str, last_chunk: bool, seen: str
) -> None:
    """The first 12 pieces of the chat, the last of them ends inside a JSON escape."""
    answer = ask(secure, name)
    chunks, last = answer.chunks()
    assert ([len(chunk) for chunk in chunks], last, answer.end) == (MID_SIZES, last_chunk, seen)
    assert b"".join(chunks).endswith(b'"content":"A \\"quote\\", a \\\\ and a\\')


def test_a_length_framed_body(plain: Provider, ask: Ask) -> None:
    """Documents say their length and have no transfer chunks."""
    answer = ask(plain, "html-200")
    assert b"\r\ncontent-length: 105\r\n" in answer.head
    assert b"transfer-encoding" not in answer.head
    assert answer.rest.startswith(b"<!doctype html>\n")
    assert len(answer.rest) == 105


def test_a_length_framed_body_may_fall_short(ask: Ask) -> None:
    """With content-length, `incomplete` closes before the declared end."""
    mine = Scenario("mine", headers=(("content-length", "30"),), pieces=PIECES, end="incomplete")  # type: ignore[arg-type]
    with Provider(scenarios=[mine], pace=0, tls=False) as provider:
        assert ask(provider, "mine").rest == b"data: a\n\ndata: \xe4\xbd\xa0\n\n"


def test_an_empty_stream_is_a_last_chunk_alone(plain: Provider, ask: Ask) -> None:
    """200, an event stream, no body bytes, a proper end."""
    answer = ask(plain, "empty-200")
    assert b"content-type: text/event-stream" in answer.head
    assert answer.rest == b"0\r\n\r\n"


def test_http_1_0_gets_no_chunks(plain: Provider, ask: Ask) -> None:
    """An HTTP/1.0 client knows no transfer chunks (RFC 9112, 6.1): the body ends with the connection."""
    answer = ask(plain, "chat-lf", version="1.0")
    assert b"transfer-encoding" not in answer.head
    assert answer.rest == scenario("chat-lf").body


def test_a_piece_is_written_when_the_one_before_was(
    provider: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """With a hold after each piece in turn the client has exactly the pieces so far: nothing is buffered or merged."""
    for count in (0, 1, 2, 3):
        hold = provider.hold(after=count)
        client = connect(provider)
        client.send(request_with(provider.key, b"{}", more="connection: close\r\n"))
        pieces = scenario("chat-lf").pieces[:count]
        expected = b"".join(b"%x\r\n%b\r\n" % (len(piece.data), piece.data) for piece in pieces)
        hold.wait_reached()
        assert client.read_until(expected or b"\r\n\r\n").partition(b"\r\n\r\n")[2] == expected
        assert len(provider.sent) == count
        provider.release()
        rest, end = client.read_all()
        assert (rest.endswith(b"\r\n0\r\n\r\n"), end) == (True, "closed")


def test_a_stalled_answer_ends_when_the_client_leaves(
    provider: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """The provider sees the close although it has nothing to send."""
    client = connect(provider)
    client.send(request_with(provider.key, b'{"model":"stall-mid"}'))
    client.read_until(b" and a\\")
    client.close()
    (exchange,) = provider.wait_ended()
    assert (exchange.ended, len(exchange.sent)) == ("client_left", 12)


@pytest.mark.parametrize("name", ["stall-head", "heartbeat-forever"])
def test_endless_answers_end_when_the_client_leaves(
    plain: Provider, connect: Callable[..., Any], request_with: Ask, name: str
) -> None:
    """Silence before the head, and heartbeats for ever."""
    client = connect(plain)
    client.send(request_with(plain.key, b'{"model":"%b"}' % name.encode()))
    if name == "heartbeat-forever":
        client.read_until(b"16\r\n: loopback heartbeat\n\n\r\n" * 40)
    client.close()
    (exchange,) = plain.wait_ended(count=1)
    assert exchange.ended == "client_left"


def test_the_terminal_event_may_come_without_an_end(
    plain: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """`done-open` sends the whole chat and leaves the connection open: a reader that waits for the end hangs."""
    client = connect(plain)
    client.send(request_with(plain.key, b'{"model":"done-open"}'))
    client.read_until(b"5\r\nNE]\n\n\r\n")
    assert plain.exchanges[0].ended is None
    client.close()
    assert plain.wait_ended()[0].ended == "client_left"
