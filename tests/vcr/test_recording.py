"""Recording under every client: the caller is not disturbed, and what happened is kept."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recorder
from recorder.provider import End, Piece, Provider, Scenario

Make = Callable[..., Any]

CHAT = b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
STOP = b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
ERROR = b'data: {"error":{"message":"x","type":"server_error"}}\n\n'


def patience(model: str) -> float:
    """Seconds between two pieces: few only where there will be none."""
    return 0.5 if model.startswith("stall") else 10.0


def only(path: Path) -> recorder.Interaction:
    (interaction,) = recorder.load_cassette(path).interactions
    return interaction


def test_a_recording_is_what_was_sent_and_what_is_replayed(call: Make, client: str, tmp_path: Path) -> None:
    """The caller's bytes are the provider's; the file holds them in the caller's pieces; and so does the replay."""
    path = tmp_path / "chat.yaml"
    with recorder.use_cassette(path) as used:
        live = call("chat-crlf").by(client)
        assert (used.played, used.recorded) == (0, 1)
    assert live.error == ""
    assert live.body == b"".join(call("").provider.sent)
    assert len(live.body) == 2466
    response = only(path).response
    assert response.body == live.body
    assert response.chunks is not None
    if client != "aiohttp":  # it hands on at once what has arrived in several pieces
        assert [chunk.size for chunk in response.chunks] == list(map(len, live.pieces))
    assert response.end is not None
    assert response.end.kind == "complete"
    assert response.recording is not None
    assert response.recording.wire["http"] == "1.1"
    assert response.recording.wire["framing"] == "chunked"
    assert response.recording.client["name"] == {"requests": "urllib3"}.get(client, client.removesuffix("-async"))
    assert response.recording.outcome == {"contract": "chat", "code": "accepted"}
    asked = len(call("").provider.requests)
    with recorder.use_cassette(path, mode="none") as used:
        played = call("chat-crlf").by(client)
        assert (used.played, used.recorded, used.unplayed, used.open_responses) == (1, 0, (), ())
    assert (played.status, played.body, played.error) == (200, live.body, "")
    assert list(map(len, played.pieces)) == [chunk.size for chunk in response.chunks]
    assert len(call("").provider.requests) == asked


def test_nothing_secret_is_stored(call: Make, client: str, tmp_path: Path) -> None:
    """The key is not in the file, also where the answer repeats it over two events; the caller still sees it."""
    path = tmp_path / "chat.yaml"
    with recorder.use_cassette(path):
        live = call("echo-key").by(client)
    key = call("").provider.key
    assert key.encode() in live.body
    text = path.read_text("utf-8")
    half = len(key) // 2
    assert key not in text
    assert key[:half] not in text
    assert key[half:] not in text
    assert "authorization: [REDACTED]" in text


def test_the_first_event_comes_before_the_last_is_sent(call: Make, client: str, tmp_path: Path) -> None:
    """The provider holds its last pieces until the caller has seen the first event."""
    parser, sent = recorder.EventStreamParser(), []
    provider = call("").provider

    def look(piece: bytes) -> None:
        if parser.feed(piece) and not sent:
            sent.append(len(provider.sent))
            provider.release()

    provider.hold(after=4)
    with recorder.use_cassette(tmp_path / "chat.yaml"):
        live = call("chat-lf", on_piece=look).by(client)
    assert 0 < sent[0] <= 4 < len(provider.sent)
    assert live.body == b"".join(provider.sent)


@pytest.mark.parametrize(
    ("model", "end", "code"),
    [
        ("drop-mid", "incomplete", "stream_read_failed"),
        ("reset-mid", "reset", "stream_read_failed"),
        ("stall-mid", "timeout", "stream_timeout"),
        ("eof-mid", "eof", "missing_terminal"),
        ("cut-mid", "eof", "missing_terminal"),
        ("empty-200", "complete", ""),
    ],
)
def test_a_broken_stream_is_broken_in_the_same_way(
    call: Make, plain: Provider, client: str, tmp_path: Path, model: str, end: str, code: str
) -> None:
    """Bare, recording and replayed: the same bytes, exception and message. The file has all of it, and the end."""
    path = tmp_path / "chat.yaml"
    provider = plain if model == "reset-mid" else call("").provider  # `ssl` may take an RST for an end
    asked = len(provider.requests)
    bare = call(model, provider, timeout=patience(model)).by(client)
    with recorder.use_cassette(path):
        live = call(model, provider, timeout=patience(model)).by(client)
    assert len(provider.requests) == asked + 2
    assert (live.status, live.body, live.error) == (200, bare.body, bare.error)
    response = only(path).response
    assert response.body == live.body == b"".join(provider.sent)
    assert response.end is not None
    assert response.recording is not None
    assert response.end.kind == end
    assert response.recording.outcome.get("code", "") == code
    with recorder.use_cassette(path):
        played = call(model, provider, timeout=patience(model)).by(client)
    assert (played.body, played.error) == (live.body, live.error)


