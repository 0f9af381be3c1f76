"""The provider as real client libraries meet it: answers, and the exception each end gives them."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
from collections.abc import Callable
from typing import Any

import httpx
import httpx2
import pytest

from recorder.provider import Provider, scenario
from recorder.sse import iter_events

LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
PATH = "/v1/chat/completions"
TEXT_SO_FAR = "Hello, reader. 你好，世界。مرحبا بالعالم. नमस्ते दुनिया। One line\u2028or two? A family: 👨‍👩‍👧‍👦. "


def client(library: Any, provider: Provider, timeout: Any = 20.0) -> Any:
    verify = provider.ssl_context() if provider.url.startswith("https:") else True
    headers = {"authorization": f"Bearer {provider.key}"}
    return library.Client(base_url=provider.url, verify=verify, headers=headers, timeout=timeout, trust_env=False)


def stream(http: Any, model: str) -> Any:
    return http.stream("POST", PATH, json={"model": model, "stream": True})


def texts(chunks: Any) -> list[str]:
    """The texts of a chat, one for each event that has one."""
    events = [event.data for event in iter_events(chunks) if event.data != "[DONE]"]
    choices = [choice for data in events for choice in json.loads(data).get("choices", [])]
    return [choice["delta"]["content"] for choice in choices if choice["delta"].get("content")]


@LIBRARIES
@pytest.mark.parametrize("name", ["chat-lf", "chat-crlf", "no-done", "error-in-stream", "bad-utf8", "empty-200"])
def test_the_body_arrives_as_it_was_sent(provider: Provider, library: Any, name: str) -> None:
    """Over TLS and over plain HTTP/1.1."""
    with client(library, provider) as http, stream(http, name) as response:
        assert (response.status_code, response.http_version) == (200, "HTTP/1.1")
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        body = b"".join(response.iter_raw())
    assert body == scenario(name).body == b"".join(provider.sent)


@LIBRARIES
def test_the_first_event_reaches_the_caller_before_the_provider_sends_its_last(
    provider: Provider, library: Any
) -> None:
    """Order without sleeping: the answer waits after 3 of its 19 pieces until the first event has been read."""
    provider.hold(after=3)
    with client(library, provider) as http, stream(http, "chat-lf") as response:
        events = iter_events(response.iter_raw())
        first = next(events)
        assert json.loads(first.data)["choices"][0]["delta"]["role"] == "assistant"
        assert len(provider.sent) == 3
        assert provider.exchanges[0].ended is None
        provider.release()
        assert len(list(events)) == 11
    assert len(provider.sent) == 19


@LIBRARIES
@pytest.mark.parametrize(
    ("name", "tls", "error", "size"),
    [
        ("drop-mid", True, "RemoteProtocolError", 1561),
        ("drop-mid", False, "RemoteProtocolError", 1561),
        ("reset-mid", False, "ReadError", 1561),
        ("stall-mid", True, "ReadTimeout", 1561),
        ("stall-mid", False, "ReadTimeout", 1561),
        ("done-open", True, "ReadTimeout", 2440),
        ("refuse-head", True, "RemoteProtocolError", 0),
        ("refuse-head", False, "RemoteProtocolError", 0),
        ("reset-head", False, "ReadError", 0),
        ("stall-head", True, "ReadTimeout", 0),
        ("eof-mid", True, None, 1561),
        ("eof-mid", False, None, 1561),
        ("cut-mid", True, None, 1561),
        ("cut-between", True, None, 1613),
        ("cut-codepoint", True, None, 1317),
    ],
)
def test_each_end_gives_its_exception_after_the_same_bytes(
    library: Any, name: str, tls: bool, error: str | None, size: int
) -> None:
    """A clean end in the middle of an event gives none. (An RST under TLS: see the next test.)"""
    body, seen = b"", None
    timeout = library.Timeout(20, read=0.5 if error == "ReadTimeout" else 20)
    with Provider(pace=0, tls=tls) as provider, client(library, provider, timeout) as http:
        try:
            with stream(http, name) as response:
                for chunk in response.iter_raw():
                    body += chunk
        except library.TransportError as fault:
            seen = type(fault).__name__
    assert (seen, len(body)) == (error, size)


@pytest.mark.parametrize("name", ["reset-mid", "reset-head"])
def test_an_rst_under_tls_is_an_rst(secure: Provider, request_with: Callable[..., bytes], name: str) -> None:
    """With asyncio's TLS: the ssl sockets of CPython before 3.11.9 and 3.12.3 report an RST as an end (gh-115627)."""

    async def read() -> int:
        tls = secure.ssl_context()
        reader, writer = await asyncio.open_connection("127.0.0.1", secure.port, ssl=tls)
        body = json.dumps({"model": name}).encode()
        writer.write(request_with(secure.key, body))
        size = 0
        try:
            while data := await reader.read(65536):
                size += len(data)
        except ConnectionResetError:
            return size
        finally:
            writer.close()
        raise AssertionError("the connection ended without an RST")

    size = asyncio.run(read())
    assert (size > 1561) if name == "reset-mid" else (size == 0)


