"""The event stream parser people use: bytes in, events out.

Rule: it says what it is given and what it gives; how is the business of `_drive.py` (the shortcuts) and `_machine.py`
(the exact path). It knows nothing of what events mean.
"""

from __future__ import annotations

from recorder.sse._drive import STOPPED, Driver
from recorder.sse._ends import Piece
from recorder.sse._event import Event
from recorder.sse._machine import CR, LF


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

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Event]:
        """Take the next bytes of the body.

        Args:
            chunk: any number of bytes, none included.

        Returns:
            the events they complete, in order.

        Raises:
            LimitExceeded, InvalidUTF8: the stream is refused; `.events` has what this call completed before. Every
                later call raises the same again, without events.
            RuntimeError: after `close()`.
        """
        if chunk.__class__ is not bytes:
            chunk = _as_bytes(chunk)
        if LF in chunk or CR in chunk:
            return self._quick(chunk) if self._idle else self._drive(chunk)
        # No line ends here: these bytes can wait, as long as no limit is near and they are surely UTF-8.
        if self._strict and (self._cut or not chunk.isascii()):
            return self._drive(chunk)
        held = self._held
        held += chunk
        return [] if len(held) <= self._room else self._drive(b"")

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
        self._origin = (self._machine.offset, b"", None)
        self._room, self._idle = STOPPED, False
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
        offset, data, standing = self._origin
        piece = Piece(offset, data) if standing is None else Piece(offset, data, *standing)
        for number, end in enumerate(piece.dispatches()):
            if number == index:
                return end
        raise IndexError(f"event_end({index}): the latest feed() gave no such event")


def _as_bytes(chunk: object) -> bytes:
    """Bytes of our own, so that nobody changes them under us.

    Raises:
        TypeError: `chunk` is not bytes-like; text must be encoded first.
    """
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(f"feed() takes bytes, bytearray or memoryview, not {type(chunk).__name__}")
