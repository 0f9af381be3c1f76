"""What can be swept: the event streams of bytes, interactions, cassettes, paths, or several of these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path

from recorder.cassette import Cassette, Interaction, gallery, load_cassette
from recorder.sweeps._shown import printable_text

One = bytes | Interaction | Cassette | str | os.PathLike[str]
Source = One | Iterable[One] | Mapping[str, One]


@dataclass(frozen=True, slots=True)
class Stream:
    """One event stream to sweep.

    Attributes:
        name: what the report calls it.
        interaction: the recording.
        path: the cassette file, or the name of a shipped one; "" when it came from memory.
        number: which event stream of its cassette it is, from 1.
        expression: how a test would write it.
        file: where the cassette is, None when it came from memory.
        alone: whether it is the only event stream of its cassette.
    """

    name: str
    interaction: Interaction
    path: str = ""
    number: int = 1
    expression: str = "source"
    file: Path | None = None
    alone: bool = True


def event_streams(source: One) -> tuple[Interaction, ...]:
    """The event streams of one source.

    Raises:
        ValueError: there is none.
    """
    if isinstance(source, bytes):
        return (Interaction.from_body(source),)
    if isinstance(source, Interaction):
        return (source,)
    cassette = source if isinstance(source, Cassette) else load_cassette(source)
    found = tuple(
        each
        for each in cassette.interactions
        if each.response.headers.first("content-type").lower().startswith("text/event-stream")
    )
    if not found:
        which = "" if isinstance(source, Cassette) else f" {printable_text(os.fspath(source))}"
        raise ValueError(
            f"the cassette{which} has no response with the content-type text/event-stream: nothing to sweep"
        )
    return found


def streams(source: Source, only: int | None = None) -> tuple[Stream, ...]:
    """The event streams of one source or several, each with its own name: a mapping's key, the file's, or "stream".

    Args:
        only: the number of one in each source, from 1.

    Raises:
        ValueError: a source has no event stream, or not that many, or there is no source.
        TypeError: something is no source.
    """
    found = tuple(stream for name, one in _named(source) for stream in _streams(name, one, only))
    if not found:
        raise ValueError("no source: give the path of a cassette, bytes, an interaction, or several of these")
    return tuple(_told_apart(found))


def _told_apart(found: tuple[Stream, ...]) -> Iterator[Stream]:
    """Of streams of one name, as of two files in two folders, the second is `name (2)`."""
    taken: set[str] = set()
    for stream in found:
        others = (f"{stream.name} ({number})" for number in count(2))
        name = next(each for each in chain([stream.name], others) if each not in taken)
        taken.add(name)
        yield replace(stream, name=name)


def _named(source: Source) -> Iterator[tuple[str, One]]:
    if isinstance(source, _ONE):
        yield "", source
    elif isinstance(source, Mapping):
        yield from source.items()
    elif isinstance(source, Iterable) and not isinstance(source, memoryview):
        yield from (("", one) for one in source)
    else:
        raise _no_source(source)


_ONE = (bytes, bytearray, Interaction, Cassette, str, os.PathLike)


def _no_source(source: object) -> TypeError:
    return TypeError(f"a source is bytes, an interaction, a cassette or a path, not {type(source).__name__}")


def _streams(name: str, one: One, only: int | None) -> Iterator[Stream]:
    if not isinstance(one, _ONE):
        raise _no_source(one)
    path = os.fspath(one) if isinstance(one, str | os.PathLike) else ""
    label = printable_text(name or (Path(path).stem if path else "stream"))
    found = event_streams(bytes(one) if isinstance(one, bytearray) else one)
    if only is not None and not 1 <= only <= len(found):
        has = f"{len(found)} event stream{'' if len(found) == 1 else 's'}"
        raise ValueError(f"interaction={only}: {label} has {has}, counted from 1")
    short, alone = _short(path), len(found) == 1
    expression = f"recorder.gallery()[{short!r}]" if short != path else repr(short) if short else "source"
    file = Path(path) if path else None
    for number, interaction in enumerate(found, 1):
        if only is None or number == only:
            shown = label if alone else f"{label} #{number}"
            yield Stream(shown, interaction, short, number, expression, file, alone)


def _short(path: str) -> str:
    """The name of a shipped cassette instead of where it is installed."""
    stem = Path(path).stem if path else ""
    shipped = gallery().get(stem) if stem else None
    return stem if shipped is not None and Path(path).resolve() == Path(shipped).resolve() else path
