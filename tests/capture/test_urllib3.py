"""Capture for urllib3: what is read from the connection is on the tape, and how it ended."""

from __future__ import annotations

import array
import io
import socket
import struct
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3

from recorder.capture.urllib3 import send, taped, whole_body
from recorder.tape import Tape

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


def answered(raw: bytes, read: Callable[[Any], Any], then: str = "end", **options: Any) -> tuple[Tape, str]:
    """The tape of one request that is answered with these bytes and then the end of the connection; and the exception.

    What comes `then` may be a "reset", or to "wait" until the caller has left.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(raw)
            if then != "end":
                left.wait()
            if then == "reset":
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    left = threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    tape, error = Tape(), ""
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with urllib3.PoolManager(retries=False) as pool:
        response = send(
            lambda: pool.request("GET", url, preload_content=False, **options),
            taped("GET", url, {"x": b"\xe9"}, None),
            tape,
        )
        if then == "reset":
            left.set()
        try:
            read(response)
        except urllib3.exceptions.HTTPError as problem:
            error = type(problem).__name__
        response.close()
    left.set()
    thread.join()
    listener.close()
    return tape, error


def pieces(tape: Tape) -> list[bytes]:
    return [data for _, data in tape.pieces]


CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("raw", "read", "got", "end", "error"),
    [
        (CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", lambda r: list(r.stream()), [b"abc", b"de"], "complete", ""),
        (CHUNKED + b"3\r\nabc\r\n0\r\n\r\n", lambda r: r.read(), [b"abc"], "complete", ""),
        (CHUNKED + b"3\r\nabc\r\n9\r\nde", lambda r: list(r.stream()), [b"abc", b"de"], "incomplete", "ProtocolError"),
        (CHUNKED + b"3\r\nabc\r\n", lambda r: list(r.stream()), [b"abc"], "incomplete", "ProtocolError"),
        (CHUNKED + b"3\r\nabc\r\n", lambda r: next(r.stream()), [b"abc"], "client_closed", ""),
        (HEAD + b"content-length: 3\r\n\r\nabc", lambda r: r.read(), [b"abc"], "complete", ""),
        (HEAD + b"content-length: 9\r\n\r\nabc", lambda r: list(r.stream(3)), [b"abc"], "incomplete", "ProtocolError"),
        (HEAD + b"content-length: 9\r\n\r\nabc", lambda r: r.read(2), [b"ab"], "client_closed", ""),
        (HEAD + b"\r\nabc", lambda r: list(r.stream()), [b"abc"], "eof", ""),
        (HEAD + b"\r\n", lambda r: None, [], "client_closed", ""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", lambda r: None, [], "complete", ""),
    ],
    ids=[
        "chunks", "chunks-at-once", "inside-a-chunk", "between-chunks", "left-between-chunks", "length", "short",
        "left-early", "until-close", "left-at-once", "no-body",
    ],
)  # fmt: skip
def test_pieces_and_ends(raw: bytes, read: Callable[[Any], Any], got: list[bytes], end: str, error: str) -> None:
    """As the library read them; a piece that the library does not hand on is kept too."""
    tape, raised = answered(raw, read)
    assert (pieces(tape), tape.end, raised) == (got, end, error)
    assert tape.request is not None
    assert (tape.client, tape.request.headers) == ("urllib3", (("x", "é"),))
    assert tape.head is not None
    assert tape.head.http_version == "1.1"
    assert (tape.head.status, tape.head.reason) == ((204, "No Content") if b" 204 " in raw else (200, "OK"))


def test_a_connection_that_is_reset() -> None:
    """Is no end of the body, whatever the library wraps around it."""
    tape, raised = answered(CHUNKED + b"3\r\nabc\r\n", lambda r: list(r.stream()), "reset")
    assert (pieces(tape), tape.end, raised) == ([b"abc"], "reset", "ProtocolError")


def test_a_body_that_does_not_go_on() -> None:
    """A read timeout of the caller's."""
    tape, raised = answered(CHUNKED + b"3\r\nabc\r\n", lambda r: list(r.stream()), "wait", timeout=0.2)
    assert (pieces(tape), tape.end, raised) == ([b"abc"], "timeout", "ReadTimeoutError")


def test_a_caller_that_closes_while_its_iterator_lives() -> None:
    """The end is noted by then, and not when the iterator is collected."""
    streams: list[Any] = []

    def begin(response: Any) -> None:
        streams.append(response.stream())
        next(streams[0])

    tape, _ = answered(CHUNKED + b"3\r\nabc\r\n", begin, "wait")
    assert (pieces(tape), tape.end) == ([b"abc"], "client_closed")


@pytest.mark.parametrize(
    "read",
    [
        lambda r: r.read(),
        lambda r: r.read(2) + r.read(9),
        lambda r: b"".join(r.stream(2)),
        lambda r: b"".join(r),
        lambda r: r.data,
    ],
)
@pytest.mark.parametrize(
    "raw",
    [
        CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        HEAD + b"content-length: 5\r\n\r\nabcde",
        HEAD + b"\r\nabcde",
    ],
)
def test_the_caller_gets_what_the_tape_gets(raw: bytes, read: Callable[[Any], bytes]) -> None:
    """In whatever way it reads."""
    received: list[bytes] = []
    tape, _ = answered(raw, lambda r: received.append(read(r)))
    assert received == [b"abcde"]
    assert b"".join(pieces(tape)) == b"abcde"


def test_a_head_without_a_reason() -> None:
    """RFC 9112 section 4: it may be absent."""
    tape, _ = answered(b"HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n", lambda r: r.read())
    assert tape.head is not None
    assert (tape.head.reason, tape.end) == ("", "complete")


def test_a_response_of_another_kind_is_taken_whole() -> None:
    """As the library's own HTTP/2 gives it."""
    tape = Tape()
    given = SimpleNamespace(version=20, status=200, reason=None, headers={"x": "1"}, data=b"abc")
    assert send(lambda: given, taped("GET", "https://a.example/", {}, b""), tape) is given
    assert tape.request is not None
    assert tape.head is not None
    assert (tape.request.body, tape.head.http_version, tape.head.reason) == (None, "2", "")
    assert (pieces(tape), tape.end) == ([b"abc"], "complete")


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (None, None),
        (b"a", b"a"),
        ("é", b"\xc3\xa9"),
        (io.BytesIO(b"file"), b"file"),
        (io.StringIO("é"), b"\xc3\xa9"),
        (bytearray(b"b"), b"b"),
        (array.array("B", [1, 2]), b"\x01\x02"),
        (iter(["é", b"x"]), b"\xc3\xa9x"),
        ([], b""),
    ],
)
def test_a_body_of_any_kind(body: Any, sent: bytes | None) -> None:
    """Text is UTF-8, files and iterators are read."""
    assert whole_body(body) == sent


def test_what_cannot_be_sent_is_a_type_error() -> None:
    """As urllib3 says it."""
    with pytest.raises(TypeError):
        whole_body(1)
