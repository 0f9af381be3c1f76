"""One authorized request, on a real socket under TLS: what is caught, what is stored, what is judged."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

import recorder
from recorder.capture.httpx import AsyncCaptureTransport, CaptureTransport
from recorder.provider import Piece, Provider, Scenario
from recorder.record import Progress, record_once
from recorder.sanitize import Cleaned
from recorder.tape import Tape

PROMPT = "PLANTED-PROMPT tell me"


def body(model: str) -> dict[str, Any]:
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": PROMPT}]}


def options(provider: Provider, model: str) -> dict[str, Any]:
    return {
        "json": body(model),
        "headers": {"authorization": f"Bearer {provider.key}"},
        "verify": provider.ssl_context(),
        "contract": recorder.contracts.chat_text(),
    }


def chat_url(provider: Provider) -> str:
    return f"{provider.url}/v1/chat/completions"


@pytest.mark.parametrize("model", ["chat-lf", "chat-crlf"])
def test_what_is_stored_is_what_was_sent(sse_provider: Provider, tmp_path: Path, model: str) -> None:
    """The stored body equals the provider's bytes, and its chunks sum to it."""
    path = tmp_path / "chat.yaml"
    verdict = recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, model))
    assert verdict.ok
    assert (verdict.code, verdict.events, verdict.finish) == ("accepted", 12, "stop")
    assert verdict.usage == {"prompt_tokens": 11, "completion_tokens": 64, "total_tokens": 75}
    response = recorder.load_cassette(path).interactions[0].response
    sent = b"".join(sse_provider.sent)
    assert len(sent) == {"chat-lf": 2440, "chat-crlf": 2466}[model]
    assert response.body == sent
    assert response.chunks is not None
    assert sum(chunk.size for chunk in response.chunks) == len(sent)
    assert response.end is not None
    assert response.end.kind == "complete"


def test_the_request_that_left(sse_provider: Provider, tmp_path: Path) -> None:
    """One POST, a bearer header, a JSON body with stream: true, Accept, no cookies, the key nowhere else."""
    recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **options(sse_provider, "chat-lf"))
    (request,) = sse_provider.requests
    headers = dict(request.headers)
    assert (request.method, request.target) == ("POST", "/v1/chat/completions")
    assert headers["authorization"] == f"Bearer {sse_provider.key}"
    assert headers["accept"] == "text/event-stream"
    assert "cookie" not in headers
    assert b'"stream":true' in request.body
    elsewhere = request.target + "".join(value for name, value in request.headers if name != "authorization")
    assert sse_provider.key not in elsewhere + request.body.decode()


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_the_first_event_reaches_the_caller_before_the_last_is_sent(sse_provider: Provider, package: str) -> None:
    """The provider holds its last pieces until the caller has seen an event. The caller sees every byte."""
    library: Any = {"httpx": httpx, "httpx2": httpx2}[package]
    tape, parser, first_event_at = Tape(), recorder.EventStreamParser(), 0
    received: list[bytes] = []
    sse_provider.hold(after=4)
    transport = CaptureTransport(library.HTTPTransport(verify=sse_provider.ssl_context()), tape)
    with (
        library.Client(transport=transport) as client,
        client.stream(
            "POST",
            chat_url(sse_provider),
            json=body("chat-lf"),
            headers={"authorization": f"Bearer {sse_provider.key}"},
        ) as response,
    ):
        for piece in response.iter_raw():
            received.append(piece)
            if parser.feed(piece) and not first_event_at:
                first_event_at = len(sse_provider.sent)
                sse_provider.release()
    assert 0 < first_event_at <= 4 < len(sse_provider.sent)
    assert b"".join(received) == b"".join(sse_provider.sent)
    assert [data for _, data in tape.pieces] == received
    assert tape.end == "complete"


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_the_async_caller_sees_every_byte(sse_provider: Provider, package: str) -> None:
    """The same pieces on the tape as in the caller's hands."""
    library: Any = {"httpx": httpx, "httpx2": httpx2}[package]
    tape = Tape()

    async def call() -> list[bytes]:
        transport = AsyncCaptureTransport(library.AsyncHTTPTransport(verify=sse_provider.ssl_context()), tape)
        headers = {"authorization": f"Bearer {sse_provider.key}"}
        async with (
            library.AsyncClient(transport=transport) as client,
            client.stream("POST", chat_url(sse_provider), json=body("chat-crlf"), headers=headers) as response,
        ):
            return [piece async for piece in response.aiter_raw()]

    received = asyncio.run(call())
    assert b"".join(received) == b"".join(sse_provider.sent)
    assert [data for _, data in tape.pieces] == received
    assert tape.end == "complete"


