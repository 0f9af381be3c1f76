"""What goes over the wire, byte for byte, and how connections end, as a raw socket sees it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from recorder.adapters.server import ReplayServer, serve

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


@dataclass(frozen=True)
class Case:
    """A plan, the last line of the head, everything after the head, and the end of the connection."""

    plan: str
    framing: bytes
    rest: bytes
    end: str = "closed"


CHUNKED = b"transfer-encoding: chunked\r\nconnection: close"
CLOSE = b"connection: close"
CASES = [
    Case("", CHUNKED, b"20\r\n" + BODY + b"\r\n0\r\n\r\n"),
    Case(
        "chunks=events",
        CHUNKED,
        b"9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n",
    ),
    Case("chunks=at:0,1,32", CHUNKED, b"1\r\nd\r\n1f\r\n" + BODY[1:] + b"\r\n0\r\n\r\n"),
    Case(
        "edit=crlf; chunks=at:8",
        CHUNKED,
        b"8\r\ndata: 1\r\r\n1e\r\n\n\r\ndata: 2\r\n\r\ndata: [DONE]\r\n\r\n\r\n0\r\n\r\n",
    ),
    Case("framing=length", b"content-length: 32\r\nconnection: close", BODY),
    Case("framing=close", CLOSE, BODY),
    # a clean end, wherever it is
    Case("end=eof@event:1", CHUNKED, b"9\r\ndata: 1\n\n\r\n0\r\n\r\n"),
    Case("end=eof@event:1; framing=length", b"content-length: 9\r\nconnection: close", BODY[:9]),
    Case("end=eof@event:1; framing=close", CLOSE, BODY[:9]),
    Case("end=eof@start", CHUNKED, b"0\r\n\r\n"),
    # a close inside the framing: without the last transfer chunk, or short of the length
    Case("end=incomplete@event:1", CHUNKED, b"9\r\ndata: 1\n\n\r\n"),
    Case("end=incomplete", CHUNKED, b"20\r\n" + BODY + b"\r\n"),
    Case("end=incomplete@event:1; framing=length", b"content-length: 32\r\nconnection: close", BODY[:9]),
    Case("end=incomplete; framing=length", b"content-length: 33\r\nconnection: close", BODY),
    Case("end=incomplete@event:1; framing=close", CLOSE, BODY[:9]),
    Case("end=incomplete@start", CHUNKED, b""),
    # an RST, and every byte before it has arrived
    Case("end=reset@event:1", CHUNKED, b"9\r\ndata: 1\n\n\r\n", "reset"),
    Case("end=reset; framing=length", b"content-length: 33\r\nconnection: close", BODY, "reset"),
    Case("end=reset@event:1; framing=close", CLOSE, BODY[:9], "reset"),
]


@pytest.mark.parametrize("case", CASES, ids=[case.plan or "as recorded" for case in CASES])
def test_the_bytes_are_exact(server: ReplayServer, ask: Ask, case: Case) -> None:
    """Head, framing, body, and the way it ends."""
    answer = ask(server, f"/~{quote(case.plan, safe='=;:@,')}/v1/chat/completions")
    assert answer.head == HEAD + case.framing
    assert (answer.rest, answer.end) == (case.rest, case.end)


@pytest.mark.usefixtures("told")
def test_a_reset_waits_for_what_was_sent(server: ReplayServer, connect: Callable[..., Any], asking: Ask) -> None:
    """The RST comes when the client has read the last byte: some systems drop what it has not."""
    client = connect(server)
    client.send(asking("/~end=reset@event:1/v1/chat/completions"))
    time.sleep(0.1)
    (entry,) = server.log
    assert (entry.bytes, entry.end) == (9, None)
    client.read_until(b"9\r\ndata: 1\n\n\r\n")
    with pytest.raises(ConnectionResetError):
        client.sock.recv(1)
    assert server.wait_quiet()[0].end == "reset"


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("kind", ["plain", "tls"])
def test_exact_chunks_are_reads_of_their_own(recorded: Ask, connect: Ask, asking: Ask, kind: str) -> None:
    """However slow the client is and without any delay in the plan: each read finds one chunk and no more."""
    with serve(recorded(), "chunks=events; framing=close", exact=True, tls=kind == "tls") as server:
        client = connect(server)
        client.send(asking())
        client.read_until(b"\r\n\r\n")
        reads = []
        for _ in range(3):
            time.sleep(0.02)
            reads.append(client.sock.recv(65536))
    assert reads == [b"data: 1\n\n", b"data: 2\n\n", b"data: [DONE]\n\n"]


@pytest.mark.parametrize(
    ("plan", "end"), [("end=eof@head", "closed"), ("end=incomplete@head", "closed"), ("end=reset@head", "reset")]
)
def test_an_end_before_the_head(server: ReplayServer, ask: Ask, plan: str, end: str) -> None:
    """Not one byte, and the log has no status."""
    answer = ask(server, f"/~{plan}/v1/chat/completions")
    assert (answer.head, answer.rest, answer.end) == (b"", b"", end)
    (entry,) = server.wait_quiet()
    assert (entry.status, entry.chunks, entry.end) == (None, 0, plan[4:-5])


@pytest.mark.parametrize(
    ("plan", "seen", "end"),
    [
        ("", BODY, "closed"),
        ("framing=close", BODY, "closed"),
        ("end=incomplete@event:1", b"data: 1\n\n", "cut"),
        ("end=incomplete@event:1; framing=close", b"data: 1\n\n", "cut"),
    ],
)
def test_ends_under_tls(secure: ReplayServer, ask: Ask, plan: str, seen: bytes, end: str) -> None:
    """A close inside the framing owes the close_notify too; a clean end has it."""
    answer = ask(secure, f"/~{quote(plan)}/v1/chat/completions")
    assert seen in answer.rest
    assert answer.end == end


def test_a_stall_holds_the_connection(server: ReplayServer, connect: Callable[..., Any], asking: Ask) -> None:
    """Everything up to there comes, then nothing, and no end; the server notices when the client has enough."""
    client = connect(server)
    client.send(asking("/~end=stall@event:1/v1/chat/completions"))
    assert client.read_until(b"data: 1\n\n\r\n").endswith(b"\r\n\r\n9\r\ndata: 1\n\n\r\n")
    client.sock.settimeout(0.1)
    with pytest.raises(TimeoutError):
        client.sock.recv(1)
    client.sock.close()
    server.wait_quiet()
    assert [(entry.end, entry.chunks, entry.bytes) for entry in server.log] == [("stall", 1, 9)]


def test_a_stall_before_the_head(server: ReplayServer, connect: Callable[..., Any], asking: Ask) -> None:
    """Not one byte for as long as the client waits; or the head after the rest."""
    client = connect(server)
    client.send(asking("/~end=stall@head/v1/chat/completions"))
    client.sock.settimeout(0.1)
    with pytest.raises(TimeoutError):
        client.sock.recv(1)
    other = connect(server)
    other.send(asking("/~end=stall@head:50ms/v1/chat/completions", more="connection: close\r\n"))
    assert other.read_all()[0].startswith(HEAD)


@pytest.mark.usefixtures("told")
def test_a_chunk_is_one_send(recorded: Ask, connect: Ask, asking: Ask) -> None:
    """Head, three chunks with their framing, and the last chunk: each read finds exactly one of the first four."""
    with serve(recorded(), "chunks=events", exact=True) as server:
        client = connect(server)
        client.send(asking())
        reads = [client.sock.recv(65536) for _ in range(4)]
    assert reads[0] == HEAD + b"transfer-encoding: chunked\r\n\r\n"
    assert reads[1:3] == [b"9\r\ndata: 1\n\n\r\n", b"9\r\ndata: 2\n\n\r\n"]
    assert reads[3].startswith(b"e\r\ndata: [DONE]\n\n\r\n")


def test_delays_are_kept(server: ReplayServer, connect: Callable[..., Any], asking: Ask) -> None:
    """32 chunks 5 ms apart take 160 ms, never less; that no error adds up is shown in tests/adapters/test_clock.py."""
    client = connect(server)
    start = time.monotonic()
    client.send(asking("/~chunks=bytes:1;delay=fixed:5ms/v1/chat/completions"))
    client.read_until(b"0\r\n\r\n")
    assert time.monotonic() - start >= 0.155


@pytest.mark.parametrize("plan", ["edit=gzip", "edit=gzip; framing=length", "edit=gzip; framing=close"])
def test_a_content_coding_is_flushed_with_each_chunk(recorded: Ask, ask: Ask, plan: str) -> None:
    """What has been sent decodes to what has been delivered; the length is the coded one."""
    with serve(recorded(), f"chunks=events; end=incomplete@event:2; {plan}") as server:
        answer = ask(server)
    assert b"\r\ncontent-encoding: gzip" in answer.head
    rest = answer.rest
    if b"chunked" in answer.head:
        pieces = []
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            pieces.append(rest[: int(size, 16)])
            rest = rest[int(size, 16) + 2 :]
        decoder = zlib.decompressobj(31)
        assert [decoder.decompress(piece) for piece in pieces] == [b"data: 1\n\n", b"data: 2\n\n"]
    else:
        assert zlib.decompressobj(31).decompress(rest) == BODY[:18]
    if "length" in plan:
        assert int(answer.head.partition(b"content-length: ")[2].split()[0]) == len(rest) + 1


def test_a_large_body_to_a_slow_client(recorded: Ask, connect: Callable[..., Any], asking: Ask) -> None:
    """More than any socket buffer holds: nothing is lost or reordered, and the server serves others meanwhile."""
    body = b"".join(b"data: %07d\n\n" % number for number in range(400_000))
    with serve(recorded(body), "chunks=bytes:65536; framing=close", repeat=True) as server:
        slow, quick = connect(server), connect(server)
        slow.send(asking(more="connection: close\r\n"))
        slow.read_until(b"\r\n\r\n")
        quick.send(asking(more="connection: close\r\n"))
        data, _ = quick.read_all()
        assert data.endswith(body)
        data, _ = slow.read_all()
        assert data.endswith(body[100_000:])


def test_a_client_that_leaves_in_the_middle(recorded: Ask, connect: Callable[..., Any], asking: Ask) -> None:
    """It is noticed while the server writes; the log says that it did not get everything, and how it left."""
    with serve(recorded(b"data: 1\n\n" * 3_000_000), "chunks=bytes:65536") as server:
        client = connect(server)
        client.send(asking())
        client.read_until(b"data: 1\n\n")
        client.reset()
        (entry,) = server.wait_quiet()
        assert (entry.end, entry.status, entry.left) == ("client_left", 200, "reset")
        assert entry.bytes < 27_000_000
