"""Replay under aiohttp: pieces through every way to read, ends, time, heads, and what is left open."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

import recorder
from recorder.adapters import Clock, OpenResponses, RealClock, VirtualClock
from recorder.adapters.aiohttp import connection, request_of
from recorder.cassette import Cassette, Headers, Interaction, Request, Response, dump_cassette
from recorder.errors import ReplayStalled
from recorder.plans import Plan

T = TypeVar("T")
URL = "https://api.example.com/v1/chat/completions"
BODY = b"data: 1\n\ndata: 22\n\n"  # events of 9 and 10 bytes
STREAM = Interaction(
    Request("POST", URL), Response(200, Headers({"content-type": "text/event-stream"}), BODY, reason="OK")
)
PATIENT = aiohttp.ClientTimeout(sock_read=5)


class Replaying(aiohttp.TCPConnector):
    """A connector whose connections are played."""

    def __init__(self, plan: str, interaction: Interaction, clock: Clock | None) -> None:
        super().__init__()
        self.open_responses = OpenResponses()
        self.asked: list[Request] = []
        self._given = interaction, Plan.parse(plan), clock

    async def connect(self, req: Any, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        self.asked.append(await request_of(req))
        interaction, plan, clock = self._given
        closed = self.open_responses.opened(self.asked[-1])
        return connection(self, req, interaction, plan, timeout=timeout, clock=clock, on_close=closed)


def run(
    look: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    plan: str = "",
    *,
    interaction: Interaction = STREAM,
    timeout: aiohttp.ClientTimeout = PATIENT,
    clock: Clock | None = None,
    **given: Any,
) -> T:
    async def ask() -> T:
        connector = Replaying(plan, interaction, clock)
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
            session.post(URL, **given) as got,
        ):
            return await look(got)

    return asyncio.run(ask())


async def any_pieces(got: aiohttp.ClientResponse) -> list[bytes]:
    return [piece async for piece in got.content.iter_any()]


def test_the_pieces_are_those_of_the_plan() -> None:
    """None joined to another, whatever the framing."""
    for framing in ("chunked", "length", "close"):
        assert run(any_pieces, f"chunks=at:3,12; framing={framing}") == [b"dat", b"a: 1\n\ndat", b"a: 22\n\n"]
    assert run(any_pieces, "chunks=bytes:1") == [bytes([byte]) for byte in BODY]


def test_every_way_to_read_gives_the_bytes() -> None:
    """`read`, `read(n)`, `readany`, `readline`, `readexactly`, `iter_chunked`, `iter_chunks`, lines, all."""
    plan = "chunks=at:3,12"

    async def by_n(got: aiohttp.ClientResponse) -> list[bytes]:
        return [await got.content.read(8), await got.content.read(8), await got.content.readany()]

    async def lines(got: aiohttp.ClientResponse) -> list[bytes]:
        return [await got.content.readline(), *[line async for line in got.content]]

    async def exactly(got: aiohttp.ClientResponse) -> bytes:
        return await got.content.readexactly(14)

    async def chunked(got: aiohttp.ClientResponse) -> list[bytes]:
        return [piece async for piece in got.content.iter_chunked(5)]

    async def chunks(got: aiohttp.ClientResponse) -> list[tuple[bytes, bool]]:
        return [each async for each in got.content.iter_chunks()]

    async def whole(got: aiohttp.ClientResponse) -> bytes:
        return await got.read()

    assert run(by_n, plan) == [b"dat", b"a: 1\n\nda", b"t"]
    assert run(lines, plan) == [b"data: 1\n", b"\n", b"data: 22\n", b"\n"]
    assert run(exactly, plan) == b"data: 1\n\ndata:"
    assert run(chunked, plan) == [b"dat", b"a: 1\n", b"\ndat", b"a: 22", b"\n\n"]
    # whether the last transfer chunk, which has no data, is told is up to aiohttp's two parsers
    assert run(chunks, plan)[:3] == [(b"dat", True), (b"a: 1\n\ndat", True), (b"a: 22\n\n", True)]
    assert run(whole, plan) == BODY


def test_a_large_piece_comes_whole() -> None:
    """Above aiohttp's own limits for its buffer, which pause a transport."""
    body = b"data: " + b"x" * 3_000_000 + b"\n\n"
    stored = replace(STREAM, response=replace(STREAM.response, body=body))

    async def sizes(got: aiohttp.ClientResponse) -> list[int]:
        return [len(piece) async for piece in got.content.iter_any()]

    assert run(sizes, "chunks=at:1000000", interaction=stored) == [1_000_000, 2_000_008]
    assert sum(run(sizes, "chunks=at:1000000; edit=gzip", interaction=stored)) == 3_000_008