def test_recording_streams_while_it_records(sse_provider: Provider, tmp_path: Path) -> None:
    """The progress callback hears of the first event while the provider still holds the rest."""
    seen: list[tuple[Progress, int]] = []

    def progress(state: Progress) -> None:
        seen.append((state, len(sse_provider.sent)))
        if state.events:
            sse_provider.release()

    sse_provider.hold(after=4)
    verdict = recorder.record_stream(
        chat_url(sse_provider), path=tmp_path / "a.yaml", progress=progress, **options(sse_provider, "chat-lf")
    )
    assert verdict.ok
    first = next(sent for state, sent in seen if state.events)
    assert first <= 4
    assert (seen[-1][0].events, seen[-1][0].bytes) == (12, 2440)


# model -> verdict code, HTTP status, how the recording ended (None: nothing is stored)
OUTCOMES = {
    "status-401": ("http_error", 401, None),
    "status-429": ("http_error", 429, None),
    "status-500": ("http_error", 500, None),
    "redirect": ("redirect_refused", 307, None),
    "html-200": ("unexpected_content_type", 200, None),
    "json-200": ("unexpected_content_type", 200, None),
    "json-error-200": ("unexpected_content_type", 200, None),
    "refuse-head": ("transport_failed", None, None),
    "reset-head": ("transport_failed", None, None),
    "empty-200": ("missing_terminal", 200, "eof"),
    "drop-mid": ("stream_read_failed", 200, "incomplete"),
    "reset-mid": ("stream_read_failed", 200, "reset"),
    "eof-mid": ("missing_terminal", 200, "eof"),
    "no-done": ("missing_terminal", 200, "eof"),
    "bad-utf8": ("invalid_utf8", 200, "complete"),
    "error-in-stream": ("upstream_error", 200, "complete"),
}


@pytest.mark.parametrize("model", OUTCOMES)
def test_every_outcome_ends_with_its_code(
    sse_provider: Provider,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    model: str,
) -> None:
    """One request whatever happens; a stream is stored with its end, anything else is not; the key shows nowhere."""
    caplog.set_level(logging.DEBUG)
    code, status, end = OUTCOMES[model]
    path = tmp_path / "chat.yaml"
    outcome = asyncio.run(record_once(chat_url(sse_provider), path=path, **options(sse_provider, model)))
    assert (outcome.verdict.code, outcome.status, outcome.verdict.ok) == (code, status, False)
    assert len(sse_provider.requests) == 1
    assert outcome.path == (path if end else None)
    assert [each.name for each in tmp_path.iterdir()] == (["chat.yaml"] if end else [])
    stored = path.read_text("utf-8") if end else ""
    if end:
        interaction = recorder.load_cassette(path).interactions[0]
        assert interaction.response.end is not None
        assert interaction.response.end.kind == end
        assert interaction.response.body == b"".join(sse_provider.sent)
    shown = capfd.readouterr()
    everywhere = stored + shown.out + shown.err + caplog.text + repr(outcome) + outcome.line() + repr(outcome.facts)
    assert sse_provider.key not in everywhere
    assert PROMPT not in shown.out + shown.err + caplog.text + repr(outcome) + outcome.line()


