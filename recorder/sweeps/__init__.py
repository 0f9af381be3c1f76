"""One reader under a family of plans: does it give one result for every delivery, and tell the truth about a cut?"""

from recorder.sweeps._again import HUNG_AFTER, SOONEST
from recorder.sweeps._command import Command
from recorder.sweeps._failure import Cut, Failure
from recorder.sweeps._families import KINDS, Sample
from recorder.sweeps._report import PROVES, Report, summary
from recorder.sweeps._result import FAILING, REASONS, Result
from recorder.sweeps._runs import Reader, Run, check_called, is_async, run
from recorder.sweeps._shown import printable
from recorder.sweeps._sources import event_streams
from recorder.sweeps._sweep import check_reader, sweep
from recorder.sweeps._tally import Row
from recorder.sweeps._text import CLASS_HEAD, ROW_HEAD, absent, class_cells, row_cells, stories
from recorder.sweeps._via import Via

__all__ = [
    "CLASS_HEAD",
    "FAILING",
    "HUNG_AFTER",
    "KINDS",
    "PROVES",
    "REASONS",
    "ROW_HEAD",
    "SOONEST",
    "Command",
    "Cut",
    "Failure",
    "Reader",
    "Report",
    "Result",
    "Row",
    "Run",
    "Sample",
    "Via",
    "absent",
    "check_called",
    "check_reader",
    "class_cells",
    "event_streams",
    "is_async",
    "printable",
    "row_cells",
    "run",
    "stories",
    "summary",
    "sweep",
]
