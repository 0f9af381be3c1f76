"""What `explore` and `compare` are given, as event streams with a name and the Python that loads them again.

Rule: a stream that cannot be written down (bytes, an interaction) says so instead of inventing a path.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from recorder.cassette import Cassette, Interaction, gallery, load_cassette

Source = bytes | Interaction | Cassette | str | os.PathLike[str]
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Stream:
    """One event stream of a source.

    Attributes:
        name: the cassette's, for people.
        number: which event stream of the cassette this is, from 1.
        interaction: its place in the cassette, from 0, and the stream itself.
        argument: the cassette as an argument of the command; None where there is no file.
    """

    name: str
    number: int
    place: int
    interaction: Interaction
    argument: str | None = None

    @property
    def label(self) -> str:
        """For a list to choose from."""
        return f"{self.number}: {self.interaction.request.method}, {len(self.interaction.response.body):,} bytes"

    @property
    def python(self) -> str | None:
        """The expression that loads it, None where there is no file."""
        if self.argument is None:
            return None
        path = f'recorder.gallery()["{self.argument}"]' if self.argument in gallery() else repr(self.argument)
        return f"recorder.load_cassette({path}).interactions[{self.place}]"


def event_streams(source: Source) -> tuple[Stream, ...]:
    """The event streams of a source, in order.

    Args:
        source: the bytes of a body, an interaction, a cassette, the path of one or the name of a shipped one.

    Raises:
        ValueError: there is none.
        CassetteError: the file cannot be read.
        TypeError: it is none of those.
    """
    if isinstance(source, bytes):
        return (Stream("bytes", 1, 0, Interaction.from_body(source)),)
    if isinstance(source, Interaction):
        return (Stream("interaction", 1, 0, source),)
    if isinstance(source, Cassette):
        return _streams(source, "cassette", None)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"a source is bytes, an interaction, a cassette or a path, not {type(source).__name__}")
    name = os.fspath(source)
    shipped = gallery()
    known = next((key for key, path in shipped.items() if name == key or Path(name) == path), None)
    if known is not None and not (name == known and Path(name).exists()):
        return _streams(load_cassette(shipped[known]), known, known)
    return _streams(load_cassette(name), Path(name).stem, name)


def _streams(cassette: Cassette, name: str, argument: str | None) -> tuple[Stream, ...]:
    found = [
        (place, each)
        for place, each in enumerate(cassette.interactions)
        if each.response.headers.first("content-type").lower().startswith(EVENT_STREAM)
    ]
    if not found:
        raise ValueError(f"{name}: no response with the content-type {EVENT_STREAM}, so there is nothing to explore")
    return tuple(Stream(name, number, place, each, argument) for number, (place, each) in enumerate(found, 1))
