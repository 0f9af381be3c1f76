"""Plans: any delivery of the same bytes, as data. Pure: no clock, no I/O, no third party."""

from recorder.contracts import Contract as Contract  # for the signatures of rooms that see contracts only here
from recorder.plans._boundaries import Boundaries, boundary_classes
from recorder.plans._boundary import Boundary
from recorder.plans._delivery import Delivery, delivery, edited_body
from recorder.plans._framing import Framing
from recorder.plans._grammar import GRAMMAR
from recorder.plans._places import place_offset
from recorder.plans._plan import Plan
from recorder.plans._step import Deliver, End, Ending, Step, Wait
from recorder.plans._steps import steps
from recorder.plans._structure import event_ends
from recorder.plans.edits import percent_encoded
from recorder.plans.ends import HEAD
from recorder.plans.partitions import random_cuts, random_sums

__all__ = [
    "GRAMMAR",
    "HEAD",
    "Boundaries",
    "Boundary",
    "Deliver",
    "Delivery",
    "End",
    "Ending",
    "Framing",
    "Plan",
    "Step",
    "Wait",
    "boundary_classes",
    "delivery",
    "edited_body",
    "event_ends",
    "percent_encoded",
    "place_offset",
    "random_cuts",
    "random_sums",
    "steps",
]
