"""`edit=lf`."""

from __future__ import annotations

import re

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import Bare

_WITH_CR = re.compile(rb"\r\n?")


class Lf(Bare):
    r"""Every line ends with LF. Of CR LF the CR goes, so the line is complete when it was.

    data: 1\r\n\r\n  ->  data: 1\n\n
    data: 1\r\r      ->  data: 1\n\n
    """

    __slots__ = ()

    form = "lf"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return [
            Splice(end.start(), end.start() + 1, b"" if len(end[0]) == 2 else b"\n") for end in _WITH_CR.finditer(body)
        ]
