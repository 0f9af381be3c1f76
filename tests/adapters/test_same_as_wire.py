"""In process and over a real socket a client meets the same: the bytes, the exception with its causes, and whether its
response was closed by then. What the socket sends is written out here by hand, not made by the code under test; a third
time it is what `recorder.serve` sends.

`pytest -s tests/adapters/test_same_as_wire.py` prints the table.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib
import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import requests
import urllib3

import recorder
from recorder.cassette import Cassette, Headers, Interaction, Request, Response, dump_cassette

BODY = b"data: one\n\ndata: two\n\n"  # 22 bytes, events end at 11 and 22
ASKED = b'{"stream":true}'
PATIENT_S = 10.0

# -- what is sent over the socket -------------------------------------------------------------------------------------

RESET, CLOSE, HOLD = "reset", "close", "hold"  # what the server does after its last byte; HOLD leaves it to the client


def head(*framing: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"content-type: text/event-stream", *framing, b"", b""])


CHUNKED = head(b"transfer-encoding: chunked")
LENGTH = head(b"content-length: 22")
UNTIL_CLOSE = head(b"connection: close")
ONE, TWO = b"b\r\ndata: one\n\n\r\n", b"b\r\ndata: two\n\n\r\n"
WHOLE = b"16\r\ndata: one\n\ndata: two\n\n\r\n"
LAST = b"0\r\n\r\n"


def coded(*pieces: bytes, end: bool) -> list[bytes]:
    """Transfer chunks of gzip, each flushed; with or without the end of the coding."""
    made = zlib.compressobj(wbits=31)
    parts = [made.compress(piece) + made.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    if end:
        parts.append(made.flush())
    return [b"%x\r\n%b\r\n" % (len(part), part) for part in parts]


ALONE = gzip.compress(BODY)
GZIP = head(b"content-encoding: gzip", b"transfer-encoding: chunked")


@dataclass(frozen=True)
class Case:
    """One plan, and the same by hand: bytes are sent, a float is a pause in seconds."""

    plan: str
    sent: tuple[bytes | float, ...]
    end: str = HOLD
    timeout_s: float = PATIENT_S


CASES = [
    # partitions
    Case("chunks=whole", (CHUNKED, WHOLE, LAST)),
    Case("chunks=events", (CHUNKED, ONE, TWO, LAST)),
    Case("chunks=bytes:9", (CHUNKED, b"9\r\ndata: one\r\n", b"9\r\n\n\ndata: t\r\n", b"4\r\nwo\n\n\r\n", LAST)),
    Case("chunks=bytes:1", (CHUNKED, *(b"1\r\n%c\r\n" % byte for byte in BODY), LAST)),
    Case("chunks=at:10", (CHUNKED, b"a\r\ndata: one\n\r\n", b"c\r\n\ndata: two\n\n\r\n", LAST)),
    Case("chunks=events; framing=length", (LENGTH, BODY[:11], BODY[11:])),
    Case("chunks=events; framing=close", (UNTIL_CLOSE, BODY[:11], BODY[11:]), CLOSE),
    Case("chunks=events; edit=gzip", (GZIP, *coded(BODY[:11], BODY[11:], end=True), LAST)),
    Case("chunks=whole; delay=fixed:100ms", (CHUNKED, 0.1, WHOLE, LAST)),
    Case("framing=length; edit=gzip", (head(b"content-encoding: gzip", b"content-length: %d" % len(ALONE)), ALONE)),
    # ends
    Case("end=eof@11", (CHUNKED, ONE, LAST)),
    Case("end=eof@11; framing=length", (head(b"content-length: 11"), BODY[:11])),
    Case("end=eof@11; framing=close", (UNTIL_CLOSE, BODY[:11]), CLOSE),
    Case("end=eof@11; edit=gzip", (GZIP, *coded(BODY[:11], end=False), LAST)),
    Case("end=eof@start", (CHUNKED, LAST)),
    Case("end=incomplete@11", (CHUNKED, ONE), CLOSE),
    Case("end=incomplete@16", (CHUNKED, b"10\r\ndata: one\n\ndata:\r\n"), CLOSE),
    Case("end=incomplete@11; framing=length", (LENGTH, BODY[:11]), CLOSE),
    Case("end=incomplete@11; framing=close", (UNTIL_CLOSE, BODY[:11]), CLOSE),
    Case("end=incomplete@11; edit=gzip", (GZIP, *coded(BODY[:11], end=False)), CLOSE),
    Case("end=incomplete@end", (CHUNKED, WHOLE), CLOSE),
    Case("end=incomplete@end; framing=length", (head(b"content-length: 23"), BODY), CLOSE),
    Case("end=incomplete@start", (CHUNKED,), CLOSE),
    Case("end=incomplete@head", (), CLOSE),
    Case("end=reset@11", (CHUNKED, ONE), RESET),
    Case("end=reset@11; framing=length", (LENGTH, BODY[:11]), RESET),
    Case("end=reset@11; framing=close", (UNTIL_CLOSE, BODY[:11]), RESET),
    Case("end=reset@11; edit=gzip", (GZIP, *coded(BODY[:11], end=False)), RESET),
    Case("end=reset@end; framing=length", (head(b"content-length: 23"), BODY), RESET),
    Case("end=reset@start", (CHUNKED,), RESET),
    Case("end=reset@head", (), RESET),
    # timeouts
    Case("end=stall@11", (CHUNKED, ONE), timeout_s=0.5),
    Case("end=stall@11; framing=length", (LENGTH, BODY[:11]), timeout_s=0.5),
    Case("end=stall@11; edit=gzip", (GZIP, *coded(BODY[:11], end=False)), timeout_s=0.5),
    Case("end=stall@start", (CHUNKED,), timeout_s=0.5),
    Case("end=stall@head", (), timeout_s=0.5),
    Case("end=stall@11:10s", (CHUNKED, ONE), timeout_s=0.5),
    Case("end=stall@11:100ms", (CHUNKED, ONE, 0.1, TWO, LAST)),
    Case("end=stall@head:100ms", (0.1, CHUNKED, WHOLE, LAST)),
]


class Server:
    """A socket for each case; every connection to it is played the same."""

    def __init__(self, case: Case) -> None:
        self._case, self.connections = case, 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1/stream"
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            with connection, suppress(OSError):  # the client may leave at any time
                self._play(connection)

    def _play(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        received = b""
        while not received.endswith(ASKED):
            piece = connection.recv(65536)
            if not piece:
                return  # its time was up before it had sent all
            received += piece
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for sent in self._case.sent:
            if isinstance(sent, float):
                time.sleep(sent)
            else:
                connection.sendall(sent)
                time.sleep(0.002)
        if self._case.end == HOLD:
            connection.recv(1)
        elif self._case.end == RESET:
            time.sleep(0.15)  # else the kernel of the other side drops what it has not handed over yet
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


# -- what a client meets -----------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What the caller of a client sees.

    Attributes:
        fault: the exception and its causes, each as class and message; empty without one.
        closed: what the response says of itself when the body has ended or failed, before anybody closes it.
    """

    body: bytes = b""
    fault: tuple[str, ...] = ()
    closed: bool | None = None

    def add(self, piece: bytes | str) -> None:
        self.body += piece.encode() if isinstance(piece, str) else piece


