"""One incremental encoder for each content coding, the other way round than `_decode.py`.

Rule: a piece in, bytes out from which a decoder gets exactly that piece: each is flushed, so the boundaries of what is
delivered survive the compression. Only `finish` closes the coding: a body that is cut short never had its end.
brotli and zstandard are optional packages, imported when a plan asks for them.

    gzip, "data: 1" | "data: 2"     header, block, flush | block, flush | last block, check sum
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Protocol

from recorder.coding._decode import CodingError

_GZIP = 16 + zlib.MAX_WBITS  # RFC 1952; zlib writes no name and no time, so the same bytes each time
_ZLIB = zlib.MAX_WBITS  # RFC 1950, which HTTP calls deflate


class Encoder(Protocol):
    """Turns plain bytes into coded bytes, piece by piece."""

    def encode(self, data: bytes) -> bytes:
        """Coded bytes that complete `data`: a decoder given everything so far has everything so far."""
        ...

    def finish(self) -> bytes:
        """What ends the coding, for a body that is complete. The encoder is of no use afterwards."""
        ...


class _Flushed:
    """An encoder over a library's three calls."""

    def __init__(
        self, compress: Callable[[bytes], bytes], flush: Callable[[], bytes], finish: Callable[[], bytes]
    ) -> None:
        self._compress, self._flush, self.finish = compress, flush, finish

    def encode(self, data: bytes) -> bytes:
        return self._compress(data) + self._flush()


class _Identity:
    def encode(self, data: bytes) -> bytes:
        return data

    def finish(self) -> bytes:
        return b""


def _zlib(bits: int) -> Encoder:
    made = zlib.compressobj(wbits=bits)
    return _Flushed(made.compress, lambda: made.flush(zlib.Z_SYNC_FLUSH), made.flush)


def _gzip() -> Encoder:
    return _zlib(_GZIP)


def _deflate() -> Encoder:
    return _zlib(_ZLIB)


def _brotli() -> Encoder:
    import brotli  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional

    made = brotli.Compressor(quality=5)  # the highest, its own default, is made for files and slow
    return _Flushed(made.process, made.flush, made.finish)


def _zstd() -> Encoder:
    import zstandard  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional

    made = zstandard.ZstdCompressor().compressobj()
    return _Flushed(made.compress, lambda: made.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK), made.flush)


_ENCODERS: dict[str, Callable[[], Encoder]] = {
    "identity": _Identity,
    "gzip": _gzip,
    "br": _brotli,
    "zstd": _zstd,
    "deflate": _deflate,
}
_PACKAGES = {"br": "brotli", "zstd": "zstandard"}


def encoder(coding: str | None) -> Encoder:
    """A fresh encoder.

    Args:
        coding: one name as in a `content-encoding` header (RFC 9110 section 8.4.1): "gzip", "br", "zstd", "deflate";
            None or "identity" leaves the bytes as they are.

    Raises:
        CodingError: the coding is unknown, or its package is not installed.
    """
    make = _ENCODERS.get(coding or "identity")
    if make is None:
        raise CodingError(f"{coding!r} is not a content encoding: use {', '.join(_ENCODERS)}")
    try:
        return make()
    except ImportError:
        package = _PACKAGES[coding or ""]
        raise CodingError(f"to encode with {coding}, the package {package} is needed: pip install {package}") from None