@pytest.mark.parametrize("model", ["refuse-head", "reset-head", "stall-head"])
def test_an_error_before_the_head_records_nothing(call: Make, client: str, tmp_path: Path, model: str) -> None:
    """It is raised untouched, and no file is made."""
    bare = call(model, timeout=patience(model)).by(client)
    with recorder.use_cassette(tmp_path / "chat.yaml") as used:
        live = call(model, timeout=patience(model)).by(client)
        assert used.recorded == 0
    assert live.error == bare.error != ""
    assert list(tmp_path.iterdir()) == []


def test_nothing_listens(client: str, call: Make, tmp_path: Path) -> None:
    """A refused connection is the library's own exception."""
    with Provider(pace=0) as gone:
        pass
    gone_call = call("chat-lf", gone)
    bare = gone_call.by(client)
    with recorder.use_cassette(tmp_path / "chat.yaml"):
        live = gone_call.by(client)
    assert live.error == bare.error != ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("rest", "terminal", "code"),
    [(b"", False, "cancelled"), (STOP + DONE, True, "accepted"), (ERROR, True, "upstream_error")],
    ids=["early", "done", "error"],
)
def test_a_caller_that_leaves_early_is_recorded(
    call: Make, client: str, tmp_path: Path, rest: bytes, terminal: bool, code: str
) -> None:
    """Nothing is read that it does not read; whether it had seen the terminal event is kept, an error event too."""
    path = tmp_path / "chat.yaml"
    first = CHAT + rest
    waits = Scenario("waits", pieces=(Piece(0.0, first), Piece(0.0, b": bye\n\n")))
    with Provider(scenarios=[waits]) as provider:
        provider.hold(after=1)
        with recorder.use_cassette(path):
            live = call("waits", provider, take=1).by(client)
        (exchange,) = provider.wait_ended()
    assert (live.pieces, live.error, exchange.ended) == ([first], "", "client_left")
    response = only(path).response
    assert response.body == first
    assert response.end is not None
    assert response.recording is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", terminal)
    assert response.recording.outcome["code"] == code


class ReaderError(Exception):
    """What a reader under test raises."""


def test_a_test_that_fails_is_recorded(call: Make, client: str, tmp_path: Path) -> None:
    """The reader's own exception passes through, and the stream up to there is stored."""
    path = tmp_path / "chat.yaml"
    provider = call("").provider
    provider.hold(after=1)

    @recorder.use_cassette(path)
    def failing_test() -> None:
        live = call("chat-lf", take=1, raises=ReaderError).by(client)
        raise ReaderError(live.error.partition(":")[2])

    with pytest.raises(ReaderError, match="the reader failed"):
        failing_test()
    response = only(path).response
    assert response.body == provider.sent[0]
    assert response.end is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", False)  # of no dialect yet: a comment


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_a_response_that_is_dropped_is_recorded(call: Make, tmp_path: Path, package: str) -> None:
    """Neither read nor closed: the cassette has what came."""
    import importlib

    library: Any = importlib.import_module(package)
    path, asked = tmp_path / "chat.yaml", call("chat-lf")
    client = library.Client(verify=asked.provider.ssl_context())
    with recorder.use_cassette(path):
        request = client.build_request("POST", asked.url, json=asked.json, headers=asked.head)
        pieces = client.send(request, stream=True).iter_raw()
        first = next(pieces)
        del pieces
        gc.collect()
    client.close()
    response = only(path).response
    assert response.body == first
    assert response.end is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", False)


