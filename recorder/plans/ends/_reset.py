"""`end=reset[@POS]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending
from recorder.plans.ends._protocol import Stop, Where, ended, optional_place

_END = End(Ending.RESET)


@dataclass(frozen=True, slots=True)
class Reset:
    r"""The connection is reset there.

    data: 1\n\ndata: 2\n\n  reset@12    ->  data: 1\n\ndat, then a reset
    data: 1\n\ndata: 2\n\n  reset@head  ->  a reset instead of the status line
    """

    form: ClassVar[str] = "reset[@POS]"
    where: Where

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(optional_place(rest))

    def stop(self, edited: Edited) -> Stop:
        return ended(_END, self.where.offset(edited))
