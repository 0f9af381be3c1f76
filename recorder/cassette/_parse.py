"""From the bytes of a file to a cassette: what kind of file it is, by which way it is read, what is to be said of it.

Rule: whatever the file is, the answer is a cassette or an error with a line. Not known here: paths on the disk,
warnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from recorder.cassette._comments import comments
from recorder.cassette._fast import read_own_layout
from recorder.cassette._foreign import foreign_bytes
from recorder.cassette._model import Cassette
from recorder.cassette._read import read_interactions
from recorder.cassette._write import holds_beyond_ascii
from recorder.cassette._yaml import compose, fail

_BOM = b"\xef\xbb\xbf"  # some editors put it before UTF-8
# JSON, as of vcrpy's other serializer, is YAML but for this: a character beyond U+FFFF is two escapes (RFC 8259, 7)
_PAIR = re.compile(rb"(?<!\\)((?:\\\\)*)\\u([dD][89aAbB][\dA-Fa-f]{2})\\u([dD][c-fC-F][\dA-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A cassette, and the lines of the digests that no longer fit their bodies."""

    cassette: Cassette
    edited: tuple[int, ...] = ()


def parse(data: bytes, path: str, max_bytes: int, *, accept: bool = False, loader: Any = None) -> Parsed:
    """The cassette in a file, with what is to be said about it.

    Args:
        data: the file.
        path: how errors name it.
        max_bytes: a longer file is refused.
        accept: take edited bodies for the truth.
        loader: a PyYAML loader class, for tests.
    """
    if len(data) > max_bytes:
        raise fail(path, 1, f"the file has more than {max_bytes} bytes; max_bytes= sets the limit")
    data = data.removeprefix(_BOM)
    foreign = foreign_bytes(data)
    if foreign:
        raise fail(path, 1, foreign)
    own = read_own_layout(data) if loader is None else None
    if own is not None:
        return Parsed(replace(own, ascii=data.isascii() and holds_beyond_ascii(own)))
    return _parse_yaml(data, path, accept, loader)


def _parse_yaml(data: bytes, path: str, accept: bool, loader: Any) -> Parsed:
    if data.lstrip()[:1] == b"{":
        data = _PAIR.sub(_joined, data)
    root = compose(data, path, loader)
    reading = read_interactions(root, path, accept=accept)
    preamble, lost = comments(data, root)
    not_kept = (*reading.not_kept, *(f"a comment (line {line})" for line in lost))
    cassette = Cassette(reading.interactions, preamble, not_kept=not_kept)
    if reading.our_layout and data.isascii() and holds_beyond_ascii(cassette):
        cassette = replace(cassette, ascii=True)
    return Parsed(cassette, reading.edited)


def _joined(pair: re.Match[bytes]) -> bytes:
    high, low = int(pair[2], 16), int(pair[3], 16)
    return pair[1] + b"\\U%08x" % (0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
