"""Scenarios as values: what can be sent is checked when it is made, and nothing of it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from recorder.provider import BuiltScenario, End, Piece, Provider, Scenario, SeenRequest, scenario, scenario_names

PIECE = Piece(0.0, b"data: x\n\n")


def test_the_shipped_names() -> None:
    """These names are what a request's model may say; each gives a scenario of that name."""
    assert scenario_names() == (
        "chat-lf",
        "chat-crlf",
        "drop-mid",
        "reset-mid",
        "eof-mid",
        "cut-mid",
        "cut-between",
        "cut-codepoint",
        "stall-mid",
        "done-open",
        "heartbeat-forever",
        "refuse-head",
        "reset-head",
        "stall-head",
        "html-200",
        "json-200",
        "json-error-200",
        "empty-200",
        "status-401",
        "status-429",
        "status-500",
        "redirect",
        "bad-utf8",
        "no-done",
        "error-in-stream",
        "echo-key",
        "retry-429",
        "chat-multilingual",
        "chat-usage",
        "chat-tools",
        "chat-n2",
        "chat-refusal",
        "chat-length",
        "azure",
        "openrouter",
        "marker-only",
        "json-then-utf8",
        "chat-gzip",
        "chat-deflate",
        "chat-br",
        "chat-zstd",
        "completions",
        "responses",
        "anthropic",
        "gemini",
        "cohere",
        "mcp",
        "generation-success",
        "generation-failed",
        "generation-null-progress",
    )
    assert [scenario(name).name for name in scenario_names()] == list(scenario_names())


def test_an_unknown_name_says_what_there_is() -> None:
    """The error echoes the name and lists the right ones."""
    with pytest.raises(ValueError, match=r"scenario\('chat'\): the provider ships chat-lf, chat-crlf, "):
        scenario("chat")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"status": 100}, "Scenario.status is 100: a final HTTP status is 200 to 599"),
        ({"status": 600}, "Scenario.status is 600"),
        (
            {"end": "abort"},
            "Scenario.end is 'abort': one of complete, eof, incomplete, reset, stall, repeat, refuse-head",
        ),
        ({"headers": (("x-a", "1\r\nx-b: 2"),)}, "'x-a' is not a header that can be sent"),
        ({"headers": (("x a", "1"),)}, "'x a' is not a header that can be sent"),
        ({"headers": (("", "1"),)}, "'' is not a header that can be sent"),
        ({"headers": (("x-a", "\u4f60"),)}, "'x-a' is not a header that can be sent"),
        ({"headers": (("Transfer-Encoding", "chunked"),)}, "'Transfer-Encoding' is the server's to send"),
        ({"headers": (("connection", "close"),)}, "'connection' is the server's to send"),
        ({"headers": (("content-length", "-1"),)}, "content-length '-1' is not a number of bytes"),
        ({"headers": (("content-length", "8"),)}, "content-length is 8, the pieces have 9 bytes"),
        ({"headers": (("content-length", "10"),)}, "content-length is 10, the pieces have 9 bytes"),
        ({"headers": (("content-length", "9"),), "end": "eof"}, "'eof', which has no length"),
        ({"headers": (("content-length", "9"),), "end": "repeat"}, "'repeat', which has no length"),
        ({"end": "reset-head"}, "'reset-head', which sends no head: leave the pieces out"),
        ({"end": "repeat", "pieces": ()}, "'repeat': give at least the piece to repeat"),
        ({"head_delay_s": -1.0}, "head_delay_s is -1.0: seconds, zero or more"),
        ({"end_delay_s": float("nan")}, "end_delay_s is nan: seconds, zero or more"),
    ],
)
def test_what_cannot_be_sent_is_refused_when_made(wrong: dict[str, Any], message: str) -> None:
    """The error names the argument, echoes the value and says what would be right."""
    with pytest.raises(ValueError, match=r"^Scenario|^head_delay_s|^end_delay_s") as caught:
        Scenario("s", **{"pieces": (PIECE,), **wrong})
    assert message in str(caught.value)


@pytest.mark.parametrize("delay", [-0.001, float("inf"), float("nan")])
def test_a_piece_has_a_delay_in_seconds(delay: float) -> None:
    """Negative and endless delays are refused."""
    with pytest.raises(ValueError, match=r"delay_s is .*: seconds, zero or more"):
        Piece(delay, b"x")


def test_an_empty_piece_is_refused() -> None:
    """An empty transfer chunk is the last one, so it cannot be a piece."""
    with pytest.raises(ValueError, match="an empty transfer chunk ends the body"):
        Piece(0.0, b"")


def test_an_incomplete_length_framed_body_may_be_short() -> None:
    """A declared length the body does not reach is the point of `incomplete`, `reset` and `stall`."""
    for end in ("incomplete", "reset", "stall"):
        assert Scenario("s", headers=(("content-length", "10"),), pieces=(PIECE,), end=End(end)).content_length == 10


def test_text_names_an_end() -> None:
    """ "reset" is as good as End.RESET, and lists become tuples, so that a scenario stays a value."""
    made = Scenario("s", end="reset", pieces=[PIECE], headers=[["a", "b"]])  # type: ignore[arg-type]
    assert (made.end, made.pieces, made.headers) == (End.RESET, (PIECE,), (("a", "b"),))
    assert made == Scenario("s", end=End.RESET, pieces=(PIECE,), headers=(("a", "b"),))
    assert made.body == b"data: x\n\n"


def test_reprs_show_no_content() -> None:
    """A built scenario can hold the caller's key, so pieces show their size only."""
    made = scenario("echo-key")
    assert b"sk-loopback-example" in made.body
    assert "sk-loopback-example" not in repr(made) + repr(made.pieces)
    assert repr(PIECE) == "Piece(delay_s=0.0, data=<9 bytes>)"


def test_a_name_twice_is_refused() -> None:
    """Of two scenarios with one name the second would silently win."""
    with pytest.raises(ValueError, match="scenarios: a name stands twice in a, a"):
        Provider(scenarios=[Scenario("a"), BuiltScenario("a", lambda request: Scenario("a"))])


@pytest.mark.parametrize("pace", [-1.0, float("inf"), float("nan")])
def test_the_pace_is_a_factor(pace: float) -> None:
    """A pace that is no factor is refused before anything starts."""
    with pytest.raises(ValueError, match="a factor on every delay, zero or more"):
        Provider(pace=pace)


@pytest.mark.parametrize("key", ["", " a", "a\r\nb", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    """The message does not echo the key."""
    with pytest.raises(ValueError, match="key: printable ASCII") as caught:
        Provider(key=key)
    assert "schl" not in str(caught.value)


def test_a_seen_request_reads_its_own_parts() -> None:
    """Path, query, headers and credentials, each where providers look for them."""
    headers = (("authorization", "bearer  k1 "), ("x-a", "1"), ("x-a", "2"))
    request = SeenRequest("POST", "/v1/x?key=k%2B2&b", "1.1", headers, b'{"a": 1}')
    assert (request.path, request.query("key"), request.query("c")) == ("/v1/x", "k+2", None)
    assert (request.header("X-A"), request.header("x-b")) == ("1", None)
    assert (request.bearer, request.credential, request.json()) == ("k1", "k1", {"a": 1})
    other = SeenRequest("POST", "/v1/x?key=k%2B2", "1.1", (("authorization", "Basic k1"),), b"{")
    assert (other.bearer, other.credential) == (None, "k+2")
    with pytest.raises(ValueError, match=r"^the request body is not JSON$"):
        other.json()
