"""The same deliveries over HTTP/2, as httpx and a raw h2 client see them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded, StreamReset

from recorder.adapters.server import ReplayServer, serve

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"
PATH = "/v1/chat/completions"


def client(server: ReplayServer) -> httpx.Client:
    if server.url.startswith("https:"):
        return httpx.Client(http2=True, verify=server.ssl_context(), base_url=server.url, trust_env=False, timeout=20)
    return httpx.Client(http1=False, http2=True, base_url=server.url, trust_env=False, timeout=20)


def post(http: httpx.Client, plan: str = "") -> httpx.Response:
    return http.post(f"/~{quote(plan)}{PATH}", content=b'{"n":1}')


class RawHttp2:
    """One connection that notes the frames of each stream."""

    def __init__(self, server: ReplayServer, window: int = 65535) -> None:
        self.sock = socket.create_connection(("127.0.0.1", server.port), 20)
        self.machine = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self.machine.initiate_connection()
        self.frames: dict[int, list[Any]] = {}
        self.authority = f"127.0.0.1:{server.port}"

    def ask(self, path: str, body: bytes = b'{"n":1}', method: str = "POST") -> int:
        number = self.machine.get_next_available_stream_id()
        pairs = [(":method", method), (":path", path), (":authority", self.authority), (":scheme", "http")]
        self.machine.send_headers(number, pairs)
        self.machine.send_data(number, body, end_stream=True)
        self.flush()
        self.frames[number] = []
        return number

    def flush(self) -> None:
        self.sock.sendall(self.machine.data_to_send())

    def read(self, *, acknowledge: bool = True) -> bool:
        """Take in what the next read brings; False at the end of the connection."""
        data = self.sock.recv(65536)
        for event in self.machine.receive_data(data) if data else ():
            number = getattr(event, "stream_id", None)
            if isinstance(event, DataReceived):
                self.frames[number].append(event.data)
                if acknowledge:
                    self.machine.acknowledge_received_data(event.flow_controlled_length, number)
            elif isinstance(event, ResponseReceived):
                self.frames[number].append(dict(event.headers)[":status"])
            elif isinstance(event, StreamReset):
                self.frames[number].append(f"reset {event.error_code}")
            elif isinstance(event, StreamEnded):
                self.frames[number].append("end")
        self.flush()
        return bool(data)

    def until(self, number: int, last: Any) -> list[Any]:
        while last not in self.frames[number]:
            assert self.read()
        return self.frames[number]


@pytest.fixture
def raw(server: ReplayServer) -> Any:
    made = RawHttp2(server)
    yield made
    made.sock.close()


@pytest.mark.parametrize("kind", ["server", "secure"])
def test_http2_by_agreement_and_by_prior_knowledge(request: pytest.FixtureRequest, kind: str) -> None:
    """ALPN under TLS; the client's preface without."""
    server = request.getfixturevalue(kind)
    with client(server) as http:
        for plan in ("", "chunks=bytes:1", "framing=length", "framing=close"):
            answer = post(http, plan)
            assert (answer.http_version, answer.status_code, answer.content) == ("HTTP/2", 200, BODY)
            assert ("content-length" in answer.headers) == (plan == "framing=length")
        assert post(http, "end=eof@event:1").content == BODY[:9]
        assert http.post("/v1/none").json()["error"]["code"] == "no_match"
    assert {entry.http for entry in server.wait_quiet()} == {"2"}


@pytest.mark.parametrize(
    ("plan", "error"),
    [
        ("end=incomplete@event:1", httpx.RemoteProtocolError),
        ("end=reset@event:1", httpx.ReadError),
        ("end=reset@head", httpx.ReadError),
        ("end=incomplete@head", httpx.RemoteProtocolError),
        ("end=stall@event:1", httpx.ReadTimeout),
    ],
)
def test_ends(server: ReplayServer, plan: str, error: type[Exception]) -> None:
    """An end of the stream, of the connection, or none."""
    seen = b""

    def read(http: httpx.Client) -> None:
        nonlocal seen
        with http.stream("POST", f"/~{plan}{PATH}", content=b'{"n":1}') as answer:
            for chunk in answer.iter_raw():
                seen += chunk

    with client(server) as http:
        http.timeout = httpx.Timeout(20, read=0.4)
        with pytest.raises(error):
            read(http)
    assert seen == (b"" if "head" in plan else BODY[:9])


def test_a_chunk_is_a_data_frame(raw: RawHttp2) -> None:
    """One for each, then the end of the stream; a break is RST_STREAM with INTERNAL_ERROR."""
    number = raw.ask(f"/~chunks=events{PATH}")
    frames = [frame for frame in raw.until(number, "end") if frame != b""]
    assert frames == ["200", b"data: 1\n\n", b"data: 2\n\n", b"data: [DONE]\n\n", "end"]
    number = raw.ask(f"/~end=incomplete@event:1{PATH}")
    assert raw.until(number, "reset 2") == ["200", b"data: 1\n\n", "reset 2"]


def test_streams_do_not_wait_for_each_other(raw: RawHttp2) -> None:
    """A stalled one and a hundred others on one connection."""
    stalled = raw.ask(f"/~end=stall@event:1{PATH}")
    others = [raw.ask(f"/~chunks=bytes:1;delay=fixed:1ms{PATH}") for _ in range(99)]
    for number in others:
        frames = raw.until(number, "end")
        assert b"".join(frame for frame in frames if isinstance(frame, bytes)) == BODY
    assert raw.frames[stalled] == ["200", BODY[:9]]


