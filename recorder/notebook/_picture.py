"""The picture as a widget: a run as JSON and arrays for `explorer.js`, which draws, plays and selects in the browser.

Rule: what the browser is given is data; it sets text, never HTML. Above 256 KiB the bytes are not part of the widget's
state (it would be saved into the notebook): the browser asks for the window it shows.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

if TYPE_CHECKING:
    from recorder.notebook._run import Run

WHOLE = 256 * 1024
WINDOW = 64 * 1024
TEXT = 20_000

_HERE = files("recorder.notebook")


class Picture(anywidget.AnyWidget):
    """Everything below the form.

    Traits:
        view: what is told in words and small numbers.
        body: the delivered body, or nothing when it is large.
        chunk_ends, chunk_ms, event_ends, event_types: arrays: uint32, float64, uint32, uint16.
        cursor: the selected byte.
        error: what is wrong with what was asked for; "" when the picture is up to date.
    """

    _esm = (_HERE / "explorer.js").read_text("utf-8")
    _css = (_HERE / "explorer.css").read_text("utf-8")

    view = traitlets.Dict().tag(sync=True)
    body = traitlets.Bytes().tag(sync=True)
    chunk_ends = traitlets.Bytes().tag(sync=True)
    chunk_ms = traitlets.Bytes().tag(sync=True)
    event_ends = traitlets.Bytes().tag(sync=True)
    event_types = traitlets.Bytes().tag(sync=True)
    cursor = traitlets.Int().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, on_cut: Callable[[str, int], None], **options: Any) -> None:
        super().__init__(**options)
        self._on_cut, self._bytes = on_cut, b""
        self.on_msg(self._asked)

    def show(self, run: Run) -> None:
        """Draw another run."""
        self._bytes = run.delivery.body
        types = list(dict.fromkeys(event.type for event in run.events))
        numbers = {name: number for number, name in enumerate(types)}
        with self.hold_sync():
            self.view = view_of(run, types)
            self.body = self._bytes if len(self._bytes) <= WHOLE else b""
            self.chunk_ends = run.delivery.chunk_ends.tobytes()
            self.chunk_ms = run.delivery.chunk_ms.tobytes()
            self.event_ends = array("I", run.event_ends).tobytes()
            self.event_types = array("H", [min(numbers[event.type], 0xFFFF) for event in run.events]).tobytes()
            self.cursor = min(self.cursor, len(self._bytes))
            self.error = ""

    def _asked(self, _: Any, content: dict[str, Any], __: Any) -> None:
        """A message from the browser. It carries its argument, as it may overtake a change of a trait."""
        at = content.get("at")
        if not isinstance(at, int) or not 0 <= at <= len(self._bytes):
            return
        if content.get("type") == "bytes":
            start = max(0, at - WINDOW // 2)
            self.send({"type": "bytes", "start": start}, [self._bytes[start : start + WINDOW]])
        elif content.get("type") in ("cut", "end"):
            self._on_cut(content["type"], at)


def view_of(run: Run, types: list[str]) -> dict[str, Any]:
    """What the browser is told of a run, in JSON."""
    verdict, found = run.verdict, run.delivery
    more = len(run.text) - TEXT
    return {
        "name": run.stream.name,
        "size": len(found.body),
        "end_ms": found.end_ms,
        "outcome": run.outcome,
        "notes": [list(note) for note in run.notes],
        "types": types,
        "text": run.text[:TEXT] + (f" ... and {more:,} more characters" if more > 0 else ""),
        "marks": [list(mark) for mark in run.marks],
        "decided": run.decided,
        "verdict": None
        if verdict is None
        else {"ok": verdict.ok, "code": str(verdict.code), "explanation": verdict.explain()},
        "contract": None if run.contract is None else run.contract.name,
        "reader": None
        if run.reader is None
        else {
            "name": run.reader.name,
            "said": run.reader.said,
            "same": run.reader.same,
            "claims": run.reader.claims,
            "shown": run.reader.shown,
        },
        "test": run.test,
        "command": run.command,
    }
