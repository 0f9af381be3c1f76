"""The event stream parser people use: bytes in, events out.

Rule: it says what it is given and what it gives; how is the business of `_drive.py` (the shortcuts) and `_machine.py`
(the exact path). It knows nothing of what events mean.
"""

from __future__ import annotations

from collections.abc import Iterable

from recorder.sse._drive import NOWHERE, STOPPED, Driver
from recorder.sse._ends import Piece


class EventStreamParser(Driver):
    """An incremental parser for `text/event-stream`, to the letter of the WHATWG standard, with budgets.

    Feed it the decoded body (no content coding, no transfer framing) in chunks of any size; what it gives depends on
    the bytes alone, never on where they were cut.

    Args:
        utf8: "replace" decodes as the standard's decoder does, one U+FFFD for each maximal ill-formed part; "strict"
            refuses the stream at the first byte that cannot be UTF-8, wherever it stands, comments included.
        max_line: the longest line, terminator excluded: bytes, a `Limit`, or None for no limit.
        max_event: the largest data of one event, the line feeds between its data lines included.
        max_event_name: the longest value of an `event` field.
        max_events: how many events may be dispatched.
        max_bytes: how many bytes may be fed, a byte order mark counted.
        on_comment: called with each comment's text (what follows its colon) when its line ends. What it raises passes
            through, and the parser cannot be used any more.

    Raises:
        TypeError, ValueError: for an argument that is not as above.
    """

    __slots__ = ()

    def close(self) -> None:
        """Say that the body has ended. An unfinished block is discarded, as the standard says.

        Calling it again does nothing.

        Raises:
            InvalidUTF8, LimitExceeded: the end cuts a code point short, and that is refused or one character too many;
                or the stream was refused before.
        """
        if self._machine.ended:
            return
        if self._room == STOPPED:
            self._explain()
        self._look_at_held()
        self._origin = NOWHERE
        self._room, self._between = STOPPED, False
        self._machine.finish()

    @property
    def offset(self) -> int:
        """How many bytes were fed; after a fault, where the byte after the one that made it certain is."""
        return self._machine.offset + len(self._held)

    @property
    def reconnection_time(self) -> int | None:
        """The latest valid `retry` field's value in ms, None before there is one.

        It is reported only: nothing here reconnects. A value of more than 640 significant digits is ignored.
        """
        self._look_at_held()
        return self._machine.reconnection_time

    @property
    def between_blocks(self) -> bool:
        """Whether the last block has ended and nothing of another has come."""
        return not self._held and self._machine.is_between()

    @property
    def last_event_id(self) -> str:
        """The standard's last event ID string: set by the `id` field when its block ends, with data or without."""
        return self._machine.last_event_id

    def event_end(self, index: int) -> int:
        """Where an event of the latest `feed` ended, for a caller who must say which bytes decided something.

        Args:
            index: which of the events that call returned, or carried in its fault; 0 is the first.

        Returns:
            the absolute offset in bytes just after the byte that dispatched it, the first of the blank line's
            terminator. It is found by reading the latest chunk again, so it costs nothing unless asked for.

        Raises:
            IndexError: there is no such event.
        """
        origin = self._origin
        if isinstance(origin, int):
            ends: Iterable[int] = (origin,)
        else:
            offset, data, standing = origin
            ends = (Piece(offset, data, *standing) if standing else Piece(offset, data)).dispatches()
        for number, end in enumerate(ends):
            if number == index:
                return end
        raise IndexError(f"event_end({index}): the latest feed() gave no such event")