def test_a_client_that_resets_one_stream(raw: RawHttp2, server: ReplayServer) -> None:
    """That delivery is over, and the connection goes on."""
    number = raw.ask(f"/~end=stall@event:1{PATH}")
    raw.until(number, BODY[:9])
    raw.machine.reset_stream(number)
    raw.flush()
    raw.until(raw.ask(PATH), "end")
    raw.sock.close()
    first, second = server.wait_quiet(count=2)
    assert (first.end, first.left, second.end) == ("stall", "reset", "complete")


def test_a_client_that_makes_no_room(recorded: Ask) -> None:
    """The server waits for the window, and goes on when there is some."""
    body = b"data: 1\n\n" * 20_000  # 180,000 bytes; the window is 65,535
    with serve(recorded(body), "chunks=whole") as server:
        raw = RawHttp2(server)
        number = raw.ask(PATH)
        received = 0
        while received < 65_535:
            raw.read(acknowledge=False)
            received = sum(len(frame) for frame in raw.frames[number] if isinstance(frame, bytes))
        assert received == 65_535
        raw.machine.increment_flow_control_window(200_000)
        raw.machine.increment_flow_control_window(200_000, number)
        raw.flush()
        frames = raw.until(number, "end")
        raw.sock.close()
    assert b"".join(frame for frame in frames if isinstance(frame, bytes)) == body


def test_a_client_that_leaves_without_making_room(recorded: Ask) -> None:
    """The delivery that waits for it is over."""
    with serve(recorded(b"data: 1\n\n" * 20_000), "chunks=whole") as server:
        raw = RawHttp2(server)
        number = raw.ask(PATH)
        while sum(len(frame) for frame in raw.frames[number] if isinstance(frame, bytes)) < 65_535:
            raw.read(acknowledge=False)
        raw.sock.close()
        (entry,) = server.wait_quiet(count=1)
    assert (entry.end, entry.status) == ("client_left", 200)


def test_a_client_that_says_it_goes_away(raw: RawHttp2, server: ReplayServer) -> None:
    """GOAWAY in the middle of a delivery: that is over, and it is nobody's fault."""
    number = raw.ask(f"/~chunks=bytes:1;delay=fixed:20ms{PATH}")
    raw.until(number, b"d")
    raw.machine.close_connection()
    raw.flush()
    (entry,) = server.wait_quiet(count=1)
    assert entry.end == "client_left"
    server.stop()


def test_headers_that_are_not_utf_8(raw: RawHttp2, server: ReplayServer) -> None:
    """Are read as in HTTP/1.1, byte by byte."""
    number = raw.machine.get_next_available_stream_id()
    pairs = [(b":method", b"POST"), (b":path", PATH.encode()), (b":authority", b"a"), (b":scheme", b"http")]
    raw.machine.send_headers(number, [*pairs, (b"x-name", b"\xe9\xff")])
    raw.machine.send_data(number, b'{"n":1}', end_stream=True)
    raw.flush()
    raw.frames[number] = []
    assert raw.until(number, "end")[0] == "200"


def test_a_request_body_that_is_too_large(raw: RawHttp2, monkeypatch: pytest.MonkeyPatch) -> None:
    """That stream is reset, and the others go on."""
    monkeypatch.setattr("recorder.adapters.server._http2.MAX_BODY", 8)
    assert raw.until(raw.ask(PATH, b"123456789"), "reset 11") == ["reset 11"]
    assert raw.until(raw.ask(PATH), "end")[0] == "200"


def test_stopping_with_streams_under_way(server: ReplayServer, raw: RawHttp2) -> None:
    """A stalled one and a paced one; the connection ends."""
    stalled, paced = raw.ask(f"/~end=stall@event:1{PATH}"), raw.ask(f"/~delay=fixed:60s{PATH}")
    raw.until(stalled, BODY[:9])
    raw.until(paced, "200")
    server.stop()
    assert [entry.end for entry in server.log] == ["stall", "stopped"]
    assert not raw.sock.recv(1)


def test_what_is_no_http2(server: ReplayServer) -> None:
    """A preface and then nonsense: a GOAWAY, and the server goes on serving."""
    with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
        sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\1\5\0\0\0\0")  # HEADERS on stream 0
        data = b""
        while more := sock.recv(65536):
            data += more
    assert b"\0\0\x08\7\0\0\0\0\0" in data  # a frame of type 7, GOAWAY
    with client(server) as http:
        assert post(http).content == BODY


def test_a_request_with_a_path_that_is_none(raw: RawHttp2) -> None:
    """That stream is a protocol error (RFC 9113 section 8.3.1), and nothing is logged of it."""
    assert raw.until(raw.ask("/v1/\x1b[31m"), "reset 1") == ["reset 1"]


def test_a_plan_function_that_raises_surfaces_at_the_stop(recorded: Ask) -> None:
    """Over HTTP/2 as over HTTP/1.1."""

    def plan(request: Any, index: int) -> str:
        raise LookupError

    server = serve(recorded(), plan).start()
    with client(server) as http:
        assert http.post(PATH, content=b'{"n":1}').status_code == 500
    with pytest.raises(RuntimeError, match=r"\(LookupError\)"):
        server.stop()


def test_two_servers_in_one_loop() -> None:
    """With an async client, many requests at once over one connection."""

    async def use() -> list[bytes]:
        with serve(BODY, repeat=True) as server:
            async with httpx.AsyncClient(http1=False, http2=True, base_url=server.url, trust_env=False) as http:
                answers = await asyncio.gather(*(http.get("/~chunks=bytes:1;delay=fixed:1ms/") for _ in range(20)))
            return [answer.content for answer in answers]

    assert asyncio.run(use()) == [BODY] * 20
