"""Which bytes take a shortcut, which wait, and which go to the machine.

Rule: a shortcut may only accept. It takes bytes that cannot break a limit and gives what the machine would give;
whatever it does not take goes to the machine, which starts where the shortcut did.

Three ideas, each on its own:
- hold: bytes in which no block ends, and too few to break a limit, are only kept. Most small chunks end here.
- take: a chunk that ends blocks, joined to what is held, is one run of complete blocks and a rest to hold.
- windows: a large chunk is taken in runs of complete blocks no longer than the smallest limit, so that no line and no
  event in a run needs measuring.

A LF after a CR that ended a block may be held as if it began the next one: it then reads as one blank line more, and
between two blocks a blank line does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn

from recorder.sse._blocks import (
    SHORT_BLOCK,
    first_block_end,
    first_lines,
    last_block_end,
    last_lf_block_end,
    line_feeds_only,
    offer,
    one_crlf_event,
    one_event,
)
from recorder.sse._ends import Standing
from recorder.sse._event import Event
from recorder.sse._limit import Limit
from recorder.sse._lines import CR, LF
from recorder.sse._machine import Machine
from recorder.sse._rules import DEFAULT_LIMIT, MOST_HELD, rules_for
from recorder.sse._runs import Runs
from recorder.sse._utf8 import COMPLETE, ILL_FORMED, follow

NOT_NOW, STOPPED = -1, -2  # instead of a room: the next byte must be looked at; there must be no next byte
# Where the one event ended; or bytes that gave events: their offset, they, and what the machine knew before.
Origin = int | tuple[int, bytes, Standing | None]
NOWHERE: Origin = (0, b"", None)


class Driver:
    """The parser without its face: state, and the way a chunk takes."""

    __slots__ = (
        "_between",
        "_held",
        "_held_cr",
        "_listens",
        "_machine",
        "_origin",
        "_room",
        "_rules",
        "_runs",
        "_strict",
        "_utf8",
        "taker",
    )

    # Tests set it to False in a subclass, to have every byte go through the machine.
    _shortcuts = True

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
        if on_comment is not None and not callable(on_comment):
            raise TypeError(f"on_comment must be callable with a comment's text, or None, not {on_comment!r}")
        self._rules = rules = rules_for(utf8, max_line, max_event, max_event_name, max_events, max_bytes)
        self._machine = Machine(rules, on_comment)
        self._runs = Runs(self._machine, rules)
        self._strict = rules.strict
        # Comments are told when their line ends, so with a listener no line that has ended is held.
        self._listens = on_comment is not None

        # Bytes that were fed and not looked at: no block ends in them and they break nothing. `_held_cr`: there may be
        # a CR among them. `_utf8` (strict only): the state of reading after them, or after what the machine took.
        self._held = bytearray()
        self._held_cr = False
        self._utf8 = COMPLETE
        # How many bytes may be held just now, or NOT_NOW or STOPPED.
        self._room = NOT_NOW
        # Whether the machine stands between two blocks, so that what is held begins one, and the limit on the stream's
        # bytes is far off.
        self._between = False
        # For `event_end`: where the latest events came from.
        self._origin = NOWHERE
        # Who is offered the values of plain blocks, UTF-8, before events are made of them; it says how many it takes.
        self.taker: Callable[[list[bytes]], int] | None = None

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
            chunk = as_bytes(chunk)
        self._origin = NOWHERE
        if LF in chunk or CR in chunk:
            return self._feed_lines(chunk)
        # No line ends here: these bytes can wait, as long as no limit is near and they are surely UTF-8.
        if self._strict and (self._utf8 or not chunk.isascii()) and not self._well_formed(chunk):
            return self._drive(chunk)
        held = self._held
        held += chunk
        return [] if len(held) <= self._room else self._drive(b"")

    def offer(self, chunk: bytes) -> int:
        """Offer the taker what begins between two blocks and is whole plain blocks.

        Returns:
            how many bytes of `chunk` are done with; the others are to be fed. None are if it is not of that shape.
        """
        rules = self._rules
        if self._held or not self._between or self.taker is None or not rules.uncounted or len(chunk) > rules.window:
            return 0
        taken = offer(chunk, CR in chunk, self.taker)
        machine = self._machine
        machine.offset += taken
        if machine.offset > rules.far:
            self._settle()
        return taken

    # -- take: a chunk with line ends

    def _feed_lines(self, chunk: bytes) -> list[Event]:
        """Take a chunk with a line end in it: with what is held, it is complete blocks and a rest that can wait."""
        if not self._between:
            return self._drive(chunk)
        held = self._held
        before = len(held)
        if not before:
            if chunk[-2:] == b"\n\n" or chunk[-4:] == b"\r\n\r\n":
                return self._take(chunk, len(chunk), b"", CR in chunk)
            if chunk[0] == LF:  # blank lines between blocks, or the rest of a CR LF
                part = chunk.lstrip(b"\n")
                self._machine.offset += len(chunk) - len(part)
                return self.feed(part)
        elif len(chunk) == 1:
            # Bytes that come one by one: a block can only end where a line end follows a line end.
            last = held[-1]
            if (last > CR or (last == CR and chunk == b"\n")) and not self._utf8 and not self._listens:
                self._held_cr = self._held_cr or chunk == b"\r"
                held += chunk
                return [] if before < self._room else self._drive(b"")
        held += chunk
        if CR in chunk or self._held_cr:
            end = chunk.rfind(b"\n\r\n") + 3
            if end > 2:
                rest = chunk[end:]
                if LF not in rest and CR not in rest:  # the usual blank line, and surely the last
                    return self._take(held, before + end, rest, True)
            self._held_cr = True
        since = before - 1 if before else 0  # a blank line's two line ends may begin with the last byte held before
        end = (last_block_end if self._held_cr else last_lf_block_end)(held, since, len(held))
        if end > 1:
            return self._take(held, end, chunk[end - before :], self._held_cr)
        waits = len(held) <= self._room and not self._listens and self._well_formed(chunk)
        return [] if waits else self._drive(b"")

    def _take(self, data: bytes | bytearray, end: int, rest: bytes, has_cr: bool) -> list[Event]:
        """Take complete blocks and hold the rest.

        Args:
            data: what is held, or a chunk that has no rest.
            end: where the blocks end.
            rest: what is behind them.
            has_cr: whether there may be a CR.
        """
        held = self._held
        rules = self._rules
        joined = data is held
        if len(data) > rules.window or len(rest) > rules.safe or (self._listens and (LF in rest or CR in rest)):
            return self._drive(b"" if joined else bytes(data))
        if self._strict:
            self._utf8 = COMPLETE if rest.isascii() else follow(COMPLETE, rest)
            if self._utf8 == ILL_FORMED:
                return self._drive(b"" if joined else bytes(data))
        machine = self._machine
        events: list[Event] | None = None
        if self.taker is not None and rules.uncounted:
            taken = offer(bytes(data[:end]), has_cr, self.taker)
            machine.offset += taken
            end -= taken
            if joined:
                del held[:taken]
            else:
                data = data[taken:]
            if not end:
                events = []
        if events is None and (end < SHORT_BLOCK or end - 2 - has_cr in first_lines(data)):
            try:
                text = data[:end].decode()
            except UnicodeDecodeError:
                pass
            else:
                after = 0  # how many bytes of the block come after the one that dispatches it
                if not has_cr:
                    events = one_event(text, machine.id)
                else:
                    after = text[-1] == "\n"
                    events = one_crlf_event(text if after else text + "\n", machine.id)
                self._origin = machine.offset + end - after
        if events is None or not (rules.uncounted or self._runs.count(events)):
            run = bytes(data[:end])
            events = None if self._listens else self._runs.take(line_feeds_only(run) if has_cr else run)
            if events is None:
                return self._drive(b"" if joined else run)
            self._origin = (machine.offset, run, None)
        machine.offset += end
        if joined:
            del held[:end]
        if has_cr:
            self._held_cr = CR in rest
        if machine.offset > rules.far:
            self._settle()
        return events

    # -- the general way

    def _drive(self, chunk: bytes) -> list[Event]:
        """Take what is held and `chunk`, by windows where they may, by the machine where they may not."""
        if self._room == STOPPED:
            self._explain()
        held = self._held
        if self._shortcuts and self._machine.begins((held or chunk)[:1]):  # nothing was held before the first bytes
            self._settle()
            if chunk:
                return self.feed(chunk)
            if len(held) <= self._room:
                return []
        calm = chunk and LF not in chunk and CR not in chunk and len(held) + len(chunk) <= self._room
        if calm and self._well_formed(chunk):
            held += chunk
            return []
        data = b"".join((held, chunk)) if held else chunk
        held.clear()
        machine = self._machine
        self._origin = (machine.offset, data, machine.standing())
        self._room, self._between = STOPPED, False  # until this call has come to its end
        self._held_cr, self._utf8 = False, COMPLETE
        out: list[Event] = []
        limit = self._rules.bytes
        stop = len(data) if limit is None else min(len(data), limit - machine.offset)
        at = 0
        has_cr = CR in data
        while at < stop:
            if self._shortcuts and machine.is_between():
                at = self._windows(data, at, stop, has_cr, out)
                small = len(data) - at <= self._rules.safe
                if at == stop or (small and stop == len(data) and self._hold(data[at:])):
                    break
            at = machine.take(data, at, stop, out)
        if stop < len(data):
            machine.overrun(data[stop], out)
        self._settle()
        return out

    def _settle(self) -> None:
        """Note how the machine stands, at the end of a call."""
        machine = self._machine
        rules = self._rules
        self._room = NOT_NOW
        self._between = False
        if self._shortcuts and machine.mark is None:
            between = machine.is_between()
            room = self._rules.safe if between else max(NOT_NOW, min(MOST_HELD, machine.scales.slack()))
            self._room = room if rules.bytes is None else min(room, rules.bytes - machine.offset)
            self._between = between and machine.offset <= self._rules.far
        if not self._held:
            self._utf8 = follow(COMPLETE, machine.sequence)

    def _hold(self, rest: bytes) -> bool:
        """Hold the beginning of a block, small enough for the limits, if it can wait."""
        has_cr = CR in rest
        if self._listens and (has_cr or LF in rest):
            return False
        if not self._well_formed(rest):
            return False
        self._held += rest
        self._held_cr = has_cr
        return True

    def _well_formed(self, part: bytes) -> bool:
        """Whether the strict policy has nothing against `part` after what was held before; notes where that ends."""
        if self._strict:
            state = follow(self._utf8, part)
            if state == ILL_FORMED:
                return False
            self._utf8 = state
        return True

    def _look_at_held(self) -> None:
        """Let the machine take what is held: somebody wants to know what it comes to."""
        if self._held:
            data = bytes(self._held)
            self._held.clear()
            self._held_cr = False
            at = 0
            while at < len(data):  # it may begin with blank lines, which end nothing
                at = self._machine.take(data, at, len(data), [])
            self._settle()

    # -- windows

    def _windows(self, data: bytes, at: int, stop: int, has_cr: bool, out: list[Event]) -> int:
        """Take the complete blocks of `data[at:stop]`, as many at a time as fit in a window.

        Returns:
            where the first block begins that is not complete, or too long.
        """
        machine = self._machine
        while at < stop:
            until = min(stop, at + self._rules.window)
            end = (last_block_end if has_cr else last_lf_block_end)(data, at, until)
            if end < 2:
                end = first_block_end(data, at, min(stop, at + self._rules.longest), has_cr)
            if end < 2:
                break
            end = min(end, stop)
            run = data[at:end]
            events = self._runs.take(line_feeds_only(run) if has_cr else run)
            if events is None:
                while at < end:
                    at = machine.take(data, at, end, out)
            else:
                out += events
                machine.offset += end - at
                at = end
        return at

    def _explain(self) -> NoReturn:
        """Say why there must be no next byte, and keep none."""
        self._held.clear()
        fault = self._machine.fault
        if fault is not None:
            raise type(fault)(fault.code, fault.offset, fault.what)
        if self._machine.ended:
            raise RuntimeError("feed() after close(): the stream has ended; start a new EventStreamParser")
        raise RuntimeError(
            "feed() inside on_comment, or after on_comment raised or the call was interrupted; "
            "start a new EventStreamParser"
        )


def as_bytes(chunk: object) -> bytes:
    """Bytes of our own, so that nobody changes them under us.

    Raises:
        TypeError: `chunk` is not bytes-like; text must be encoded first.
    """
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(f"feed() takes bytes, bytearray or memoryview, not {type(chunk).__name__}")
