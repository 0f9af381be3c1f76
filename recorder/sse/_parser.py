"""The event stream parser (interim: complete blocks only, decoded line by line)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from recorder.errors import FaultCode, InvalidUTF8
from recorder.sse._limit import Limit

DEFAULT_LIMIT = 16 * 1024 * 1024


class Event(NamedTuple):
    """One dispatched event: its type ("message" when unnamed), its data, and the last event ID at dispatch."""

    type: str
    data: str
    last_event_id: str


class EventStreamParser:
    """Feed bytes, get events."""

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
        self._utf8 = utf8
        self._on_comment = on_comment
        self._line = bytearray()
        self._offset = 0
        self._first = True
        self._after_cr = False
        self._data: list[str] = []
        self._type = ""
        self._id = ""
        self._closed = False
        self.reconnection_time: int | None = None
        self.last_event_id = ""

    def feed(self, chunk: bytes) -> list[Event]:
        if self._closed:
            raise RuntimeError("feed() after close(): the stream has ended; start a new EventStreamParser")
        out: list[Event] = []
        for byte in chunk:
            self._offset += 1
            if self._after_cr and byte == 10:
                self._after_cr = False
                continue
            self._after_cr = byte == 13
            if byte in (10, 13):
                self._end_line(out)
            else:
                self._line.append(byte)
        return out

    def _end_line(self, out: list[Event]) -> None:
        raw = bytes(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            line = raw.decode("utf-8", self._utf8)
        except UnicodeDecodeError as error:
            offset = self._offset - 1 - len(raw) + error.start
            raise InvalidUTF8(FaultCode.INVALID_UTF8, offset, "not UTF-8", tuple(out)) from None
        if not line:
            self.last_event_id = self._id
            if self._data:
                data = "\n".join(self._data)
                if data or len(self._data) > 1:
                    pass
                out.append(Event(self._type or "message", data, self._id))
            self._data, self._type = [], ""
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "":
            if self._on_comment:
                self._on_comment(line[1:])
        elif name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.reconnection_time = int(value)

    def close(self) -> None:
        if not self._closed and self._utf8 == "strict":
            try:
                bytes(self._line).decode("utf-8")
            except UnicodeDecodeError as error:
                offset = self._offset - len(self._line) + error.start
                raise InvalidUTF8(FaultCode.INVALID_UTF8, offset, "not UTF-8") from None
        self._closed = True