def causes(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        message = re.sub(r"(?<=cancel scope )[^;]+", "...", str(error))  # anyio: an address, and perhaps a task
        message = re.sub(r"(?<=port=)\d+", "...", message)
        yield f"{type(error).__module__}.{type(error).__qualname__}: {message}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


Read = Callable[[Any], Any]  # a response to its pieces
Client = Callable[[str, float], Seen]  # the address and the timeout to what was seen


def met(look: Callable[[Seen], None]) -> Seen:
    seen = Seen()
    try:
        look(seen)
    except Exception as error:
        seen.fault = tuple(causes(error))
    return seen


def through_httpx(name: str, read: Read, url: str, timeout_s: float) -> Seen:
    library: Any = importlib.import_module(name)

    def look(seen: Seen) -> None:
        with (
            library.Client(verify=False, timeout=timeout_s) as client,
            client.stream("POST", url, content=ASKED) as response,
        ):
            try:
                for piece in read(response):
                    seen.add(piece)
            finally:
                seen.closed = response.is_closed

    return met(look)


def through_httpx_async(name: str, read: Read, url: str, timeout_s: float) -> Seen:
    library: Any = importlib.import_module(name)

    async def alook(seen: Seen) -> None:
        async with (
            library.AsyncClient(verify=False, timeout=timeout_s) as client,
            client.stream("POST", url, content=ASKED) as response,
        ):
            try:
                async for piece in read(response):
                    seen.add(piece)
            finally:
                seen.closed = response.is_closed

    return met(lambda seen: asyncio.run(alook(seen)))


def through_urllib3(read: Read, url: str, timeout_s: float) -> Seen:
    def look(seen: Seen) -> None:
        with urllib3.connection_from_url(url, timeout=timeout_s, retries=False) as pool:
            response = pool.urlopen("POST", "/v1/stream", body=ASKED, preload_content=False)
            try:
                for piece in read(response):
                    seen.add(piece)
            finally:
                seen.closed = response.closed
                response.close()

    return met(look)


def through_requests(read: Read, url: str, timeout_s: float) -> Seen:
    def look(seen: Seen) -> None:
        with requests.post(url, data=ASKED, stream=True, timeout=timeout_s) as response:
            try:
                for piece in read(response):
                    seen.add(piece)
            finally:
                seen.closed = response.raw.closed

    return met(look)


def through_aiohttp(kind: str, read: Read, url: str, timeout_s: float) -> Seen:
    async def alook(seen: Seen) -> None:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(**{kind: timeout_s})) as session,
            session.post(url, data=ASKED) as response,
        ):
            try:
                async for piece in read(response):
                    seen.add(piece)
            finally:
                seen.closed = response.closed

    return met(lambda seen: asyncio.run(alook(seen)))


