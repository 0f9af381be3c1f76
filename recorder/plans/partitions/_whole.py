"""`chunks=whole`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class Whole:
    r"""One chunk.

    data: 1\n\ndata: 2\n\n
    """

    form: ClassVar[str] = "whole"

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def cuts(self, edited: Edited) -> Sequence[int]:
        return ()
