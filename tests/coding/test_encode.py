"""Encoders: each piece comes out of a decoder as it went in, at once."""

from __future__ import annotations

import gzip
import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.coding import CodingError, Decoder, decoder, encoder

CODINGS = ["gzip", "br", "zstd", "deflate"]
PIECES = [b"data: 1\n", b"\n", "data: 你好".encode()[:-1], b"\xbd", b"\n\n", b"data: " + b"x" * 100_000 + b"\n\n"]


@pytest.mark.parametrize("coding", CODINGS)
def test_boundaries_survive(coding: str) -> None:
    """What is encoded from one chunk decodes to that chunk, no more and no less, without waiting for the next."""
    encode, decode = encoder(coding), decoder(coding)
    for piece in PIECES:
        coded = encode.encode(piece)
        assert coded
        assert _all(decode, coded) == piece
    assert decode.decode(encode.finish()) == b""


def _all(decode: Decoder, coded: bytes) -> bytes:
    """Everything that `coded` completes; some decoders give out a large piece in several."""
    plain = decode.decode(coded)
    while more := decode.decode(b""):
        plain += more
    return plain


@pytest.mark.parametrize("coding", CODINGS)
def test_a_finished_body_is_complete(coding: str) -> None:
    """For the library's own strict decoder: the end and its check sum are there; without `finish` they are not."""
    encode = encoder(coding)
    body = b"".join(encode.encode(piece) for piece in PIECES)
    whole = body + encode.finish()
    assert _complete(coding, whole) == b"".join(PIECES)
    assert _complete(coding, body) is None


def _complete(coding: str, body: bytes) -> bytes | None:
    """The decoded body, None when it is cut short."""
    if coding == "gzip":
        try:
            return gzip.decompress(body)
        except EOFError:
            return None
    if coding == "deflate":
        made = zlib.decompressobj()
        plain = made.decompress(body)
        return plain if made.eof else None
    if coding == "br":
        import brotli

        brotli_made = brotli.Decompressor()
        plain = brotli_made.process(body)
        while more := brotli_made.process(b""):
            plain += more
        return plain if brotli_made.is_finished() else None
    import zstandard

    zstd_made = zstandard.ZstdDecompressor().decompressobj()
    plain = zstd_made.decompress(body)
    return plain if zstd_made.eof else None


@pytest.mark.parametrize("coding", CODINGS)
def test_an_empty_body(coding: str) -> None:
    """Is a complete one all the same."""
    assert decoder(coding).decode(encoder(coding).finish()) == b""


@pytest.mark.parametrize("coding", CODINGS)
def test_the_same_bytes_each_time(coding: str) -> None:
    """No time, no name, no chance."""
    first, second = encoder(coding), encoder(coding)
    assert [first.encode(piece) for piece in PIECES] == [second.encode(piece) for piece in PIECES]
    assert first.finish() == second.finish()


def test_deflate_is_what_http_means_by_it() -> None:
    """zlib's format (RFC 1950), and gzip's magic number (RFC 1952)."""
    assert encoder("deflate").encode(b"x")[:1] == b"\x78"
    assert encoder("gzip").encode(b"x")[:3] == b"\x1f\x8b\x08"


@settings(deadline=None)
@given(st.sampled_from(CODINGS), st.lists(st.binary(min_size=1, max_size=50), max_size=10))
def test_any_pieces(coding: str, pieces: list[bytes]) -> None:
    """Of any bytes, in any number."""
    encode, decode = encoder(coding), decoder(coding)
    assert [decode.decode(encode.encode(piece)) for piece in pieces] == pieces


@pytest.mark.parametrize("coding", [None, "identity"])
def test_no_coding(coding: str | None) -> None:
    """Leaves the bytes as they are and adds no end."""
    plain = encoder(coding)
    assert [plain.encode(piece) for piece in PIECES] == PIECES
    assert plain.finish() == b""


def test_an_unknown_coding() -> None:
    """Names what there is."""
    with pytest.raises(CodingError) as caught:
        encoder("lzw")
    assert str(caught.value) == "'lzw' is not a content encoding: use identity, gzip, br, zstd, deflate"


@pytest.mark.parametrize(("coding", "package"), [("br", "brotli"), ("zstd", "zstandard")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, coding: str, package: str) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CodingError) as caught:
        encoder(coding)
    assert str(caught.value) == (f"to encode with {coding}, the package {package} is needed: pip install {package}")
