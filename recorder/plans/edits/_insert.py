"""`edit=insert@POS:TEXT`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.plans._places import Place, leading_place, place
from recorder.plans._splices import Splice, Splices
from recorder.plans._values import after

_NEEDS = "a place and a text: insert@event:2:%3A ping%0A%0A"
_SAFE = frozenset(range(0x20, 0x7F)) - frozenset(b",;%")
_TEXT = re.compile(r"(?:[ -$&-+\--:<-~]|%[0-9A-Fa-f]{2})*")  # the same set, and what is escaped
_ESCAPE = re.compile(rb"%(..)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Insert:
    r"""TEXT is inserted at POS. It is percent-encoded: `, ; %`, controls and everything beyond ASCII are escaped.

    data: 1\n\n  insert@event:1:data: x%0A%0A  ->  data: 1\n\ndata: x\n\n
    """

    form: ClassVar[str] = "insert@POS:TEXT"
    where: Place
    text: bytes

    @classmethod
    def parse(cls, rest: str) -> Self:
        where, text = leading_place(after("@", rest, _NEEDS))
        found = place(where)
        if not text:
            raise PlanError(f"needs {_NEEDS}")
        return cls(found, percent_decoded(text))

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        at = self.where.offset(body, contract)
        return (Splice(at, at, self.text),)


def percent_encoded(data: bytes) -> str:
    """`data` as the TEXT of an insert: a space at its end is escaped too, so that it is seen."""
    text = "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in data)
    return text[:-1] + "%20" if text.endswith(" ") else text


def percent_decoded(text: str) -> bytes:
    """The bytes that TEXT stands for.

    Raises:
        PlanError: something in it must be escaped and is not, or is not an escape.
    """
    if _TEXT.fullmatch(text) is None or text.endswith(" "):
        raise PlanError("in TEXT, write , ; % and what is not printable ASCII as %2C, and a space at its end as %20")
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), text.encode("ascii"))
