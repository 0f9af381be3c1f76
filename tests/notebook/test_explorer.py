"""The widgets' state without a kernel and a browser: what a control changes, and what the browser would be told."""

from __future__ import annotations

import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator
from typing import Any

import pytest

import recorder
from recorder.notebook._explorer import Explorer

HELLO = 'data: {"choices":[{"index":0,"delta":{"content":"Hi 👋"},"finish_reason":"stop"}]}\n\n'.encode()
BODY = b": hi\n\n" + HELLO + b"data: [DONE]\n\n"  # 6 + 86 + 14 bytes


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    with recorder.explore(BODY) as made:
        yield made


def from_browser(widget: Any, **state: Any) -> None:
    """What the kernel does when a control is changed in the browser."""
    content = {"data": {"method": "update", "state": state, "buffer_paths": []}}
    widget._handle_msg({"content": content, "buffers": []})


def message(widget: Any, **content: Any) -> None:
    widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})


def numbers(kind: str, data: bytes) -> list[float]:
    return list(array(kind, data))


def test_it_opens_with_the_whole_body(explorer: Explorer) -> None:
    """One run, accepted, and the picture has its numbers."""
    assert str(explorer.plan) == ""
    assert explorer.verdict.ok
    assert explorer.run.verdict is explorer.verdict
    assert numbers("I", explorer.picture.chunk_ends) == [106]
    assert numbers("I", explorer.picture.event_ends) == [92, 106]
    assert explorer.picture.body == BODY
    assert explorer.picture.view["outcome"] == explorer.run.outcome


def test_a_control_in_the_browser_makes_another_run(explorer: Explorer) -> None:
    """Dropdowns send an index."""
    from_browser(explorer.chunks, index=3)
    assert str(explorer.plan) == "chunks=bytes:1"
    from_browser(explorer.size, value=40)
    assert str(explorer.plan) == "chunks=bytes:40"
    assert numbers("I", explorer.picture.chunk_ends) == [40, 80, 106]


def test_code_sets_the_same_controls(explorer: Explorer) -> None:
    """And the plan as a whole, as text or as a plan, fills them in."""
    explorer.end.value = "eof"
    explorer.stop.value = "event:1"
    assert explorer.verdict.code == "missing_terminal"
    explorer.plan = "chunks=random:3,8; delay=fixed:5ms"
    assert (explorer.chunks.value, explorer.size.value, explorer.seed.value) == ("random", 3, 8)
    assert (explorer.delay.value, explorer.pace.value, explorer.end.value) == ("fixed", "5ms", "")
    assert explorer.verdict.ok
    assert explorer.plan == recorder.Plan.parse("chunks=random:3,8; delay=fixed:5ms")
    with pytest.raises(recorder.PlanError, match="is not a term"):
        explorer.plan = "nonsense"


def test_what_cannot_be_made_is_told_and_the_last_run_stays(explorer: Explorer) -> None:
    """The error strip, and nothing raised into the void."""
    before = explorer.run
    from_browser(explorer.edits, value="cramp")
    assert "edit=cramp: unknown" in explorer.picture.error
    assert explorer.run is before
    from_browser(explorer.edits, value="crlf")
    assert explorer.picture.error == ""
    explorer.plan = "chunks=at:999"
    assert "999" in explorer.picture.error


def test_a_pace_of_another_kind_of_delay_is_dropped(explorer: Explorer) -> None:
    """One that fits is kept; an empty one stands for what the field suggests."""
    explorer.delay.value = "fixed"
    assert str(explorer.plan) == "delay=fixed:20ms"
    explorer.pace.value = "3ms"
    explorer.delay.value = "ttft"
    assert str(explorer.plan) == "delay=ttft:3ms"
    explorer.delay.value = "rate"
    assert str(explorer.plan) == "delay=rate:50/s"
    assert explorer.picture.error == ""


def test_the_picture_cuts_and_ends_at_the_byte_it_says(explorer: Explorer) -> None:
    """Not at the cursor, whose change may arrive later; what is no offset changes nothing."""
    message(explorer.picture, type="cut", at=60)
    assert str(explorer.plan) == "chunks=at:60"
    message(explorer.picture, type="end", at=96)
    assert str(explorer.plan) == "chunks=at:60; end=eof@96"
    assert explorer.verdict.code == "missing_terminal"
    for at in (-1, 107, "5", None):
        message(explorer.picture, type="cut", at=at)
    assert str(explorer.plan) == "chunks=at:60; end=eof@96"


