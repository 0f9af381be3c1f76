"""Capture for httpx and httpx2: the caller is not disturbed, and the tape knows how the body ended."""

from __future__ import annotations

from typing import Any

import httpx
import httpx2
import pytest

from recorder.capture.httpx import AsyncCaptureTransport, CaptureTransport
from recorder.provider import End, Piece, Provider, Scenario
from recorder.tape import Tape

LIBRARIES: dict[str, Any] = {"httpx": httpx, "httpx2": httpx2}


def call(
    provider: Provider, library: Any, model: str, tape: Tape | None, take: int = -1, **options: Any
) -> list[bytes]:
    """The first `take` pieces that the caller gets (all: -1), through a capture or without one."""
    tls = provider.url.startswith("https")
    transport = library.HTTPTransport(verify=provider.ssl_context() if tls else False)
    if tape is not None:
        transport = CaptureTransport(transport, tape)
    received: list[bytes] = []
    headers = {"authorization": f"Bearer {provider.key}"}
    with (
        library.Client(transport=transport, **options) as client,
        client.stream(
            "POST", f"{provider.url}/v1/chat/completions", json={"model": model}, headers=headers
        ) as response,
    ):
        for piece in response.iter_raw():
            received.append(piece)
            if len(received) == take:
                break
    return received


@pytest.mark.parametrize("package", LIBRARIES)
@pytest.mark.parametrize(
    ("model", "error", "end"),
    [
        ("drop-mid", "RemoteProtocolError", "incomplete"),
        ("reset-mid", "ReadError", "reset"),  # over plain TCP: before 3.11.9 and 3.12.3 `ssl` takes an RST for an end
        ("stall-mid", "ReadTimeout", "timeout"),
    ],
)
def test_a_broken_body_raises_what_it_raises_without_us(package: str, model: str, error: str, end: str) -> None:
    """The same class and message, with the end on the tape."""
    library, tape, raised = LIBRARIES[package], Tape(), []
    with Provider(tls=model != "reset-mid", pace=0) as provider:
        for captured in (None, tape):
            with pytest.raises(library.TransportError) as caught:
                call(provider, library, model, captured, timeout=0.3)
            raised.append((type(caught.value), str(caught.value)))
        assert b"".join(data for _, data in tape.pieces) == b"".join(provider.sent)
    assert raised[0] == raised[1]
    assert raised[0][0] is getattr(library, error)
    assert tape.end == end


@pytest.mark.parametrize("package", LIBRARIES)
def test_a_caller_that_leaves_early_is_noted(sse_provider: Provider, package: str) -> None:
    """Nothing is read that the caller does not read."""
    tape = Tape()
    received = call(sse_provider, LIBRARIES[package], "chat-lf", tape, take=2)
    assert [data for _, data in tape.pieces] == received
    assert tape.end == "client_closed"


@pytest.mark.parametrize("package", LIBRARIES)
def test_an_answer_without_framing_ends_with_the_connection(package: str) -> None:
    """A close-delimited body is no proper HTTP end."""
    tape = Tape()
    with Provider(scenarios=[Scenario("close", pieces=(Piece(0.0, b"data: 1\n\n"),), end=End.EOF)]) as provider:
        assert call(provider, LIBRARIES[package], "close", tape) == [b"data: 1\n\n"]
    assert tape.end == "eof"


@pytest.mark.parametrize("package", LIBRARIES)
def test_the_head_and_the_request_are_on_the_tape(sse_provider: Provider, package: str) -> None:
    """As they were sent and received."""
    tape = Tape()
    call(sse_provider, LIBRARIES[package], "chat-lf", tape)
    assert tape.request is not None
    assert tape.head is not None
    assert (tape.client, tape.request.method, tape.request.body) == (package, "POST", b'{"model":"chat-lf"}')
    assert (tape.head.status, tape.head.reason, tape.head.http_version) == (200, "OK", "1.1")
    assert tape.header("content-type") == "text/event-stream; charset=utf-8"
    times = [tape.head.at_s, *(at for at, _ in tape.pieces), tape.end_s]
    assert times == sorted(times)


@pytest.mark.parametrize("package", LIBRARIES)
def test_an_error_before_the_head_leaves_no_head(sse_provider: Provider, package: str) -> None:
    """And is raised untouched."""
    library, tape = LIBRARIES[package], Tape()
    with pytest.raises(library.RemoteProtocolError):
        call(sse_provider, library, "refuse-head", tape)
    assert (tape.head, tape.pieces, tape.end) == (None, [], None)


def test_one_exchange_a_tape(sse_provider: Provider) -> None:
    """A second request on the same tape is a mistake that is named."""
    tape = Tape()
    call(sse_provider, httpx2, "chat-lf", tape)
    with pytest.raises(RuntimeError, match="use a fresh Tape"):
        call(sse_provider, httpx2, "chat-lf", tape)


@pytest.mark.parametrize("make", [CaptureTransport, AsyncCaptureTransport])
def test_a_foreign_transport_is_refused(make: Any) -> None:
    """The message says what to pass."""
    with pytest.raises(TypeError, match=r"pass httpx2.HTTPTransport\(\)"):
        make(object(), Tape())
