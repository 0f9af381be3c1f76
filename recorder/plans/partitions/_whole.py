"""`chunks=whole`."""

from __future__ import annotations

from collections.abc import Sequence

from recorder.plans._edited import Edited
from recorder.plans._values import Bare


class Whole(Bare):
    r"""One chunk.

    data: 1\n\ndata: 2\n\n
    """

    __slots__ = ()

    form = "whole"

    def cuts(self, edited: Edited) -> Sequence[int]:
        return ()
