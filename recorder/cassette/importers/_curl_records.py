"""The records of a curl trace: what was sent and received, when, and as much of the bytes as the dump shows.

Rule: `--trace` shows every byte. `--trace-ascii` shows what is not printable as a dot, and CR LF as a line break, which
the offsets give back exactly; LF alone is a dot. What curl printed to the same place stands between the records.
Not known here: HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from recorder.cassette.importers._protocol import Source
from recorder.errors import CassetteError

_TIME = rb"(?:(\d\d):(\d\d):(\d\d\.\d{1,9}) )?(?:\[[^\]\n]{1,40}\] )?"
_INFO = rb"== (Info): ([^\n]*)\n"
_SIZED = rb"[=<][>=] ((?:Send|Recv) (?:SSL )?(?:header|data)), (\d{1,12}) bytes \(0x[0-9a-f]+\)\r?\n"
_RECORD = re.compile(_TIME + rb"(?:" + _INFO + rb"|" + _SIZED + rb")")
_LINE = re.compile(rb"([0-9a-f]{4,12}): ([^\n]*)(?:\n|\Z)")
_HEX_LINE = re.compile(rb"[0-9a-f]{2} (?:[0-9a-f]{2} |   ){15}")
_HEX_WIDTH = 48
_DAY_S = 86_400.0
_UNSHOWN = bytes.maketrans(bytes([*range(32), *range(127, 256)]), b"." * 161)


class Kind(StrEnum):
    """What a record is about; encrypted data has records too, which are passed over."""

    INFO = "Info"
    SENT_HEAD = "Send header"
    SENT_DATA = "Send data"
    RECEIVED_HEAD = "Recv header"
    RECEIVED_DATA = "Recv data"


@dataclass(frozen=True, slots=True)
class Record:
    """One record.

    Attributes:
        kind: what it is about.
        at_s: seconds since midnight of the first day; None without `--trace-time`.
        shown: the bytes, with dots for what the dump does not show; for `INFO`, the text.
    """

    kind: Kind
    at_s: float | None
    shown: bytes


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace.

    Attributes:
        records: in order.
        exact: the dump shows every byte.
        output: what stood between the records: what curl printed, if it printed to the same place.
    """

    records: tuple[Record, ...]
    exact: bool
    output: bytes


def fits(shown: bytes, exact: bytes) -> bool:
    """Whether a dump that shows `shown` can be one of the bytes `exact`."""
    return shown.translate(_UNSHOWN) == exact.translate(_UNSHOWN)


def is_trace(head: bytes) -> bool:
    """Whether a file begins as a trace."""
    return _RECORD.match(head) is not None


def read_trace(source: Source) -> Trace:
    """The trace in a file.

    Raises:
        CassetteError: a dump is cut off or was edited; with the line.
    """
    reader = _Reader(source)
    records = tuple(reader.records())
    return Trace(records, reader.exact is True, b"".join(reader.output))


class _Reader:
    def __init__(self, source: Source) -> None:
        self.exact: bool | None = None
        self.output: list[bytes] = []
        self._source = source
        self._data = source.text
        self._at = 0
        self._days_s = 0.0
        self._last_s = 0.0

    def records(self) -> Iterator[Record]:
        while match := _RECORD.search(self._data, self._at):
            self.output.append(self._data[self._at : match.start()])
            self._at = match.end()
            at_s = self._seconds(match)
            if match[4]:
                yield Record(Kind.INFO, at_s, match[5])
                continue
            shown = self._dump(int(match[7]))
            name = match[6].decode()
            if name in set(Kind):
                yield Record(Kind(name), at_s, shown)
        self.output.append(self._data[self._at :])

    def _seconds(self, match: re.Match[bytes]) -> float | None:
        if match[1] is None:
            return None
        at_s = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3]) + self._days_s
        if at_s < self._last_s - _DAY_S / 2:  # past midnight
            self._days_s += _DAY_S
            at_s += _DAY_S
        self._last_s = max(self._last_s, at_s)
        return self._last_s

    def _dump(self, size: int) -> bytes:
        shown = bytearray()
        while len(shown) < size:
            line = _LINE.match(self._data, self._at)
            offset = int(line[1], 16) if line else -1
            if line is None or offset not in (len(shown), len(shown) + 2):
                if len(shown) + 2 == size and self.exact is False:
                    shown += b"\r\n"
                    break
                raise self._cut_off()
            shown += b"\r\n" * (offset > len(shown))
            shown += self._shown(line[2].removesuffix(b"\r"))
            self._at = line.end()
        if len(shown) > size:
            raise self._cut_off()
        return bytes(shown)

    def _shown(self, text: bytes) -> bytes:
        if self.exact is None:
            self.exact = _HEX_LINE.match(text) is not None
        if not self.exact:
            return text
        try:
            return bytes.fromhex(text[:_HEX_WIDTH].decode("ascii", "replace"))
        except ValueError:
            raise self._cut_off() from None

    def _cut_off(self) -> CassetteError:
        line = self._data.count(b"\n", 0, self._at) + 1
        return CassetteError(
            f"{self._source.path}:{line}: a dump of other bytes than announced; was the trace cut off?"
        )
