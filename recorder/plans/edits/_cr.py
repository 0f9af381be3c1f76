"""`edit=cr`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import no_more

_WITH_LF = re.compile(rb"\r?\n")


@dataclass(frozen=True, slots=True)
class Cr:
    r"""Every line ends with CR, as the standard allows and hardly anybody tries.

    data: 1\n\n      ->  data: 1\r\r
    data: 1\r\n\r\n  ->  data: 1\r\r
    """

    form: ClassVar[str] = "cr"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return [Splice(end.end() - 1, end.end(), b"" if len(end[0]) == 2 else b"\r") for end in _WITH_LF.finditer(body)]
