"""The shortcut for all cuts finds what the plain way finds: nothing for our parser, the same offsets in broken ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import recorder
from recorder import EventStreamParser
from recorder.errors import StreamFault
from recorder.sse import differing_cuts


class ForgetsCR(EventStreamParser):
    """After a chunk that ends with CR, a LF at the start of the next one ends another line."""

    __slots__ = ()
    _shortcuts = False

    def feed(self, chunk: Any) -> Any:
        self._machine.after_cr = False
        return super().feed(chunk)


class LosesShortChunks(EventStreamParser):
    """A first chunk of fewer than three bytes is lost."""

    __slots__ = ()

    def feed(self, chunk: Any) -> Any:
        return super().feed(b"" if not self.offset and len(chunk) < 3 else chunk)


class ForgetsRetry(EventStreamParser):
    """A chunk that begins inside a block loses the reconnection time, of whatever block it was."""

    __slots__ = ()
    _shortcuts = False

    def feed(self, chunk: Any) -> Any:
        if self.offset and not self.between_blocks:
            self._machine.reconnection_time = None
        return super().feed(chunk)


class LosesSecondBlocks(EventStreamParser):
    """A chunk that begins with the block `data: b` is lost."""

    __slots__ = ()

    def feed(self, chunk: Any) -> Any:
        return super().feed(b"" if chunk.startswith(b"data: b") else chunk)


class LosesCount(EventStreamParser):
    """A chunk that begins inside a block counts for a byte too few; it is told by the place of a later fault alone."""

    __slots__ = ()
    _shortcuts = False

    def feed(self, chunk: Any) -> Any:
        if self.offset and not self.between_blocks:
            self._machine.offset -= 1
        return super().feed(chunk)


def outcome(parser: EventStreamParser, parts: Sequence[bytes]) -> Any:
    events: list[Any] = []
    try:
        for part in parts:
            events += parser.feed(part)
        parser.close()
    except StreamFault as fault:
        events += fault.events
        return events, fault.code, fault.offset, parser.last_event_id, parser.reconnection_time
    return events, None, None, parser.last_event_id, parser.reconnection_time


def plainly(body: bytes, parser: type[EventStreamParser], **options: Any) -> list[int]:
    whole = outcome(parser(**options), [body])
    cuts = range(len(body) + 1)
    return [cut for cut in cuts if outcome(parser(**options), [body[:cut], body[cut:]]) != whole]


@pytest.mark.parametrize("name", sorted(recorder.gallery()))
def test_on_every_cassette(name: str) -> None:
    """Of the gallery."""
    for interaction in recorder.load_cassette(recorder.gallery()[name]).interactions:
        body = interaction.response.body
        assert differing_cuts(body) == plainly(body, EventStreamParser) == []


PIECES = (
    *(b"data: a", b"data:", b'data: {"b":1}', b"data: \xe4\xbd\xa0", b"event: e", b"id: 7", b"id", b": c", b"retry: 5"),
    *(b"\xef\xbb\xbf", b"\xff", b"\xe4\xbd", b"\0", b"datax: 1"),
)
ENDS = (b"\n", b"\r\n", b"\r")


def streams(count: int) -> list[bytes]:
    draw = random.Random(1)
    made = []
    for _ in range(count):
        body = b"\xef\xbb\xbf" if draw.random() < 0.1 else b""
        end = draw.choice(ENDS)
        for _ in range(draw.randrange(1, 8)):
            end = draw.choice(ENDS) if draw.random() < 0.2 else end
            body += (b"" if draw.random() < 0.4 else draw.choice(PIECES)) + end
        made.append(body[: len(body) - draw.randrange(3)])
    return made


def test_on_a_thousand_generated_streams() -> None:
    """Mixed line ends, broken UTF-8, byte order marks in wrong places, an end anywhere."""
    found: Counter[type] = Counter()
    for number, body in enumerate(streams(1000)):
        strict = {"utf8": "strict", "max_line": 12} if number % 2 else {}
        assert differing_cuts(body, **strict) == plainly(body, EventStreamParser, **strict) == []
        for parser in (ForgetsCR, ForgetsRetry):
            broken = plainly(body, parser, **strict)
            found[parser] += len(broken)
            assert differing_cuts(body, parser, **strict) == broken, (parser, body)
    assert min(found[ForgetsCR], found[ForgetsRetry]) > 100, found


def test_where_a_cut_matters_is_named() -> None:
    """By hand: the CR LF after the first of two data lines, and the first two bytes."""
    body = b"data: a\r\ndata: b\r\n\r\n"
    assert differing_cuts(body, ForgetsCR) == [8]
    assert differing_cuts(b"data: a\n\ndata: b\n\n", LosesShortChunks) == [1, 2]
    assert differing_cuts(b"data: a\n\ndata: b\n\n", LosesSecondBlocks) == [9]
    assert differing_cuts(b"data: a\n\ndata: c\n\ndata: b", LosesSecondBlocks) == []  # never dispatched
    # at 18 the line of the reconnection time has ended, and nothing of the block is pending
    assert differing_cuts(b"data: a\n\nretry: 5\ndata: b\n\n", ForgetsRetry) == list(range(19, 27))
    assert differing_cuts(b"retry: 5\n\ndata: b\n\n", ForgetsRetry) == list(range(11, 19))
    # at 9 the first block is over; the fault is at 15, and a cut after it is never met
    assert differing_cuts(b"data: a\n\ndata: \xff\n\n", LosesCount, utf8="strict") == [*range(1, 9), *range(10, 16)]


def test_limits_that_look_back_are_kept() -> None:
    """With a limit on events or bytes every cut is run on the whole body."""
    body = b"data: a\n\n" * 5
    assert differing_cuts(body, max_events=3) == []
    assert differing_cuts(body, max_bytes=20) == []
    assert differing_cuts(b"") == []
