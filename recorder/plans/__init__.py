"""Plans: any delivery of the same bytes, as data. Pure: no clock, no I/O, no third party."""

from recorder.contracts import Contract as Contract  # for the signatures of rooms that see contracts only here
from recorder.plans._boundaries import Boundaries, boundary_classes
from recorder.plans._boundary import Boundary
from recorder.plans._framing import Framing
from recorder.plans._grammar import GRAMMAR
from recorder.plans._plan import Plan
from recorder.plans._step import Deliver, End, Ending, Step, Wait
from recorder.plans._steps import AtOnce, at_once, edited_body, steps
from recorder.plans._structure import event_ends
from recorder.plans.edits import percent_encoded

__all__ = [
    "GRAMMAR",
    "AtOnce",
    "Boundaries",
    "Boundary",
    "Deliver",
    "End",
    "Ending",
    "Framing",
    "Plan",
    "Step",
    "Wait",
    "at_once",
    "boundary_classes",
    "edited_body",
    "event_ends",
    "percent_encoded",
    "steps",
]
