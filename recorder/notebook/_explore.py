"""`recorder.explore`: from whatever is given to the explorer. The widgets are loaded when it is called."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from recorder.cassette import gallery
from recorder.contracts import Contract
from recorder.notebook._reader import Reader
from recorder.notebook._source import Source, Stream, event_streams

if TYPE_CHECKING:
    from recorder.notebook._explorer import Explorer


def explore(source: Source | None = None, reader: Reader | None = None, contract: Contract | None = None) -> Explorer:
    """See bytes become events become an answer: a form for the plan, and a picture of what it does.

    Args:
        source: bytes, an interaction, a cassette, a path or the name of a shipped cassette; the shipped cassettes to
            choose from unless given.
        reader: your own, a callable over an iterable of bytes or a coroutine function over an async one; its result
            stands beside ours.
        contract: the judge; the one the cassette names or the dialect shows unless given.

    Returns:
        A widget, to be displayed by a notebook; it works without one too. `.plan`, `.run` and `.verdict` are traits.

    Raises:
        ValueError: the source has no event stream.
        CassetteError: the file cannot be read.
    """
    from recorder.notebook._explorer import Explorer

    if source is None:
        return Explorer(_shipped(), reader, contract)
    streams = event_streams(source)
    return Explorer({streams[0].name: streams}, reader, contract)


def _shipped() -> dict[str, tuple[Stream, ...]]:
    found = {}
    for name in gallery():
        with suppress(ValueError):  # some hold an answer that is no event stream
            found[name] = event_streams(name)
    return found
