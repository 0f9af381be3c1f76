"""`end=eof[@POS]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending
from recorder.plans.ends._protocol import Stop, Where, ended, optional_place

_END = End(Ending.EOF)


@dataclass(frozen=True, slots=True)
class Eof:
    r"""A clean HTTP end there: the reader sees the end of the body and no error. Without a place, after the last byte.

    data: 1\n\ndata: 2\n\n  eof@event:1  ->  data: 1\n\n, then the end
    """

    form: ClassVar[str] = "eof[@POS]"
    where: Where

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(optional_place(rest))

    def stop(self, edited: Edited) -> Stop:
        return ended(_END, self.where.offset(edited))
