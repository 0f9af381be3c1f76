"""One incremental decoder for each content coding.

Rule: a piece in, all the bytes it completes out. A body cut inside its compression keeps what could be decoded.
brotli and zstandard are optional packages, imported when a body needs them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Protocol

from recorder.errors import RecorderError

_AUTO_GZIP = 16 + zlib.MAX_WBITS


class CodingError(RecorderError):
    """A body is not in the coding its head names, or no decoder for that coding is installed."""


class Decoder(Protocol):
    """Turns coded bytes into plain bytes, piece by piece."""

    def decode(self, data: bytes) -> bytes:
        """The bytes that `data` completes; may be empty.

        Raises:
            CodingError: the bytes are not in this coding.
        """

    @property
    def complete(self) -> bool:
        """Whether the coding came to its own end; a body that was cut inside it did not."""


class _Identity:
    complete = True

    def decode(self, data: bytes) -> bytes:
        return data


class _Wrapped:
    """A decoder over a library's `decompress` call, with that library's error mapped to ours."""

    def __init__(
        self, coding: str, decompress: Callable[[bytes], bytes], error: type[Exception], ended: Callable[[], bool]
    ) -> None:
        self._coding, self._decompress, self._error, self._ended = coding, decompress, error, ended

    def decode(self, data: bytes) -> bytes:
        try:
            return self._decompress(data)
        except self._error:
            raise CodingError(f"the body is not valid {self._coding}, which its content-encoding names") from None

    @property
    def complete(self) -> bool:
        return self._ended()


class _Deflate:
    """RFC 9110 means zlib (RFC 1950); some servers send raw deflate (RFC 1951). The first byte tells."""

    def __init__(self) -> None:
        self._inner: _Wrapped | None = None

    def decode(self, data: bytes) -> bytes:
        if not data:
            return b""
        if self._inner is None:
            wrapped_in_zlib = data[0] & 0x0F == 8 and data[0] >> 4 <= 7
            bits = zlib.MAX_WBITS if wrapped_in_zlib else -zlib.MAX_WBITS
            self._inner = _zlib("deflate", bits)
        return self._inner.decode(data)

    @property
    def complete(self) -> bool:
        return self._inner is not None and self._inner.complete


def _zlib(coding: str, bits: int) -> _Wrapped:
    made = zlib.decompressobj(bits)
    return _Wrapped(coding, made.decompress, zlib.error, lambda: made.eof)


class _Gzip:
    """One or more members (RFC 1952 section 2.2); what follows the last one and is none is passed over."""

    def __init__(self) -> None:
        self._is_first = True
        self._is_over = False
        self._member = zlib.decompressobj(_AUTO_GZIP)

    def decode(self, data: bytes) -> bytes:
        pieces: list[bytes] = []
        while data and not self._is_over:
            if self._member.eof:
                self._is_first, self._member = False, zlib.decompressobj(_AUTO_GZIP)
            try:
                pieces.append(self._member.decompress(data))
            except zlib.error:
                if self._is_first:
                    raise CodingError("the body is not valid gzip, which its content-encoding names") from None
                self._is_over = True
            data = self._member.unused_data
        return b"".join(pieces)

    @property
    def complete(self) -> bool:
        return self._member.eof or self._is_over


def _brotli() -> Decoder:
    import brotli  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional

    made = brotli.Decompressor()
    process = made.process

    def drained(data: bytes) -> bytes:
        """From version 1.2 on, one call gives out a bounded part of what the bytes decode to; the rest is asked for."""
        pieces = [process(data)]
        while pieces[-1]:
            pieces.append(process(b""))
        return b"".join(pieces)

    return _Wrapped("br", drained, brotli.error, made.is_finished)


def _zstd() -> Decoder:
    import zstandard  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional

    made = zstandard.ZstdDecompressor().decompressobj()
    return _Wrapped("zstd", made.decompress, zstandard.ZstdError, lambda: made.eof)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "": _Identity,
    "identity": _Identity,
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _brotli,
    "zstd": _zstd,
}
_PACKAGES = {"br": "brotli", "zstd": "zstandard"}


class _Chain:
    """Several codings, undone in the reverse of the order in which they were applied."""

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        self._decoders = tuple(decoders)

    def decode(self, data: bytes) -> bytes:
        for each in self._decoders:
            data = each.decode(data)
        return data

    @property
    def complete(self) -> bool:
        return all(each.complete for each in self._decoders)


def decoder(content_encoding: str) -> Decoder:
    """A fresh decoder for the value of a `content-encoding` header.

    Args:
        content_encoding: as sent: "", "gzip", "deflate", "br", "zstd", or several separated by commas.

    Raises:
        CodingError: the coding is unknown, or its package is not installed.
    """
    return _Chain([_single(name.strip().lower()) for name in reversed(content_encoding.split(","))])


def _single(name: str) -> Decoder:
    make = _DECODERS.get(name)
    if make is None:
        raise CodingError("the body's content-encoding is none of gzip, deflate, br, zstd: it cannot be stored decoded")
    try:
        return make()
    except ImportError:
        raise CodingError(f"a {name} body needs the package {_PACKAGES[name]}: pip install {_PACKAGES[name]}") from None
