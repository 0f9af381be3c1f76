"""`edit=dup@event:N`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans.edits._event import event_block, event_number


@dataclass(frozen=True, slots=True)
class Dup:
    r"""The N-th event comes twice in a row, with the comment lines of its own block.

    data: 1\n\ndata: 2\n\n  dup@event:1  ->  data: 1\n\ndata: 1\n\ndata: 2\n\n
    """

    form: ClassVar[str] = "dup@event:N"
    event: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(event_number(rest))

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        block = event_block(body, self.event)
        return (Splice(block.stop, block.stop, body[block.start : block.stop]),)
