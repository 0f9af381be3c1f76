"""Which plan a request gets: one for all, one for each attempt, or what a function says; event streams only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recorder.adapters import PlanChoice, is_event_stream
from recorder.cassette import Headers, Interaction, Request, Response
from recorder.errors import PlanError
from recorder.plans import Plan

STREAM = Interaction.from_body(b"data: 1\n\n")
JSON = replace(STREAM, response=Response(200, Headers({"content-type": "application/json"}), b"{}"))
REQUEST = Request("POST", "https://api.example.com/v1/chat/completions")


def chosen(plan: object, attempt: int = 0, interaction: Interaction = STREAM) -> str:
    return str(PlanChoice.of(plan).for_request(REQUEST, attempt, interaction))  # type: ignore[arg-type]


def test_one_plan_is_for_every_attempt() -> None:
    """As a value, as text, or none: as recorded."""
    assert [chosen("chunks=bytes:1", attempt) for attempt in (0, 1, 7)] == ["chunks=bytes:1"] * 3
    assert chosen(Plan(end="reset@9"), 3) == "end=reset@9"
    assert chosen(None) == ""


def test_of_a_sequence_each_attempt_has_its_own_and_the_last_repeats() -> None:
    """The first attempt is reset, the retry and all after it succeed."""
    plans = ["end=reset@head", Plan(chunks="lines")]
    assert [chosen(plans, attempt) for attempt in (0, 1, 2)] == ["end=reset@head", "chunks=lines", "chunks=lines"]


def test_a_callable_is_asked_with_the_request_and_the_number_of_the_attempt() -> None:
    """From 0; it may answer with a plan, its text or None."""
    asked = []

    def plan(request: Request, index: int) -> Plan | str | None:
        asked.append((request.uri, index))
        return (Plan(chunks="whole"), "chunks=events", None)[index]

    assert [chosen(plan, attempt) for attempt in (0, 1, 2)] == ["chunks=whole", "chunks=events", ""]
    assert asked == [("https://api.example.com/v1/chat/completions", attempt) for attempt in (0, 1, 2)]


def test_what_is_not_an_event_stream_comes_whole() -> None:
    """A JSON side call is not touched, and nobody is asked about it."""
    assert chosen("end=reset@head", 0, JSON) == "chunks=whole; end=complete; framing=length"
    assert chosen(lambda request, index: pytest.fail("asked"), 0, JSON) == "chunks=whole; end=complete; framing=length"


@pytest.mark.parametrize(
    ("content_type", "is_one"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("text/event-stream2", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_the_content_type_says_what_is_an_event_stream(content_type: str, is_one: bool) -> None:
    """Parameters and letter case do not matter."""
    headers = Headers({"content-type": content_type} if content_type else {})
    assert is_event_stream(replace(STREAM, response=Response(200, headers, b"data: 1\n\n"))) is is_one


def test_a_wrong_plan_is_told_at_once() -> None:
    """Text out of the grammar, nothing to choose from, or no plan at all."""
    with pytest.raises(PlanError, match="chunks=nine"):
        PlanChoice.of("chunks=nine")
    with pytest.raises(PlanError, match="first request"):
        PlanChoice.of([])
    with pytest.raises(TypeError, match="plan=3"):
        PlanChoice.of(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not int"):
        chosen(lambda request, index: 3)
