"""Notebooks: the explorer, comparisons, timing, magics, and what a run looks like. Loading this loads no widget."""

from recorder.notebook._compare import Comparison, compare
from recorder.notebook._explore import explore
from recorder.notebook._magics import register as register_magics
from recorder.notebook._run import Run, make_run
from recorder.notebook._source import Source, Stream, event_streams
from recorder.notebook._timing import Timing, TimingPlot, plot_timing

__all__ = [
    "Comparison",
    "Run",
    "Source",
    "Stream",
    "Timing",
    "TimingPlot",
    "compare",
    "event_streams",
    "explore",
    "make_run",
    "plot_timing",
    "register_magics",
]
