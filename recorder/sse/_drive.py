"""Which bytes take a shortcut, which wait, and which go to the machine.

Rule: a shortcut may only accept. It takes bytes that cannot break a limit and gives what the machine would give;
whatever it does not take goes to the machine, which starts where the shortcut did.

Three ideas, each on its own:
- hold: bytes in which no block ends, and too few to break a limit, are only kept. Most small chunks end here.
- quick: a chunk that ends blocks, joined to what is held, is one run of complete blocks and a rest to hold.
- windows: a large chunk is taken in runs of complete blocks no longer than the smallest limit, so that no line and no
  event in a run needs measuring.
"""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable
from typing import Literal, NoReturn

from recorder.sse._blocks import Run, any_blocks, last_block_end, named_events, unnamed_events
from recorder.sse._ends import Standing
from recorder.sse._event import Event
from recorder.sse._limit import Limit
from recorder.sse._machine import CR, LF, Machine
from recorder.sse._rules import DEFAULT_LIMIT, read_rules

MOST_HELD = 64 * 1024  # what is to be ignored is not to be kept either: more than this is looked at
LARGEST_WINDOW = 64 * 1024  # stays in the processor's cache
NOT_NOW, STOPPED = -1, -2  # instead of a room: the next byte must be looked at; there must be no next byte
Origin = tuple[int, bytes, Standing | None]


