"""The three kinds of step. A replay is a sequence of these and nothing else.

Rule: plain values that are cheap to make; who performs them brings the clock and the connection.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Ending(StrEnum):
    """What the reader's transport meets after the last byte."""

    COMPLETE = "complete"  # a proper HTTP end
    EOF = "eof"  # a clean HTTP end, wherever it stands
    INCOMPLETE = "incomplete"  # closed inside the HTTP framing
    RESET = "reset"


class Deliver:
    """Hand these bytes to the reader at once; never empty.

    Not a named tuple, nor is `Wait`: there is one for every chunk, and plain slots are made in less time.
    """

    __slots__ = ("data",)
    __match_args__ = ("data",)

    data: bytes

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __eq__(self, other: object) -> bool:
        return self.data == other.data if isinstance(other, Deliver) else NotImplemented

    def __hash__(self) -> int:
        return hash((Deliver, self.data))

    def __repr__(self) -> str:
        return f"Deliver({len(self.data)} bytes)"


class Wait:
    """Let this many seconds pass; None: for ever, and then nothing follows.

    `before_head`: before the status line is sent. Where there is no head, in order like any other. There are never two
    in a row but for that one, first of all, and the wait for the first chunk.
    """

    __slots__ = ("before_head", "seconds")
    __match_args__ = ("seconds", "before_head")

    seconds: float | None
    before_head: bool

    def __init__(self, seconds: float | None, before_head: bool = False) -> None:
        self.seconds, self.before_head = seconds, before_head

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wait):
            return NotImplemented
        return self.seconds == other.seconds and self.before_head == other.before_head

    def __hash__(self) -> int:
        return hash((Wait, self.seconds, self.before_head))

    def __repr__(self) -> str:
        return f"Wait({self.seconds}{', before_head=True' if self.before_head else ''})"


class End(NamedTuple):
    """Nothing more comes, and this is how the reader notices.

    `before_head`: instead of the status line. Where there is no head, in order like any other.
    """

    ending: Ending
    before_head: bool = False


Step = Deliver | Wait | End
