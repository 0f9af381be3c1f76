"""What comes of importing a recording of another tool: a cassette, and what that recording did not tell.

Rule: what is not known is said in the result, and in the facts of each interaction, so that it stands in the file too.
Not known here: the formats.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recorder.cassette._codec import MAX_BYTES
from recorder.cassette._model import Cassette


class Unknown(StrEnum):
    """One thing that the imported file does not tell; the values are stable and stand in the cassette."""

    REQUEST = "request"
    HOST = "host"
    REQUEST_BODY = "request_body"
    REQUEST_TEXT = "request_text"
    HEAD = "head"
    HEADERS = "headers"
    BODY = "body"
    BODY_TEXT = "body_text"
    SEPARATORS = "separators"
    CODING = "coding"
    LENGTH = "length"
    CHARACTERS = "characters"
    LAST_EVENT = "last_event"
    DOTS = "dots"
    CHUNKS = "chunks"
    TIMES = "times"
    END = "end"

    @property
    def meaning(self) -> str:
        """What is not known, and what stands in its place, in a sentence."""
        return _MEANINGS[self]


_MEANINGS: dict[Unknown, str] = {
    Unknown.REQUEST: "the request is not in the file, or only a pattern of it: one was made up",
    Unknown.HOST: "the file has no host: the URI says host.invalid",
    Unknown.REQUEST_BODY: "the request body is damaged in the file, or not there: none was stored",
    Unknown.REQUEST_TEXT: "the request body was stored parsed: its JSON text is ours",
    Unknown.HEAD: "the response head is not in the file: 200 and text/event-stream were assumed",
    Unknown.HEADERS: "the content type is not in the file, or blanked out: it was told from the body",
    Unknown.BODY: "the response body is not in the file, which does not tell an empty one from one that was lost",
    Unknown.BODY_TEXT: "the response body was stored parsed: its JSON text is ours",
    Unknown.SEPARATORS: "the bytes between the events were not stored: they are LF LF",
    Unknown.CODING: "the body is stored decoded under a content-encoding header: the header was left out",
    Unknown.LENGTH: "the body is not as long as its content-length says: one of them was changed",
    Unknown.CHARACTERS: "the body holds U+FFFD, so bytes may have been lost when it was recorded as text",
    Unknown.LAST_EVENT: "no empty line ends the last event: the stream or the file was cut there",
    Unknown.DOTS: "the trace shows line feeds and what is not ASCII as dots: line ends were told from the grammar of "
    "event streams, other dots stayed",
    Unknown.CHUNKS: "where the network cut the body, and when the pieces came",
    Unknown.TIMES: "when the pieces came",
    Unknown.END: "how the body ended",
}


@dataclass(frozen=True, slots=True)
class Converted:
    """What came out of a file.

    Attributes:
        cassette: not sanitized yet.
        format: the format the file was in.
        unknowns: what it does not tell of at least one interaction, each once.
    """

    cassette: Cassette
    format: str
    unknowns: tuple[Unknown, ...]


def import_recording(
    path: str | os.PathLike[str], *, body: str | os.PathLike[str] | None = None, max_bytes: int = MAX_BYTES
) -> Converted:
    """The recording of any known tool in a file, as a cassette that is not sanitized yet.

    Args:
        path: the file; one in gzip is read out of it.
        body: what curl printed, for a trace of `curl --trace-ascii`, which shows not every byte.
        max_bytes: a longer file is refused, and one that grows longer out of gzip.

    Raises:
        CassetteError: it cannot be read or is in no known format; with the place and what was tried.
    """
    from recorder.cassette.importers import load  # brings PyYAML

    return load(Path(path), None if body is None else Path(body), max_bytes)
