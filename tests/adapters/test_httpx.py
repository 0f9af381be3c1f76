"""Replay under httpx and httpx2, sync and async: pieces, ends, time, heads, and what is left open."""

from __future__ import annotations

import asyncio
import gzip
import time
from dataclasses import replace
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest

from recorder.adapters import OpenResponses, RealClock, VirtualClock
from recorder.adapters.httpx import (
    AsyncReplayTransport,
    ReplayTransport,
    arespond,
    package_of,
    request_of,
    respond,
)
from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.errors import PlanError, ReplayStalled
from recorder.matching import NoMatch
from recorder.plans import Plan

URL = "https://api.example.com/v1/chat/completions"
STREAM = {"content-type": "text/event-stream"}
BODY = b"data: 1\n\ndata: \xe4\xbd\xa0\n\n"  # 9 and 11 bytes; the third event-stream line holds one code point of three


def interaction(body: bytes = BODY, headers: dict[str, str] | None = None, status: int = 200) -> Interaction:
    response = Response(status, Headers(headers or STREAM), body, reason="OK")
    return Interaction(Request("POST", URL, {}, b"{}"), response)


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


def ask(library: Any, transport: ReplayTransport, timeout: float | None = 5.0, content: bytes = b"{}") -> Any:
    """A response that is open, as `client.send(..., stream=True)` gives it."""
    client = library.Client(transport=transport, timeout=timeout)
    return client.send(client.build_request("POST", URL, content=content), stream=True)


def test_the_pieces_are_those_of_the_plan(library: Any) -> None:
    """Raw and as bytes; lines are joined by the library as ever."""
    for method in ("iter_raw", "iter_bytes"):
        transport = ReplayTransport(interaction(), "chunks=at:3,16")
        assert list(getattr(ask(library, transport), method)()) == [b"dat", b"a: 1\n\ndata: \xe4", b"\xbd\xa0\n\n"]
    assert list(ask(library, ReplayTransport(interaction(), "chunks=bytes:1")).iter_lines()) == [
        "data: 1", "", "data: 你", "",
    ]  # fmt: skip


def test_async_pieces_are_the_same(library: Any) -> None:
    """`aiter_raw`, `aiter_lines`."""

    async def read(method: str) -> list[Any]:
        transport = AsyncReplayTransport(interaction(), "chunks=at:3,16")
        async with library.AsyncClient(transport=transport) as client, client.stream("POST", URL, content=b"{}") as got:
            return [piece async for piece in getattr(got, method)()]

    assert asyncio.run(read("aiter_raw")) == [b"dat", b"a: 1\n\ndata: \xe4", b"\xbd\xa0\n\n"]
    assert asyncio.run(read("aiter_lines")) == ["data: 1", "", "data: 你", ""]


def test_a_piece_larger_than_any_buffer_comes_whole(library: Any) -> None:
    """A real socket would give it in parts, and where it cuts is not for a plan to leave open."""
    body = b"data: " + b"x" * 300_000 + b"\n\n"
    sizes = [len(piece) for piece in ask(library, ReplayTransport(interaction(body), "chunks=at:100000")).iter_raw()]
    assert sizes == [100_000, 200_008]


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_content_coding_is_on_the_wire_and_undone_by_the_library(library: Any, coding: str) -> None:
    """Each piece is complete in itself, so the boundaries survive."""
    got = ask(library, ReplayTransport(interaction(), f"chunks=at:9; edit={coding}"))
    assert got.headers["content-encoding"] == coding
    if coding == "zstd" and library is httpx2:
        pytest.skip("httpx2 leaves zstd to another package")
    assert [piece for piece in got.iter_bytes() if piece] == [b"data: 1\n\n", b"data: \xe4\xbd\xa0\n\n"]


def test_a_coded_piece_is_what_the_other_side_of_gzip_makes_of_it() -> None:
    """The raw bytes, undone by the standard library."""
    raw = b"".join(ask(httpx2, ReplayTransport(interaction(), "chunks=bytes:1; edit=gzip")).iter_raw())
    assert gzip.decompress(raw) == BODY


@pytest.mark.parametrize(
    ("framing", "name", "value"),
    [
        ("chunked", "transfer-encoding", "chunked"),
        ("length", "content-length", "20"),
        ("close", "connection", "close"),
    ],
)
def test_the_framing_is_in_the_head(library: Any, framing: str, name: str, value: str) -> None:
    """One of the three, and what the recording had is gone."""
    recorded = {**STREAM, "content-encoding": "br", "transfer-encoding": "chunked", "content-length": "7", "x-id": "a"}
    got = ask(library, ReplayTransport(interaction(headers=recorded), f"framing={framing}"))
    assert dict(got.headers) == {"content-type": "text/event-stream", "x-id": "a", name: value}
    assert got.read() == BODY
    assert (got.status_code, got.reason_phrase, got.http_version) == (200, "OK", "HTTP/1.1")