def test_an_orderly_truncation_is_invisible_to_http(secure: Provider) -> None:
    """`cut-between` is whole for HTTP and for the event stream: six texts, no finish, no marker, nothing left over."""
    with client(httpx2, secure) as http, stream(http, "cut-between") as response:
        body = response.read()
    assert body.endswith(b"\n\n")
    assert b"[DONE]" not in body
    assert b'"stop"' not in body
    assert "".join(texts([body])) == TEXT_SO_FAR + 'A "quote", a \\ and a\nnew line. '


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("drop-mid", http.client.IncompleteRead),
        ("reset-mid", ConnectionResetError),
        ("refuse-head", http.client.RemoteDisconnected),
        ("reset-head", ConnectionResetError),
    ],
)
def test_the_standard_library_sees_the_same_ends(plain: Provider, name: str, error: type[Exception]) -> None:
    """http.client, which urllib3 and requests build on."""
    connection = http.client.HTTPConnection("127.0.0.1", plain.port, timeout=20)
    headers = {"authorization": f"Bearer {plain.key}"}

    def read() -> None:
        connection.request("POST", PATH, json.dumps({"model": name}), headers)
        connection.getresponse().read()

    try:
        with pytest.raises(error) as caught:
            read()
        assert type(caught.value) is error
    finally:
        connection.close()


def test_the_standard_library_reads_the_chat_over_tls(secure: Provider) -> None:
    """http.client with the run's authority."""
    connection = http.client.HTTPSConnection("127.0.0.1", secure.port, timeout=20, context=secure.ssl_context())
    connection.request("POST", PATH, b'{"model":"chat-crlf"}', {"authorization": f"Bearer {secure.key}"})
    response = connection.getresponse()
    assert (response.status, len(response.read())) == (200, 2466)
    connection.close()


def test_the_authority_can_be_handed_over_as_pem(secure: Provider) -> None:
    """For clients that take PEM: a certificate, and no key."""
    assert secure.ca_pem.startswith(b"-----BEGIN CERTIFICATE-----\n")
    assert b"PRIVATE" not in secure.ca_pem
    context = ssl.create_default_context(cadata=secure.ca_pem.decode())
    with httpx2.Client(verify=context, trust_env=False) as http:
        assert http.post(secure.url + PATH).status_code == 401


@pytest.mark.parametrize(
    ("name", "status", "media_type", "part"),
    [
        ("html-200", 200, "text/html; charset=utf-8", "Please sign in"),
        ("json-200", 200, "application/json", '"object":"chat.completion",'),
        ("json-error-200", 200, "application/json", '{"error":{"message":"Synthetic failure with status 200."'),
        ("status-401", 401, "application/json", '"code":"invalid_api_key"'),
        ("status-429", 429, "application/json", '"code":"rate_limit_exceeded"'),
        ("status-500", 500, "application/json", '"type":"server_error"'),
        ("redirect", 307, "text/plain", ""),
    ],
)
def test_answers_that_are_no_event_stream(secure: Provider, name: str, status: int, media_type: str, part: str) -> None:
    """Documents, with their status and media type."""
    with client(httpx2, secure) as http:
        response = http.post(PATH, json={"model": name}, follow_redirects=False)
    assert (response.status_code, response.headers["content-type"]) == (status, media_type)
    assert part in response.text
    assert response.headers.get("retry-after") == ("7" if status == 429 else None)
    location = "https://example.invalid/v1/chat/completions"
    assert response.headers.get("location") == (location if status == 307 else None)


