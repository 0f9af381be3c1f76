"""`chunks=recorded`."""

from __future__ import annotations

from collections.abc import Sequence

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import Bare


class Recorded(Bare):
    r"""The chunks that arrived, their boundaries carried through the edits. The default where they are known.

    chunks: [[0, 9], [34, 9]]    data: 1\n\n | data: 2\n\n
    """

    __slots__ = ()

    form = "recorded"

    def cuts(self, edited: Edited) -> Sequence[int]:
        timeline = edited.timeline()
        if timeline is None:
            raise PlanError("no chunks were recorded for this body; use whole, bytes:N, events or another")
        return timeline.bounds[:-1]
