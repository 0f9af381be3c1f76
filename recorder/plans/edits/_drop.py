"""`edit=drop@event:N`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans.edits._event import event_block, event_number


@dataclass(frozen=True, slots=True)
class Drop:
    r"""The N-th event is missing, with the comment lines of its own block. Comment-only blocks stay.

    data: 1\n\n: hi\n\ndata: 2\n\n  drop@event:2   ->  data: 1\n\n: hi\n\n
    data: 1\n\n: hi\n\ndata: 2\n\n  drop@event:-2  ->  : hi\n\ndata: 2\n\n
    """

    form: ClassVar[str] = "drop@event:N"
    event: int

    @classmethod
    def parse(cls, rest: str) -> Self:
        return cls(event_number(rest))

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        block = event_block(body, self.event)
        return (Splice(block.start, block.stop, b""),)
