"""`edit=bom`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import BYTE_ORDER_MARK
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class Bom:
    r"""The body begins with a byte order mark. One is enough: a second is text (`insert@start:%EF%BB%BF` adds it).

    data: 1\n\n              ->  \xef\xbb\xbfdata: 1\n\n
    \xef\xbb\xbfdata: 1\n\n  ->  the same
    """

    form: ClassVar[str] = "bom"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return () if body.startswith(BYTE_ORDER_MARK) else (Splice(0, 0, BYTE_ORDER_MARK),)
