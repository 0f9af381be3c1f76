"""`chunks=recorded`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class Recorded:
    r"""The chunks that arrived, their boundaries carried through the edits. The default where they are known.

    chunks: [[0, 9], [34, 9]]    data: 1\n\n | data: 2\n\n
    """

    form: ClassVar[str] = "recorded"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def cuts(self, edited: Edited) -> Sequence[int]:
        timeline = edited.timeline()
        if timeline is None:
            raise PlanError("no chunks were recorded for this body; use whole, bytes:N, events or another")
        return timeline.bounds[:-1]