@pytest.mark.parametrize(
    ("model", "limits", "code", "end"),
    [
        ("stall-mid", {"deadline": 0.4}, "stream_timeout", "timeout"),
        ("stall-mid", {"deadline": 20, "idle": 0.3}, "stream_timeout", "timeout"),
        ("heartbeat-forever", {"deadline": 0.4, "idle": 0.3}, "stream_timeout", "timeout"),
        ("stall-head", {"deadline": 0.3}, "request_timeout", None),
        ("chat-lf", {"max_bytes": 100}, "byte_limit", "client_closed"),
        ("chat-lf", {"max_bytes": 2439}, "byte_limit", "client_closed"),
        ("chat-lf", {"max_bytes": 2440}, "accepted", "complete"),
        ("chat-lf", {"max_events": 11}, "event_count_limit", "client_closed"),
        ("chat-lf", {"max_events": 12}, "accepted", "complete"),
    ],
)
def test_a_limit_ends_the_attempt(
    sse_provider: Provider, tmp_path: Path, model: str, limits: dict[str, Any], code: str, end: str | None
) -> None:
    """A heartbeat keeps an idle limit satisfied, not the deadline. What had come is stored, its end with it.

    The stream has 2,440 bytes and 12 events: a limit of that many lets it pass.
    """
    path = tmp_path / "chat.yaml"
    verdict = recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, model), **limits)
    assert verdict.code == code
    assert len(sse_provider.requests) == 1
    assert path.exists() == (end is not None)
    if end:
        recorded = recorder.load_cassette(path).interactions[0].response.end
        assert recorded is not None
        assert recorded.kind == end


def test_a_client_that_leaves_after_the_terminal_event_has_seen_it(sse_provider: Provider, tmp_path: Path) -> None:
    """A provider that keeps the connection open after [DONE]: accepted, and not a truncation."""
    path = tmp_path / "chat.yaml"
    verdict = recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, "done-open"))
    assert verdict.ok
    assert recorder.load_cassette(path).interactions[0].response.end is not None
    assert list(recorder.replay(recorder.load_cassette(path).interactions[0]))
    end = recorder.load_cassette(path).interactions[0].response.end
    assert end is not None
    assert (end.kind, end.terminal_seen) == ("client_closed", True)


def cancelled_when_all_had_come(provider: Provider, path: Path, **more: Any) -> None:
    """A recording in a task that is cancelled when the six events of `stall-mid` are there, which passes on."""

    async def attempt() -> None:
        all_there = asyncio.Event()

        def progress(state: Progress) -> None:
            if state.bytes == 1561:
                all_there.set()

        settings = options(provider, "stall-mid") | {"progress": progress} | more
        task = asyncio.create_task(recorder.arecord_stream(chat_url(provider), path=path, **settings))
        await asyncio.wait_for(all_there.wait(), 20)
        task.cancel("enough")
        with pytest.raises(asyncio.CancelledError, match="enough"):
            await task
        assert task.cancelled()

    asyncio.run(attempt())


def cancelled_recording(path: Path, body: bytes) -> None:
    response = recorder.load_cassette(path).interactions[0].response
    assert response.body == body
    assert response.end is not None
    assert response.recording is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", False)
    assert response.recording.outcome["code"] == "cancelled"


def test_a_cancelled_task_keeps_what_had_come(sse_provider: Provider, tmp_path: Path) -> None:
    """It was paid for. The cancellation passes on once the file is there, and the connection is closed."""
    cancelled_when_all_had_come(sse_provider, tmp_path / "a.yaml")
    cancelled_recording(tmp_path / "a.yaml", b"".join(sse_provider.sent))
    assert len(sse_provider.wait_ended(20, count=1)) == 1


