"""A stored request made once more: what it said, with a fresh key where the old one was; or it is refused."""

from __future__ import annotations

import pytest

from recorder.cassette import Headers, Request
from recorder.record import ConfigurationError, request_again

URL = "https://api.example.com/v1/chat/completions"
KEY = "sk-planted-3141592653589793"
BODY = b'{"model":"m","stream":true,"messages":[]}'
SENT = {
    "accept": "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "sse-recorder",
    "content-type": "application/json",
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that holds the fresh key."""
    monkeypatch.setenv("RECORDER_TEST_KEY", f" {KEY}\n")


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ({"Authorization": ("REDACTED",)}, {"authorization": f"Bearer {KEY}"}),
        ({}, {"authorization": f"Bearer {KEY}"}),
        ({"X-Api-Key": ("REDACTED",), "Version": ("1",)}, {"x-api-key": KEY, "version": "1"}),
        ({"x-goog-api-key": ("REDACTED",)}, {"x-goog-api-key": KEY}),
        ({"api-key": ("REDACTED",)}, {"api-key": KEY}),
        ({"x-api-key": ("REDACTED",), "authorization": ("REDACTED",)}, {"authorization": f"Bearer {KEY}"}),
        ({"x-trace": ("REDACTED",), "vary": ("a", "b")}, {"authorization": f"Bearer {KEY}", "vary": "a, b"}),
        ({"Accept": ("*/*",)}, {"accept": "*/*", "authorization": f"Bearer {KEY}"}),
    ],
)
def test_the_key_goes_where_one_was(stored: dict[str, tuple[str, ...]], sent: dict[str, str]) -> None:
    """As a bearer token in `authorization`, as it is in any other header; what else was hidden is left out."""
    headers = Headers([(name, value) for name, values in stored.items() for value in values])
    made = request_again(Request("POST", URL, headers, BODY), "RECORDER_TEST_KEY")
    assert (made.method, made.url, made.body, made.secrets) == ("POST", URL, BODY, (KEY,))
    assert dict(made.headers) == SENT | sent


def test_without_a_body_it_is_a_get() -> None:
    """An empty body is none."""
    for body in (None, b""):
        made = request_again(Request("GET", URL, Headers(), body), "RECORDER_TEST_KEY")
        assert (made.method, made.body) == ("GET", None)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (
            Request("POST", URL, Headers(), b'{"user":"user-REDACTED-0001","stream":true}'),
            "stand-ins where values were",
        ),
        (Request("POST", f"{URL}/org-REDACTED-0001", Headers(), BODY), "stand-ins where values were"),
        (Request("GET", f"{URL}/org-REDACTED-0001"), "stand-ins where values were"),
        (Request("POST", URL, Headers(), b"stream=true"), "the stored request body is not JSON"),
        (Request("PUT", URL, Headers(), BODY), "a PUT request is not repeated"),
        (Request("POST", URL), "a POST request is not repeated"),
        (Request("GET", URL, Headers(), BODY), "a GET request is not repeated"),
        (Request("GET", "http://api.example.com/"), "https only"),
    ],
    ids=["body", "path", "path without a body", "no JSON", "PUT", "POST without", "GET with", "http"],
)
def test_what_is_not_repeated(request_: Request, said: str) -> None:
    """It would not be the request that was made; the reason is told, without the key."""
    with pytest.raises(ConfigurationError, match=said) as caught:
        request_again(request_, "RECORDER_TEST_KEY")
    assert KEY not in str(caught.value)


def test_without_the_key_nothing_is_made() -> None:
    """The variable is named."""
    with pytest.raises(ConfigurationError, match="RECORDER_TEST_ABSENT is not set"):
        request_again(Request("POST", URL, Headers(), BODY), "RECORDER_TEST_ABSENT")
