"""What the tests of the event stream parser share: one stream in many partitions, which must all come to the same."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from recorder.errors import StreamFault
from recorder.sse import EventStreamParser, iter_events

collect_ignore = [] if os.environ.get("RECORDER_VECTORS") else ["test_vectors.py"]


class Exact(EventStreamParser):
    """The parser without its shortcuts."""

    __slots__ = ()
    _shortcuts = False


class Outcome(NamedTuple):
    """What a stream came to. A fault is (class, code, offset)."""

    events: tuple[tuple[str, str, str], ...]
    fault: tuple[str, str, int] | None
    comments: tuple[str, ...] | None  # None: nobody listened
    last_event_id: str
    reconnection_time: int | None
    consumed: int  # the parser's offset in the end
    ends: tuple[int, ...]  # event_end of each event


def run_parser(
    chunks: Iterable[Any],
    *,
    exact: bool = False,
    listen: bool = True,
    peek: bool = False,
    places: bool = True,
    **options: Any,
) -> Outcome:
    """Feed chunks until a fault, then close.

    Args:
        exact: without the shortcuts.
        listen: with a callback for comments.
        peek: read every public property after every chunk, which must change nothing.
        places: ask where every event ended; each answer reads its chunk again.
    """
    comments: list[str] = []
    if listen:
        options["on_comment"] = comments.append
    parser = (Exact if exact else EventStreamParser)(**options)
    events: list[Any] = []
    ends: list[int] = []
    fault = None
    try:
        for chunk in chunks:
            some = parser.feed(chunk)
            events += some
            ends += [parser.event_end(number) for number in range(len(some) * places)]
            if peek:
                assert (parser.offset, parser.last_event_id, parser.reconnection_time) is not None
        parser.close()
    except StreamFault as found:
        events += found.events
        ends += [parser.event_end(number) for number in range(len(found.events) * places)]
        fault = (type(found).__name__, str(found.code), found.offset)
    return Outcome(
        tuple(map(tuple, events)),
        fault,
        tuple(comments) if listen else None,
        parser.last_event_id,
        parser.reconnection_time,
        parser.offset,
        tuple(ends),
    )


def run_iterator(chunks: Iterable[bytes], **options: Any) -> tuple[Any, Any]:
    """The events and the fault that `iter_events` gives."""
    events: list[tuple[str, str, str]] = []
    try:
        for event in iter_events(chunks, **options):
            events.append(tuple(event))
    except StreamFault as found:
        return tuple(events), (type(found).__name__, str(found.code), found.offset)
    return tuple(events), None


def partitions(stream: bytes) -> Iterator[list[bytes]]:
    """Whole, byte by byte (also with empty chunks between), in pairs, and in two parts at every place."""
    yield [stream]
    yield [stream[at : at + 1] for at in range(len(stream))]
    yield [piece for at in range(len(stream)) for piece in (b"", stream[at : at + 1])]
    yield [stream[at : at + 2] for at in range(0, len(stream), 2)]
    yield from ([stream[:cut], stream[cut:]] for cut in range(1, len(stream)))


def agreed(stream: bytes, **options: Any) -> Outcome:
    """What `stream` comes to in every partition, with and without shortcuts, listening or not, and by `iter_events`."""
    expected = run_parser([stream], **options)
    deaf = expected._replace(comments=None)
    for number, chunks in enumerate(partitions(stream)):
        assert run_parser(chunks, **options) == expected, chunks
        assert run_parser(chunks, listen=False, **options) == deaf, chunks
        if number % 3 == 1:
            assert run_parser(chunks, listen=False, peek=True, **options) == deaf, chunks
        assert run_parser(chunks, exact=True, **options) == expected, chunks
        assert run_iterator(chunks, **options) == (expected.events, expected.fault), chunks
    return expected


class Helpers(NamedTuple):
    """The functions above, for test modules, which cannot import this one."""

    run: Callable[..., Outcome] = run_parser
    iterate: Callable[..., tuple[Any, Any]] = run_iterator
    partitions: Callable[[bytes], Iterator[list[bytes]]] = partitions
    agreed: Callable[..., Outcome] = agreed


@pytest.fixture(scope="session")
def sse() -> Helpers:
    """Ways to run a stream."""
    return Helpers()


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The slow parser (reference.py)."""
    name = "sse_reference"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("reference.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