def test_a_cancelled_task_keeps_nothing_but_accepted_where_that_was_asked(
    sse_provider: Provider, tmp_path: Path
) -> None:
    """What is cancelled was not accepted."""
    cancelled_when_all_had_come(sse_provider, tmp_path / "a.yaml", only_accepted=True)
    assert list(tmp_path.iterdir()) == []


def unseen_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a place becomes one that cannot be written to while the request is on its way."""
    monkeypatch.setattr("recorder.record._stream.check_place", lambda path: None)


def test_a_cancellation_passes_on_where_the_file_cannot_be_written(
    sse_provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever cancels a task waits for just that; why there is no file is its context."""
    unseen_before(monkeypatch)
    (tmp_path / "folder").write_text("is a file")
    cancelled_when_all_had_come(sse_provider, tmp_path / "folder" / "a.yaml")


@pytest.mark.parametrize(
    "around", ["record()", "asyncio.new_event_loop().run_until_complete(within())"], ids=["plain", "in a running loop"]
)
def test_ctrl_c_keeps_what_had_come(sse_provider: Provider, tmp_path: Path, around: str) -> None:
    """A real signal: `KeyboardInterrupt` passes on to the caller, and the file is there by then.

    Also where a loop is running already, as in a notebook, and the request is made on another thread: that one does not
    wait for the deadline.
    """
    (tmp_path / "ca.pem").write_bytes(sse_provider.ca_pem)
    script = f"""
import asyncio, os, ssl, sys
from pathlib import Path
import recorder

def progress(state):
    if state.bytes == 1561:
        print("READY", flush=True)

def record():
    try:
        recorder.record_stream(
            {chat_url(sse_provider)!r}, path="a.yaml", json={body("stall-mid")!r}, auth_env="A_KEY", deadline=50,
            verify=ssl.create_default_context(cafile="ca.pem"), progress=progress,
        )
    except KeyboardInterrupt:
        print("INTERRUPTED", Path("a.yaml").exists(), flush=True)

async def within():
    record()

{around}
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"A_KEY": sse_provider.key},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "READY\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=40)
    assert (out, err, process.returncode) == ("INTERRUPTED True\n", "", 0)
    cancelled_recording(tmp_path / "a.yaml", b"".join(sse_provider.sent))


def test_a_wrong_key_is_one_request_and_no_file(sse_provider: Provider, tmp_path: Path) -> None:
    """401 with a JSON body; neither key is in the verdict."""
    wrong = "sk-planted-wrong-0123456789"
    settings = options(sse_provider, "chat-lf") | {"headers": {"authorization": f"Bearer {wrong}"}}
    verdict = recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **settings)
    assert verdict.code == "http_error"
    assert len(sse_provider.requests) == 1
    assert list(tmp_path.iterdir()) == []
    assert wrong not in repr(verdict) + str(verdict)


def test_an_echoed_key_is_replaced(sse_provider: Provider, tmp_path: Path) -> None:
    """The stream repeats the key, once whole and once over two events: the caller gets it, the file does not."""
    path = tmp_path / "a.yaml"
    verdict = recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, "echo-key"))
    assert verdict.ok
    assert (verdict.text or "").count(sse_provider.key) == 2
    response = recorder.load_cassette(path).interactions[0].response
    stored = recorder.read([response.body], recorder.contracts.chat_text())
    assert (stored.code, stored.events) == (verdict.code, verdict.events)
    assert stored.text == "You sent secret-REDACTED-0001 with it. Again: secret-REDACTED-0001."
    assert b'"content":"."' in response.body  # the second half's event has lost its half of the key and nothing else
    half = len(sse_provider.key) // 2
    for part in (sse_provider.key[:half], sse_provider.key[half:]):
        assert part not in path.read_text("utf-8")


def test_a_whole_echoed_key_is_replaced(tmp_path: Path) -> None:
    """Whatever chunks it came in: boundaries inside the key move, their number stays."""
    key = "sk-planted-echo-31415926"
    wire = (
        b'data: {"choices":[{"index":0,"delta":{"content":"%s!"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        % key.encode()
    )
    cut = wire.index(b"echo")
    echo = Scenario("echo", pieces=(Piece(0.0, wire[:cut]), Piece(0.05, wire[cut:])))
    with Provider(scenarios=[echo], key=key) as provider:
        path = tmp_path / "a.yaml"
        verdict = recorder.record_stream(chat_url(provider), path=path, **options(provider, "echo"))
        assert verdict.text == f"{key}!"
    response = recorder.load_cassette(path).interactions[0].response
    assert b'"content":"secret-REDACTED-0001!"' in response.body
    assert key not in path.read_text("utf-8")
    assert recorder.read([response.body], recorder.contracts.chat_text()).text == "secret-REDACTED-0001!"


def test_a_key_of_no_known_form_in_a_header_of_no_known_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known for the credential that was used, so it is found where it comes back."""
    key = "Wolpertinger im Moor"
    monkeypatch.setenv("RECORDER_TEST_KEY", key)
    wire = b'data: {"choices":[{"index":0,"delta":{"content":"%s!"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    echo = Scenario("echo", pieces=(Piece(0.0, wire % key.encode()),))
    with Provider(scenarios=[echo]) as provider:
        path, sent = tmp_path / "a.yaml", options(provider, "echo")
        verdict = recorder.record_stream(
            chat_url(provider), path=path, **sent, auth_env="RECORDER_TEST_KEY", auth_header="x-mine"
        )
        assert verdict.text == f"{key}!"
    assert "Wolpertinger" not in path.read_text("utf-8")
    response = recorder.load_cassette(path).interactions[0].response
    assert b'"content":"secret-REDACTED-0001!"' in response.body


