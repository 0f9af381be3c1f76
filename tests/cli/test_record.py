"""`recorder record` as a command: how a request is described, confirmed and reviewed; what is said and written."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

import recorder
from recorder.cli._app import main
from recorder.provider import Provider

PROMPT = "PLANTED-PROMPT"
BODY = {"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": PROMPT}]}


class Done(NamedTuple):
    status: int
    out: str
    err: str


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self) -> bool:
        return True


Run = Callable[..., Done]


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    sse_provider: Provider,
) -> Run:
    """The command in this process, in a folder with a body and the provider's authority; its key is in A_KEY."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("A_KEY", sse_provider.key)
    (tmp_path / "body.json").write_text(json.dumps(BODY))
    (tmp_path / "ca.pem").write_bytes(sse_provider.ca_pem)

    def run_it(*arguments: str, stdin: io.StringIO | None = None) -> Done:
        monkeypatch.setattr(sys, "argv", ["recorder", "record", "--cacert", "ca.pem", *arguments])
        monkeypatch.setattr(sys, "stdin", stdin or io.StringIO())
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        captured = capfd.readouterr()
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run_it


def url_of(provider: Provider) -> str:
    return f"{provider.url}/v1/chat/completions"


def plain(provider: Provider) -> tuple[str, ...]:
    return (url_of(provider), "-o", "a.yaml", "--auth-env", "A_KEY", "--json", "body.json")


