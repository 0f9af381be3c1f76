"""One reader under a family of plans: does it give one result for every delivery, and tell the truth about a cut?"""

from recorder.sweeps._families import KINDS
from recorder.sweeps._report import Failure, Report, Result, printable
from recorder.sweeps._runs import Reader, Run, is_async, run
from recorder.sweeps._sweep import check_reader, event_streams, sweep

__all__ = [
    "KINDS",
    "Failure",
    "Reader",
    "Report",
    "Result",
    "Run",
    "check_reader",
    "event_streams",
    "is_async",
    "printable",
    "run",
    "sweep",
]
