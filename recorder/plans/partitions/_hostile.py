"""`chunks=hostile`."""

from __future__ import annotations

from collections.abc import Sequence

from recorder.plans._boundaries import boundary_classes
from recorder.plans._edited import Edited
from recorder.plans._values import Bare


class Hostile(Bare):
    r"""A cut at the first offset of every boundary class the body has: inside a field name, after a colon, between CR
    and LF, inside a code point, an escape, a number, and so on.

    d | ata | : | <space> | {"a":1,"b":23}\n\n     (and so on inside the JSON)
    """

    __slots__ = ()

    form = "hostile"

    def cuts(self, edited: Edited) -> Sequence[int]:
        return boundary_classes(edited.body).firsts