class Driver:
    """The parser without its face: state, and the way a chunk takes."""

    __slots__ = (
        "_cut",
        "_held",
        "_held_cr",
        "_idle",
        "_machine",
        "_most",
        "_origin",
        "_room",
        "_rules",
        "_strict",
        "_window",
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
        self._rules = read_rules(utf8, max_line, max_event, max_event_name, max_events, max_bytes, on_comment)
        self._machine = Machine(self._rules)
        self._strict = self._rules.strict
        # A run of complete blocks no longer than this cannot pass the limits on lines and data.
        self._window = self._rules.harmless_bytes(LARGEST_WINDOW)
        # A block's beginning no longer than this cannot pass any limit but the one on the stream's bytes.
        self._most = max(NOT_NOW, min(MOST_HELD, self._machine.slack()))

        # Bytes that were fed and not looked at: no block ends in them and they break nothing. `_held_cr`: there may be
        # a CR among them. `_cut` (strict only): the unfinished code point at their end, or at the machine's.
        self._held = bytearray()
        self._held_cr = False
        self._cut = b""
        # How many bytes may be held just now, or NOT_NOW or STOPPED.
        self._room = NOT_NOW
        # Whether the machine stands between two blocks, so that what is held begins a block.
        self._idle = False
        # The latest bytes that gave events, for `event_end`: their offset, they, and what the machine knew before.
        self._origin: Origin = (0, b"", None)

    # -- quick: a chunk with line ends, between blocks or inside a held one

    def _quick(self, chunk: bytes) -> list[Event]:
        """Take what is held and `chunk` as one run of complete blocks and a rest that can wait."""
        rules = self._rules
        if len(chunk) > self._window or rules.bytes is not None or rules.on_comment:
            return self._drive(chunk)
        held = self._held
        before = len(held)
        since = before - 1 if before else 0  # a blank line's pair of line ends may begin with the last byte held
        held += chunk
        has_cr = self._held_cr or CR in chunk
        end = last_block_end(held, since, len(held)) if has_cr else held.rfind(b"\n\n", since) + 2
        if end < 2:
            self._held_cr = has_cr
            waits = len(held) <= self._room and (not self._strict or self._well_formed(chunk))
            return [] if waits else self._drive(b"")
        if end == len(held):
            run = chunk if not before else bytes(held)
            held.clear()
        else:
            run = bytes(held[:end])
            del held[:end]
        if end > self._window or len(held) > self._most or (self._strict and held and not self._rest_is_well_formed()):
            events = None
        else:
            events = self._shortcut(run, has_cr)
        if events is None:
            held[:0] = run
            return self._drive(b"")
        machine = self._machine
        self._origin = (machine.offset, run, None)
        machine.offset += end
        if has_cr:
            self._held_cr = CR in held
            if not held and run[-1] == CR:
                self._await_lf()
        return events

    def _await_lf(self) -> None:
        """A CR ended the last block, and a LF may still belong to it."""
        self._machine.after_cr = True
        self._idle = False
        self._room = NOT_NOW

    # -- the general way

    def _drive(self, chunk: bytes) -> list[Event]:
        """Take what is held and `chunk`, by windows where they may, by the machine where they may not."""
        if self._room == STOPPED:
            self._explain()
        held = self._held
        calm = chunk and LF not in chunk and CR not in chunk and len(held) + len(chunk) <= self._room
        if calm and self._well_formed(chunk):
            held += chunk
            return []
        data = b"".join((held, chunk)) if held else chunk
        held.clear()
        machine = self._machine
        self._origin = (machine.offset, data, machine.standing())
        self._room = STOPPED  # until this call has come to its end
        self._held_cr, self._cut = False, b""
        out: list[Event] = []
        limit = self._rules.bytes
        stop = len(data) if limit is None else min(len(data), limit - machine.offset)
        at = machine.skip(data, stop)
        while at < stop:
            if self._shortcuts and machine.idle:
                at = self._windows(data, at, stop, out)
                if at == stop or (stop == len(data) and self._hold(data[at:])):
                    break
            at = machine.take(data, at, stop, out)
        if stop < len(data):
            machine.overrun(data[stop], out)
        self._settle()
        return out

    def _settle(self) -> None:
        """Note how the machine stands, at the end of a call."""
        machine = self._machine
        self._idle = self._shortcuts and machine.idle
        if self._idle and self._rules.bytes is None:
            self._room = self._most
        elif not self._shortcuts or machine.after_cr or machine.mark is not None:
            self._room = NOT_NOW
        else:
            self._room = max(NOT_NOW, min(MOST_HELD, machine.slack()))
        if not self._held:
            self._cut = machine.sequence

    def _hold(self, rest: bytes) -> bool:
        """Hold the beginning of a block, if that can wait."""
        if len(rest) > min(MOST_HELD, self._machine.slack()):
            return False
        has_cr = CR in rest
        if self._rules.on_comment and (has_cr or LF in rest):
            return False  # a comment may end in it, and is told when it ends
        if not self._well_formed(rest):
            return False
        self._held += rest
        self._held_cr = has_cr
        return True

    def _well_formed(self, part: bytes | bytearray) -> bool:
        """Whether the strict policy has nothing against `part` after what was held before; notes where that ends."""
        if not self._strict or (not self._cut and part.isascii()):
            return True
        text = self._cut + part
        try:
            used = utf_8_decode(text, "strict", False)[1]
        except UnicodeDecodeError:
            return False
        self._cut = text[used:]
        return True

    def _rest_is_well_formed(self) -> bool:
        self._cut = b""
        return self._well_formed(bytes(self._held))

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

    def _windows(self, data: bytes, at: int, stop: int, out: list[Event]) -> int:
        """Take the complete blocks of `data[at:stop]`, as many at a time as fit in a window.

        Returns:
            where the first block begins that is not complete, or too long for a window.
        """
        machine = self._machine
        has_cr = CR in data
        while at < stop:
            until = min(stop, at + self._window)
            end = last_block_end(data, at, until) if has_cr else data.rfind(b"\n\n", at, until) + 2
            if end < 2:
                break
            end = min(end, stop)
            run = data if end - at == len(data) else data[at:end]
            events = self._shortcut(run, has_cr)
            if events is None:
                while at < end:
                    at = machine.take(data, at, end, out)
            else:
                out += events
                machine.offset += end - at
                machine.after_cr = end == stop and data[end - 1] == CR
                at = end
        return at

    def _shortcut(self, run: bytes, has_cr: bool) -> list[Event] | None:
        """Take a run of complete blocks the quick way, all but its offset; or change nothing and give None."""
        machine = self._machine
        rules = self._rules
        try:
            text = run.decode("utf-8", "strict" if self._strict else "replace")
        except UnicodeDecodeError:
            return None
        if has_cr:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        events = unnamed_events(text, machine.id)
        if events is None and rules.name is None:
            events = named_events(text, machine.id)
        found = None
        if events is None:
            found = any_blocks(text, Run(machine.id, machine.reconnection_time))
            events = found.events
            if rules.name is not None and 4 * found.longest_name > rules.name.n:
                return None
        if rules.events is not None and machine.events + len(events) > rules.events:
            return None
        machine.events += len(events)
        if found is not None:
            machine.id = found.last_event_id
            machine.reconnection_time = found.reconnection_time
            for comment in found.comments if rules.on_comment else ():
                rules.on_comment(comment)  # type: ignore[misc]
        machine.last_event_id = machine.id
        return events

    def _explain(self) -> NoReturn:
        """Say why there must be no next byte."""
        fault = self._machine.fault
        if fault is not None:
            raise type(fault)(fault.code, fault.offset, fault.what)
        if self._machine.ended:
            raise RuntimeError("feed() after close(): the stream has ended; start a new EventStreamParser")
        raise RuntimeError(
            "feed() inside on_comment, or after on_comment raised or the call was interrupted; "
            "start a new EventStreamParser"
        )
