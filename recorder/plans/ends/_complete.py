"""`end=complete`."""

from __future__ import annotations

from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending
from recorder.plans._values import Bare
from recorder.plans.ends._protocol import Stop, ended

_END = End(Ending.COMPLETE)


class Complete(Bare):
    r"""Everything, then a proper HTTP end.

    data: 1\n\ndata: 2\n\n, then the end
    """

    __slots__ = ()

    form = "complete"

    def stop(self, edited: Edited) -> Stop:
        return ended(_END, len(edited.body))
