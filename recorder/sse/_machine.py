"""The exact parser: any bytes, any cut, every limit; the path the shortcuts are held to.

Rule: the answer for a stream fed byte by byte is the answer. Each part of a line is weighed before it is kept; a part
that does not pass is cut in two until its first refused byte is left, and of what that byte makes certain the lowest
offset is told. So events and faults depend on the bytes alone.

It follows "Interpreting an event stream" of the WHATWG HTML standard (section 9.2.6). It knows nothing of runs of
blocks and how to hurry through them; `_parser.py` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from recorder.errors import FaultCode, InvalidUTF8, LimitExceeded, StreamFault
from recorder.sse._ends import Standing
from recorder.sse._event import Event
from recorder.sse._lines import (
    BYTE_ORDER_MARK,
    COMMENT,
    CR,
    DATA,
    EVENT,
    ID,
    LF,
    LONGEST_NAME,
    NAMED,
    NAMES,
    OPEN_NAMES,
    RETRY,
    SPACE,
    UNKNOWN,
    line_end,
    retry_time,
)
from recorder.sse._rules import Rules
from recorder.sse._scales import Found, Meter, Scales

# At one offset, the order in which faults are told.
TOLD_FIRST = (
    FaultCode.BYTE_LIMIT,
    FaultCode.INVALID_UTF8,
    FaultCode.LINE_LIMIT,
    FaultCode.EVENT_SIZE_LIMIT,
    FaultCode.EVENT_NAME_LIMIT,
    FaultCode.EVENT_COUNT_LIMIT,
)


class Machine:
    """The parser's state between two bytes, and the one way to move it on.

    `take` may stop after any byte, so everything an unfinished line or block needs later is an attribute here, with
    the reason why it must survive a chunk boundary.
    """

    __slots__ = (
        "_buffers",
        "_scales",
        "after_cr",
        "data",
        "ended",
        "events",
        "fault",
        "id",
        "kind",
        "last_event_id",
        "mark",
        "name",
        "offset",
        "on_comment",
        "reconnection_time",
        "rules",
        "space",
        "type",
        "value",
    )

    def __init__(self, rules: Rules, on_comment: Callable[[str], None] | None) -> None:
        self.rules = rules
        self.on_comment = on_comment
        self.offset = 0  # how many bytes were taken: every fault is told by its absolute place
        self.events = 0  # dispatched so far, where they are limited: the limit is for the whole stream
        self.fault: StreamFault | None = None  # a refused stream stays refused
        self.ended = False  # well and truly: nothing can come after that

        # Set by lines and blocks, in force until another sets them.
        self.reconnection_time: int | None = None
        self.last_event_id = ""  # the standard's "last event ID string": set when a block ends
        self.id = ""  # its "last event ID buffer": set by an `id` line, not reset by the block's end

        # The stream's beginning: the bytes of what may be a byte order mark; None when that is decided.
        self.mark: bytes | None = b""
        # A CR ended the last line, and a LF right after it, perhaps in the next chunk, belongs to the same ending.
        self.after_cr = False
        # What the line, the event and its name have used of their limits, and the code point that is still incomplete;
        # None as long as nothing was weighed.
        self._scales: Scales | None = None

        # The line so far: its name as long as it is open (kind None), then its kind; whether the one space after the
        # colon may still come; and the bytes of a value other than data.
        self.name = b""
        self.kind: bytes | None = None
        self.space = False
        self.value = bytearray()

        # The block so far. Data lines are kept as they arrived, each with a LF: an empty one costs one byte.
        self.data = bytearray()
        self.type = ""

        self._buffers = {DATA: self.data, EVENT: self.value, ID: self.value, RETRY: self.value}
        if on_comment:
            self._buffers[COMMENT] = self.value

    @property
    def scales(self) -> Scales:
        """The scales, made when something is weighed for the first time: many a small stream takes only shortcuts."""
        if self._scales is None:
            self._scales = Scales(self.rules)
        return self._scales

    @property
    def sequence(self) -> bytes:
        """The incomplete code point at the end of what was taken."""
        return self._scales.sequence if self._scales else b""

    def begins(self, first: bytes | bytearray) -> bool:
        """Whether the stream begins with this byte and so without a byte order mark: the usual case."""
        if self.mark != b"" or not first or first[0] == BYTE_ORDER_MARK[0]:
            return False
        self.mark = None
        return True

    def is_between(self) -> bool:
        """Whether the stream stands between two blocks, with nothing pending that a limit or a field remembers.

        There a line ended by a CR leaves nothing to remember: a LF after it reads as a blank line, which does nothing.
        """
        pending = self.kind or self.name or self.data or self.type or self.mark is not None
        pending = pending or self.id != self.last_event_id
        # A byte order mark can count on a line of which nothing else has come.
        line = self._scales.line if self._scales else None
        return not pending and not (line and line.used)

    def remember(self, last_event_id: str, reconnection_time: int) -> None:
        """Stand as if earlier blocks had set these; only right between two blocks."""
        self.id = self.last_event_id = last_event_id
        self.reconnection_time = reconnection_time

    def standing(self) -> Standing:
        """What must be known of the bytes taken so far to tell where the next events end."""
        line = self.mark or (self.kind + b":" if self.kind else self.name)
        return line, bool(self.data), self.after_cr, self.mark is not None

    # -- taking bytes

    def take(self, data: bytes, at: int, stop: int, out: list[Event]) -> int:
        """Take `data[at:stop]`, or up to the end of the first block that ends there.

        Args:
            data: bytes of the stream.
            at: index of the first byte not yet taken.
            stop: index after the last byte to take.
            out: where events go.

        Returns:
            the index of the first byte not taken: `stop`, or just after a blank line.

        Raises:
            LimitExceeded, InvalidUTF8: with the events of `out`.
        """
        while at < stop:
            if self.mark is not None:
                at += self._leading(data[at], out)
                continue
            if self.after_cr:
                self.after_cr = False
                if data[at] == LF:
                    at += 1
                    self.offset += 1
                    continue
            end = line_end(data, at, stop)
            if at < end:
                self._text(data[at:end], out)
            if end == stop:
                return stop
            blank = self.kind is None and not self.name
            (self._end_block if blank else self._end_line)(out)
            self.after_cr = data[end] == CR
            at = end + 1
            if blank:
                return at
        return at

    def finish(self) -> None:
        """The stream has ended: a code point cut short is ill-formed now. The unfinished block is of no interest.

        Raises:
            InvalidUTF8, LimitExceeded: for that code point.
        """
        found = self._not_a_mark(None) if self.mark else []
        self._refuse_if(found + self.scales.cut_short(self.offset, self.kind), [])
        self.ended = True

    def overrun(self, byte: int, out: list[Event]) -> NoReturn:
        """Refuse `byte`, the first over the limit on the stream's bytes.

        Raises:
            LimitExceeded, InvalidUTF8: for the limit, or for what `byte` makes certain about the bytes before it.
        """
        found = [(self.offset, FaultCode.BYTE_LIMIT)]
        if self.mark is not None:
            found += self._mark_faults(byte)
        elif byte in (LF, CR):
            found += self.scales.cut_short(self.offset, self.kind)
        elif self.sequence:
            found += self.scales.faults(byte, self.offset, self.scales.by_kind[self.kind])
        self.offset += 1
        self._refuse(found, out)

    # -- the stream's beginning

    def _leading(self, byte: int, out: list[Event]) -> int:
        """Decide about a byte order mark, one byte at a time; give how many bytes were taken (0 or 1)."""
        if not self.mark and byte != BYTE_ORDER_MARK[0]:
            self.mark = None
            return 0
        found = self._mark_faults(byte)
        taken = byte not in (LF, CR)  # a terminator only decides here; it still has its line to end
        self.offset += taken or bool(found)
        self._refuse_if(found, out)
        return int(taken)

    def _mark_faults(self, byte: int) -> Found:
        """What `byte` makes certain while the first bytes may be a mark, which only a "raw" line limit counts."""
        mark = self.mark or b""
        seen = mark + bytes((byte,))
        if not BYTE_ORDER_MARK.startswith(seen):
            return self._not_a_mark(byte)
        self.mark = None if seen == BYTE_ORDER_MARK else seen
        line = self.scales.line
        if not line or not self.rules.line or self.rules.line.counts != "raw":
            return []
        if line.column:
            line.used += self.mark is None  # one character, when it is complete
            return [(0, line.code)] if line.used > line.n else []
        line.used += 1
        return [(len(mark), line.code)] if line.used > line.n else []

    def _not_a_mark(self, byte: int | None) -> Found:
        """The bytes that waited are text after all, of an unknown field; so is `byte`, unless it ends the line."""
        scales = self.scales
        waiting, self.mark = self.mark or b"", None
        if scales.line:
            scales.line.used = 0
        text = waiting if byte is None or byte in (LF, CR) else waiting + bytes((byte,))
        meters = scales.by_kind[UNKNOWN]
        found: Found = []
        for at, one in enumerate(text):
            self.kind = UNKNOWN
            found += scales.faults(one, at, meters)
            scales.admit(bytes((one,)), meters, whatever=True)
        if byte in (LF, CR):
            found += scales.cut_short(self.offset, self.kind)
        return found

    # -- the text of a line

    def _text(self, part: bytes, out: list[Event]) -> None:
        """Take bytes of one line, terminators excluded."""
        at = self._open_name(part, out) if self.kind is None else 0
        if self.space and at < len(part):
            self.space = False
            if part[at] == SPACE:
                self._absorb(b" ", self.scales.by_kind[None], out)
                at += 1
        if at < len(part):
            part = part[at:]
            kind = self.kind
            assert kind is not None
            self._absorb(part, self.scales.by_kind[kind], out)
            buffer = self._buffers.get(kind)
            if buffer is not None:
                buffer += part

    def _open_name(self, part: bytes, out: list[Event]) -> int:
        """Find out what kind of line this is; give how many bytes that took, the colon included."""
        before = len(self.name)
        text = self.name + part[: LONGEST_NAME - before]
        named = NAMED.match(text)
        if named:
            size = named.end() - before
            self.kind = named[1] or COMMENT
            self._absorb(part[:size], self.scales.by_kind[COMMENT if self.kind == COMMENT else None], out)
            self._begin_value(out)
            return size
        known = before
        while known < len(text) and text[: known + 1] in OPEN_NAMES:
            known += 1
        self._absorb(part[: known - before], self.scales.by_kind[None], out)
        self.name = text[:known]
        if known < len(text):
            self.kind = UNKNOWN
        return known - before

    def _begin_value(self, out: list[Event]) -> None:
        """What a field's name alone sets going; for data, what its line costs beyond its value."""
        self.space = self.kind != COMMENT
        name, data, limit = self.scales.name, self.scales.data, self.rules.event
        if self.kind == EVENT and name:
            name.used = 0
        elif self.kind == DATA and data and limit:
            data.used += limit.per_line or bool(self.data)
            if data.used > data.n:
                self._refuse([(self.offset - 1, data.code)], out)

    def _absorb(self, part: bytes, meters: tuple[Meter, ...], out: list[Event]) -> None:
        """Let `part` pass, or refuse the stream at its first byte that cannot: halve until that byte is left."""
        scales = self.scales
        if scales.admit(part, meters):
            self.offset += len(part)
            return
        while len(part) > 1:
            half = len(part) // 2
            if scales.admit(part[:half], meters):
                self.offset += half
                part = part[half:]
            else:
                part = part[:half]
        found = scales.faults(part[0], self.offset, meters)
        self.offset += 1
        self._refuse(found, out)

    # -- the end of a line and of a block

    def _end_line(self, out: list[Event]) -> None:
        """Take the first byte of a line's terminator; the line has at least one byte."""
        if self.sequence:
            found = self.scales.cut_short(self.offset, self.kind)
            self.offset += bool(found)
            self._refuse_if(found, out)
        self.offset += 1
        if self.kind is None and self.name in NAMES:
            # "Otherwise, the string is not empty but does not contain a colon": the whole line is the name.
            self.kind = self.name
            self._begin_value(out)
        end = ENDS.get(self.kind)
        if end:
            end(self)
        self.name, self.kind, self.space = b"", None, False
        self.value.clear()
        if self.scales.line:
            self.scales.line.used = 0

    def _end_data(self) -> None:
        self.data += b"\n"

    def _end_event(self) -> None:
        self.type = self.value.decode("utf-8", "replace")

    def _end_id(self) -> None:
        if b"\0" not in self.value:
            self.id = self.value.decode("utf-8", "replace")

    def _end_retry(self) -> None:
        self.reconnection_time = retry_time(self.value.decode("utf-8", "replace"), self.reconnection_time)

    def _end_comment(self) -> None:
        if self.on_comment:
            self.on_comment(self.value.decode("utf-8", "replace"))

    def _end_block(self, out: list[Event]) -> None:
        """Take the first byte of a blank line's terminator: "Dispatch the event"."""
        self.offset += 1
        if self.data:
            if self.events == self.rules.events:
                self._refuse([(self.offset - 1, FaultCode.EVENT_COUNT_LIMIT)], out)
            self.events += 1
            self.data.pop()  # "If the data buffer's last character is a LF, remove" it
            data = self.data.decode("utf-8", "replace")
            out.append(Event(self.type or "message", data, self.id))
            self.data.clear()
        self.last_event_id = self.id
        self.type = ""
        if self.scales.data:
            self.scales.data.used = 0
        if self.scales.line:
            self.scales.line.used = 0  # a "raw" limit has counted a byte order mark on this line

    # -- refusing

    def _refuse_if(self, found: Found, out: list[Event]) -> None:
        if found:
            self._refuse(found, out)

    def _refuse(self, found: Found, out: list[Event]) -> NoReturn:
        """Refuse the stream, now and for good, for the first of what was found at one byte."""
        offset, code = min(found, key=lambda fault: (fault[0], TOLD_FIRST.index(fault[1])))
        if code is FaultCode.INVALID_UTF8:
            self.fault = InvalidUTF8(code, offset, "not UTF-8")
        else:
            self.fault = LimitExceeded(code, offset, self.rules.limit_words(code))
        raise type(self.fault)(code, offset, self.fault.what, tuple(out))


ENDS: dict[bytes | None, Callable[[Machine], None]] = {
    DATA: Machine._end_data,
    EVENT: Machine._end_event,
    ID: Machine._end_id,
    RETRY: Machine._end_retry,
    COMMENT: Machine._end_comment,
}
