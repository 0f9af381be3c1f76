"""Recordings of other tools as cassettes. One file a format.

Rule: nothing here sanitizes or saves; a file is untrusted, and every fault in it is a `CassetteError` that names the
place. A format is told by its first bytes, in the order of the table.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from recorder.cassette._codec import read_file
from recorder.cassette._foreign import CONVERT
from recorder.cassette._imported import Converted
from recorder.cassette.importers import (
    _braintrust,
    _curl_trace,
    _go_vcr,
    _har,
    _httpmock,
    _httprr,
    _nock,
    _pairs,
    _raw,
    _ruby_vcr,
    _test_proxy,
    _vcrpy,
    _wiremock,
)
from recorder.cassette.importers._protocol import BOM, HEAD, Importer, Source
from recorder.errors import CassetteError, UnknownFormat

IMPORTERS: tuple[Importer, ...] = (
    _curl_trace,
    _httprr,
    _go_vcr,
    _ruby_vcr,
    _har,
    _httpmock,
    _nock,
    _test_proxy,
    _braintrust,
    _pairs,
    _vcrpy,
    _wiremock,
    _raw,
)
"""The formats, in the order in which they are tried."""

_GZIP = b"\x1f\x8b"
_MAX_MEMBERS = 100

__all__ = ["IMPORTERS", "Importer", "importer_of", "load"]


def load(path: Path, body: Path | None, max_bytes: int) -> Converted:
    """`recorder.cassette.import_recording`, with paths."""
    data = _unzipped(_read(path, max_bytes), path, max_bytes)
    companion = None if body is None else _read(body, max_bytes)
    found = importer_of(path, data)
    if companion is not None and found is not _curl_trace:
        raise CassetteError(f"{path}: not a curl trace but {found.NAME}, which is whole without what curl printed")
    try:
        return found.load(Source(path, data, companion, max_bytes))
    except CassetteError as error:
        if CONVERT not in str(error):
            raise
        problem = str(error).replace(CONVERT, "this one cannot be converted")  # to convert it is what was tried here
    raise CassetteError(problem)


def importer_of(path: Path, data: bytes) -> Importer:
    """The importer for a file.

    Raises:
        UnknownFormat: there is none; with what was tried.
    """
    head = data[:HEAD].removeprefix(BOM)
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    for each in IMPORTERS:
        if each.sniff(plain, head):
            return each
    tried = ", ".join(each.NAME for each in IMPORTERS)
    what = "an empty file" if not data.strip() else "in none of the known formats"
    raise UnknownFormat(f"{path}: {what}; tried {tried}")


def _read(path: Path, max_bytes: int) -> bytes:
    data = read_file(path, max_bytes)
    if len(data) > max_bytes:
        raise CassetteError(f"{path}: more than {max_bytes} bytes; max_bytes= sets the limit")
    return data


def _unzipped(data: bytes, path: Path, max_bytes: int) -> bytes:
    """The content of a gzip file, member by member, never more than the limit; other files as they are."""
    plain, members = bytearray(), 0
    while data.startswith(_GZIP):
        members += 1
        if members > _MAX_MEMBERS:
            raise CassetteError(f"{path}: a gzip file of more than {_MAX_MEMBERS} members; write it as one")
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            plain += member.decompress(data, max_bytes + 1 - len(plain))
        except zlib.error:
            raise CassetteError(f"{path}: begins as a gzip file and is none; it was damaged") from None
        if len(plain) > max_bytes:
            raise CassetteError(f"{path}: more than {max_bytes} bytes out of gzip; max_bytes= sets the limit")
        if not member.eof:
            raise CassetteError(f"{path}: a gzip file that is cut off; get the whole file")
        data = member.unused_data
    return bytes(plain) if members else data
