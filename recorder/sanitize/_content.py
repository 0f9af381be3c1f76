"""The body of a message as its content: content codings undone, so that it can be looked into.

Rule: a cassette stores bodies decoded. A header may name a coding that is no longer there (several recorders leave it),
and a body may be compressed without saying so; the bytes decide. What cannot be decoded cannot be cleaned, so it says
that it is opaque, and is refused.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from recorder.cassette import Chunk, Request, Response
from recorder.coding import CodingError, Decoder, decoder

_MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x78\x01": "deflate",
    b"\x78\x5e": "deflate",
    b"\x78\x9c": "deflate",
    b"\x78\xda": "deflate",
}
Plain = tuple[bytes, tuple[Chunk, ...] | None]
_SLICE = 64 * 1024
_LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """What a body says.

    Attributes:
        body: decoded.
        chunks: their sizes sum to the length of `body`.
        coding: what was undone; None when nothing was.
        named: the coding was named in the head, so the body is stored decoded.
        opaque: the body is in a coding that could not be undone; `body` is as it was.
    """

    body: bytes
    chunks: tuple[Chunk, ...] | None = None
    coding: str | None = None
    named: bool = False
    opaque: bool = False

    @property
    def stored_decoded(self) -> bool:
        """Whether the head named a coding that was undone, so that its headers are not true any more."""
        return self.named and not self.opaque

    def stored(self, body: bytes) -> bytes:
        """A cleaned content in the coding that no head names, so that the body stays what it was; a zstd body does not.

        Args:
            body: the cleaned content.
        """
        if self.coding == "zstd":
            return body
        packer = zlib.compressobj(9, zlib.DEFLATED, 31 if self.coding == "gzip" else 15)
        return packer.compress(body) + packer.flush()


def content_of(message: Request | Response) -> Content:
    """The content of a request's or a response's body."""
    chunks = message.chunks if isinstance(message, Response) else None
    body = message.body or b""
    named = ", ".join(message.headers.get("content-encoding", ())).strip().lower()
    if named in ("", "identity") or _is_text(body):
        sniffed = next((coding for magic, coding in _MAGIC.items() if body.startswith(magic)), None)
        plain = None if sniffed is None else _undone(sniffed, body, None)
        return Content(body, chunks) if plain is None else Content(plain[0], None, sniffed)
    plain = _undone(named, body, chunks)
    if plain is None:
        return Content(body, chunks, named, True, True)
    return Content(*plain, named, True)


def _is_text(body: bytes) -> bool:
    try:
        return not body or "\x00" not in body.decode()
    except UnicodeDecodeError:
        return False


def _undone(coding: str, body: bytes, chunks: tuple[Chunk, ...] | None) -> Plain | None:
    """The decoded body and its chunks; None when it is not in this coding, or grows beyond all measure."""
    try:
        return _decoded(decoder(coding), body, chunks)
    except CodingError:
        return None


def _decoded(each: Decoder, body: bytes, chunks: tuple[Chunk, ...] | None) -> Plain:
    whole, pieces = bytearray(), []
    waited, position = 0.0, 0
    for chunk in chunks if chunks is not None else (Chunk(0.0, len(body)),):
        before = len(whole)
        for start in range(position, position + chunk.size, _SLICE):
            whole += each.decode(body[start : min(start + _SLICE, position + chunk.size)])
            if len(whole) > _LARGEST:
                raise CodingError("a body that decodes to more than 256 MiB")
        position += chunk.size
        waited += chunk.delay_s
        if len(whole) > before:
            pieces.append(Chunk(waited, len(whole) - before))
            waited = 0.0
    return bytes(whole), None if chunks is None else tuple(pieces)
