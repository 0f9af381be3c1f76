"""The explorer: a form that writes a plan, and the picture of what that plan does to a stream.

Rule: callbacks run in different threads, depending on the kernel, while cells set the same controls: one lock around
each, no task is made in one, and the work itself is a pure function. What goes wrong is shown in the picture, because a
notebook shows nothing of what a callback prints or raises.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Self

import ipywidgets
import traitlets

from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.notebook._choice import CHUNKS, DELAYS, ENDS, PACES, PRESETS, Choice, preset
from recorder.notebook._html import run_html
from recorder.notebook._picture import Picture
from recorder.notebook._reader import Reader
from recorder.notebook._run import Run, make_run
from recorder.notebook._source import Stream
from recorder.plans import Plan

_LABEL = {"description_width": "6.2em"}


class Explorer(ipywidgets.VBox):  # type: ignore[misc]  # its base is Any to mypy
    """What `recorder.explore` gives; display it as the last line of a cell.

    Every control is an attribute with a `value` that code can set: `cassette`, `interaction`, `chunks`, `size`, `at`,
    `seed`, `delay`, `pace`, `end`, `stop`, `edits`, `reader_timeout`. `reset` and `presets` are buttons.

    Traits:
        plan: the plan of the form; setting it (text will do) fills the form in.
        run: the last delivery that could be made, a value with an HTML representation of its own.
        verdict: what the contract says of it, None where the dialect is not recognised.
        cursor: the selected byte; the chunk and the event it belongs to are selected with it.
    """

    plan = traitlets.Any()
    run = traitlets.Any()
    verdict = traitlets.Any()
    cursor = traitlets.Int()

    def __init__(
        self,
        sources: dict[str, tuple[Stream, ...]],
        reader: Reader | None = None,
        contract: Contract | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._busy = False
        self._sources, self._reader, self._contract = sources, reader, contract
        self._framing = ""
        self._streams: tuple[Stream, ...] = ()
        self._make_controls()
        self.picture = Picture(self._cut)
        super().__init__()
        self.children = self._layout()
        self.add_class("recorder-explorer-form")
        traitlets.link((self, "cursor"), (self.picture, "cursor"))
        self._load()
        self._fill(self._recorded_pace())
        self._recompute()
        self._listen()

    # the form

    def _make_controls(self) -> None:
        names = list(self._sources)
        text = {"continuous_update": False, "style": _LABEL}
        self.cassette = ipywidgets.Dropdown(options=names, value=names[0], description="Cassette", style=_LABEL)
        self.interaction = ipywidgets.Dropdown(options=[("1", 1)], description="Stream", style=_LABEL)
        self.chunks = ipywidgets.Dropdown(options=_options(CHUNKS), description="Chunks", style=_LABEL)
        self.size = ipywidgets.BoundedIntText(value=1, min=1, max=10**15, description="Size", **text)
        self.at = ipywidgets.Text(value="mid:event", description="Cuts at", **text)
        self.seed = ipywidgets.BoundedIntText(value=1, min=0, max=10**15, description="Seed", **text)
        self.delay = ipywidgets.Dropdown(options=_options(DELAYS), description="Delay", style=_LABEL)
        self.pace = ipywidgets.Text(description="Pace", placeholder="20ms", **text)
        self.end = ipywidgets.Dropdown(options=_options(ENDS), description="End", style=_LABEL)
        self.stop = ipywidgets.Text(description="End at", placeholder="event:3", **text)
        self.edits = ipywidgets.Text(description="Edits", placeholder="crlf,bom", **text)
        self.reader_timeout = ipywidgets.BoundedFloatText(value=30, min=0, max=1e9, description="Timeout s", **text)
        self.reset = ipywidgets.Button(description="Reset")
        self.presets = tuple(ipywidgets.Button(description=name) for name in PRESETS)

    @property
    def _plan_controls(self) -> tuple[ipywidgets.Widget, ...]:
        return self.chunks, self.size, self.at, self.seed, self.delay, self.pace, self.end, self.stop, self.edits

    def _layout(self) -> list[ipywidgets.Widget]:
        controls = [self.cassette, self.interaction, *self._plan_controls, self.reader_timeout]
        for control in controls:
            control.layout.width = "auto"
        columns = "repeat(auto-fit, minmax(14em, 1fr))"
        form = ipywidgets.GridBox(controls, layout={"grid_template_columns": columns, "grid_gap": "2px 8px"})
        for button in (*self.presets, self.reset):
            button.layout.width = "auto"
        buttons = ipywidgets.HBox([*self.presets, self.reset], layout={"flex_flow": "row wrap"})
        return [form, buttons, self.picture]

    def _listen(self) -> None:
        self.cassette.observe(self._safely(self._on_cassette), "value")
        self.interaction.observe(self._safely(self._on_controls), "value")
        self.delay.observe(self._safely(self._on_delay), "value")
        for control in {*self._plan_controls, self.reader_timeout} - {self.delay}:
            control.observe(self._safely(self._on_controls), "value")
        self.observe(self._safely(self._on_plan), "plan")
        self.reset.on_click(self._safely(lambda _: self._use(self._recorded_pace())))
        for button in self.presets:
            button.on_click(self._safely(self._on_preset))

    def _safely(self, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        """`callback` under the lock, not called by the changes it makes itself, its errors shown in the picture."""

        def guarded(change: Any) -> None:
            with self._lock:
                if self._busy:
                    return
                self._busy = True
                try:
                    callback(change)
                except Exception as error:  # nothing else would show it
                    self.picture.error = f"{error}" or type(error).__name__
                finally:
                    self._busy = False

        return guarded

    # what happens

    def _on_cassette(self, _: Any) -> None:
        self._load()
        self._recompute()

    def _on_controls(self, _: Any) -> None:
        self._recompute()

    def _on_delay(self, _: Any) -> None:
        self.pace.placeholder = PACES.get(self.delay.value, "")  # which is what an empty pace stands for
        try:
            self._choice().plan()
        except PlanError:  # the pace of another kind of delay
            self.pace.value = ""
        self._recompute()

    def _on_plan(self, _: Any) -> None:
        self._fill(self.plan)
        self._recompute()

    def _on_preset(self, button: ipywidgets.Button) -> None:
        if button.description == PRESETS[0]:
            self._use(self._recorded_pace())
            return
        self._use(preset(button.description, self.stream.interaction))
        self.cursor = self._place_of(self.run)

    def _cut(self, kind: str, at: int) -> None:
        """From the picture: a cut between two chunks at this byte, or the end of delivery."""
        self._safely(lambda _: self._cut_at(kind, at))(None)

    def _cut_at(self, kind: str, at: int) -> None:
        plan = self._choice().plan()
        change = {"chunks": f"at:{at}"} if kind == "cut" else {"end": f"eof@{at}"}
        kept = {name: getattr(plan, name) for name in ("chunks", "delay", "end", "framing", "edits")}
        self._use(Plan(**(kept | change)))

    def _place_of(self, run: Run) -> int:
        """The place a plan is about: where delivery stops early, else the first cut."""
        found = run.delivery
        return found.size if found.size < len(found.body) else found.chunk_ends[0]

    def _use(self, plan: Plan) -> None:
        self._fill(plan)
        self._recompute()

    @traitlets.validate("plan")
    def _valid_plan(self, proposal: Any) -> Plan:
        return Plan.of(proposal["value"])

    @property
    def stream(self) -> Stream:
        """The event stream that is chosen."""
        return self._streams[(self.interaction.value or 1) - 1]

    def _load(self) -> None:
        self._streams = self._sources[self.cassette.value]
        self.interaction.options = [(each.label, each.number) for each in self._streams]
        self.interaction.value = 1

    def _recorded_pace(self) -> Plan:
        return Plan(delay="recorded") if self.stream.interaction.response.chunks else Plan()

    def _choice(self) -> Choice:
        values = {name: getattr(self, name).value for name in ("chunks", "size", "at", "delay", "pace", "end", "stop")}
        return Choice(**values, edits=self.edits.value, seed=self.seed.value, framing=self._framing)

    def _fill(self, plan: Plan) -> None:
        choice = self._choice().of(plan)
        self._framing = choice.framing
        for name in ("chunks", "size", "at", "delay", "pace", "end", "stop", "edits", "seed"):
            getattr(self, name).value = getattr(choice, name)

    def _recompute(self) -> None:
        """Make the run of what the form says; what cannot be made leaves the last one, and says why."""
        try:
            self.plan = plan = self._choice().plan()
            timeout = self.reader_timeout.value or None
            run = make_run(self.stream, plan, contract=self._contract, timeout=timeout, reader=self._reader)
        except ValueError as error:
            self.picture.error = str(error)
            return
        self.picture.show(run)
        self.run, self.verdict = run, run.verdict

    # as a value

    def close(self) -> None:
        """Free every widget of this explorer, in the browser too."""
        widgets = [self.picture, *self.children, *self.children[0].children, *self.children[1].children]
        for widget in widgets:
            for owned in (widget.layout, getattr(widget, "style", None)):
                if isinstance(owned, ipywidgets.Widget):
                    owned.close()
            widget.close()
        self.layout.close()
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Explorer: {self.run!r}>" if self.run is not None else "<Explorer>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if self.run is not None:
            data = dict(data or {}) | {"text/plain": repr(self), "text/html": run_html(self.run)}
        return (data, metadata) if isinstance(bundle, tuple) else data


def _options(words: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(word or "(default)", word) for word in words]
