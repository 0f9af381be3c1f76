"""`end=stall[@POS[:30s]]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._places import leading_place
from recorder.plans._step import End, Ending, Wait
from recorder.plans._values import seconds
from recorder.plans.ends._protocol import HEAD, Stop, Where, optional_place


@dataclass(frozen=True, slots=True)
class Stall:
    r"""Nothing comes after that place, and no end either; with a time, delivery only rests so long, then goes on.

    data: 1\n\ndata: 2\n\n  stall@9      ->  data: 1\n\n, then nothing for ever
    data: 1\n\ndata: 2\n\n  stall@9:30s  ->  data: 1\n\n, 30 s, data: 2\n\n, then the end
    """

    form: ClassVar[str] = "stall[@POS[:30s]]"
    where: Where
    pause_s: float | None = None

    @classmethod
    def parse(cls, rest: str) -> Self:
        where, pause = leading_place(rest.removeprefix("@")) if rest.startswith("@") else (rest, None)
        if pause is None:
            return cls(optional_place(rest))
        return cls(Where.parse(where), seconds(pause))

    def stop(self, edited: Edited) -> Stop:
        at = self.where.offset(edited)
        if self.pause_s is None:
            return Stop(at, Wait(None, before_head=at == HEAD))
        return Stop(len(edited.body), End(Ending.COMPLETE), at, self.pause_s)
