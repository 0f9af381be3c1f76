"""Shortcuts through runs of complete blocks, one idea each.

Rule: a shortcut is given whole blocks from a blank line (or the stream's beginning) to a blank line, small enough that
no limit on lines or data can be passed in them, with line feeds for line ends. It gives exactly what the machine
would, or None when the run is not of its shape. It changes nothing and knows nothing of chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

from recorder.sse._event import Event
from recorder.sse._lines import CR, LF, retry_time

# `Event(...)` runs Python code to make its tuple; this makes the same tuple without.
_tuple = tuple.__new__
# Up to so many bytes one search for two bytes is quicker than several for one.
FEW_BYTES = 64
# Two line ends in a row, of which CR LF counts as one.
BLANK_LINE = re.compile(rb"\n\r\n?|\r\r\n?|\n\n")
# Up to this length of a run it is tried as one block without a look.
SHORT_BLOCK = 256
# From this length of a block on, looking for line feeds one by one beats looking for what stands between blocks.
LONG_BLOCK = 600


def last_block_end(data: bytes | bytearray, start: int, stop: int) -> int:
    """Where the last block that ends in `data[start:stop]` ends, whatever its line ends.

    A block ends with a blank line: two line ends in a row, of which CR LF counts as one.

    Returns:
        the index after the blank line's terminator, or 1 if no block ends. It can be `stop + 1`: CR LF stays whole.
    """
    if stop - start < FEW_BYTES:
        end = 1
        while blank := BLANK_LINE.search(data, start, stop):
            end = blank.end()
            start = end - 1  # its last byte may begin another
        return end
    # The pair that is in CR LF CR LF comes first: then the others are looked for only behind it, in a few bytes.
    found = data.rfind(b"\n\r", start, stop)
    since = start if found < 0 else found
    found = max(found, data.rfind(b"\r\r", since, stop), data.rfind(b"\n\n", since, stop))
    end = found + 2
    return end + (end > 1 and data[end - 1] == CR and data[end : end + 1] == b"\n")


def last_lf_block_end(data: bytes | bytearray, start: int, stop: int) -> int:
    """The same where there is no CR."""
    if stop - start < FEW_BYTES:
        return data.rfind(b"\n\n", start, stop) + 2
    # What is behind the last blank line is most likely one line at most, and its end.
    end = data.rfind(LF, start, stop)
    if end > start and data[end - 1] != LF:
        end = data.rfind(LF, start, end)
        if end > start and data[end - 1] != LF:
            return data.rfind(b"\n\n", start, end) + 2
    return end + 1 if end > start else 1


def first_block_end(data: bytes, start: int, stop: int, has_cr: bool) -> int:
    """Where the first block that ends in `data[start:stop]` ends, when none ends early; 1 if none does at all."""
    if has_cr:
        return _first_pair(data, start, stop) + 2
    last = max(start, stop - 1)
    end = start
    for _ in range(4):  # one byte is quicker to find than two, as long as the lines are long
        end = data.find(LF, end, last)
        if end < 0:
            return 1
        if data[end + 1] == LF:
            return end + 2
        end += 1
    return data.find(b"\n\n", end, stop) + 2


def _first_pair(data: bytes, start: int, stop: int) -> int:
    """The index of the first two line ends in a row, or -1."""
    found = -1
    for pair in (b"\n\r", b"\r\r", b"\n\n"):
        other = data.find(pair, start, stop if found < 0 else found + 1)
        if other >= 0:
            found = other
    return found


def line_feeds_only(run: bytes) -> bytes:
    """The run with each CR LF and each CR as one LF, so that no shortcut needs to know of more than one line end."""
    run = run.replace(b"\r\n", b"\n")
    return run.replace(b"\r", b"\n") if CR in run else run


def one_event(text: str, last_event_id: str) -> list[Event] | None:
    """One block of a `data: ` line with or without an `event: ` line before: what servers send at a time."""
    if text[:6] == "data: ":
        name, value = "message", text[6:-2]
    elif text[:7] == "event: ":
        name, found, value = text[7:-2].partition("\ndata: ")
        if not found or "\n" in name:
            return None
    else:
        return None
    return None if "\n" in value else [_tuple(Event, (name or "message", value, last_event_id))]


def one_crlf_event(text: str, last_event_id: str) -> list[Event] | None:
    """The same, where every line must end with CR LF."""
    if text[:6] == "data: ":
        name, value = "message", text[6:-4]
    elif text[:7] == "event: ":
        name, found, value = text[7:-4].partition("\r\ndata: ")
        if not found or "\n" in name or "\r" in name:
            return None
    else:
        return None
    if "\n" in value or "\r" in value or text[-4:] != "\r\n\r\n":
        return None
    return [_tuple(Event, (name or "message", value, last_event_id))]


def long_events(run: bytes, last_event_id: str) -> list[Event] | None:
    """Blocks of that shape, read where they are, a line at a time: the quickest for long ones.

    Blocks in a row mostly begin alike, up to the value, so that is looked at once.

    Raises:
        UnicodeDecodeError: they are not UTF-8.
    """
    events = []
    head = b"data: "
    name = "message"
    at = 0
    while at < len(run):
        value = at + len(head)
        if run[at:value] != head:
            name, value = _head(run, at)
            if not value:
                return None
            head = run[at:value]
        line_end = run.find(LF, value)
        at = line_end + 2
        if run[at - 1] != LF:
            return None
        events.append(_tuple(Event, (name, run[value:line_end].decode(), last_event_id)))
    return events


def _head(run: bytes, at: int) -> tuple[str, int]:
    """The name of the block that begins at `at`, and where its value begins; 0 if it is not of that shape."""
    if run[at : at + 6] == b"data: ":
        return "message", at + 6
    line_end = run.find(LF, at)
    value = line_end + 7
    if run[at : at + 7] == b"event: " and run[line_end + 1 : value] == b"data: ":
        return run[at + 7 : line_end].decode() or "message", value
    return "", 0


def first_lines(data: bytes | bytearray) -> tuple[int, int]:
    """Where the first two line feeds are. In a block of that shape one of them ends the data line."""
    first = data.find(LF)
    return first, data.find(LF, first + 1)


def unnamed_events(text: str, last_event_id: str) -> list[Event] | None:
    """Blocks of one `data: ` line each, as most chat streams are: cut at what stands between two values.

    n values with 2n line feeds in all: two after each value, so there is none inside a value.
    """
    if text[:6] != "data: ":
        return None
    values = text[6:-2].split("\n\ndata: ")
    if text.count("\n") != 2 * len(values):
        return None
    return [_tuple(Event, ("message", value, last_event_id)) for value in values]


def offer(run: bytes, has_cr: bool, taker: Callable[[list[bytes]], int]) -> int:
    """Offer the values of blocks of one `data: ` line each, all with LF or all with CR LF, before any text is made.

    n values with 2n line ends in all, so there is none inside a value, as in `unnamed_events`.

    Args:
        run: the run, line ends as they came.
        has_cr: whether there may be a CR.
        taker: given the values, in UTF-8, says how many of them it takes, from the first on.

    Returns:
        how many bytes of the run are taken: none if it is not of that shape, or not UTF-8.
    """
    size, first = len(run), run.find(LF)
    if run[:6] != b"data: " or (has_cr and run[-4:] != b"\r\n\r\n"):
        return 0
    if first == size - 3 and has_cr and run.find(CR) == size - 4:
        values = [run[6:-4]]
    elif first == size - 2 and not has_cr:
        values = [run[6:-2]]
    else:
        values = run[6:-4].split(b"\r\n\r\ndata: ") if has_cr else run[6:-2].split(b"\n\ndata: ")
        lines = 2 * len(values)
        if run.count(LF) != lines or (has_cr and run.count(CR) != lines):
            return 0
    if not run.isascii():
        try:
            run.decode()
        except UnicodeDecodeError:
            return 0
    taken = taker(values)
    if taken == len(values):
        return size
    return sum(map(len, values[:taken])) + taken * (10 if has_cr else 8)


def named_events(text: str, last_event_id: str) -> list[Event] | None:
    """Blocks of one `event: ` line and one `data: ` line each: cut at what stands between two blocks, then in two.

    n blocks with 3n line feeds in all: two after each block and one for each block that falls into two.
    """
    if text[:7] != "event: ":
        return None
    blocks = text[7:-2].split("\n\nevent: ")
    if text.count("\n") != 3 * len(blocks):
        return None
    try:
        return [
            _tuple(Event, (name or "message", value, last_event_id))
            for name, value in [block.split("\ndata: ") for block in blocks]
        ]
    except ValueError:  # a block with no such line, or with two
        return None


# What a run of blocks of any shape comes to: the events; the last event ID and the reconnection time after it; the
# comments' texts; the length in bytes of the longest value of an `event` field.
Run = tuple[list[Event], str, int | None, list[str], int]


def any_blocks(run: bytes, last_event_id: str, reconnection_time: int | None) -> Run:
    """Blocks of any shape, line by line.

    Args:
        run: the run; what is not UTF-8 is replaced.
        last_event_id, reconnection_time: as they stand before it.
    """
    events: list[Event] = []
    comments: list[str] = []
    longest_name = 0
    event_type = ""
    data: list[str] = []
    for line in BytesIO(run):
        if line[:6] == b"data: ":
            data.append(line[6:-1].decode("utf-8", "replace"))
        elif line == b"\n":
            if data:
                value = data[0] if len(data) == 1 else "\n".join(data)
                events.append(_tuple(Event, (event_type or "message", value, last_event_id)))
                data = []
            event_type = ""
        elif line[:1] == b":":
            comments.append(line[1:-1].decode("utf-8", "replace"))
        else:
            name, _, encoded = line[:-1].partition(b":")
            value = encoded.removeprefix(b" ").decode("utf-8", "replace")
            if name == b"event":
                event_type = value
                longest_name = max(longest_name, len(encoded))
            elif name == b"data":
                data.append(value)
            elif name == b"id" and "\0" not in value:
                last_event_id = value
            elif name == b"retry":
                reconnection_time = retry_time(value, reconnection_time)
    return events, last_event_id, reconnection_time, comments, longest_name
