"""`edit=bom`."""

from __future__ import annotations

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import BYTE_ORDER_MARK
from recorder.plans._values import Bare


class Bom(Bare):
    r"""The body begins with a byte order mark. One is enough: a second is text (`insert@start:%EF%BB%BF` adds it).

    data: 1\n\n              ->  \xef\xbb\xbfdata: 1\n\n
    \xef\xbb\xbfdata: 1\n\n  ->  the same
    """

    __slots__ = ()

    form = "bom"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return () if body.startswith(BYTE_ORDER_MARK) else (Splice(0, 0, BYTE_ORDER_MARK),)
