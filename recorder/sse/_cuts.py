"""Every two-part cut of a body through the parser, in time that is linear in the body.

Rule: exact, not sampled. For each cut the parser is run on the block that is cut alone, or on the two that the cut lies
between, until it stands between two blocks again. There nothing of the cut is left: it goes on as it went uncut, as
between blocks it remembers the last event ID, the reconnection time and how many bytes there were only, and all are
compared. What differs on the way, and what does not get to such a place, is run on the whole body.

So each byte costs what its block does: a stream of one endless block takes quadratic time. With a limit on events or on
bytes the parser remembers more between blocks; then every cut is run on the whole body.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Unpack

from recorder.errors import StreamFault
from recorder.sse._lines import BYTE_ORDER_MARK
from recorder.sse._parser import EventStreamParser
from recorder.sse._rules import ParserOptions

_LINE_END = re.compile(rb"\r\n?|\n")

# Everything that a run comes to: its events, the fault if there was one, the last event ID, the reconnection time.
Outcome = tuple[list[Any], tuple[str, int] | None, str, int | None]


def differing_cuts(
    body: bytes, parser: type[EventStreamParser] = EventStreamParser, **options: Unpack[ParserOptions]
) -> list[int]:
    """The offsets at which cutting `body` in two changes what the parser makes of it.

    Args:
        body: a whole stream, content-decoded.
        parser: the class under test.
        **options: as `EventStreamParser` takes them.

    Returns:
        the offsets, increasing, of `len(body) + 1`; none for a parser that is right.
    """
    cutter = _Cutter(body, parser, options)
    if options.get("max_events") is not None or options.get("max_bytes") is not None:
        return [cut for cut in range(len(body) + 1) if cutter.differs(cut)]
    bounds = [0, *_block_ends(body)]
    if bounds[-1] != len(body):
        bounds.append(len(body))
    found, before = [], 0
    for start, stop in pairwise(bounds):
        found += cutter.through(before, stop, (start,))
        found += cutter.through(start, stop, range(start + 1, stop))
        before = start
    if cutter.differs(len(body)):
        found.append(len(body))
    return found


def _block_ends(body: bytes) -> list[int]:
    """Where each blank line ends: there the parser stands between two blocks."""
    start = len(BYTE_ORDER_MARK) if body.startswith(BYTE_ORDER_MARK) else 0
    ends = []
    for match in _LINE_END.finditer(body, start):
        if match.start() == start:
            ends.append(match.end())
        start = match.end()
    return ends


class _Cutter:
    def __init__(self, body: bytes, parser: type[EventStreamParser], options: ParserOptions) -> None:
        self._body, self._parser, self._options = body, parser, options
        self._uncut: Outcome | None = None
        self._standing: EventStreamParser | None = None  # one that stands between two blocks

    def differs(self, cut: int) -> bool:
        """Whether the whole body, cut there, comes to something else; the plain way."""
        body = self._body
        if self._uncut is None:
            self._uncut = self._run(0, len(body), body)[0]
        return self._run(0, len(body), body[:cut], body[cut:])[0] != self._uncut

    def through(self, start: int, stop: int, cuts: Sequence[int]) -> list[int]:
        """Which of `cuts` change something, by running `body[start:stop]`, whole blocks, alone."""
        body, found = self._body, []
        uncut, converged = self._run(start, stop, body[start:stop])
        for cut in cuts:
            if converged and (uncut, True) == self._run(start, stop, body[start:cut], body[cut:stop]):
                continue
            if self.differs(cut):
                found.append(cut)
        return found

    def _run(self, start: int, stop: int, *parts: bytes) -> tuple[Outcome, bool]:
        """What a part of the body comes to, and whether nothing of it is left in the parser afterwards."""
        parser = self._standing if start and self._standing else self._new(start)
        self._standing = None
        if start:
            parser._machine.remember("before", 1)
        before = parser.offset
        events: list[Any] = []
        fault: tuple[str, int] | None = None
        try:
            for part in parts:
                events += parser.feed(part)
            if stop == len(self._body):
                parser.close()
        except StreamFault as caught:
            events += caught.events
            fault = str(caught.code), caught.offset - before
        over = fault is not None or stop == len(self._body)
        between = over or (parser.between_blocks and parser.offset - before == stop - start)
        if between and not over:
            self._standing = parser
        return (events, fault, parser.last_event_id, parser.reconnection_time), between

    def _new(self, start: int) -> EventStreamParser:
        """A parser for what begins there: at the start of the stream, or between two blocks of it."""
        parser = self._parser(**self._options)
        if start:
            parser.feed(b"\n")  # a blank line does nothing, but what follows is no byte order mark
        return parser
