"""The form and the plan: what one says the other says too."""

from __future__ import annotations

import pytest

import recorder
from recorder.notebook._choice import PRESETS, Choice, preset
from recorder.notebook._source import event_streams


@pytest.mark.parametrize(
    "text",
    [
        "",
        "chunks=whole",
        "chunks=bytes:7",
        "chunks=events:2; delay=none; end=complete",
        "chunks=random:5,9; delay=uniform:1ms,2s,9",
        "chunks=at:3,event:2,mid:crlf; delay=recorded; end=eof@event:3; edit=crlf,bom",
        "chunks=hostile; delay=recorded*0.5; end=stall@event:1:30s",
        "chunks=lines; delay=ttft:200ms+recorded*2; end=reset@head; framing=length",
        "delay=fixed:20ms; end=stall; edit=insert@event:2:%3A ping%0A%0A",
        "delay=rate:50/s; end=incomplete@mid:event",
    ],
)
def test_a_plan_comes_out_of_the_form_as_it_went_in(text: str) -> None:
    """Whatever the form said before."""
    plan = recorder.Plan.parse(text)
    assert Choice().of(plan).plan() == plan
    before = Choice("random", 4, "9", "uniform", "3ms,4ms", "stall", "3", "bom", 7, "close")
    assert before.of(plan).plan() == plan


def test_what_a_word_needs_is_there_when_it_is_chosen() -> None:
    """A kind of chunks or delay is a plan at once, without typing."""
    assert str(Choice(chunks="at").plan()) == "chunks=at:mid:event"
    assert str(Choice(delay="fixed").plan()) == "delay=fixed:20ms"
    assert str(Choice(delay="uniform", seed=3).plan()) == "delay=uniform:5ms,50ms,3"
    assert str(Choice(delay="rate").plan()) == "delay=rate:50/s"


def test_presets() -> None:
    """Each is a plan that fits a shipped stream; inside an emoji is the middle of its four bytes."""
    stream = event_streams("chat-lf")[0].interaction
    plans = {name: str(preset(name, stream)) for name in PRESETS}
    body = stream.response.body
    assert plans == {
        "as recorded": "",
        "1 byte": "chunks=bytes:1",
        "inside an emoji": f"chunks=at:{body.index('👨'.encode()) + 2}",
        "between CR and LF": "chunks=at:mid:crlf; edit=crlf",
        "no [DONE]": "end=eof@terminal",
        "reset mid-event": "end=reset@mid:event",
    }
    for text in plans.values():
        list(recorder.iter_events(recorder.replay(body, text.replace("reset", "eof"))))
    with pytest.raises(recorder.PlanError, match="no code point of several bytes"):
        preset("inside an emoji", recorder.Interaction.from_body(b"data: 1\n\n"))
