"""`end=complete`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending
from recorder.plans._values import no_more
from recorder.plans.ends._protocol import Stop, ended

_END = End(Ending.COMPLETE)


@dataclass(frozen=True, slots=True)
class Complete:
    r"""Everything, then a proper HTTP end.

    data: 1\n\ndata: 2\n\n, then the end
    """

    form: ClassVar[str] = "complete"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def stop(self, edited: Edited) -> Stop:
        return ended(_END, len(edited.body))
