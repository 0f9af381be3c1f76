"""Cassettes: the storable model, its YAML text, and reading files.

Writing a file is the sanitize room's: the store in here is private to it.
"""

from recorder.cassette._check import Finding, accept_edits, check_cassette
from recorder.cassette._codec import dump_cassette, load_cassette, parse_cassette
from recorder.cassette._gallery import gallery
from recorder.cassette._model import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Recording,
    Request,
    Response,
    StreamEnd,
)
from recorder.cassette._names import cassette_path

__all__ = [
    "Cassette",
    "Chunk",
    "EndKind",
    "Finding",
    "Headers",
    "Interaction",
    "Recording",
    "Request",
    "Response",
    "StreamEnd",
    "accept_edits",
    "cassette_path",
    "check_cassette",
    "dump_cassette",
    "gallery",
    "load_cassette",
    "parse_cassette",
]
