"""Every two-part cut of a body through the parser, in time that is linear in the body.

Rule: exact, not sampled. For each cut the parser is run from the end of a block before it, through the cut, until it
stands between two blocks again. There nothing of the cut is left: it goes on as it went uncut, as between blocks it
remembers the last event ID and the reconnection time only, and both are compared. What differs on the way, and what
does not get to such a place, is run on the whole body.

With a limit on events or on bytes it remembers more; then every cut is run on the whole body.
"""

from __future__ import annotations

import re
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
    found = [] if len(body) else [cut for cut in (0,) if cutter.differs(cut)]
    for number in range(len(bounds) - 1):
        start, stop = bounds[max(0, number - 1)], bounds[min(number + 2, len(bounds) - 1)]
        found += cutter.window(start, stop, range(bounds[number], bounds[number + 1]))
    return [*found, len(body)] if body and cutter.differs(len(body)) else found


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

    def differs(self, cut: int) -> bool:
        """Whether the whole body, cut there, comes to something else; the plain way."""
        if self._uncut is None:
            self._uncut = self._run(0, len(self._body), None)[0]
        return self._run(0, len(self._body), cut)[0] != self._uncut

    def window(self, start: int, stop: int, cuts: range) -> list[int]:
        """Which of `cuts` change something, by running `body[start:stop]`, whole blocks, alone."""
        uncut, converged = self._run(start, stop, None)
        if not converged:
            return [cut for cut in cuts if self.differs(cut)]
        found = []
        for cut in cuts:
            outcome, converged = self._run(start, stop, cut)
            if (outcome != uncut or not converged) and self.differs(cut):
                found.append(cut)
        return found

    def _run(self, start: int, stop: int, cut: int | None) -> tuple[Outcome, bool]:
        """What a part of the body comes to, and whether nothing of it is left in the parser afterwards."""
        body, parser = self._body, self._parser(**self._options)
        events: list[Any] = []
        fault: tuple[str, int] | None = None
        try:
            if start and body[start] == BYTE_ORDER_MARK[0]:
                parser.feed(b"\n")  # it is none here
            if cut is None:
                events = parser.feed(body[start:stop])
            else:
                events = parser.feed(body[start:cut])
                events += parser.feed(body[cut:stop])
            if stop == len(body):
                parser.close()
        except StreamFault as caught:
            events += caught.events
            fault = str(caught.code), caught.offset
        over = fault is not None or stop == len(body)
        between = over or parser.between_blocks
        return (events, fault, parser.last_event_id, parser.reconnection_time), between