def test_a_cancelled_task_is_recorded(call: Make, tmp_path: Path, async_client: str) -> None:
    """What came before the cancellation is stored."""
    path, provider = tmp_path / "chat.yaml", call("").provider

    async def cancelled() -> None:
        came = asyncio.Event()
        task = asyncio.create_task(call("chat-lf", on_piece=lambda piece: came.set()).aby(async_client))
        await came.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    provider.hold(after=1)
    with recorder.use_cassette(path):
        asyncio.run(cancelled())
    response = only(path).response
    assert response.body == provider.sent[0]
    assert response.end is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", False)  # of no dialect yet: a comment


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_compressed_body_is_stored_decoded(call: Make, client: str, tmp_path: Path, coding: str) -> None:
    """The caller sees the coded bytes; the file has the text, cut where the pieces were, and names the coding."""
    if (client, coding) == ("aiohttp", "zstd"):
        pytest.skip("aiohttp decodes zstd from Python 3.14 on")
    from recorder.coding import encoder

    made = encoder(coding)
    coded = [made.encode(CHAT), made.encode(STOP), made.encode(DONE) + made.finish()]
    path = tmp_path / "chat.yaml"
    scenario = Scenario(
        "coded",
        headers=(("content-type", "text/event-stream"), ("content-encoding", coding)),
        pieces=tuple([Piece(0.02, piece) for piece in coded]),
    )
    with Provider(scenarios=[scenario]) as provider, recorder.use_cassette(path):
        live = call("coded", provider).by(client)
    if client in ("httpx", "httpx2", "httpx-async", "httpx2-async"):
        assert live.body == b"".join(coded)
    response = only(path).response
    assert response.body == CHAT + STOP + DONE
    assert response.chunks is not None
    assert [chunk.size for chunk in response.chunks] == [len(CHAT), len(STOP), len(DONE)]
    assert response.recording is not None
    assert response.recording.wire["content_encoding"] == coding
    assert "content-encoding" not in response.headers
    with recorder.use_cassette(path):
        assert call("coded", provider).by(client).body == CHAT + STOP + DONE


def test_a_body_cut_inside_its_compression_keeps_what_can_be_decoded(call: Make, client: str, tmp_path: Path) -> None:
    """And says so."""
    from recorder.coding import encoder

    made = encoder("gzip")
    coded = made.encode(CHAT)
    cut = Scenario(
        "cut",
        headers=(("content-type", "text/event-stream"), ("content-encoding", "gzip")),
        pieces=(Piece(0.0, coded), Piece(0.02, made.encode(STOP)[:-9])),
        end=End.INCOMPLETE,
    )
    path = tmp_path / "chat.yaml"
    with Provider(scenarios=[cut]) as provider, recorder.use_cassette(path):
        call("cut", provider).by(client)
    response = only(path).response
    assert response.body.startswith(CHAT)
    assert response.end is not None
    assert response.recording is not None
    assert response.end.kind == "incomplete"
    if client != "aiohttp":  # it decodes before anybody else sees a byte
        assert response.recording.wire["coding"] == "cut"


@pytest.mark.parametrize("model", ["drop-mid", "status-500", "refuse-head", "stall-mid"])
def test_the_retries_of_urllib3_are_unchanged(call: Make, tmp_path: Path, model: str) -> None:
    """A body that is read at once fails inside of the request: it is made again, as often as without us."""
    import urllib3

    provider, asked = call("").provider, call(model)
    retries = urllib3.Retry(2, allowed_methods=None, status_forcelist=[500], backoff_factor=0)
    path, told = tmp_path / "a.yaml", []

    def ask() -> tuple[str, int]:
        before = len(provider.requests)
        with urllib3.PoolManager(ssl_context=provider.ssl_context(), retries=retries, timeout=patience(model)) as pool:
            try:
                pool.request("POST", asked.url, json=asked.json, headers=asked.head)
            except urllib3.exceptions.HTTPError as error:
                return type(error).__name__, len(provider.requests) - before
        return "", len(provider.requests) - before

    told = [ask()]
    with recorder.use_cassette(path) as used:
        told.append(ask())
        assert used.recorded == (0 if model == "refuse-head" else 3)
    assert told[0] == told[1] == ("MaxRetryError", 3)
    if used.recorded:
        with recorder.use_cassette(path, mode="none") as used:
            assert ask() == ("MaxRetryError", 0)
            assert used.played == 3
