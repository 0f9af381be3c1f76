"""The event stream parser people use: bytes in, events out, with shortcuts around the exact machine.

Rule: a shortcut may only accept. It takes bytes that cannot break a limit, and gives what the machine would give;
everything else goes to the machine, which starts where the shortcut was. It knows nothing of what events mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn

from recorder.sse._ends import Piece
from recorder.sse._event import Event
from recorder.sse._limit import Limit
from recorder.sse._machine import Machine
from recorder.sse._rules import DEFAULT_LIMIT, read_rules


class EventStreamParser:
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

    __slots__ = ("_machine", "_piece", "_stopped")

    def __init__(
        self,
        *,
        utf8: Literal["replace", "strict"] = "replace",
        max_line: int | Limit | None = DEFAULT_LIMIT,
        max_event: int | Limit | None = DEFAULT_LIMIT,
        max_event_name: int | Limit | None = None,
        max_events: int | None = None,
        max_bytes: int | None = None,
        on_comment: Callable[[str], None] | None = None,
    ) -> None:
        rules = read_rules(utf8, max_line, max_event, max_event_name, max_events, max_bytes, on_comment)
        self._machine = Machine(rules)
        self._piece = Piece(0, b"")
        self._stopped = ""  # why nothing can be fed any more

    # -- what is known so far

    @property
    def offset(self) -> int:
        """How many bytes were fed; after a fault, where the byte after the one that made it certain is."""
        return self._machine.offset

    @property
    def reconnection_time(self) -> int | None:
        """The latest valid `retry` field's value in ms, None before there is one.

        It is reported only: nothing here reconnects. A value of more than 640 significant digits is ignored.
        """
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
        for number, end in enumerate(self._piece.dispatches()):
            if number == index:
                return end
        raise IndexError(f"event_end({index}): the latest feed() gave no such event")

    # -- feeding

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
        if type(chunk) is not bytes:
            chunk = _as_bytes(chunk)
        return self._drive(chunk)

    def _drive(self, data: bytes) -> list[Event]:
        machine = self._machine
        if self._stopped:
            self._explain()
        self._stopped = "feed() inside on_comment, or after a call was interrupted or on_comment raised"
        self._piece = Piece(
            machine.offset,
            data,
            line=machine.mark or (machine.kind + b":" if machine.kind else machine.name),
            has_data=bool(machine.data),
            after_cr=machine.after_cr,
            at_start=machine.mark is not None,
        )
        out: list[Event] = []
        limit = machine.rules.bytes
        stop = len(data) if limit is None else min(len(data), limit - machine.offset)
        at = 0
        while at < stop:
            at = machine.take(data, at, stop, out)
        if stop < len(data):
            machine.overrun(data[stop], out)
        self._stopped = ""
        return out

    def close(self) -> None:
        """Say that the body has ended. An unfinished block is discarded, as the standard says.

        Calling it again does nothing.

        Raises:
            InvalidUTF8, LimitExceeded: the end cuts a code point short, and that is refused or one character too many;
                or the stream was refused before.
        """
        if self._stopped == CLOSED:
            return
        if self._stopped:
            self._explain()
        self._piece = Piece(self._machine.offset, b"")
        self._stopped = CLOSED
        self._machine.finish()

    def _explain(self) -> NoReturn:
        """Say why there is nothing to feed any more."""
        fault = self._machine.fault
        if fault is not None:
            raise type(fault)(fault.code, fault.offset, fault.what)
        raise RuntimeError(f"{self._stopped}; start a new EventStreamParser")


CLOSED = "feed() after close(): the stream has ended"


def _as_bytes(chunk: object) -> bytes:
    """Bytes of our own, so that nobody changes them under us.

    Raises:
        TypeError: `chunk` is not bytes-like; text must be encoded first.
    """
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(f"feed() takes bytes, bytearray or memoryview, not {type(chunk).__name__}")