def test_a_body_that_was_stored_coded_is_played_plain(library: Any) -> None:
    """As other tools store it; so the places of a plan are those of the text."""
    stored = interaction(gzip.compress(BODY), {**STREAM, "content-encoding": "gzip"})
    got = ask(library, ReplayTransport(stored, "chunks=at:9"))
    assert "content-encoding" not in got.headers
    assert list(got.iter_raw()) == [b"data: 1\n\n", b"data: \xe4\xbd\xa0\n\n"]


def test_a_head_may_have_a_name_several_times(library: Any) -> None:
    """Each value is a line of its own."""
    stored = replace(interaction(), response=Response(200, Headers({**STREAM, "set-cookie": ("a=1", "b=2")}), BODY))
    assert ask(library, ReplayTransport(stored)).headers.get_list("set-cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_none(library: Any, status: int) -> None:
    """Whatever the plan says of the body."""
    assert ask(library, ReplayTransport(interaction(b"", status=status), "chunks=bytes:1")).read() == b""


def test_what_is_not_an_event_stream_is_not_touched(library: Any) -> None:
    """A JSON side call in the same cassette comes whole, with its length, under any plan."""
    side = Interaction(
        Request("GET", "https://api.example.com/v1/models"),
        Response(200, Headers({"content-type": "application/json"}), b'{"data":[]}', reason="OK"),
    )
    transport = ReplayTransport(Cassette((side, interaction())), "chunks=bytes:1; end=reset@9")
    with library.Client(transport=transport) as client:
        answered = client.get("https://api.example.com/v1/models")
        assert answered.json() == {"data": []}
        assert answered.headers["content-length"] == "11"
        with pytest.raises(library.ReadError):
            client.post(URL, content=b"{}")


# -- time -------------------------------------------------------------------------------------------------------------


def test_a_stall_is_the_clients_own_timeout_at_once(library: Any) -> None:
    """After the bytes before it, at the moment the client would give up, on the virtual clock."""
    clock = VirtualClock()
    started = time.monotonic()
    got = ask(library, ReplayTransport(interaction(), "end=stall@9", clock=clock), timeout=60.0)
    pieces = got.iter_raw()
    assert next(pieces) == b"data: 1\n\n"
    with pytest.raises(library.ReadTimeout, match="timed out") as caught:
        next(pieces)
    assert caught.value.__notes__ == ["plan: end=stall@9"]
    assert clock.now == 60.0
    assert time.monotonic() - started < 30


def test_a_timeout_counts_from_the_last_bytes(library: Any) -> None:
    """Ten pauses of 4 s pass a timeout of 5 s; one of 6 s does not."""
    clock = VirtualClock()
    assert ask(library, ReplayTransport(interaction(), "chunks=bytes:2; delay=fixed:4s", clock=clock)).read() == BODY
    assert clock.now == 40.0
    with pytest.raises(library.ReadTimeout):
        ask(library, ReplayTransport(interaction(), "chunks=bytes:2; delay=fixed:6s")).read()


@pytest.mark.parametrize("place", ["head", "9"])
def test_without_a_timeout_a_stall_is_reported(library: Any, place: str) -> None:
    """A real connection would hang; before the head as well."""
    with pytest.raises(ReplayStalled) as caught:
        ask(library, ReplayTransport(interaction(), f"end=stall@{place}"), timeout=None).read()
    assert caught.value.__notes__ == [f"plan: end=stall@{place}"]


def test_on_a_real_clock_the_delays_are_real_and_other_tasks_run() -> None:
    """The pieces of two responses come in turns."""
    order = []

    async def read(name: str, plan: str) -> None:
        transport = AsyncReplayTransport(interaction(), plan, clock=RealClock())
        async with httpx2.AsyncClient(transport=transport) as client, client.stream("POST", URL, content=b"{}") as got:
            async for _ in got.aiter_raw():
                order.append(name)

    async def both() -> None:
        plan = "chunks=at:9; delay=fixed:100ms"
        await asyncio.gather(read("a", plan), read("b", f"{plan}; edit=lf"))

    asyncio.run(both())
    assert sorted(order[:2]) == ["a", "b"]
    assert sorted(order[2:]) == ["a", "b"]


# -- ends before the head ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "error"),
    [("reset@head", "ReadError"), ("incomplete@head", "RemoteProtocolError"), ("stall@head", "ReadTimeout")],
)
def test_an_end_before_the_head_comes_from_the_request(library: Any, end: str, error: str) -> None:
    """There is no response then."""
    with pytest.raises(getattr(library, error)) as caught:
        ask(library, ReplayTransport(interaction(), f"end={end}"))
    assert caught.value.__notes__ == [f"plan: end={end}"]
    assert caught.value.request.url == URL


def test_a_plan_that_does_not_fit_is_told_by_the_request(library: Any) -> None:
    """As itself: it is a mistake in the test, no fault of a connection."""
    with pytest.raises(PlanError, match="event:9"):
        ask(library, ReplayTransport(interaction(), "end=reset@event:9"))


