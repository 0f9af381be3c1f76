"""`chunks=bytes:N`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.plans._edited import Edited
from recorder.plans._values import after, number

_NEEDS = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Bytes:
    r"""N bytes at a time; the last chunk has what is left.

    bytes:4    data | : 1\n | \n
    """

    form: ClassVar[str] = "bytes:N"
    size: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(number(after(":", rest, _NEEDS), _NEEDS, 1))

    def cuts(self, edited: Edited) -> Sequence[int]:
        return range(self.size, len(edited.body), self.size)
