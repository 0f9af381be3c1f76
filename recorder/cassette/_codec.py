"""Between a cassette and the text of its file.

Rule: `parse_cassette(dump_cassette(c)) == c`, and dumping what was parsed from a file of ours gives that file's bytes.
"""

from __future__ import annotations

import os
from pathlib import Path

from recorder.cassette._model import Cassette
from recorder.cassette._read import read_cassette
from recorder.cassette._write import write_cassette
from recorder.cassette._yaml import audit, compose, fail
from recorder.errors import CassetteError

MAX_BYTES = 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"


def dump_cassette(cassette: Cassette, *, ascii: bool = False) -> str:
    """The text of the cassette's file: UTF-8 when encoded, LF line ends, the same text for the same cassette.

    Args:
        cassette: what to write.
        ascii: escape everything beyond ASCII, for stock vcrpy on a machine whose locale is not UTF-8.

    Raises:
        CassetteError: something in it cannot be written.
    """
    return write_cassette(cassette, ascii=ascii)


def parse_cassette(text: str | bytes, *, path: str = "<string>", max_bytes: int = MAX_BYTES) -> Cassette:
    """The cassette in the text of a file.

    Args:
        text: the file's content, UTF-8 if bytes.
        path: how errors name the file.
        max_bytes: a longer text is refused.

    Raises:
        CassetteError: `path:line: what is wrong; what would be right`.
    """
    text = _decoded(text, path, max_bytes)
    root = compose(text, path)
    if root is not None:
        audit(root, path)
    return read_cassette(root, path)


def load_cassette(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Cassette:
    """The cassette in a file.

    Raises:
        CassetteError: there is no such file, it cannot be read, or `parse_cassette` refuses it.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise CassetteError(f"{name}: cannot be read: {error.strerror}") from error
    return parse_cassette(data, path=name, max_bytes=max_bytes)


def _decoded(text: str | bytes, path: str, max_bytes: int) -> str:
    if len(text) > max_bytes:
        raise fail(path, 1, f"the file has more than {max_bytes} bytes; max_bytes= sets the limit")
    if isinstance(text, str):
        return text
    if text.startswith(_GZIP):
        raise fail(path, 1, "a gzip file; `recorder convert IN -o OUT` reads it")
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
    raise fail(path, line, "not UTF-8; a cassette is a UTF-8 file")
