"""A short way to read large files of our own layout: what makes them large never goes through YAML.

Rule: block bodies and chunk lists are cut out where our layout has them, what is left is read as YAML, and then the
result is written again: only if that gives the file byte for byte is it taken. (A block that is seen to be what the
writer makes of its body is not written again.) So this may guess and cannot be wrong: the file is what the writer makes
of the result, and what the writer makes is read back exactly. Every doubt (another tool's file, an edit, a fault) ends
in None, and the long way decides and explains.
"""

from __future__ import annotations

import json
import re

from recorder.cassette._model import Cassette, Chunk
from recorder.cassette._read import BODY_TAG, CHUNKS_TAG, Taken, read_interactions
from recorder.cassette._scalars import is_block_of
from recorder.cassette._values import MOST_MS
from recorder.cassette._write import BODY_INDENT, write_cassette
from recorder.cassette._yaml import MAX_NODES, compose

SMALL = 16 * 1024
"""Bytes to be saved in an interaction, on the average, for this to be the shorter way."""

CHUNK_LIST_WEIGHT = 100
"""How much longer YAML takes for a byte of a chunk list than for one of a body (in fact, 200 to 300 times)."""

_START = re.compile(rb"((?:[ \t]*(?:#[^\r\n]*)?\n)*)version: 1\ninteractions:\n(?=- request:\n)")
_RECORDER = b"\n    recorder:\n"
_BLOCK = b"\n      string: |"
_CHUNKS = b"\n      chunks: ["
_OF_CHUNKS = b"0123456789[], \n"
_SURPRISES = (ValueError, TypeError, LookupError, AttributeError, RecursionError)  # `CassetteError` is a ValueError


def read_own_layout(data: bytes, *, always: bool = False) -> Cassette | None:
    """The cassette in a file that is exactly as the writer writes it; None when it is not, or not worth it.

    Args:
        data: the file.
        always: go this way even if it is not the shorter one.
    """
    start = _START.match(data)
    if start is None or not (always or _may_be_shorter(data)):
        return None
    try:
        scissors = _Scissors(data, start.end())
        while not scissors.at_end:
            scissors.interaction()
        if not always and scissors.saved < SMALL * scissors.interactions:
            return None
        return _proven(data, start[1].decode(), scissors)
    except _SURPRISES:
        return None


def _may_be_shorter(data: bytes) -> bool:
    """A quick look: only a block or a chunk list makes a difference, and the last interaction would have one."""
    if len(data) < SMALL:
        return False
    return data.find(_BLOCK) >= 0 or data.find(_CHUNKS, max(0, data.rfind(_RECORDER))) >= 0


def _proven(data: bytes, preamble: str, scissors: _Scissors) -> Cassette | None:
    skeleton, taken = scissors.cut()
    reading = read_interactions(compose(b"interactions:\n" + skeleton, ""), "", taken=taken)
    cassette = Cassette(reading.interactions, preamble)
    same = write_cassette(cassette, ascii=data.isascii(), scalars=scissors.scalars) == data
    return cassette if same else None


class _Scissors:
    """Marks the places to cut in the interactions of a file, one after the other; then cuts them all.

    Attributes:
        saved: the bytes to be cut out, in bytes of a body, less the bytes of bodies left in.
        interactions: how many were gone through.
        scalars: of response bodies that are cut out: what the writer makes of them, by the `id` of the body.
    """

    def __init__(self, data: bytes, at: int) -> None:
        self.saved = 0
        self.interactions = 0
        self.scalars: dict[int, memoryview] = {}
        self._data = data
        self._start = self._at = at
        self._places: list[tuple[int, int, int]] = []  # from, to, and the indentation of a block; 0 for a chunk list
        self._is_ascii = data.isascii()
        self._values = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._data)

    def interaction(self) -> None:
        self.interactions += 1
        self._body(b"\n    body: ", b"\n    headers:", 6)
        self._body(b"\n      string: ", _RECORDER, BODY_INDENT)
        end = self._data.find(b"\n- request:\n", self._at) + 1 or len(self._data)
        start = self._data.find(_CHUNKS, self._at, end)
        if start >= 0:
            start += len(_CHUNKS) - 1
            stop = self._data.index(b"]\n", start, end) + 1
            self._places.append((start, stop, 0))
            self.saved += CHUNK_LIST_WEIGHT * (stop - start)
        self._at = end

    def _body(self, before: bytes, after: bytes, indent: int) -> None:
        """A literal block is cut out; any other scalar is left to YAML."""
        start = self._data.index(before, self._at) + len(before)
        self._at = self._data.index(after, start)
        if self._data.startswith(b"|", start):
            self._places.append((start, self._at, indent))
            self.saved += self._at - start
        else:
            self.saved -= self._at - start

    def cut(self) -> tuple[bytes, Taken]:
        """The text with a tagged number in each place, and what was there."""
        parts, taken, at = [], Taken(), self._start
        for start, stop, indent in self._places:
            parts.append(self._data[at:start])
            if indent:
                parts.append(f"{BODY_TAG} {len(taken.bodies)}".encode())
                body = self._block(start, stop, b" " * indent)
                taken.bodies.append(body)
                is_response = indent == BODY_INDENT
                if is_response and is_block_of(body, self._data, start, stop, indent, ascii=self._is_ascii):
                    self.scalars[id(body)] = memoryview(self._data)[start:stop]
            else:
                parts.append(f"{CHUNKS_TAG} {len(taken.chunks)}".encode())
                pairs = json.loads(self._checked(start, stop))
                if max([delay_ms for delay_ms, _ in pairs], default=0) > MOST_MS:
                    raise ValueError("told by the general way, with its place")
                taken.chunks.append(tuple([Chunk(delay_ms / 1000, size) for delay_ms, size in pairs]))
            at = stop
        parts.append(self._data[at:])
        return b"".join(parts), taken

    def _checked(self, start: int, stop: int) -> bytes:
        """A chunk list, once it is sure that it has nothing else in it and no more than all lists may have."""
        text = self._data[start:stop]
        self._values += text.count(b"[") + text.count(b",") + 1
        if text.translate(None, _OF_CHUNKS) or self._values > MAX_NODES:
            raise ValueError
        return text

    def _block(self, start: int, stop: int, pad: bytes) -> bytes:
        """The body in a literal block."""
        first = self._data.index(b"\n", start, stop + 1) + 1
        if self._data.find(b"+", start, first) > 0:
            stop += 1  # it ends with its last line end
        if self._data.startswith(pad, first):
            first += len(pad)
        return self._data[first:stop].replace(b"\n" + pad, b"\n")
