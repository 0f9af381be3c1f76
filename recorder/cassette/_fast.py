"""A short way to read large files of our own layout: what makes them large never goes through YAML.

Rule: block bodies and chunk lists are cut out where our layout has them, what is left is read as YAML, and then the
result is written again: only if that gives the file byte for byte is it taken. So this may guess and cannot be wrong:
the file is what the writer makes of the result, and what the writer makes is read back exactly. Every doubt (another
tool's file, an edit, a fault) ends in None, and the long way decides and explains.
"""

from __future__ import annotations

import json
import re

from recorder.cassette._model import Cassette, Chunk
from recorder.cassette._read import BODY_TAG, CHUNKS_TAG, Reader, Taken
from recorder.cassette._write import write_cassette
from recorder.cassette._yaml import compose
from recorder.errors import CassetteError

SMALL = 16 * 1024
"""Bytes an interaction needs for this to be the shorter way."""

CHUNK_LIST_WEIGHT = 100
"""How much longer YAML takes for a byte of a chunk list than for one of a body (in fact, 200 to 300 times)."""

_START = re.compile(rb"((?:[ \t]*(?:#[^\r\n]*)?\n)*)version: 1\ninteractions:\n(?=- request:\n)")
_SURPRISES = (CassetteError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


def read_own_layout(data: bytes, *, small: int = SMALL) -> Cassette | None:
    """The cassette in a file that is exactly as the writer writes it; None when it is not, or not worth it.

    Args:
        data: the file.
        small: interactions below this size on the average are left to the long way.
    """
    start = _START.match(data)
    if start is None or len(data) < small:
        return None
    try:
        scissors = _Scissors(data, start.end())
        while not scissors.at_end:
            scissors.interaction()
        if scissors.saved < small * scissors.interactions:
            return None
        return _proven(data, start[1].decode(), scissors)
    except _SURPRISES:
        return None


def _proven(data: bytes, preamble: str, scissors: _Scissors) -> Cassette | None:
    skeleton = b"interactions:\n" + b"".join(scissors.parts)
    reader = Reader("", taken=scissors.taken)
    cassette = Cassette(reader.interactions(compose(skeleton, "")), preamble if "#" in preamble else "")
    same = not reader.not_kept and write_cassette(cassette, ascii=data.isascii()) == data
    return cassette if same else None


class _Scissors:
    """Cuts the interactions of a file, one after the other.

    Attributes:
        parts: the text between the cuts, with a tagged number in the place of each.
        taken: what was cut out.
        saved: the bytes cut out, in bytes of a body, less the bytes of bodies left in.
    """

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at
        self.parts: list[bytes] = []
        self.taken = Taken()
        self.saved = 0
        self.interactions = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._data)

    def interaction(self) -> None:
        self.interactions += 1
        self._keep(self._find(b"\n    body: ") + 11)
        self._body(self._find(b"\n    headers:"), 6)
        self._keep(self._find(b"\n      string: ") + 15)
        self._body(self._find(b"\n    recorder:\n"), 8)
        end = self._data.find(b"\n- request:\n", self._at) + 1 or len(self._data)
        chunks = self._data.find(b"\n      chunks: [", self._at, end)
        if chunks >= 0:
            self._keep(chunks + 15)
            self._chunks(self._data.index(b"]\n", self._at) + 1)
        self._keep(end)

    def _find(self, mark: bytes) -> int:
        return self._data.index(mark, self._at)

    def _keep(self, end: int) -> None:
        self.parts.append(self._data[self._at : end])
        self._at = end

    def _body(self, end: int, indent: int) -> None:
        """Cut out a literal block; leave any other scalar to YAML."""
        if not self._data.startswith(b"|", self._at):
            self.saved -= end - self._at
            self._keep(end)
            return
        lines = self._data.index(b"\n", self._at, end + 1) + 1
        keeps_line_end = self._data.find(b"+", self._at, lines) > 0
        pad = b" " * indent
        content = self._data[lines : end + 1 if keeps_line_end else end]
        self.parts.append(f"{BODY_TAG} {len(self.taken.bodies)}".encode())
        self.taken.bodies.append(content.replace(b"\n" + pad, b"\n").removeprefix(pad))
        self.saved += end - self._at
        self._at = end

    def _chunks(self, end: int) -> None:
        pairs = json.loads(self._data[self._at : end])
        self.parts.append(f"{CHUNKS_TAG} {len(self.taken.chunks)}".encode())
        self.taken.chunks.append(tuple([Chunk(delay_ms / 1000, size) for delay_ms, size in pairs]))
        self.saved += CHUNK_LIST_WEIGHT * (end - self._at)
        self._at = end