def test_nothing_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A key in the query and one that comes back in a response header: at DEBUG the HTTP library writes both down."""
    key = "sk-planted-query-31415926"
    echo = Scenario(
        "echo", headers=(("content-type", "text/event-stream"), ("x-echo", key)), pieces=(Piece(0.0, b": 1\n\n"),)
    )
    caplog.set_level(logging.DEBUG)
    with Provider(scenarios=[echo], key=key) as provider:
        url = f"{chat_url(provider)}?key={key}"
        recorder.record_stream(url, path=tmp_path / "a.yaml", **options(provider, "echo"))
        with httpx2.Client(verify=provider.ssl_context()) as client:
            client.post(provider.url, json={})
    assert key not in caplog.text + (tmp_path / "a.yaml").read_text("utf-8")
    assert "HTTP Request: POST" in caplog.text, "other use of the library still logs"


async def in_a_coroutine(url: str, **settings: Any) -> None:
    await recorder.arecord_stream(url, **settings)


@pytest.mark.parametrize(
    "make", [recorder.record_stream, lambda *url, **more: asyncio.run(in_a_coroutine(*url, **more))]
)
@pytest.mark.parametrize(("name", "requests"), [("file/a.yaml", 1), ("file/a.yaml", 0), ("file", 0)])
def test_a_traceback_with_locals_shows_nothing(
    sse_provider: Provider,
    tmp_path: Path,
    make: Callable[..., Any],
    name: str,
    requests: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `pytest --showlocals` prints it: where the file cannot be written, seen before or not, and where it exists."""
    if requests:
        unseen_before(monkeypatch)
    (tmp_path / "file").write_text("")
    url = f"{chat_url(sse_provider)}?key={sse_provider.key}"
    with pytest.raises(recorder.CassetteError) as caught:
        make(url, path=tmp_path / name, **options(sse_provider, "chat-lf"))
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in told.stack if "/tests/" not in frame.filename and "/recorder/" in frame.filename]
    told.stack = traceback.StackSummary.from_list(ours)
    shown = "".join(told.format())
    assert len(ours) >= 2
    assert len(sse_provider.requests) == requests
    for word in (PROMPT, "Hello, reader", sse_provider.key):
        assert word not in shown


