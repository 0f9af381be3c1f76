"""Between a cassette and the text of its file.

Rule: parsing what was dumped gives an equal cassette, and dumping what was parsed from a file of ours gives that
file's bytes. A file is data from anywhere: a fault in it is a `CassetteError` with the line and without the content.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from recorder.cassette._gallery import shipped
from recorder.cassette._model import Cassette
from recorder.cassette._write import Texts, write_cassette
from recorder.errors import CassetteError, CassetteWarning

MAX_BYTES = 64 * 1024 * 1024
"""The longest file that is read unless told otherwise."""


def dump_cassette(cassette: Cassette, *, ascii: bool | None = None, texts: Texts | None = None) -> str:
    """The text of the cassette's file: LF line ends, UTF-8 when encoded, always the same for the same cassette.

    Args:
        cassette: what to write.
        ascii: escape everything beyond ASCII, for stock vcrpy on a machine whose locale is not UTF-8; as the file it
            was loaded from unless given.
        texts: how interactions were written before, which is how the same ones are written; receives the others.

    Raises:
        CassetteError: something in it cannot be written.
    """
    if cassette.not_kept:
        lost = ", ".join(cassette.not_kept[:5]) + (", ..." if len(cassette.not_kept) > 5 else "")
        warnings.warn(
            f"written again, the cassette loses what only its file held: {lost}", CassetteWarning, stacklevel=2
        )
    return write_cassette(cassette, ascii=cassette.ascii if ascii is None else ascii, texts=texts).decode()


def parse_cassette(text: str | bytes, *, path: str = "<string>", max_bytes: int = MAX_BYTES) -> Cassette:
    """The cassette in the text of a file.

    Args:
        text: the file's content; UTF-8 if bytes.
        path: how errors name the file.
        max_bytes: a longer text is refused.

    Raises:
        CassetteError: `path:line: what is wrong; what would be right`.

    Warns:
        CassetteWarning: a body was edited after recording, so its recorded chunks are not used.
    """
    from recorder.cassette._parse import parse  # brings PyYAML

    parsed = parse(_encoded(text, path), path, max_bytes)
    for line in parsed.edited:
        warnings.warn(edited_message(path, line), CassetteWarning, stacklevel=2)
    return parsed.cassette


def load_cassette(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Cassette:
    """The cassette in a file.

    Args:
        path: the file.
        max_bytes: a longer file is refused.

    Raises:
        CassetteError: there is no such file, it cannot be read, or `path:line: what is wrong; what would be right`.

    Warns:
        CassetteWarning: a body was edited after recording, so its recorded chunks are not used.
    """
    from recorder.cassette._parse import parse  # brings PyYAML

    name = os.fspath(path)
    parsed = parse(read_file(path, max_bytes), name, max_bytes)
    for line in parsed.edited:
        warnings.warn(edited_message(name, line), CassetteWarning, stacklevel=2)
    return parsed.cassette


def edited_message(path: str, line: int) -> str:
    """What is said about a body that its digest does not fit."""
    return (
        f"{path}:{line}: the body is not the recorded one (its sha256 differs: it was edited, or a tool changed line "
        "ends or blanks), so the recorded chunks are not used; `recorder verify --accept` takes the body as it is"
    )


def read_file(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """The bytes of a file, at most one more than `max_bytes`."""
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size  # 0 for what is not a regular file
            data = file.read(min(size, max_bytes) + 1)
            return data if len(data) <= size else data + file.read(max_bytes + 1 - len(data))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        known = shipped(os.fspath(path)) if isinstance(error, FileNotFoundError) else ""
        raise CassetteError(f"{os.fspath(path)}: cannot be read: {'; '.join(filter(None, (reason, known)))}") from error


def _encoded(text: str | bytes, path: str) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
    raise CassetteError(f"{path}:{line}: half a surrogate pair; a cassette is UTF-8 text")
