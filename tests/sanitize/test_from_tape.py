"""A tape becomes an interaction: decoded, with the cuts where the pieces were cut."""

from __future__ import annotations

import datetime
import zlib

import pytest

from recorder.cassette import Chunk, EndKind, Interaction, StreamEnd
from recorder.coding import CodingError
from recorder.sanitize import interaction_from_tape
from recorder.tape import Tape, TapedHead, TapedRequest, TapeEnd

WHEN = datetime.datetime(2026, 5, 4, 14, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))


def tape(
    pieces: list[tuple[float, bytes]],
    headers: dict[str, str] | None = None,
    end: TapeEnd = "complete",
    version: str = "1.1",
) -> Tape:
    made = Tape(client="httpx2")
    made.request = TapedRequest("POST", "https://api.example.com/v1", (("accept", "text/event-stream"),), b"{}")
    made.head = TapedHead(200, "OK", version, tuple((headers or {}).items()), 0.25)
    made.pieces, made.end, made.end_s = pieces, end, 2.0
    return made


def stored(made: Tape, terminal_seen: bool = True) -> Interaction:
    return interaction_from_tape(
        made,
        terminal_seen=terminal_seen,
        recorded=WHEN,
        client={"name": "httpx2", "version": "2"},
        tool="0.1.0",
        outcome={"contract": "chat", "code": "accepted"},
    )


def test_pieces_become_chunks() -> None:
    """Delays are since the previous chunk, the first since the head."""
    response = stored(tape([(0.25, b"abc"), (0.75, b"de")], {"Transfer-Encoding": "chunked", "X-A": "1"})).response
    assert response.body == b"abcde"
    assert response.chunks == (Chunk(0.0, 3), Chunk(0.5, 2))
    assert response.end == StreamEnd(EndKind.COMPLETE, 1.25)
    assert list(response.headers) == ["X-A"]


def test_the_facts_of_the_wire_are_noted() -> None:
    """HTTP version, coding, framing, head time, the moment in UTC."""
    recording = stored(tape([(0.3, b"x")], {"Transfer-Encoding": "chunked"})).response.recording
    assert recording is not None
    assert recording.head_s == 0.25
    assert dict(recording.wire) == {"http": "1.1", "framing": "chunked"}
    assert recording.recorded == "2026-05-04T12:00:00Z"


@pytest.mark.parametrize(
    ("headers", "version", "framing"),
    [({"Content-Length": "1"}, "1.1", "length"), ({}, "1.1", "close"), ({}, "2", None)],
)
def test_the_framing_is_told_apart(headers: dict[str, str], version: str, framing: str | None) -> None:
    """By its length, by the close of the connection, or by HTTP/2 itself."""
    recording = stored(tape([(0.3, b"x")], headers, version=version)).response.recording
    assert recording is not None
    assert recording.wire.get("framing") == framing


def test_a_compressed_body_is_stored_decoded() -> None:
    """A piece that decodes to nothing joins the next one; the coding is a fact of the wire, not a header."""
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(b"data: 1\n\n") + packer.flush(zlib.Z_SYNC_FLUSH)
    rest = packer.compress(b"data: 2\n\n") + packer.flush()
    pieces = [(0.5, first[:4]), (1.0, first[4:]), (1.5, rest)]
    response = stored(tape(pieces, {"content-encoding": "gzip", "content-length": "99"})).response
    assert response.body == b"data: 1\n\ndata: 2\n\n"
    assert response.chunks == (Chunk(0.75, 9), Chunk(0.5, 9))
    assert "content-encoding" not in response.headers
    assert response.recording is not None
    assert dict(response.recording.wire) == {"http": "1.1", "content_encoding": "gzip", "framing": "length"}


@pytest.mark.parametrize(
    ("end", "seen", "expected"),
    [
        ("complete", True, StreamEnd(EndKind.COMPLETE, 1.5)),
        ("complete", False, StreamEnd(EndKind.EOF, 1.5)),
        ("eof", True, StreamEnd(EndKind.EOF, 1.5)),
        ("incomplete", False, StreamEnd(EndKind.INCOMPLETE, 1.5)),
        ("reset", False, StreamEnd(EndKind.RESET, 1.5)),
        ("timeout", False, StreamEnd(EndKind.TIMEOUT, 1.5)),
        ("client_closed", True, StreamEnd(EndKind.CLIENT_CLOSED, 1.5, True)),
        ("client_closed", False, StreamEnd(EndKind.CLIENT_CLOSED, 1.5, False)),
    ],
)
def test_how_it_ended(end: TapeEnd, seen: bool, expected: StreamEnd) -> None:
    """A clean end before the terminal event is an early one; a client that left says what it had seen."""
    assert stored(tape([(0.5, b"x")], end=end), terminal_seen=seen).response.end == expected


def test_an_empty_body_is_stored() -> None:
    """No pieces: no chunks, and the end is counted from the head."""
    response = stored(tape([]), terminal_seen=False).response
    assert (response.body, response.chunks, response.end) == (b"", (), StreamEnd(EndKind.EOF, 1.75))


def test_a_tape_without_a_head_or_end_is_refused() -> None:
    """There is nothing to store yet."""
    with pytest.raises(ValueError, match="no head or no end"):
        stored(Tape())


def test_a_body_that_cannot_be_decoded_is_refused() -> None:
    """Rather than stored as something else."""
    with pytest.raises(CodingError):
        stored(tape([(0.5, b"not gzip")], {"content-encoding": "gzip"}))