def test_many_small_pieces_with_pauses_come_one_by_one() -> None:
    """Five thousand, in time that grows with their number only."""
    stored = replace(STREAM, response=replace(STREAM.response, body=b"x" * 5_000))

    async def count(got: aiohttp.ClientResponse) -> int:
        return len([piece async for piece in got.content.iter_any()])

    clock = VirtualClock()
    assert run(count, "chunks=bytes:1; delay=fixed:500ms", interaction=stored, clock=clock) == 5_000
    assert clock.now == 2_500.0


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_content_coding_is_undone(coding: str) -> None:
    """Piece by piece."""
    if coding == "zstd":
        pytest.importorskip("backports.zstd")  # aiohttp leaves zstd to this package
    assert run(any_pieces, f"chunks=at:9; edit={coding}") == [b"data: 1\n\n", b"data: 22\n\n"]


def test_the_head_is_that_of_the_recording() -> None:
    """Status, reason, several values of a name; the session handles it as ever."""
    headers = Headers({"content-type": "text/event-stream", "x-a": ("1", "2")})
    stored = replace(STREAM, response=Response(418, headers, BODY, reason="I'm a teapot"))

    async def head(got: aiohttp.ClientResponse) -> tuple[Any, ...]:
        return got.status, got.reason, got.headers.getall("x-a"), got.content_type

    assert run(head, interaction=stored) == (418, "I'm a teapot", ["1", "2"], "text/event-stream")
    with pytest.raises(aiohttp.ClientResponseError, match="418"):
        run(head, interaction=stored, raise_for_status=True)


def test_a_redirect_is_followed_by_the_session() -> None:
    """Each request has a connection of its own."""
    moved = Interaction(STREAM.request, Response(307, Headers({"location": "/v2"}), b"", reason="Moved"))
    with pytest.raises(aiohttp.TooManyRedirects):
        run(any_pieces, interaction=moved, max_redirects=3)


@pytest.mark.parametrize(
    ("timeout", "error"),
    [
        (aiohttp.ClientTimeout(sock_read=60), aiohttp.SocketTimeoutError),
        (aiohttp.ClientTimeout(total=60), TimeoutError),
        (aiohttp.ClientTimeout(total=60, sock_read=90), TimeoutError),
        (aiohttp.ClientTimeout(total=90, sock_read=60), aiohttp.SocketTimeoutError),
    ],
)
@pytest.mark.parametrize("place", ["9", "start", "head"])
def test_a_stall_is_the_clients_own_timeout_at_once(
    timeout: aiohttp.ClientTimeout, error: type[Exception], place: str
) -> None:
    """Whichever comes first, on the virtual clock."""
    clock = VirtualClock()
    started = time.monotonic()
    with pytest.raises(error) as caught:
        run(any_pieces, f"end=stall@{place}", timeout=timeout, clock=clock)
    assert type(caught.value) is error
    noted = caught.value if place != "head" or error is not TimeoutError else caught.value.__cause__
    assert noted is not None
    assert noted.__notes__ == [f"plan: end=stall@{place}"]
    assert clock.now == 60.0
    assert time.monotonic() - started < 30


def test_a_total_timeout_counts_from_the_start_and_the_other_from_the_last_bytes() -> None:
    """19 pauses of 4 s."""
    clock = VirtualClock()
    run(any_pieces, "chunks=bytes:1; delay=fixed:4s", clock=clock)
    assert clock.now == 76.0
    with pytest.raises(TimeoutError):
        run(any_pieces, "chunks=bytes:1; delay=fixed:4s", timeout=aiohttp.ClientTimeout(total=75))


def test_nothing_goes_on_after_a_total_timeout() -> None:
    """A response that is kept after it takes no more time."""

    async def kept(got: aiohttp.ClientResponse) -> int:
        with pytest.raises(TimeoutError):
            await got.content.read()
        await asyncio.sleep(0.01)
        return len(asyncio.all_tasks())

    assert run(kept, "end=stall@9", timeout=aiohttp.ClientTimeout(total=5)) == 1


