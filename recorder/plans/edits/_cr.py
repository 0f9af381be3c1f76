"""`edit=cr`."""

from __future__ import annotations

import re

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import Bare

_WITH_LF = re.compile(rb"\r?\n")


class Cr(Bare):
    r"""Every line ends with CR, as the standard allows and hardly anybody tries.

    data: 1\n\n      ->  data: 1\r\r
    data: 1\r\n\r\n  ->  data: 1\r\r
    """

    __slots__ = ()

    form = "cr"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return [Splice(end.end() - 1, end.end(), b"" if len(end[0]) == 2 else b"\r") for end in _WITH_LF.finditer(body)]
