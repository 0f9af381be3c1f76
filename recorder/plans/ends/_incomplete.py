"""`end=incomplete[@POS]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending
from recorder.plans.ends._protocol import Stop, Where, ended, optional_place

_END = End(Ending.INCOMPLETE)


@dataclass(frozen=True, slots=True)
class Incomplete:
    r"""The connection closes inside the HTTP framing there: before the last transfer chunk, or short of the length.

    data: 1\n\ndata: 2\n\n  incomplete@-1  ->  data: 1\n\ndata: 2\n, then an incomplete read
    """

    form: ClassVar[str] = "incomplete[@POS]"
    where: Where

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(optional_place(rest))

    def stop(self, edited: Edited) -> Stop:
        return ended(_END, self.where.offset(edited))
