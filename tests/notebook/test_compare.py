"""Two deliveries on one axis of time."""

from __future__ import annotations

import pytest

import recorder
from recorder.notebook import Comparison

HELLO = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
BODY = HELLO + b"data: [DONE]\n\n"  # 81 + 14 bytes


def html_of(comparison: Comparison) -> str:
    return comparison._repr_mimebundle_()["text/html"]


def test_two_plans_for_one_source() -> None:
    """The numbers of each, and that the verdicts differ."""
    both = recorder.compare("chunks=at:81; delay=fixed:20ms", "end=eof@81; delay=fixed:5ms", BODY)
    assert repr(both) == (
        "a: bytes, chunks=at:81; delay=fixed:20ms: 95 of 95 bytes in 2 chunks over 40 ms, 2 events, end complete: "
        "accepted by chat.\n"
        "b: bytes, delay=fixed:5ms; end=eof@81: 81 of 95 bytes in 1 chunk over 5 ms, 1 event, end eof: "
        "rejected, missing_terminal, by chat.\n"
        "not the same verdict"
    )
    assert not both.same
    html = html_of(both)
    assert "<td" in html
    assert "missing_terminal" in html
    assert "Hi" not in html


def test_two_cassettes() -> None:
    """Each at its recorded pace; their line ends differ, their verdicts in the bytes that were read."""
    both = recorder.compare("chat-lf", recorder.gallery()["chat-crlf"])
    assert both.a.delivery.end_ms > 0
    assert (both.a.stream.name, both.b.stream.name) == ("chat-lf", "chat-crlf")
    assert both.a.text == both.b.text
    assert not both.same
    assert repr(both).endswith("\naccepted both times; what else the verdicts say differs")


def test_a_plan_beside_a_source_is_for_that_source() -> None:
    """In either place; a run of the explorer is taken as it is."""
    assert recorder.compare("chat-lf", "chunks=bytes:1").same
    assert recorder.compare(recorder.Plan.parse("chunks=bytes:1"), "chat-lf").same
    with recorder.explore(BODY) as explorer:
        assert recorder.compare(explorer.run, "chunks=bytes:1", BODY).same


def test_two_plans_need_a_source() -> None:
    """And a plan that is none says what is wrong."""
    with pytest.raises(ValueError, match="pass source="):
        recorder.compare("chunks=whole", "chunks=bytes:1")
    with pytest.raises(recorder.PlanError, match="is not a term"):
        recorder.compare("chat-lf", "nonsense=1")
