"""Bodies in a content coding: looked into, cleaned, and stored so that nothing about them is a lie."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Recording, Request, Response
from recorder.sanitize import Sanitizer

KEY = "sk-planted-3141592653589793"
STREAM = b'data: {"choices":[{"index":0,"delta":{"content":"my key is %s."}}]}\n\n' % KEY.encode()
CLEAN = STREAM.replace(KEY.encode(), b"secret-REDACTED-0001")
SANITIZER = Sanitizer.default([KEY])

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "deflate, gzip": lambda data: gzip.compress(zlib.compress(data), mtime=0),
}


def cassette(request: Request | None = None, response: Response | None = None) -> Cassette:
    return Cassette((Interaction(request or Request("POST", "https://a.example/"), response or Response(200)),))


@pytest.mark.parametrize("coding", CODINGS)
def test_a_named_coding_is_undone(coding: str) -> None:
    """Request and response: the clean content is stored, and the head does not name a coding any more."""
    packed = CODINGS[coding](STREAM)
    head = Headers(
        {"content-encoding": coding, "content-type": "text/event-stream", "content-length": str(len(packed))}
    )
    dirty = cassette(
        Request("POST", "https://a.example/", head, packed), Response(200, head, packed, recording=Recording())
    )
    assert SANITIZER.scan(dirty)
    clean = SANITIZER.apply(dirty)
    (each,) = clean.interactions
    assert (each.request.body, each.response.body) == (CLEAN, CLEAN)
    assert list(each.request.headers) == list(each.response.headers) == ["content-type"]
    assert each.response.recording is not None
    assert each.response.recording.wire == {"content_encoding": coding}
    assert SANITIZER.scan(clean) == ()
    assert SANITIZER.apply(clean) == clean


def test_recorded_chunks_become_chunks_of_the_content() -> None:
    """A piece that decodes to nothing joins the next one."""
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(STREAM) + packer.flush(zlib.Z_SYNC_FLUSH)
    rest = packer.compress(STREAM) + packer.flush()
    chunks = (Chunk(0.1, 4), Chunk(0.2, len(first) - 4), Chunk(0.3, len(rest)))
    response = Response(200, Headers({"content-encoding": "gzip"}), first + rest, chunks)
    after = SANITIZER.apply(cassette(response=response)).interactions[0].response
    assert after.body == CLEAN + CLEAN
    assert [chunk.size for chunk in after.chunks or ()] == [len(CLEAN), len(CLEAN)]
    assert sum(chunk.delay_s for chunk in after.chunks or ()) == pytest.approx(0.6)


def test_a_coding_that_is_gone_already_is_only_left_out() -> None:
    """Several recorders decode the body and keep the header."""
    response = Response(200, Headers({"content-encoding": "gzip", "content-type": "text/event-stream"}), STREAM)
    after = SANITIZER.apply(cassette(response=response)).interactions[0].response
    assert (after.body, list(after.headers)) == (CLEAN, ["content-type"])


@pytest.mark.parametrize(("coding", "undo"), [("gzip", gzip.decompress), ("deflate", zlib.decompress)])
def test_a_coding_nobody_names_stays(coding: str, undo: Callable[[bytes], bytes]) -> None:
    """A compressed file as a body: it is cleaned, and still compressed."""
    dirty = cassette(Request("POST", "https://a.example/", Headers(), CODINGS[coding](STREAM)))
    assert SANITIZER.scan(dirty)
    clean = SANITIZER.apply(dirty)
    assert undo(clean.interactions[0].request.body or b"") == CLEAN
    assert SANITIZER.scan(clean) == ()
    assert SANITIZER.apply(clean) == clean


def test_an_unnamed_zstd_body_is_stored_as_its_content() -> None:
    """It cannot be compressed again here."""
    dirty = cassette(Request("POST", "https://a.example/", Headers(), CODINGS["zstd"](STREAM)))
    assert SANITIZER.apply(dirty).interactions[0].request.body == CLEAN


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "compress", "x-unknown"])
def test_what_cannot_be_undone_is_refused(coding: str) -> None:
    """And stays as it was, with the header that says so."""
    body = b"\xff\xfe\x00 no such coding"
    dirty = cassette(response=Response(200, Headers({"content-encoding": coding}), body))
    after = SANITIZER.apply(dirty)
    assert after.interactions[0].response.body == body
    assert [str(residue) for residue in SANITIZER.scan(after)] == ["content-coding in interaction 1, response body"]


def test_a_body_that_grows_beyond_measure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file must not fill the memory."""
    monkeypatch.setattr("recorder.sanitize._content._LARGEST", 10_000)
    bomb = gzip.compress(b"\x00" * 200_000)
    after = SANITIZER.apply(cassette(response=Response(200, Headers({"content-encoding": "gzip"}), bomb)))
    assert after.interactions[0].response.body == bomb
    assert [residue.rule for residue in SANITIZER.scan(after)] == ["content-coding"]


def test_clean_compressed_bodies_are_not_touched() -> None:
    """Without a secret in it, the file is what it was, byte for byte."""
    packed = gzip.compress(b"nothing here", mtime=12345)
    clean = cassette(Request("POST", "https://a.example/", Headers(), packed))
    assert SANITIZER.apply(clean) == clean
