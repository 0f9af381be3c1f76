"""`edit=utf8@POS`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._places import Place, place
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import after


@dataclass(frozen=True, slots=True)
class Utf8:
    r"""A byte that no UTF-8 has, 0xFF, is inserted at POS.

    data: 1\n\n  utf8@6    ->  data: \xff1\n\n
    data: 1\n\n  utf8@end  ->  data: 1\n\n\xff
    """

    form: ClassVar[str] = "utf8@POS"
    where: Place

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(place(after("@", rest, "a place: utf8@6")))

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        at = self.where.offset(body, contract)
        return (Splice(at, at, b"\xff"),)
