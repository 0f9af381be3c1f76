"""`edit=comments[:N]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import own_line_end, structure
from recorder.plans._values import after, number

COMMENT = b": keep-alive"
_NEEDS = "a whole number of at least 1"


@dataclass(frozen=True, slots=True)
class Comments:
    r"""A block that is only a comment before every N-th event, as heartbeats are, in the stream's own line ends.

    data: 1\n\ndata: 2\n\n  comments    ->  : keep-alive\n\ndata: 1\n\n: keep-alive\n\ndata: 2\n\n
    data: 1\n\ndata: 2\n\n  comments:2  ->  data: 1\n\n: keep-alive\n\ndata: 2\n\n
    """

    form: ClassVar[str] = "comments[:N]"
    every: int = 1

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(number(after(":", rest, _NEEDS), _NEEDS, 1)) if rest else cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        block = COMMENT + own_line_end(body) * 2
        events = structure(body).events[self.every - 1 :: self.every]
        return [Splice(event.start, event.start, block) for event in events]
