"""`edit=crlf`."""

from __future__ import annotations

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import LINE_END
from recorder.plans._values import Bare


class CrLf(Bare):
    r"""Every line ends with CR LF.

    data: 1\n\n  ->  data: 1\r\n\r\n
    data: 1\r\r  ->  data: 1\r\n\r\n
    """

    __slots__ = ()

    form = "crlf"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        found = ((end.start(), end[0]) for end in LINE_END.finditer(body))
        return [
            Splice(at, at, b"\r") if what == b"\n" else Splice(at + 1, at + 1, b"\n")
            for at, what in found
            if what != b"\r\n"
        ]
