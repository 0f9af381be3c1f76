"""`edit=lf`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import no_more

_WITH_CR = re.compile(rb"\r\n?")


@dataclass(frozen=True, slots=True)
class Lf:
    r"""Every line ends with LF. Of CR LF the CR goes, so the line is complete when it was.

    data: 1\r\n\r\n  ->  data: 1\n\n
    data: 1\r\r      ->  data: 1\n\n
    """

    form: ClassVar[str] = "lf"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return [
            Splice(end.start(), end.start() + 1, b"" if len(end[0]) == 2 else b"\n") for end in _WITH_CR.finditer(body)
        ]
