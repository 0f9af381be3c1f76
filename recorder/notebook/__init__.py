"""Notebooks: the explorer, comparisons, timing, magics, and what a run looks like. Loading this loads no widget."""

from recorder.notebook._explore import explore
from recorder.notebook._run import Run, make_run
from recorder.notebook._source import Source, Stream, event_streams

__all__ = ["Run", "Source", "Stream", "event_streams", "explore", "make_run"]
