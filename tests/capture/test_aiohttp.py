"""Capture for aiohttp: what its parser makes of the bytes is on the tape, and how it ended."""

from __future__ import annotations

import asyncio
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from recorder.capture.aiohttp import follow
from recorder.tape import Tape, TapedRequest

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


class Following(aiohttp.TCPConnector):
    """A connector whose connections are followed."""

    def __init__(self) -> None:
        super().__init__()
        self.tapes: list[Tape] = []

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        tape = Tape()
        tape.start(TapedRequest(req.method, str(req.url), (), None))
        connection = await super().connect(req, traces, timeout)
        follow(connection, tape)
        self.tapes.append(tape)
        return connection


def answered(
    parts: list[bytes],
    read: Callable[[Any], Awaitable[Any]],
    *,
    stays: bool = False,
    resets: bool = False,
    **options: Any,
) -> tuple[Tape, str]:
    """The tape of one request that is answered with these parts, and the exception."""

    async def run() -> tuple[Tape, str]:
        left = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.02)  # so that parts arrive apart
            if stays:
                await left.wait()
            if resets:
                lingering = writer.get_extra_info("socket")
                lingering.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        connector, error = Following(), ""
        async with server, aiohttp.ClientSession(connector=connector, **options) as session:
            try:
                async with session.get(f"http://127.0.0.1:{port}/") as response:
                    await read(response)
            except (aiohttp.ClientError, TimeoutError) as problem:
                error = type(problem).__name__
            left.set()
            await asyncio.sleep(0.05)  # the server closes its side
        return connector.tapes[0], error

    return asyncio.run(run())


async def whole(response: Any) -> None:
    await response.read()


async def one_piece(response: Any) -> None:
    await response.content.readany()


@pytest.mark.parametrize(
    ("parts", "read", "options", "got", "end", "error"),
    [
        ([CHUNKED + b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\n\r\n"], whole, {}, [b"abc", b"de"], "complete", ""),
        ([CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"], whole, {}, [b"abc", b"de"], "complete", ""),
        ([CHUNKED + b"3\r\nabc\r\n", b"9\r\nde"], whole, {}, [b"abc", b"de"], "incomplete", "ClientPayloadError"),
        ([HEAD + b"content-length: 3\r\n\r\n", b"abc"], whole, {}, [b"abc"], "complete", ""),
        ([HEAD + b"\r\n", b"abc"], whole, {}, [b"abc"], "eof", ""),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], whole, {}, [], "complete", ""),
        ([CHUNKED + b"3\r\nabc\r\n"], whole, {"resets": True}, [b"abc"], "reset", "ClientPayloadError"),
        ([CHUNKED + b"3\r\nabc\r\n"], one_piece, {"stays": True}, [b"abc"], "client_closed", ""),
        (
            [CHUNKED + b"3\r\nabc\r\n"],
            whole,
            {"stays": True, "timeout": aiohttp.ClientTimeout(sock_read=0.3)},
            [b"abc"],
            "timeout",
            "SocketTimeoutError",
        ),
        (
            [CHUNKED + b"3\r\nabc\r\n"],
            whole,
            {"stays": True, "timeout": aiohttp.ClientTimeout(total=0.4)},
            [b"abc"],
            "timeout",
            "TimeoutError",
        ),
    ],
    ids=[
        "chunks",
        "one-segment",
        "inside-a-chunk",
        "length",
        "until-close",
        "no-body",
        "reset",
        "left",
        "idle",
        "total",
    ],
)
def test_pieces_and_ends(
    parts: list[bytes], read: Any, options: dict[str, Any], got: list[bytes], end: str, error: str
) -> None:
    """As the parser fed them, those included that came in the same segment as the head."""
    tape, raised = answered(parts, read, **options)
    assert ([data for _, data in tape.pieces], tape.end, raised) == (got, end, error)
    assert tape.client == "aiohttp"
    assert tape.head is not None
    assert tape.head.http_version == "1.1"
    assert (tape.head.status, tape.head.reason) == ((204, "No Content") if b" 204 " in parts[0] else (200, "OK"))


@pytest.mark.parametrize("undone", [True, False])
def test_the_content_coding_is_undone_unless_the_session_says_otherwise(undone: bool) -> None:
    """And the tape knows."""
    coded = zlib.compress(b"data: 1\n\n")
    head = HEAD + b"content-encoding: deflate\r\ncontent-length: %d\r\n\r\n" % len(coded)
    tape, _ = answered([head + coded], whole, auto_decompress=undone)
    assert tape.decoded is undone
    assert b"".join(data for _, data in tape.pieces) == (b"data: 1\n\n" if undone else coded)


def test_a_connection_that_is_kept_has_a_tape_for_each_request() -> None:
    """The second answer does not get onto the first tape."""

    async def run() -> list[Tape]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for body in (b"one", b"two"):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(HEAD + b"content-length: 3\r\n\r\n" + body)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        connector = Following()
        async with server, aiohttp.ClientSession(connector=connector) as session:
            for _ in range(2):
                async with session.get(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/") as response:
                    await response.read()
            await asyncio.sleep(0.05)
        return connector.tapes

    tapes = asyncio.run(run())
    assert [[data for _, data in tape.pieces] for tape in tapes] == [[b"one"], [b"two"]]
    assert [tape.end for tape in tapes] == ["complete", "complete"]
