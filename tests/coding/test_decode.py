"""Content codings: undone piece by piece, and refused in words."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from recorder.coding import CodingError, decoder, encoder

BODY = "data: 你好\n\n".encode() * 20


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


CASES = {
    "": BODY,
    "identity": BODY,
    "gzip": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY),
    "GZIP": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "gzip, deflate": zlib.compress(gzip.compress(BODY)),
}


@pytest.mark.parametrize("coding", CASES)
def test_a_body_is_decoded_whole_and_byte_by_byte(coding: str) -> None:
    """The pieces do not matter."""
    wire = CASES[coding]
    assert decoder(coding).decode(wire) == BODY
    once = decoder(coding)
    assert b"".join(once.decode(wire[i : i + 1]) for i in range(len(wire))) == BODY


LONG = b"data: 1\n\n" * 20_000


def flushed_brotli(data: bytes) -> bytes:
    """As a server sends it that goes on later: flushed, not finished."""
    packer = brotli.Compressor()
    wire: bytes = packer.process(data) + packer.flush()
    return wire


@pytest.mark.parametrize(
    ("coding", "wire"),
    [
        ("gzip", gzip.compress(LONG)),
        ("deflate", zlib.compress(LONG)),
        ("br", flushed_brotli(LONG)),
        ("zstd", zstandard.ZstdCompressor().compress(LONG)),
    ],
    ids=["gzip", "deflate", "br", "zstd"],
)
def test_a_body_that_was_pressed_hard_comes_out_whole(coding: str, wire: bytes) -> None:
    """180,000 bytes from a few: a library that gives out a part at a time is asked for the rest."""
    assert len(wire) < 1000
    assert decoder(coding).decode(wire) == LONG


def test_raw_deflate_is_recognised() -> None:
    """Some servers send RFC 1951 where RFC 1950 is meant."""
    wire = raw_deflate(BODY)
    once = decoder("deflate")
    assert once.decode(b"") == b""
    assert b"".join(once.decode(wire[i : i + 1]) for i in range(len(wire))) == BODY


@pytest.mark.parametrize(
    "wire",
    [
        b"\x88\x03\x00\xfc\xffabc",  # RFC 1951: a stored block, the bits in front of its length are not 0
        b"\xf8\x03\x00\xfc\xffabc",
        b"\x09\x03\x00\xfc\xffabc",  # the same as the last block
        b"\x48\x89KLJ\x06\x00\x02M\x01'",  # RFC 1950, with a window of 4 KiB
    ],
)
def test_the_first_byte_tells_both_kinds_of_deflate_apart(wire: bytes) -> None:
    """RFC 1950 section 2.2: method 8 in the low half, a window of up to 32 KiB in the high half."""
    assert decoder("deflate").decode(wire) == b"abc"


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_the_window_is_as_large_as_it_may_be(coding: str, pack: Callable[[bytes], bytes]) -> None:
    """RFC 1951 section 2: up to 32 KiB back."""
    far = random.Random(1).randbytes(32_000) * 2
    assert len(pack(far)) < 33_000
    assert decoder(coding).decode(pack(far)) == far


def test_what_a_flush_completes_comes_out_at_once() -> None:
    """A flushed piece is given out without waiting for the next one."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    first = packer.compress(b"data: 1\n\n") + packer.flush(zlib.Z_SYNC_FLUSH)
    assert decoder("gzip").decode(first) == b"data: 1\n\n"


def test_a_body_cut_inside_its_compression_keeps_what_came() -> None:
    """A truncated gzip body gives a prefix, and no error."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    first = packer.compress(b"data: 1\n\n") + packer.flush(zlib.Z_SYNC_FLUSH)
    rest = packer.compress(b"data: 2\n\n") + packer.flush()
    assert decoder("gzip").decode((first + rest)[:-9]).startswith(b"data: 1\n\n")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_in_another_coding_is_refused_without_showing_it(coding: str) -> None:
    """The error names the coding, not the bytes."""
    with pytest.raises(CodingError) as caught:
        decoder(coding).decode(b"xPLANTED, and no compression at all")
    assert str(caught.value) == f"the body is not valid {coding}, which its content-encoding names"
    assert caught.value.__suppress_context__


def test_gzip_is_gzip_alone() -> None:
    """RFC 1952; what is in the format of zlib is in another coding."""
    with pytest.raises(CodingError):
        decoder("gzip").decode(zlib.compress(BODY))


def test_an_unknown_coding_is_refused() -> None:
    """The allowed ones are listed."""
    with pytest.raises(CodingError, match="none of gzip, deflate, br, zstd"):
        decoder("rot13")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """br without its package says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "brotli", None)
    with pytest.raises(CodingError, match="pip install brotli"):
        decoder("br")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
def test_a_coding_that_was_cut_is_not_complete(coding: str) -> None:
    """Complete only with its own end."""
    body = b"data: 1\n\n" * 9
    for each in coding.split(", "):
        made = encoder(each)
        body = made.encode(body) + made.finish()
    decode = decoder(coding)
    assert not decode.complete
    decode.decode(body[:-1])
    assert not decode.complete
    decode.decode(body[-1:])
    assert decode.complete
    assert decoder("").complete


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_gzip_may_have_several_members(size: int) -> None:
    """RFC 1952 section 2.2; what follows the last one is passed over, as HTTP clients do it."""
    wire = gzip.compress(b"data: 1\n\n") + gzip.compress(b"data: 2\n\n") + b"\0\0 garbage"
    made = decoder("gzip")
    pieces = [made.decode(wire[at : at + size]) for at in range(0, len(wire), size)]
    assert b"".join(pieces) == b"data: 1\n\ndata: 2\n\n"
    assert made.complete
