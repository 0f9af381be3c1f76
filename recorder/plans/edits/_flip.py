"""`edit=flip@POS`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._places import Place, not_there, place
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import after


@dataclass(frozen=True, slots=True)
class Flip:
    r"""Bit 0 of the byte after POS is inverted: one damaged byte.

    data: 1\n\n  flip@6      ->  data: 0\n\n
    data: 1\n\n  flip@start  ->  eata: 1\n\n
    """

    form: ClassVar[str] = "flip@POS"
    where: Place

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(place(after("@", rest, "a place: flip@6")))

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        at = self.where.offset(body, contract)
        if at == len(body):
            raise not_there(self.where.text, "it has no byte after it")
        return (Splice(at, at + 1, bytes([body[at] ^ 1])),)
