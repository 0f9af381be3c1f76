"""The event stream parser, byte by byte: every rule in one place, no speed.

Rule: what is answered depends on the bytes alone, never on how they were cut. Each byte is judged when it arrives; the
first byte that makes a fault certain decides, and of several faults it makes certain at once the lowest offset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, NoReturn

from recorder.errors import FaultCode, InvalidUTF8, LimitExceeded, StreamFault
from recorder.sse._limit import Limit, as_limit, one_of, whole_number

DEFAULT_LIMIT = 16 * 1024 * 1024
LF, CR, COLON, SPACE = 10, 13, 58, 32
BOM = b"\xef\xbb\xbf"
FIELDS = (b"data", b"event", b"id", b"retry")
# The order in which faults at one offset are told.
RANK = {
    FaultCode.BYTE_LIMIT: 0,
    FaultCode.INVALID_UTF8: 1,
    FaultCode.LINE_LIMIT: 2,
    FaultCode.EVENT_SIZE_LIMIT: 3,
    FaultCode.EVENT_NAME_LIMIT: 3,
    FaultCode.EVENT_COUNT_LIMIT: 4,
}


class Event(NamedTuple):
    """One dispatched event: its type ("message" when unnamed), its data, and the last event ID at dispatch."""

    type: str
    data: str
    last_event_id: str


class _Meter:
    """Counts units against one limit; remembers where the first unit over was."""

    def __init__(self, limit: Limit | None) -> None:
        self.limit = limit
        self.used = 0
        self.over: int | None = None

    def add(self, amount: int, at: int) -> None:
        self.used += amount
        if self.limit is not None and self.used > self.limit.n and self.over is None:
            self.over = at

    def byte(self, at: int) -> None:
        if self.limit is not None and self.limit.unit == "bytes":
            self.add(1, at)

    def char(self, char: str, at: int) -> None:
        if self.limit is not None and self.limit.unit != "bytes":
            self.add(2 if self.limit.unit == "utf16" and char > "\uffff" else 1, at)

    def reset(self) -> None:
        self.used = 0
        self.over = None


class EventStreamParser:
    """Bytes in, events out, to the letter of the WHATWG standard's "Server-sent events", with budgets.

    Args:
        utf8: "replace" decodes as the standard does; "strict" refuses what is not UTF-8.
        max_line: the longest line, without its terminator.
        max_event: the largest data of one event.
        max_event_name: the longest value of an `event` field.
        max_events: how many events may be dispatched.
        max_bytes: how many bytes may be fed, a byte order mark counted.
        on_comment: called with each comment's text, without its colon.
    """

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
        one_of("utf8", utf8, ("replace", "strict"))
        self._strict = utf8 == "strict"
        self._line_meter = _Meter(as_limit("max_line", max_line))
        self._event_meter = _Meter(as_limit("max_event", max_event))
        self._name_meter = _Meter(as_limit("max_event_name", max_event_name))
        self._max_events = None if max_events is None else whole_number("max_events", max_events)
        self._max_bytes = None if max_bytes is None else whole_number("max_bytes", max_bytes)
        self._on_comment = on_comment
        self._counts = self._line_meter.limit.counts if self._line_meter.limit else "lines"
        self._per_line = self._event_meter.limit.per_line if self._event_meter.limit else 0
        self.offset = 0
        self.reconnection_time: int | None = None
        self.last_event_id = ""
        self._id = ""
        self._type = ""
        self._data = bytearray()
        self._data_lines = 0
        self._events = 0
        self._after_cr = False
        self._closed = False
        self._fault: StreamFault | None = None
        self._bom: bytearray | None = bytearray()  # the bytes that may still be a byte order mark
        self._sequence = bytearray()  # an unfinished UTF-8 sequence
        self._new_line()
        self._ends: list[int] = []

    def _new_line(self) -> None:
        self._line_meter.reset()
        self._head = b""  # as much of the line's beginning as names a field
        self._kind: bytes | None = None  # None until known; then a field name, b":" or b"?"
        self._size = 0
        self._value_from = 0
        self._spaces = 0
        self._value = bytearray()

    # -- the public calls

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Event]:
        """Take the next bytes; give the events they complete.

        Raises:
            LimitExceeded, InvalidUTF8: the stream is refused, now and at every later call.
            RuntimeError: after `close()`.
        """
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            raise TypeError(f"feed() takes bytes, bytearray or memoryview, not {type(chunk).__name__}")
        if self._fault is not None:
            self._again()
        if self._closed:
            raise RuntimeError("feed() after close(): the stream has ended; start a new EventStreamParser")
        out: list[Event] = []
        self._ends = []
        for byte in bytes(chunk):
            self._byte(byte, out)
        return out

    def close(self) -> None:
        """The stream has ended; an unfinished block is discarded.

        Raises:
            InvalidUTF8, LimitExceeded: the end cuts a code point short.
        """
        if self._fault is not None:
            self._again()
        if not self._closed:
            self._closed = True
            self._ends = []
            found = self._byte_counted_as_bom(None)
            if self._sequence:
                found += self._ill_formed(self.offset)
            if found:
                self._refuse(found, [])

    def event_end(self, index: int) -> int:
        """Where the byte after the one that dispatched an event of the latest call is; absolute, in bytes."""
        return self._ends[index]

    # -- one byte

    def _byte(self, byte: int, out: list[Event]) -> None:
        at = self.offset
        self.offset += 1
        found: list[tuple[int, FaultCode]] = []
        if self._max_bytes is not None and at >= self._max_bytes:
            found.append((at, FaultCode.BYTE_LIMIT))
        if byte == LF and self._after_cr:
            self._after_cr = False
            if found:
                self._refuse(found, out)
            return
        self._after_cr = byte == CR
        ends = byte in (LF, CR)
        found += self._byte_counted_as_bom(byte)
        chars, bad = self._decode(byte, at)
        if bad is not None:
            found.append((bad, FaultCode.INVALID_UTF8))
        if not ends and self._bom is None:
            found += self._count_byte(byte, at)
        for char, start in chars:
            found += self._count_char(char, start)
        if ends and self._kind is None and self._head == b"data":
            self._data_line(at)
            found += self._over()
        if ends and self._size == 0 and self._data_lines and self._events == self._max_events:
            found.append((at, FaultCode.EVENT_COUNT_LIMIT))
        if found:
            self._refuse(found, out)
        self._skip = False
        if ends:
            self._end_line(out)

    def _byte_counted_as_bom(self, byte: int | None) -> list[tuple[int, FaultCode]]:
        """While the stream's first bytes may be a byte order mark they wait; `byte` None is the end of the stream."""
        if self._bom is None:
            return []
        raw = self._counts == "raw"
        if byte is not None and BOM.startswith(bytes(self._bom) + bytes([byte])):
            if raw:
                self._line_meter.byte(len(self._bom))
            self._bom.append(byte)
            if bytes(self._bom) != BOM:
                return self._over()
            self._bom = None
            self._sequence.clear()
            if raw:
                self._line_meter.char("\ufeff", 0)
            self._skip = True  # this byte is the mark's last: nothing else counts it
            return self._over()
        waiting, self._bom = self._bom, None
        found: list[tuple[int, FaultCode]] = []
        for at, one in enumerate(waiting):
            found += self._count_byte(one, at, counted=raw)
        return found

    _skip = False

    def _decode(self, byte: int, at: int) -> tuple[list[tuple[str, int]], int | None]:
        """The characters this byte completes, each with its offset; and the offset of what is ill-formed."""
        if self._skip:
            return [], None
        if self._bom is not None:
            self._sequence.append(byte)
            return [], None
        self._sequence.append(byte)
        start = at + 1 - len(self._sequence)
        chars: list[tuple[str, int]] = []
        while self._sequence:
            try:
                chars.append((self._sequence.decode("utf-8"), start))
            except UnicodeDecodeError as error:
                if error.reason == "unexpected end of data":
                    return chars, None
                if self._strict:
                    return [], start
                chars.append(("\ufffd", start))
                del self._sequence[: error.end]
                start += error.end
            else:
                self._sequence.clear()
        return chars, None

    def _ill_formed(self, at: int) -> list[tuple[int, FaultCode]]:
        start = at - len(self._sequence)
        if self._strict:
            return [(start, FaultCode.INVALID_UTF8)]
        return self._count_char("\ufffd", start)

    # -- counting

    def _counted(self) -> bool:
        if self._counts != "fields":
            return True
        if self._kind is None:
            return any(name.startswith(self._head) for name in FIELDS)
        return self._kind in FIELDS

    def _count_byte(self, byte: int, at: int, counted: bool = False) -> list[tuple[int, FaultCode]]:
        if self._skip:
            return []
        self._size += 1
        known = self._kind is not None
        if self._kind is None:
            self._classify(byte, at)
        if self._counted() and not counted:
            self._line_meter.byte(at)
        if not known:
            return self._over()
        if self._size == self._value_from and byte == SPACE and self._spaces == 0:
            self._spaces = 1
            self._value_from += 1
            return self._over()
        if self._kind == b"data":
            self._event_meter.byte(at)
        elif self._kind == b"event":
            self._name_meter.byte(at)
        if self._kind != b"?" and (self._kind != b":" or self._on_comment):
            self._value.append(byte)
        return self._over()

    def _count_char(self, char: str, start: int) -> list[tuple[int, FaultCode]]:
        if char in "\n\r":
            return []
        if self._counted():
            self._line_meter.char(char, start)
        index = start - self._line_start() + 1
        if index >= self._value_from > 0:
            if self._kind == b"data":
                self._event_meter.char(char, start)
            elif self._kind == b"event":
                self._name_meter.char(char, start)
        return self._over()

    def _line_start(self) -> int:
        return self._started

    _started = 0

    def _classify(self, byte: int, at: int) -> None:
        if self._size == 1:
            self._started = at
        if byte != COLON:
            self._head += bytes([byte])
            if not any(name.startswith(self._head) for name in FIELDS):
                self._kind = b"?"
            return
        self._kind = self._head or b":"
        if self._kind not in (*FIELDS, b":"):
            self._kind = b"?"
            return
        self._value_from = self._size + 1
        if self._kind == b":":
            self._value_from = 0
        elif self._kind == b"data":
            self._data_line(at)
        elif self._kind == b"event":
            self._name_meter.reset()

    def _data_line(self, at: int) -> None:
        self._data_lines += 1
        if self._per_line:
            self._event_meter.add(self._per_line, at)
        elif self._data_lines > 1:
            self._event_meter.add(1, at)

    def _over(self) -> list[tuple[int, FaultCode]]:
        meters = (
            (self._line_meter, FaultCode.LINE_LIMIT),
            (self._event_meter, FaultCode.EVENT_SIZE_LIMIT),
            (self._name_meter, FaultCode.EVENT_NAME_LIMIT),
        )
        return [(meter.over, code) for meter, code in meters if meter.over is not None]

    # -- lines and blocks

    def _end_line(self, out: list[Event]) -> None:
        kind = self._kind
        if self._size == 0:
            self._dispatch(out)
        else:
            if kind is None and self._head in FIELDS:
                kind = self._head
            value = bytes(self._value)
            if kind == b"data":
                self._data += value + b"\n"
            elif kind == b"event":
                self._type = value.decode("utf-8", "replace")
            elif kind == b"id":
                if b"\0" not in value:
                    self._id = value.decode("utf-8", "replace")
            elif kind == b"retry":
                self._retry(value)
            elif kind == b":" and self._on_comment:
                self._on_comment(value.decode("utf-8", "replace"))
        self._new_line()

    def _retry(self, value: bytes) -> None:
        if value.isdigit():
            digits = value.lstrip(b"0") or b"0"
            if len(digits) <= 640:
                self.reconnection_time = int(digits)

    def _dispatch(self, out: list[Event]) -> None:
        self.last_event_id = self._id
        if self._data_lines:
            self._events += 1
            data = self._data[:-1].decode("utf-8", "replace")
            out.append(Event(self._type or "message", data, self._id))
            self._ends.append(self.offset)
        self._type = ""
        self._data.clear()
        self._data_lines = 0
        self._event_meter.reset()

    # -- refusing

    def _refuse(self, found: list[tuple[int, FaultCode]], out: list[Event]) -> NoReturn:
        offset, code = min(found, key=lambda fault: (fault[0], RANK[fault[1]]))
        kind = InvalidUTF8 if code is FaultCode.INVALID_UTF8 else LimitExceeded
        what = "not UTF-8" if code is FaultCode.INVALID_UTF8 else f"over {self._limit_words(code)}"
        self._fault = kind(code, offset, what)
        raise kind(code, offset, what, tuple(out))

    def _limit_words(self, code: FaultCode) -> str:
        limits = {
            FaultCode.BYTE_LIMIT: f"max_bytes={self._max_bytes}",
            FaultCode.EVENT_COUNT_LIMIT: f"max_events={self._max_events}",
            FaultCode.LINE_LIMIT: f"max_line={self._line_meter.limit}",
            FaultCode.EVENT_SIZE_LIMIT: f"max_event={self._event_meter.limit}",
            FaultCode.EVENT_NAME_LIMIT: f"max_event_name={self._name_meter.limit}",
        }
        return limits[code]

    def _again(self) -> NoReturn:
        fault = self._fault
        assert fault is not None
        raise type(fault)(fault.code, fault.offset, fault.what)
