"""The content encodings a plan may name, last among its edits: `gzip`, `br`, `zstd`, `deflate`.

Rule: they do not touch the text. A plan only names one; it is applied by whoever sends headers too, flushed after every
chunk so that the chunks stay what they are, and what only delivers bytes leaves it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from recorder.contracts import Contract
from recorder.plans._splices import Splices
from recorder.plans._values import no_more


@dataclass(frozen=True, slots=True)
class Encoding:
    """What the four have in common; `form` is the coding's name in `content-encoding` (RFC 9110 section 8.4.1)."""

    form: ClassVar[str] = ""

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        return ()


class Gzip(Encoding):
    """gzip (RFC 1952)."""

    form = "gzip"


class Br(Encoding):
    """Brotli (RFC 7932)."""

    form = "br"


class Zstd(Encoding):
    """Zstandard (RFC 8878)."""

    form = "zstd"


class Deflate(Encoding):
    """deflate, which is zlib's format (RFC 1950)."""

    form = "deflate"