# -- what is left open ------------------------------------------------------------------------------------------------


def test_a_response_is_open_until_it_is_read_closed_or_failed(library: Any) -> None:
    """And nothing else closes it."""
    whole = ReplayTransport(interaction())
    got = ask(library, whole)
    assert whole.open_responses.names == (f"POST {URL}",)
    got.read()
    assert whole.open_responses.names == ()

    closed = ReplayTransport(interaction(), "chunks=bytes:1")
    got = ask(library, closed)
    pieces = got.iter_raw()
    assert next(pieces) == b"d"
    assert len(closed.open_responses) == 1
    got.close()
    assert len(closed.open_responses) == 0

    dropped = ReplayTransport(interaction(), "chunks=bytes:1")
    pieces = ask(library, dropped).iter_raw()
    assert (next(pieces), len(dropped.open_responses)) == (b"d", 1)
    del pieces
    assert len(dropped.open_responses) == 0

    failed = ReplayTransport(interaction(), "end=reset@9")
    with pytest.raises(library.ReadError):
        list(ask(library, failed).iter_raw())
    assert len(failed.open_responses) == 0

    never = ReplayTransport(interaction(), "end=reset@head")
    with pytest.raises(library.ReadError):
        ask(library, never)
    assert len(never.open_responses) == 0


def test_an_async_response_is_open_until_it_is_closed(library: Any) -> None:
    """The same for async clients."""

    async def read() -> list[int]:
        transport = AsyncReplayTransport(interaction(), "chunks=bytes:1")
        async with library.AsyncClient(transport=transport) as client:
            got = await client.send(client.build_request("POST", URL, content=b"{}"), stream=True)
            open_ones = [len(transport.open_responses)]
            await got.aclose()
            return [*open_ones, len(transport.open_responses)]

    assert asyncio.run(read()) == [1, 0]


# -- the transport ----------------------------------------------------------------------------------------------------


def test_a_sequence_of_plans_is_for_one_attempt_each(library: Any) -> None:
    """The first is reset, the retry succeeds; a cassette plays each interaction once unless repeating is allowed."""
    transport = ReplayTransport(interaction(), ["end=reset@9", "chunks=events"], repeat=True)
    with pytest.raises(library.ReadError):
        ask(library, transport).read()
    assert list(ask(library, transport).iter_raw()) == [b"data: 1\n\n", b"data: \xe4\xbd\xa0\n\n"]


def test_a_cassette_is_played_once_and_can_be_rewound(library: Any) -> None:
    """What has not been played is known."""
    transport = ReplayTransport(interaction())
    assert transport.unplayed == (0,)
    assert ask(library, transport).read() == BODY
    assert transport.unplayed == ()
    with pytest.raises(NoMatch, match="played already"):
        ask(library, transport)
    transport.rewind()
    assert ask(library, transport).read() == BODY


def test_the_bytes_of_a_body_answer_every_request(library: Any) -> None:
    """To whatever address, as an event stream."""
    transport = ReplayTransport(BODY, "chunks=at:9", repeat=True)
    with library.Client(transport=transport) as client:
        for url in (URL, "http://other.example/"):
            with client.stream("GET", url) as got:
                assert list(got.iter_raw()) == [b"data: 1\n\n", b"data: \xe4\xbd\xa0\n\n"]


def test_a_request_that_nothing_answers_is_told_from_its_nearest(library: Any) -> None:
    """By our own exception: nothing goes to the network."""
    with pytest.raises(NoMatch, match="interaction 1 comes nearest"):
        ask(library, ReplayTransport(interaction()), content=b'{"model":"other"}')


# -- the parts --------------------------------------------------------------------------------------------------------


def test_a_request_is_read_and_can_still_be_sent(library: Any) -> None:
    """Its body may come from an iterator."""
    request = library.Request("POST", f"{URL}?a=b", headers=[("x-a", "1"), ("x-a", "2")], content=iter([b"{", b"}"]))
    asked = request_of(request)
    assert (asked.method, asked.uri, asked.body) == ("POST", f"{URL}?a=b", b"{}")
    assert asked.headers["x-a"] == ("1", "2")
    assert b"".join(request.stream) == b"{}"
    assert request_of(library.Request("GET", URL)).body is None


def test_a_response_can_be_made_for_a_bare_request(library: ModuleType) -> None:
    """As a transport would; the package is that of the request."""
    responses = OpenResponses()
    request = library.Request("HEAD", URL)
    assert package_of(request) == library.__name__
    got = respond(request, interaction(), Plan(), on_close=responses.opened(Request("HEAD", URL)))
    assert type(got) is library.Response
    assert got.read() == b""
    assert len(responses) == 0
    got = asyncio.run(arespond(library.Request("POST", URL), interaction(), Plan()))
    assert asyncio.run(got.aread()) == BODY
    with pytest.raises(TypeError, match="str is not of httpx"):
        package_of("request")
