"""`recorder serve`, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

BODY = b": loopback heartbeat\n\ndata: "


@pytest.fixture
def serve() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the command; ends it after the test."""
    running: list[subprocess.Popen[str]] = []

    def serve(*arguments: str) -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
        command = [sys.executable, "-m", "recorder", "serve", *arguments]
        pipe = subprocess.PIPE
        running.append(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment))
        return running[-1]

    yield serve
    for process in running:
        process.kill()
        process.communicate()


def post(url: str, context: ssl.SSLContext | None = None) -> bytes:
    request = urllib.request.Request(url + "/v1/chat/completions", b"{}", method="POST")
    with urllib.request.urlopen(request, timeout=20, context=context) as answer:
        found: bytes = answer.read()
        return found


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_interrupted(serve: Any, number: signal.Signals) -> None:
    """The first line is the address; a line on standard error for each delivery; 0 is the exit status."""
    process = serve("chat-lf", "--plan", "end=eof@event:3", "--match-on", "method,path", "--repeat")
    url = first_line(process)
    assert url.startswith("http://127.0.0.1:")
    assert post(url).startswith(BODY)
    process.send_signal(number)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert errors == (
        'POST /v1/chat/completions: interaction 1, plan "end=eof@event:3": 200, 7 chunks, 674 bytes, eof\n'
    )


def test_json_and_tls(serve: Any) -> None:
    """The address and where the authority's certificate is, then each delivery, as lines of JSON."""
    process = serve("chat-lf", "--tls", "--json", "--match-on", "path", "--max-connections", "5")
    told = json.loads(first_line(process))
    assert told["url"].startswith("https://127.0.0.1:")
    assert post(told["url"], ssl.create_default_context(cafile=told["ca_file"])).startswith(BODY)
    delivery = json.loads(first_line(process))
    assert (delivery["interaction"], delivery["status"], delivery["end"]) == (1, 200, "complete")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert not os.path.exists(told["ca_file"])  # noqa: PTH110 - a path as it was printed


def test_tls_says_what_to_trust(serve: Any) -> None:
    """For people: the file, and where clients take it."""
    process = serve("chat-lf", "--tls", "--quiet")
    assert first_line(process).startswith("https://127.0.0.1:")
    assert first_line(process).endswith("ca.pem  (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, curl --cacert)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.yaml"], "recorder: none.yaml"),
        (["chat-lf", "--plan", "end=nowhere"], "recorder: end=nowhere: unknown"),
        (["chat-lf", "--match-on", "colour"], "recorder: match_on names 'colour'"),
    ],
)
def test_what_cannot_be_served(serve: Any, arguments: list[str], message: str) -> None:
    """2, and one line that says why."""
    process = serve(*arguments)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out) == (2, "")
    assert errors.startswith(message)
    assert "Traceback" not in errors


def test_a_port_that_is_in_use(serve: Any) -> None:
    """2, with what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = serve("chat-lf", "--port", port)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 2
    assert errors == f"recorder: --port {port}: the port is in use; without --port the system chooses one\n"
