"""`recorder proxy` as a command: what it prints, when it ends, and with which status."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

import recorder
from recorder.provider import Provider

PROMPT = "PLANTED-PROMPT"


@contextmanager
def running(provider: Provider, folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the URL it printed."""
    (folder / "ca.pem").write_bytes(provider.ca_pem)
    options = ("--upstream", provider.url, "-o", "a.yaml", "--cacert", "ca.pem", *more)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "recorder", "proxy", *options],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            if process.poll() is None:
                process.kill()


def ask(url: str, provider: Provider, model: str) -> httpx2.Response:
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": PROMPT}]}
    headers = {"authorization": f"Bearer {provider.key}"}
    return httpx2.post(f"{url}/v1/chat/completions", json=body, headers=headers, timeout=60)


@pytest.mark.parametrize(("model", "status", "code"), [("chat-lf", 0, "accepted"), ("eof-mid", 1, "missing_terminal")])
def test_once_ends_after_one_exchange(
    sse_provider: Provider, tmp_path: Path, model: str, status: int, code: str
) -> None:
    """With the file written, lines of JSON, and the status of the stream; key, prompt and answer are not told."""
    with running(sse_provider, tmp_path, "--once", "--json") as (process, first):
        told = json.loads(first)
        assert told["upstream"] == sse_provider.url
        assert told["url"].startswith("http://127.0.0.1:")
        assert ask(told["url"], sse_provider, model).content == b"".join(sse_provider.sent)
        out, err = process.communicate(timeout=60)
    assert process.returncode == status, err
    facts = json.loads(out)
    assert (facts["code"], facts["path"], facts["problem"]) == (code, "/v1/chat/completions", "")
    assert recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response.body == b"".join(sse_provider.sent)
    for word in (sse_provider.key, PROMPT, "Hello, reader"):
        assert word not in out + err
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8")


def test_it_records_until_it_is_interrupted(sse_provider: Provider, tmp_path: Path) -> None:
    """Every exchange of a file; Ctrl-C is a proper end."""
    with running(sse_provider, tmp_path) as (process, url):
        assert [len(ask(url, sse_provider, model).content) for model in ("chat-lf", "chat-crlf")] == [2440, 2466]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert f"forwards to {sse_provider.url} and to nothing else" in err
    assert err.count("  accepted") == 2
    assert len(recorder.load_cassette(tmp_path / "a.yaml").interactions) == 2
    assert sse_provider.key not in err


def test_a_port_that_is_in_use(sse_provider: Provider, tmp_path: Path) -> None:
    """2, with what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with running(sse_provider, tmp_path, "--port", port) as (process, _):
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors == f"recorder: --port {port}: the port is in use; without --port the system chooses one\n"
