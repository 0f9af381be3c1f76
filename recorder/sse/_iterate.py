"""Events from an iterable of byte chunks."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from recorder.errors import StreamFault
from recorder.sse._event import Event
from recorder.sse._parser import EventStreamParser


def iter_events(chunks: Iterable[bytes], **limits: Any) -> Iterator[Event]:
    parser = EventStreamParser(**limits)
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
        parser.close()
    except StreamFault as fault:
        yield from fault.events
        raise


async def aiter_events(chunks: AsyncIterable[bytes], **limits: Any) -> AsyncIterator[Event]:
    parser = EventStreamParser(**limits)
    try:
        async for chunk in chunks:
            for event in parser.feed(chunk):
                yield event
        parser.close()
    except StreamFault as fault:
        for event in fault.events:
            yield event
        raise
