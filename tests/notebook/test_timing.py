"""Timing of recordings: numbers by hand, and three drawings of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import recorder

EVENT = b"data: 1\n\n"  # 9 bytes


def recording() -> recorder.Interaction:
    """Three events in three chunks: 200 ms, then 300 ms and 500 ms later; the last chunk holds the end of the third."""
    chunks = (recorder.Chunk(0.2, 9), recorder.Chunk(0.3, 13), recorder.Chunk(0.5, 5))
    return recorder.Interaction(
        recorder.Request("POST", "https://a.example/"),
        recorder.Response(200, {"content-type": "text/event-stream"}, EVENT * 3, chunks),
    )


def test_the_numbers() -> None:
    """The first event at 200 ms, gaps of 300 and 500 ms, two more events in 800 ms."""
    timing = recorder.plot_timing(recording(), backend="svg").timings[0]
    assert timing.first_event_ms == pytest.approx(200)
    assert timing.event_ms == pytest.approx((200, 500, 1000))
    assert timing.gaps_ms == pytest.approx((300, 500))
    assert timing.events_per_s == pytest.approx(2.5)
    assert timing.end_ms == pytest.approx(1000)


@pytest.mark.parametrize("backend", ["matplotlib", "altair", "svg"])
def test_each_drawing(backend: str) -> None:
    """An image that says in words what it shows, the numbers as a table, no address of another host in the HTML."""
    if backend != "svg":
        pytest.importorskip(backend)
    plot = recorder.plot_timing(recording(), "chat-lf", backend=backend)
    bundle = plot._repr_mimebundle_()
    assert (plot.figure is None) == (backend == "svg")
    assert "first event after 200 ms, 2.5 events a second" in bundle["text/html"]
    assert bundle["text/html"].count("<img") == 1
    assert "http" not in bundle["text/html"]
    assert bundle["text/plain"].splitlines()[1].split() == ["interaction", "200", "400", "500", "2.5"]
    if backend == "altair":
        assert any(name.startswith("application/vnd.vegalite.v") for name in bundle)


def test_without_a_plotting_library_there_is_svg() -> None:
    """Nothing to install for a first look."""
    code = (
        "import importlib.util as u; real = u.find_spec;"
        "u.find_spec = lambda name, *a: None if name in ('matplotlib', 'altair') else real(name, *a);"
        "import recorder; print(recorder.plot_timing('chat-lf').backend)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "svg\n"


def test_what_cannot_be_plotted() -> None:
    """Each says why."""
    with pytest.raises(ValueError, match="no chunk times were recorded"):
        recorder.plot_timing(EVENT)
    with pytest.raises(ValueError, match="at least one source"):
        recorder.plot_timing()
    with pytest.raises(ValueError, match="use matplotlib, altair, svg"):
        recorder.plot_timing(recording(), backend="gnuplot")
