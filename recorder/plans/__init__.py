"""Plans: any delivery of the same bytes, as data. Pure: no clock, no I/O, no third party."""

from recorder.plans._ends import Ending
from recorder.plans._places import event_ends
from recorder.plans._plan import Plan
from recorder.plans._steps import Deliver, End, Step, Wait, steps

__all__ = ["Deliver", "End", "Ending", "Plan", "Step", "Wait", "event_ends", "steps"]
