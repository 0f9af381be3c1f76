"""`edit=nospace`."""

from __future__ import annotations

from collections.abc import Iterator

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import structure
from recorder.plans._values import Bare


class NoSpace(Bare):
    r"""The one optional space after a field's colon goes, where the value stays the same without it. Comments stay.

    data: 1\n   ->  data:1\n
    data:  1\n  ->  the same: the value has a space of its own, and would lose it
    : hi\n      ->  the same
    """

    __slots__ = ()

    form = "nospace"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return list(_spaces(body))


def _spaces(body: bytes) -> Iterator[Splice]:
    for start, end, _ in structure(body).lines:
        colon = body.find(b":", start, end)
        if colon > start and body.startswith(b" ", colon + 1) and not body.startswith(b" ", colon + 2):
            yield Splice(colon + 1, colon + 2, b"")
