"""What a line is made of: its ends, the names of fields, and the value of `retry`."""

from __future__ import annotations

import re

LF, CR, SPACE = 10, 13, 32
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

DATA, EVENT, ID, RETRY = b"data", b"event", b"id", b"retry"
COMMENT, UNKNOWN = b":", b"?"
NAMES = (DATA, EVENT, ID, RETRY)
NAMED = re.compile(rb"(data|event|id|retry|):")  # the empty name is a comment's
# Every beginning of a line that may still become a field: no colon yet, and a field's name so far.
OPEN_NAMES = frozenset(name[:size] for name in NAMES for size in range(len(name) + 1))
LONGEST_NAME = 6  # "event:" and "retry:"

# CPython refuses to read integers of more digits than a process-wide setting, which is never below this.
MOST_DIGITS = 640


def line_end(data: bytes, at: int, stop: int) -> int:
    """The index of the first CR or LF in `data[at:stop]`, or `stop`.

    It looks ever farther ahead, so that the search for the one never runs far past the other: linear for any stream.
    """
    ahead = 256
    while at < stop:
        until = min(stop, at + ahead)
        end = data.find(b"\n", at, until)
        if end >= 0:
            until = end
        early = data.find(b"\r", at, until)
        if early >= 0 or end >= 0:
            return early if early >= 0 else end
        at = until
        ahead *= 4
    return stop


def retry_time(value: str, before: int | None) -> int | None:
    """The reconnection time after a `retry` field: its value in ms if that is nothing but ASCII digits, else as before.

    A number of more than `MOST_DIGITS` significant digits is left out too: no clock could hold it, and reading it
    would cost quadratic time.
    """
    if not value.isascii() or not value.isdigit():
        return before
    digits = value.lstrip("0") or "0"
    return int(digits) if len(digits) <= MOST_DIGITS else before
