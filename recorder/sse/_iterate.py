"""Events from an iterable of byte chunks, and from an asynchronous one.

Rule: a fault comes after the events before it: those are given, then it is raised. What the source raises passes
through. The two loops differ in nothing but `async`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Unpack

from recorder.errors import StreamFault
from recorder.sse._event import Event
from recorder.sse._lines import CR, LF
from recorder.sse._parser import EventStreamParser
from recorder.sse._rules import ParserOptions


def iter_events(chunks: Iterable[bytes] | bytes, **options: Unpack[ParserOptions]) -> Iterator[Event]:
    """Parse an event stream chunk by chunk, each event as soon as its bytes are there.

    Args:
        chunks: the decoded body, in pieces of any size; or the whole of it.
        **options: as `EventStreamParser` takes them.

    Returns:
        an iterator of events; the next chunk is asked for only when the events of the last are used up.

    Raises:
        TypeError, ValueError: at once, for an option that is wrong.
        LimitExceeded, InvalidUTF8: by the iterator, after the events before the fault.
    """
    parser = EventStreamParser(**options)
    return _events((bytes(chunks),) if isinstance(chunks, bytes | bytearray | memoryview) else chunks, parser)


def _events(chunks: Iterable[bytes], parser: EventStreamParser) -> Iterator[Event]:
    feed, lines, drive = parser.feed, parser._feed_lines, parser._drive
    held, strict = parser._held, parser._strict
    for chunk in chunks:
        try:
            # What `feed` does first, without the call: most small chunks need no more.
            if chunk.__class__ is not bytes:
                events = feed(chunk)
            elif LF in chunk or CR in chunk:
                events = lines(chunk)
            elif strict and (parser._utf8 or not chunk.isascii()) and not parser._well_formed(chunk):
                events = drive(chunk)
            else:
                held += chunk
                if len(held) <= parser._room:
                    continue
                events = drive(b"")
        except StreamFault as fault:
            yield from fault.events
            raise
        if events:
            yield from events
    parser.close()


def aiter_events(chunks: AsyncIterable[bytes] | bytes, **options: Unpack[ParserOptions]) -> AsyncIterator[Event]:
    """Do what `iter_events` does, over an asynchronous iterable."""
    parser = EventStreamParser(**options)
    return _aevents(_whole(chunks) if isinstance(chunks, bytes | bytearray | memoryview) else chunks, parser)


async def _whole(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _aevents(chunks: AsyncIterable[bytes], parser: EventStreamParser) -> AsyncIterator[Event]:
    feed, lines, drive = parser.feed, parser._feed_lines, parser._drive
    held, strict = parser._held, parser._strict
    async for chunk in chunks:
        try:
            if chunk.__class__ is not bytes:
                events = feed(chunk)
            elif LF in chunk or CR in chunk:
                events = lines(chunk)
            elif strict and (parser._utf8 or not chunk.isascii()) and not parser._well_formed(chunk):
                events = drive(chunk)
            else:
                held += chunk
                if len(held) <= parser._room:
                    continue
                events = drive(b"")
        except StreamFault as fault:
            for event in fault.events:
                yield event
            raise
        for event in events:
            yield event
    parser.close()