def sized(response: Any) -> Iterator[bytes]:
    return iter(lambda: response.read(5), b"")


def into(response: Any) -> Iterator[bytes]:
    buffer = bytearray(5)
    while size := response.readinto(buffer):
        yield bytes(buffer[:size])


async def once(reading: Any) -> AsyncIterator[Any]:
    yield await reading


async def until_empty(read: Callable[[], Any]) -> AsyncIterator[bytes]:
    while piece := await read():
        yield piece


async def of_chunks(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    async for piece, _ in response.content.iter_chunks():
        yield piece


CLIENTS: dict[str, Client] = {
    "httpx": partial(through_httpx, "httpx", lambda r: r.iter_bytes()),
    "httpx2": partial(through_httpx, "httpx2", lambda r: r.iter_bytes()),
    "httpx async": partial(through_httpx_async, "httpx", lambda r: r.aiter_bytes()),
    "httpx2 async": partial(through_httpx_async, "httpx2", lambda r: r.aiter_bytes()),
    "urllib3": partial(through_urllib3, lambda r: r.stream(decode_content=True)),
    "requests": partial(through_requests, lambda r: r.iter_content(None)),
    "aiohttp, sock_read": partial(through_aiohttp, "sock_read", lambda r: r.content.iter_any()),
    "aiohttp, total": partial(through_aiohttp, "total", lambda r: r.content.iter_any()),
}
READERS: dict[str, Client] = {
    "httpx iter_raw": partial(through_httpx, "httpx", lambda r: r.iter_raw()),
    "httpx2 iter_lines": partial(through_httpx, "httpx2", lambda r: r.iter_lines()),
    "httpx2 iter_bytes(5)": partial(through_httpx, "httpx2", lambda r: r.iter_bytes(5)),
    "httpx2 read": partial(through_httpx, "httpx2", lambda r: [r.read()]),
    "httpx2 aiter_lines": partial(through_httpx_async, "httpx2", lambda r: r.aiter_lines()),
    "httpx2 aread": partial(through_httpx_async, "httpx2", lambda r: once(r.aread())),
    "urllib3 read": partial(through_urllib3, lambda r: [r.read()]),
    "urllib3 read(5)": partial(through_urllib3, sized),
    "urllib3 readinto": partial(through_urllib3, into),
    "urllib3 read1": partial(through_urllib3, lambda r: iter(r.read1, b"")),
    "urllib3 lines": partial(through_urllib3, iter),
    "requests content": partial(through_requests, lambda r: [r.content]),
    "requests iter_lines": partial(through_requests, lambda r: r.iter_lines()),
    "requests iter_content(5)": partial(through_requests, lambda r: r.iter_content(5)),
    "requests raw.read(5)": partial(through_requests, lambda r: sized(r.raw)),
    "aiohttp read": partial(through_aiohttp, "sock_read", lambda r: once(r.read())),
    "aiohttp text, total": partial(through_aiohttp, "total", lambda r: once(r.text())),
    "aiohttp readline": partial(through_aiohttp, "sock_read", lambda r: until_empty(r.content.readline)),
    "aiohttp lines, total": partial(through_aiohttp, "total", lambda r: r.content),
    "aiohttp read(5)": partial(through_aiohttp, "sock_read", lambda r: until_empty(partial(r.content.read, 5))),
    "aiohttp readexactly(99)": partial(through_aiohttp, "sock_read", lambda r: once(r.content.readexactly(99))),
    "aiohttp iter_chunks": partial(through_aiohttp, "sock_read", of_chunks),
    "aiohttp iter_chunked(5)": partial(through_aiohttp, "sock_read", lambda r: r.content.iter_chunked(5)),
}
ENDS = [
    Case("chunks=events", (CHUNKED, ONE, TWO, LAST)),
    Case("end=eof@16", (CHUNKED, b"10\r\ndata: one\n\ndata:\r\n", LAST)),
    Case("end=incomplete@16", (CHUNKED, b"10\r\ndata: one\n\ndata:\r\n"), CLOSE),
    Case("end=reset@16; framing=length", (LENGTH, BODY[:16]), RESET),
    Case("end=stall@16", (CHUNKED, b"10\r\ndata: one\n\ndata:\r\n"), timeout_s=0.5),
]
EXPLAINED: dict[tuple[str, str], str] = {}


def stored(url: str) -> Cassette:
    headers = Headers({"content-type": "text/event-stream"})
    return Cassette((Interaction(Request("POST", url, {}, ASKED), Response(200, headers, BODY, reason="OK")),))


def in_process(client: Client, case: Case, url: str, file: Path) -> Seen:
    """The cassette in force, the same client, the same address; nobody is connected to."""
    file.write_text(dump_cassette(stored(url)), "utf-8")
    with recorder.use_cassette(file, "none", plan=case.plan) as session:
        seen = client(url, case.timeout_s)
        assert (session.played, session.open_responses) == (1, ())
    return seen


def served(client: Client, case: Case) -> Seen:
    """Over a socket of `recorder.serve`, under the same plan."""
    with recorder.serve(stored("http://127.0.0.1/v1/stream"), plan=case.plan) as server:
        return client(f"{server.url}/v1/stream", case.timeout_s)


def told(seen: Seen) -> str:
    end = f"{seen.fault[0]} ({len(seen.fault) - 1} causes)" if seen.fault else "a clean end"
    return f"{len(seen.body)} bytes, {end}, {'closed' if seen.closed else 'not closed'}"


def three_ways(client: Client, cases: list[Case], file: Path) -> Iterator[tuple[Case, Seen, Seen, Seen]]:
    """In process, over the socket played by hand, and over one of `recorder.serve`."""
    with ExitStack() as stack, ThreadPoolExecutor(8) as pool:
        servers = [stack.enter_context(closing(Server(case))) for case in cases]
        played = [in_process(client, case, server.url, file) for case, server in zip(cases, servers, strict=True)]
        assert [server.connections for server in servers] == [0] * len(cases)
        asked = [
            (
                pool.submit(as_often_as_needed, partial(client, server.url, case.timeout_s), case, here),
                pool.submit(as_often_as_needed, partial(served, client, case), case, here),
            )
            for case, server, here in zip(cases, servers, played, strict=True)
        ]
        for case, here, (wire, ours) in zip(cases, played, asked, strict=True):
            yield case, here, wire.result(), ours.result()


def as_often_as_needed(look: Callable[[], Seen], case: Case, expected: Seen) -> Seen:
    """Over a socket a short timeout may be up before the bytes are there, on a busy machine: then it is tried again."""
    seen = look()
    for _ in range(5 if case.timeout_s < PATIENT_S else 0):
        if seen == expected:
            break
        seen = look()
    return seen


def table(name: str, rows: Iterator[tuple[Case, Seen, Seen, Seen]]) -> list[str]:
    """Prints the rows; returns those that differ without an explanation."""
    wrong = []
    for case, here, wire, ours in rows:
        why = EXPLAINED.get((name, case.plan))
        if here == wire == ours:
            print(f"{name:24} {case.plan:36} equal: {told(wire)}")
            wrong += [f"{case.plan}: explained, but equal"] if why else []
        else:
            print(f"{name:24} {case.plan:36} in process: {told(here)}")
            print(f"{'wire: ':>67}{told(wire)}\n{'recorder.serve: ':>67}{told(ours)}; {why}")
            wrong += [] if why else [f"{case.plan}: in process {here}, wire {wire}, recorder.serve {ours}"]
    return wrong


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_meets_the_same_in_process_and_over_a_socket(client: str, tmp_path: Path) -> None:
    """Every end, timeout and partition of the table; a difference is explained or a failure."""
    assert table(client, three_ways(CLIENTS[client], CASES, tmp_path / "cassette.yaml")) == []


@pytest.mark.parametrize("reader", READERS)
def test_so_does_every_way_to_read_a_body(reader: str, tmp_path: Path) -> None:
    """A clean end, one that is too early, and every kind of fault, in the middle of a line."""
    assert table(reader, three_ways(READERS[reader], ENDS, tmp_path / "cassette.yaml")) == []