@pytest.mark.parametrize("coding", ["gzip", "compress", "br"])
def test_a_coding_that_cannot_be_undone_is_an_outcome(tmp_path: Path, coding: str) -> None:
    """A broken one, and one that nobody knows: a code, and nothing is stored."""
    head = (("content-type", "text/event-stream"), ("content-encoding", coding))
    broken = Scenario("broken", headers=head, pieces=(Piece(0.0, b"data: PLANTED-ANSWER\n\n"),))
    with Provider(scenarios=[broken]) as provider:
        path = tmp_path / "a.yaml"
        outcome = asyncio.run(record_once(chat_url(provider), path=path, **options(provider, "broken")))
        assert (outcome.verdict.code, outcome.status, outcome.path) == ("stream_read_failed", 200, None)
        assert len(provider.requests) == 1
    assert "PLANTED" not in repr(outcome)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("model", ["drop-mid", "eof-mid", "bad-utf8"])
def test_only_an_accepted_stream_is_stored_on_request(sse_provider: Provider, tmp_path: Path, model: str) -> None:
    """`only_accepted` leaves no file of a broken one."""
    settings = options(sse_provider, model) | {"only_accepted": True}
    assert not recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **settings).ok
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("answer", [True, False])
def test_a_review_decides(sse_provider: Provider, tmp_path: Path, answer: bool) -> None:
    """It sees the sanitized cassette and the counts, once, and nothing is written unless it says so."""
    seen: list[Cleaned] = []

    def review(cleaned: Cleaned) -> bool:
        seen.append(cleaned)
        return answer

    settings = options(sse_provider, "echo-key") | {"review": review}
    verdict = recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **settings)
    assert verdict.ok
    (cleaned,) = seen
    assert sse_provider.key.encode() not in cleaned.cassette.interactions[0].response.body
    assert cleaned.counts["credential-headers"] >= 1
    assert (tmp_path / "a.yaml").exists() == answer
    if answer:
        (stored,), (shown,) = recorder.load_cassette(tmp_path / "a.yaml").interactions, cleaned.cassette.interactions
        assert (stored.request, stored.response.body) == (shown.request, shown.response.body)


