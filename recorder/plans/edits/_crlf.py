"""`edit=crlf`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import LINE_END
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class CrLf:
    r"""Every line ends with CR LF.

    data: 1\n\n  ->  data: 1\r\n\r\n
    data: 1\r\r  ->  data: 1\r\n\r\n
    """

    form: ClassVar[str] = "crlf"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        found = ((end.start(), end[0]) for end in LINE_END.finditer(body))
        return [
            Splice(at, at, b"\r") if what == b"\n" else Splice(at + 1, at + 1, b"\n")
            for at, what in found
            if what != b"\r\n"
        ]