def test_the_error_comes_inside_the_stream(secure: Provider) -> None:
    """A role, a text, an error envelope and still the terminal marker, all with status 200."""
    with client(httpx2, secure) as http, stream(http, "error-in-stream") as response:
        data = [event.data for event in iter_events(response.iter_raw())]
    assert len(data) == 4
    assert json.loads(data[2])["error"]["message"] == "Synthetic failure inside the stream."
    assert data[3] == "[DONE]"


def test_the_bad_byte_is_inside_a_text(secure: Provider) -> None:
    """One 0xFF in a stream that is otherwise whole."""
    with client(httpx2, secure) as http, stream(http, "bad-utf8") as response:
        body = response.read()
    assert body.count(b"\xff") == 1
    assert texts([body]) == ["good, then \ufffd bad. ", "More text."]


def test_the_finish_comes_without_the_marker(secure: Provider) -> None:
    """`no-done` is the LF chat without its last event."""
    with client(httpx2, secure) as http, stream(http, "no-done") as response:
        assert response.read() + b"data: [DONE]\n\n" == scenario("chat-lf").body


def test_the_key_comes_back_whole_and_in_halves(secure: Provider) -> None:
    """`echo-key`: once within one text, once so that only the joined texts show it."""
    key = secure.key
    with client(httpx2, secure) as http, stream(http, "echo-key") as response:
        parts = texts(response.iter_raw())
    assert len(key) == 44
    assert parts == [f"You sent {key} with it. ", f"Again: {key[:22]}", f"{key[22:]}."]


@pytest.mark.parametrize("key", ['a"b\\c/d+e=f', "k"])
def test_an_awkward_key_comes_back_too(key: str) -> None:
    """A key that JSON escapes, and one too short to halve."""
    with Provider(pace=0, tls=False, key=key) as provider, client(httpx2, provider) as http:
        assert provider.key == key
        with stream(http, "echo-key") as response:
            parts = texts(response.iter_raw())
    assert "".join(parts) == f"You sent {key} with it. Again: {key}."


def test_many_clients_at_once(secure: Provider) -> None:
    """50 concurrent streams, each with its own scenario's bytes and nobody else's."""
    names = ["chat-lf", "chat-crlf", "no-done", "error-in-stream", "json-200"] * 10

    async def read() -> list[bytes]:
        headers = {"authorization": f"Bearer {secure.key}"}
        limits = httpx2.Limits(max_connections=50)
        verify = secure.ssl_context()
        async with httpx2.AsyncClient(
            verify=verify, headers=headers, limits=limits, timeout=20, trust_env=False
        ) as http:
            answers = [http.post(secure.url + PATH, json={"model": name}) for name in names]
            return [response.content for response in await asyncio.gather(*answers)]

    assert asyncio.run(read()) == [scenario(name).body for name in names]
    assert len(secure.wait_ended()) == 50


def test_an_sdk_chooses_a_scenario_by_its_model(secure: Provider) -> None:
    """The openai client, with nothing changed but its base URL and the trusted authority."""
    import openai

    http = openai.DefaultHttpxClient(verify=secure.ssl_context(), trust_env=False)
    with openai.OpenAI(base_url=secure.url + "/v1", api_key=secure.key, http_client=http, max_retries=0) as sdk:
        messages: Any = [{"role": "user", "content": "A synthetic prompt."}]
        chunks = list(sdk.chat.completions.create(model="chat-crlf", messages=messages, stream=True))
        with pytest.raises(openai.RateLimitError):
            sdk.chat.completions.create(model="status-429", messages=messages, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices).startswith(TEXT_SO_FAR)
    assert (len(chunks), chunks[-1].usage.total_tokens if chunks[-1].usage else None) == (11, 75)
    assert [request.json()["model"] for request in secure.requests] == ["chat-crlf", "status-429"]


def test_the_request_is_seen_as_it_was_sent(secure: Provider) -> None:
    """Method, target, version, headers in order with names in lower case, body."""
    with client(httpx2, secure) as http:
        http.post(PATH + "?a=1", content=b'{"model": "json-200"}', headers={"X-Mine": "\u00e9".encode("latin-1")})
    (request,) = secure.requests
    assert (request.method, request.target, request.http_version) == ("POST", "/v1/chat/completions?a=1", "1.1")
    assert (request.header("x-mine"), request.header("authorization")) == ("\u00e9", f"Bearer {secure.key}")
    assert all(name == name.lower() for name, _ in request.headers)
    assert (request.body, request.authorized) == (b'{"model": "json-200"}', True)