def test_an_existing_file_is_not_touched(sse_provider: Provider, tmp_path: Path) -> None:
    """Refused before anything is sent, unless overwriting is allowed."""
    path = tmp_path / "chat.yaml"
    path.write_text("mine")
    with pytest.raises(recorder.CassetteError, match="no request was made: pass overwrite") as caught:
        recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, "chat-lf"))
    assert caught.value.__context__ is None  # the traceback begins with what went wrong
    assert (path.read_text(), sse_provider.requests) == ("mine", ())
    verdict = recorder.record_stream(
        chat_url(sse_provider), path=path, overwrite=True, **options(sse_provider, "chat-lf")
    )
    assert verdict.ok
    assert recorder.load_cassette(path).interactions


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("file/a.yaml", "Not a directory"),
        ("file/b/a.yaml", "Not a directory"),
        ("link.yaml", "it is a symbolic link; give the path of the file it points to"),
    ],
)
def test_a_place_that_cannot_be_written_is_found_before_the_request(
    sse_provider: Provider, tmp_path: Path, name: str, reason: str
) -> None:
    """It would be paid for, and lost."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    path = tmp_path / name
    with pytest.raises(recorder.CassetteError) as caught:
        recorder.record_stream(chat_url(sse_provider), path=path, **options(sse_provider, "chat-lf"))
    assert str(caught.value) == f"{path}: cannot be written: {reason}, no request was made"
    assert sse_provider.requests == ()


@pytest.mark.parametrize(
    "more",
    [
        {"contract": "chat"},
        {"contract": recorder.contracts.chat},
        {"sanitizer": "default"},
        {"deadline": "30"},
        {"deadline": None},
        {"idle": "1"},
        {"max_bytes": "1"},
        {"max_events": None},
    ],
    ids=lambda more: "".join(f"{name} {type(given).__name__}" for name, given in more.items()),
)
def test_an_argument_of_the_wrong_kind_is_found_before_the_request(
    sse_provider: Provider, tmp_path: Path, more: dict[str, Any]
) -> None:
    """With its name, and what would be right."""
    ((name, given),) = more.items()
    settings = options(sse_provider, "chat-lf") | more
    with pytest.raises(TypeError, match="would be right") as caught:
        recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **settings)
    assert str(caught.value).startswith(f"{name}={given!r}: ")
    assert sse_provider.requests == ()


@pytest.mark.parametrize(
    ("url", "more", "said"),
    [
        ("ftp://example.invalid/x", {}, "the URL must be absolute"),
        ("http://example.invalid/x", {}, "use https://"),
        ("https://user:PLANTED@example.invalid/x", {}, "through an environment variable instead"),
        ("https://example.invalid/x", {"auth_env": "RECORDER_TEST_ABSENT"}, "RECORDER_TEST_ABSENT is not set"),
        ("https://example.invalid/x", {"headers": {"x": "PLANTED\r\nb: c"}}, "a line break"),
        ("https://example.invalid/x", {"json": '{"stream": true, "input": "PLANTED"}'}, "the body is text already"),
    ],
)
def test_a_bad_configuration_sends_nothing(tmp_path: Path, url: str, more: dict[str, Any], said: str) -> None:
    """What to change is said wherever one looks, without the value."""
    verdict = recorder.record_stream(url, path=tmp_path / "a.yaml", **{"json": {}, **more})
    assert isinstance(verdict, recorder.Rejected)
    assert verdict.code == "invalid_configuration"
    assert said in str(verdict.cause)
    assert verdict.explain() == f"No request was made: {verdict.cause}."
    with pytest.raises(recorder.RejectedStream) as raised:
        verdict.raise_for_rejection()
    assert str(raised.value) == f"the stream was rejected: invalid_configuration: {verdict.cause}"
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    assert "PLANTED" not in f"{verdict!r}{verdict.cause}{raised.value}"
    assert list(tmp_path.iterdir()) == []


def test_the_key_may_come_from_the_environment(
    sse_provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a bearer token."""
    monkeypatch.setenv("RECORDER_TEST_KEY", sse_provider.key)
    settings = options(sse_provider, "chat-lf") | {"headers": None, "auth_env": "RECORDER_TEST_KEY"}
    assert recorder.record_stream(chat_url(sse_provider), path=tmp_path / "a.yaml", **settings).ok
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8")


def test_it_works_where_a_loop_is_running(sse_provider: Provider, tmp_path: Path) -> None:
    """As in a notebook: the sync call inside a coroutine, and the async one."""

    async def cell() -> tuple[bool, bool]:
        sync = recorder.record_stream(
            chat_url(sse_provider), path=tmp_path / "a.yaml", **options(sse_provider, "chat-lf")
        )
        other = await recorder.arecord_stream(
            chat_url(sse_provider), path=tmp_path / "b.yaml", **options(sse_provider, "chat-lf")
        )
        return sync.ok, other.ok

    assert asyncio.run(cell()) == (True, True)
    assert threading.active_count() < 10


def test_recording_again_changes_only_the_times(sse_provider: Provider, tmp_path: Path) -> None:
    """Apart from head, chunk and end times and the date, two recordings of the same stream are one text."""
    for name in ("a.yaml", "b.yaml"):
        recorder.record_stream(chat_url(sse_provider), path=tmp_path / name, **options(sse_provider, "chat-lf"))
    first, second = (recorder.load_cassette(tmp_path / name).interactions[0] for name in ("a.yaml", "b.yaml"))
    assert first.request == second.request
    assert first.response.body == second.response.body
    assert first.response.headers == second.response.headers
