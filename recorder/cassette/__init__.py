"""Cassettes: the storable model, its YAML text, reading files, and importing those of other tools.

Writing a file is the sanitize room's: the store in here is private to it.
"""

from recorder.cassette._check import Finding, accept_edits, check_cassette, cut_off_message, is_cut_off
from recorder.cassette._codec import dump_cassette, load_cassette, parse_cassette
from recorder.cassette._gallery import gallery, shipped
from recorder.cassette._imported import Converted, Unknown, import_recording
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
from recorder.cassette._schema import cassette_schema
from recorder.cassette._write import Texts

__all__ = [
    "Cassette",
    "Chunk",
    "Converted",
    "EndKind",
    "Finding",
    "Headers",
    "Interaction",
    "Recording",
    "Request",
    "Response",
    "StreamEnd",
    "Texts",
    "Unknown",
    "accept_edits",
    "cassette_path",
    "cassette_schema",
    "check_cassette",
    "cut_off_message",
    "dump_cassette",
    "gallery",
    "import_recording",
    "is_cut_off",
    "load_cassette",
    "parse_cassette",
    "shipped",
]
