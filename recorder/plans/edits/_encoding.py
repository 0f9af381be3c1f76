"""The content encodings a plan may name, last among its edits: `gzip`, `br`, `zstd`, `deflate`.

Rule: they do not touch the text. A plan only names one; it is applied by whoever sends headers too, flushed after every
chunk so that the chunks stay what they are, and what only delivers bytes leaves it out.
"""

from __future__ import annotations

from recorder.contracts import Contract
from recorder.plans._splices import Splices
from recorder.plans._values import Bare


class Encoding(Bare):
    """What the four have in common; `form` is the coding's name in `content-encoding` (RFC 9110 section 8.4.1)."""

    __slots__ = ()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return ()


class Gzip(Encoding):
    r"""gzip (RFC 1952).

    data: 1\n\n | data: 2\n\n    \x1f\x8b\x08... | ...    one flushed piece of gzip for each chunk
    """

    __slots__ = ()

    form = "gzip"


class Br(Encoding):
    """Brotli (RFC 7932), one flushed piece for each chunk."""

    __slots__ = ()

    form = "br"


class Zstd(Encoding):
    r"""Zstandard (RFC 8878), one flushed piece for each chunk.

    data: 1\n\n | data: 2\n\n    \x28\xb5\x2f\xfd... | ...
    """

    __slots__ = ()

    form = "zstd"


class Deflate(Encoding):
    r"""deflate, which in HTTP is zlib's format (RFC 1950), one flushed piece for each chunk.

    data: 1\n\n | data: 2\n\n    \x78\x9c... | ...
    """

    __slots__ = ()

    form = "deflate"