def test_buttons(explorer: Explorer) -> None:
    """Presets make their plan, reset goes back."""
    for button in explorer.presets:
        message(button, event="click")
        assert explorer.picture.error == "", button.description
    assert str(explorer.plan) == "end=reset@mid:event"
    assert explorer.cursor == 99  # half of the event from 92 to 106
    message(explorer.reset, event="click")
    assert str(explorer.plan) == ""


def test_one_selection(explorer: Explorer) -> None:
    """Code and browser move the same cursor."""
    explorer.cursor = 92
    assert explorer.picture.cursor == 92
    from_browser(explorer.picture, cursor=7)
    assert explorer.cursor == 7


def test_the_gallery_is_there_to_choose_from() -> None:
    """Without a source; choosing another cassette keeps the plan."""
    with recorder.explore() as explorer:
        assert set(explorer.cassette.options) >= {"chat-lf", "chat-crlf"}
        explorer.cassette.value = "chat-lf"
        explorer.plan = "chunks=bytes:5"
        explorer.cassette.value = "chat-crlf"
        assert str(explorer.plan) == "chunks=bytes:5"
        assert explorer.run.stream.name == "chat-crlf"
        assert explorer.picture.error == ""


def test_a_recording_opens_at_its_own_pace() -> None:
    """Its chunks and times; virtual, so it costs nothing."""
    with recorder.explore("chat-lf") as explorer:
        assert str(explorer.plan) == "delay=recorded"
        assert explorer.run.delivery.end_ms > 100


def test_a_large_body_is_no_part_of_the_state() -> None:
    """It is sent a window at a time, when the browser asks."""
    body = b"data: " + b"x" * 300_000 + b"\n\n"
    with recorder.explore(body) as explorer:
        sent: list[tuple[Any, list[bytes]]] = []
        explorer.picture.send = lambda content, buffers: sent.append((content, buffers))
        assert explorer.picture.body == b""
        message(explorer.picture, type="bytes", at=100_000)
        assert sent[0][0] == {"type": "bytes", "start": 100_000 - 32 * 1024}
        assert sent[0][1] == [body[67_232 : 67_232 + 65_536]]


def test_too_many_chunks_are_told_in_words() -> None:
    """Instead of a hang."""
    with recorder.explore(b"data: " + b"x" * 300_000 + b"\n\n") as explorer:
        explorer.plan = "chunks=bytes:1"
        assert "too many to look at" in explorer.picture.error


def test_a_reader_that_fails_is_a_result() -> None:
    """Shown beside ours."""

    def broken(chunks):  # type: ignore[no-untyped-def]
        raise KeyError("secret")

    with recorder.explore(BODY, broken) as explorer:
        assert explorer.picture.view["reader"]["said"] == "raised KeyError"
        assert explorer.picture.error == ""


def test_threads_race() -> None:
    """Cells and callbacks set controls at the same time; the end is consistent."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        race()
    finally:
        sys.setswitchinterval(before)


def race() -> None:
    """In each round a cell and the browser change one control each, at the same moment."""
    with recorder.explore(BODY) as explorer:
        explorer.chunks.value = "bytes"
        for number in range(2, 42):
            start = threading.Barrier(2)

            def click(number: int = number, start: threading.Barrier = start) -> None:
                start.wait()
                from_browser(explorer.size, value=number)

            other = threading.Thread(target=click)
            other.start()
            start.wait()
            explorer.end.value = ("eof", "complete")[number % 2]
            other.join()
            assert str(explorer.plan) == f"chunks=bytes:{number}; end={explorer.end.value}"
            assert explorer.run.plan == explorer.plan
            assert numbers("I", explorer.picture.chunk_ends)[0] == number
        assert explorer.picture.error == ""


def test_closing_frees_every_widget() -> None:
    """Layouts and styles too."""
    from ipywidgets.widgets.widget import _instances

    before = set(_instances)
    explorer = recorder.explore(BODY)
    assert len(_instances) > len(before)
    explorer.close()
    assert set(_instances) == before


def test_without_widgets_there_is_html_and_a_line_of_text(explorer: Explorer) -> None:
    """For a notebook that is looked at without a kernel, and for a terminal."""
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/plain"].startswith("<Explorer: <Run of bytes: 106 of 106 bytes")
    assert "accepted by chat" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_room_loads_no_widget_until_one_is_made() -> None:
    """`import recorder.notebook` works where neither ipywidgets nor anywidget is installed."""
    code = (
        "import sys; sys.modules['ipywidgets'] = sys.modules['anywidget'] = None; import recorder.notebook as n;"
        "import recorder; print(n.make_run(n.event_streams('chat-lf')[0], recorder.Plan()).verdict.code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "accepted\n", done.stderr