def test_a_curl_line_is_recorded(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """The request that left is the one of the line, with the key from the environment; the file has no key."""
    curl = f"curl {url_of(sse_provider)} -H 'Authorization: Bearer $A_KEY' -H 'X-Note: 1' -d @body.json"
    done = run("-o", "a.yaml", "--yes", "--curl", curl)
    assert (done.status, done.out.splitlines()[-1]) == (0, "wrote a.yaml")
    (request,) = sse_provider.requests
    headers = dict(request.headers)
    assert headers["authorization"] == f"Bearer {sse_provider.key}"
    assert (headers["x-note"], headers["accept"]) == ("1", "text/event-stream")
    assert "cookie" not in headers
    assert json.loads(request.body) == BODY
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8") + done.out + done.err


@pytest.mark.parametrize(
    ("provider", "path", "contract"),
    [
        ("openai", "/v1/chat/completions", "chat"),
        ("cometapi", "/v1/chat/completions", "chat"),
    ],
)
def test_a_service_and_a_prompt_are_recorded(
    run: Run, sse_provider: Provider, tmp_path: Path, provider: str, path: str, contract: str
) -> None:
    """With the body of that service; here sent to another address, as a gateway is."""
    done = run(
        sse_provider.url + path, "-o", "a.yaml", "--yes", "--provider", provider,
        "--model", "chat-lf", "--prompt", "-", "--auth-env", "A_KEY", "--usage",
        stdin=io.StringIO(f"{PROMPT}\n"),
    )  # fmt: skip
    assert done.status == 0, done.err
    (request,) = sse_provider.requests
    assert json.loads(request.body) == BODY | {"stream_options": {"include_usage": True}}
    recording = recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response.recording
    assert recording is not None
    assert recording.outcome == {"contract": contract, "code": "accepted"}
    assert PROMPT not in done.out + done.err


def test_the_key_may_come_from_standard_input(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """One line of it."""
    arguments = (url_of(sse_provider), "-o", "a.yaml", "--json", "body.json", "--auth-stdin", "--yes")
    done = run(*arguments, stdin=io.StringIO(f"{sse_provider.key}\n"))
    assert done.status == 0
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8") + done.out + done.err


WRITTEN_OUT = "sk-planted-3141592653589793"


@pytest.mark.parametrize(
    "arguments",
    [
        ("URL", "--json", "body.json", "-H", f"Authorization: Bearer {WRITTEN_OUT}"),
        ("URL", "--json", "body.json", "-H", "x-api-key: opaque-1"),
        (f"URL?key={WRITTEN_OUT}", "--json", "body.json"),
        ("--curl", f"curl URL -H 'Authorization: Bearer {WRITTEN_OUT}' -d @body.json"),
        ("--curl", "curl URL -H 'api-key: opaque-1' -d @body.json"),
    ],
)
def test_a_key_on_the_command_line_is_refused(
    run: Run, sse_provider: Provider, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """With the remedy, without the key; nothing is sent or written."""
    filled = [each.replace("URL", url_of(sse_provider)) for each in arguments]
    done = run("-o", "a.yaml", "--yes", *filled)
    assert (done.status, done.out, sse_provider.requests) == (2, "", ())
    assert "use --auth-env NAME" in done.err
    assert WRITTEN_OUT not in done.out + done.err
    assert "opaque-1" not in done.out + done.err
    assert not (tmp_path / "a.yaml").exists()


def test_nobody_is_asked_where_nobody_is(run: Run, sse_provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --yes: not under CI, not without a terminal."""
    done = run(*plain(sse_provider))
    assert (done.status, "pass --yes" in done.err) == (2, True)
    monkeypatch.setenv("CI", "true")
    done = run(*plain(sse_provider), stdin=Terminal("y\n"))
    assert (done.status, "under CI" in done.err) == (2, True)
    assert sse_provider.requests == ()


def test_the_host_is_shown_and_confirmed(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """No means nothing is sent; yes means one request."""
    done = run(*plain(sse_provider), stdin=Terminal("n\n"))
    assert (done.status, sse_provider.requests) == (2, ())
    assert f"one POST to {url_of(sse_provider)}, no retry" in done.err
    assert "Send it to 127.0.0.1?" in done.err
    assert not (tmp_path / "a.yaml").exists()
    assert run(*plain(sse_provider), stdin=Terminal("y\n")).status == 0
    assert len(sse_provider.requests) == 1


def test_an_attempt_has_a_name(run: Run, sse_provider: Provider) -> None:
    """The same before and after; it is not sent."""
    done = run(*plain(sse_provider), "--yes", "--outcome-json")
    told = json.loads(done.out)
    assert (told["code"], told["events"], told["path"]) == ("accepted", 12, "a.yaml")
    assert len(told["attempt"]) == 16
    assert f"attempt {told['attempt']}: one POST to " in done.err
    (request,) = sse_provider.requests
    assert told["attempt"] not in repr(request.headers) + request.target + request.body.decode()


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False)])
def test_a_recording_is_reviewed_before_it_is_written(
    run: Run, sse_provider: Provider, tmp_path: Path, answer: str, written: bool
) -> None:
    """Head, events and replacement counts, sanitized; then the question."""
    done = run(*plain(sse_provider), "--yes", "--review", stdin=Terminal(answer))
    assert done.status == 0
    assert "chat.completion.chunk" in done.err
    assert "replaced or left out: " in done.err
    assert "credential-headers 1, " in done.err
    assert "Write it?" in done.err
    assert sse_provider.key not in done.err + done.out
    assert (tmp_path / "a.yaml").exists() == written
    assert ("wrote a.yaml" if written else "nothing was written") in done.out


def test_a_dry_run_shows_the_sanitized_request(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """Without a key, a file or a request."""
    done = run(f"{url_of(sse_provider)}?alt=sse&k=1", "--dry-run", "--json", "body.json", "-H", "x-note: 1")
    assert (done.status, sse_provider.requests) == (0, ())
    lines = done.out.splitlines()
    assert lines[0] == f"POST {url_of(sse_provider)}?alt=sse"
    assert "accept: text/event-stream" in lines
    assert json.loads(lines[-1]) == BODY
    assert "x-note" not in done.out
    assert {path.name for path in tmp_path.iterdir()} == {"body.json", "ca.pem"}


@pytest.mark.parametrize(
    ("model", "more", "status", "code", "is_written"),
    [
        ("chat-lf", (), 0, "accepted", True),
        ("drop-mid", (), 1, "stream_read_failed", True),
        ("drop-mid", ("--only-accepted",), 1, "stream_read_failed", False),
        ("reset-head", (), 1, "transport_failed", False),
        ("status-429", (), 1, "http_error", False),
        ("redirect", (), 1, "redirect_refused", False),
        ("html-200", (), 1, "unexpected_content_type", False),
        ("stall-mid", ("--idle", "0.2"), 1, "stream_timeout", True),
        ("heartbeat-forever", ("--deadline", "0.4", "--idle", "0.3"), 1, "stream_timeout", True),
        ("chat-lf", ("--max-bytes", "100"), 1, "byte_limit", True),
        ("chat-lf", ("--max-events", "11"), 1, "event_count_limit", True),
        ("chat-lf", ("--max-events", "12"), 0, "accepted", True),
    ],
)
def test_every_outcome_has_a_code_and_a_status(
    run: Run,
    sse_provider: Provider,
    tmp_path: Path,
    model: str,
    more: tuple[str, ...],
    status: int,
    code: str,
    is_written: bool,
) -> None:
    """One request whatever happens; the file is written or not; key, prompt and answer are not told."""
    (tmp_path / "body.json").write_text(json.dumps(BODY | {"model": model}))
    done = run(*plain(sse_provider), "--yes", *more)
    assert (done.status, done.out.split()[-3 if is_written else -4]) == (status, code)
    assert len(sse_provider.requests) == 1
    assert (tmp_path / "a.yaml").exists() == is_written
    assert ("says nothing about what the provider did or charged" in done.err) == (status == 1)
    for word in (sse_provider.key, PROMPT, "Hello, reader"):
        assert word not in done.out + done.err
    if is_written:
        assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8")


def test_an_authority_that_is_not_trusted_is_told(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """With what names another one: the usual trouble behind a proxy that has its own."""
    (tmp_path / "ca.pem").write_bytes(trustme.CA().cert_pem.bytes())
    done = run(*plain(sse_provider), "--yes")
    assert (done.status, sse_provider.requests) == (1, ())
    assert "recorder: the certificate was not accepted (" in done.err
    assert "--cacert FILE names its authority\n" in done.err


def test_a_refusal_is_an_outcome_too(
    run: Run, sse_provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secret that cannot be replaced: the outcome is told, with the rule and the place, and nothing is written."""
    answer = base64.b64encode(base64.b64encode(b"Hello, reader")).decode()
    monkeypatch.setenv("A_SECRET", answer)  # in the prompt, coded twice more than the sanitizer undoes
    coded = base64.b64encode(base64.b64encode(answer.encode())).decode()
    (tmp_path / "body.json").write_text(json.dumps(BODY | {"note": coded}))
    done = run(*plain(sse_provider), "--yes", "--secret-env", "A_SECRET", "--outcome-json")
    told = json.loads(done.out)
    assert (done.status, told["code"], told["path"], len(sse_provider.requests)) == (1, "accepted", None, 1)
    assert "known-secret in interaction 1, request body" in done.err
    assert answer not in done.out + done.err
    assert not (tmp_path / "a.yaml").exists()


def test_only_the_shape_is_stored(run: Run, sse_provider: Provider, tmp_path: Path) -> None:
    """With `--text shape` neither the prompt nor the answer is in the file; no boundary has moved."""
    assert run(*plain(sse_provider), "--yes", "--text", "shape").status == 0
    stored = (tmp_path / "a.yaml").read_text("utf-8")
    for word in (sse_provider.key, PROMPT, "Hello, reader"):
        assert word not in stored
    response = recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response
    assert len(response.body) == 2440
    assert recorder.read([response.body], recorder.contracts.chat()).ok


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("URL", "--json", "body.json"), "name the cassette to write"),
        (("-o", "a.yaml"), "name one of: a URL"),
        (("URL", "-o", "a.yaml", "--curl", "curl URL"), "name one of: a URL"),
        (("-o", "a.yaml", "--provider", "nope", "--model", "m", "--prompt", "x"), "is not a known provider"),
        (("-o", "a.yaml", "--provider", "openai", "--model", "m", "--prompt", " "), "the prompt is blank"),
        (("-o", "a.yaml", "--provider", "openai", "--prompt", "x"), "needs --model too"),
        (("URL", "-o", "body.json"), "body.json exists and was not touched"),
    ],
)
def test_a_mistake_sends_nothing(run: Run, sse_provider: Provider, arguments: tuple[str, ...], said: str) -> None:
    """One line says what to change."""
    done = run(*[each.replace("URL", url_of(sse_provider)) for each in arguments], "--yes")
    assert (done.status, sse_provider.requests) == (2, ())
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads the process list of Linux")
def test_the_process_list_shows_nothing(sse_provider: Provider, tmp_path: Path) -> None:
    """While the request is under way: neither key nor prompt; afterwards no child is left."""
    (tmp_path / "body.json").write_text(json.dumps(BODY))
    (tmp_path / "ca.pem").write_bytes(sse_provider.ca_pem)
    sse_provider.hold(after=2)
    arguments = [*plain(sse_provider), "--cacert", "ca.pem", "--yes"]
    with subprocess.Popen(
        [sys.executable, "-m", "recorder", "record", *arguments],
        cwd=tmp_path,
        env=os.environ | {"A_KEY": sse_provider.key},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until = time.monotonic() + 60
        while len(sse_provider.sent) < 2 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        sse_provider.release()
        told = "".join(process.communicate(timeout=60))
    assert process.returncode == 0, told
    assert b"recorder" in shown
    assert sse_provider.key.encode() not in shown
    assert PROMPT.encode() not in shown
    assert sse_provider.key not in told