@pytest.mark.parametrize("place", ["9", "head"])
def test_without_a_timeout_a_stall_is_reported(place: str) -> None:
    """A real connection would hang."""
    with pytest.raises(ReplayStalled) as caught:
        run(any_pieces, f"end=stall@{place}", timeout=aiohttp.ClientTimeout(total=None))
    assert caught.value.__notes__ == [f"plan: end=stall@{place}"]


def test_on_a_real_clock_the_delays_are_real_and_a_reader_can_be_cancelled() -> None:
    """By its own timeout, in the middle of a pause that would be longer."""

    async def cancelled(got: aiohttp.ClientResponse) -> list[bytes]:
        pieces = [await got.content.readany()]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(got.content.readany(), 0.05)
        return pieces

    assert run(cancelled, "end=stall@9:30s", timeout=aiohttp.ClientTimeout(), clock=RealClock()) == [b"data: 1\n\n"]
    assert run(any_pieces, "chunks=at:9; delay=fixed:50ms", clock=RealClock()) == [b"data: 1\n\n", b"data: 22\n\n"]


def test_a_response_is_open_until_it_is_read_released_closed_or_failed() -> None:
    """And then its connection is gone, never used again."""

    async def ask() -> None:
        connector = Replaying("chunks=bytes:1", STREAM, None)
        async with aiohttp.ClientSession(connector=connector) as session:
            got = await session.post(URL)
            assert await got.content.readany() == b"d"
            assert connector.open_responses.names == (f"POST {URL}",)
            got.close()
            assert connector.open_responses.names == ()
            got = await session.post(URL)
            got.release()
            assert connector.open_responses.names == ()
            got = await session.post(URL)
            assert await got.read() == BODY
            assert connector.open_responses.names == ()
            assert len(connector.asked) == 3

    asyncio.run(ask())


def test_a_session_that_outlives_its_cassette_connects_for_real(tmp_path: Path) -> None:
    """No played connection is kept for later."""
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/"
        file = tmp_path / "cassette.yaml"
        file.write_text(dump_cassette(Cassette((replace(STREAM, request=Request("POST", url)),))), "utf-8")

        async def ask() -> None:
            async with aiohttp.ClientSession() as session:
                with recorder.use_cassette(file, "none"):
                    async with session.post(url) as got:
                        assert await got.read() == BODY
                with pytest.raises(aiohttp.ClientConnectorError):
                    await session.post(url)

        asyncio.run(ask())


@pytest.mark.parametrize(
    ("given", "body"),
    [
        ({"json": {"a": 1}}, b'{"a": 1}'),
        ({"data": b"raw"}, b"raw"),
        ({"data": "text"}, b"text"),
        ({"data": {"a": "b c"}}, b"a=b+c"),
        ({}, None),
    ],
)
def test_a_request_is_described_as_it_is_sent(given: dict[str, Any], body: bytes | None) -> None:
    """Whatever it is made from, and it is still sent."""

    async def ask() -> Request:
        connector = Replaying("", STREAM, None)
        async with aiohttp.ClientSession(connector=connector) as session:
            async with session.post(f"{URL}?q=1", headers={"x-a": "1"}, **given) as got:
                assert await got.read() == BODY
            return connector.asked[0]

    asked = asyncio.run(ask())
    assert (asked.method, asked.uri, asked.body) == ("POST", f"{URL}?q=1", body)
    assert asked.headers["x-a"] == ("1",)


@pytest.mark.skipif(not hasattr(aiohttp.payload.Payload, "as_bytes"), reason="aiohttp before 3.12 gives no way")
def test_a_body_that_is_made_while_it_is_sent_is_still_sent() -> None:
    """An asynchronous iterator gives its bytes once."""

    async def ask() -> bytes | None:
        async def parts() -> Any:
            yield b"a"
            yield b"b"

        connector = Replaying("", STREAM, None)
        async with aiohttp.ClientSession(connector=connector) as session:
            async with session.post(URL, data=parts()) as got:
                assert await got.read() == BODY
            return connector.asked[0].body

    assert asyncio.run(ask()) == b"ab"
