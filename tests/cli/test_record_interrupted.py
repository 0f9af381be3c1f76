"""A recording that Ctrl-C or SIGTERM breaks off: what had come was paid for, so it is kept.

With a real process and a real signal, sent at what the process has said on standard error.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import recorder
from recorder.provider import Provider

PROMPT = "PLANTED-PROMPT"
COMMAND = "from recorder.cli._app import main\nmain()\n"
SLOW = """import os, sys, time
def slow(_):
    print("SAVING", file=sys.stderr, flush=True)
    time.sleep(60)
os.fsync = slow
"""
PATIENT = "import recorder.record._exchange as exchange\nexchange.GRACE_S = 20\n"


class Done(NamedTuple):
    status: int
    out: str
    err: str


Interrupted = Callable[..., Done]


@pytest.fixture
def interrupted(sse_provider: Provider, tmp_path: Path) -> Interrupted:
    """Start the command, wait for words on standard error and send a signal at each, then wait for its end."""
    (tmp_path / "ca.pem").write_bytes(sse_provider.ca_pem)

    def run(model: str, *options: str, waits: tuple[str, ...], number: int = signal.SIGINT, before: str = "") -> Done:
        body = {"model": model, "stream": True, "messages": [{"role": "user", "content": PROMPT}]}
        (tmp_path / "body.json").write_text(json.dumps(body))
        sent = f"{sse_provider.url}/v1/chat/completions -o a.yaml --auth-env A_KEY --json body.json --cacert ca.pem"
        with subprocess.Popen(
            [sys.executable, "-c", before + COMMAND, "record", *sent.split(), "--yes", "--deadline", "20", *options],
            cwd=tmp_path,
            env=os.environ | {"A_KEY": sse_provider.key, "FORCE_COLOR": "1"},  # the progress is shown on a terminal
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stderr is not None
            err = b""
            for wait in waits:
                while wait.encode() not in err:
                    read = os.read(process.stderr.fileno(), 65536)
                    assert read, err.decode()
                    err += read
                if wait.startswith("attempt"):
                    until = time.monotonic() + 20
                    while not sse_provider.requests and time.monotonic() < until:
                        time.sleep(0.02)
                process.send_signal(number)
            out, rest = process.communicate(timeout=60)
        told = (err + rest).decode()
        for secret in (sse_provider.key, PROMPT, "Hello, reader", "Traceback"):
            assert secret not in out.decode() + told
        return Done(process.returncode, out.decode(), told)

    return run


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_had_come_is_kept(
    interrupted: Interrupted, sse_provider: Provider, tmp_path: Path, number: int, status: int
) -> None:
    """The stream so far is in the file, with its end and a true outcome line; no traceback, the key nowhere.

    It was once thrown away: but the one request is made and charged, and a stream that broke is a recording too.
    """
    done = interrupted("stall-mid", waits=("1561 bytes",), number=number)
    sent = b"".join(sse_provider.sent)
    assert done.status == status
    line, wrote = done.out.splitlines()
    assert line.startswith("status 200  ")
    assert "  6 events  " in line
    assert line.endswith("  cancelled")
    assert wrote == "wrote a.yaml"
    assert "The caller cancelled before the stream was complete." in done.err
    (interaction,) = recorder.load_cassette(tmp_path / "a.yaml").interactions
    response = interaction.response
    assert response.body == sent
    assert response.end is not None
    assert response.recording is not None
    assert (response.end.kind, response.end.terminal_seen) == ("client_closed", False)
    assert response.recording.outcome == {"contract": "chat", "code": "cancelled"}
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.yaml", "body.json", "ca.pem"]
    assert len(sse_provider.wait_ended(20, count=1)) == 1


def test_the_outcome_as_json(interrupted: Interrupted, sse_provider: Provider) -> None:
    """The same facts, for a program."""
    done = interrupted("stall-mid", "--outcome-json", waits=("6 events",))
    facts = json.loads(done.out)
    assert done.status == 130
    assert (facts["status"], facts["events"], facts["code"], facts["path"]) == (200, 6, "cancelled", "a.yaml")
    assert facts["seconds"] > 0


def test_only_an_accepted_stream_is_kept_where_that_was_asked(
    interrupted: Interrupted, sse_provider: Provider, tmp_path: Path
) -> None:
    """A cancelled one is none: nothing is written, the outcome is as true."""
    done = interrupted("stall-mid", "--only-accepted", waits=("6 events",))
    assert done.status == 130
    assert "6 events" in done.out.splitlines()[0]
    assert done.out.splitlines()[1] == "nothing was written"
    assert not (tmp_path / "a.yaml").exists()


def test_before_the_head_there_is_nothing_to_keep(interrupted: Interrupted, tmp_path: Path) -> None:
    """Which is said."""
    done = interrupted("stall-head", waits=("attempt",))
    assert done.status == 130
    assert done.out.startswith("status -  ")
    assert done.out.splitlines()[0].endswith("  0 events  0 characters  no usage  cancelled")
    assert done.out.splitlines()[1] == "nothing was written"
    assert "interrupted before an answer had begun: there is nothing to keep" in done.err
    assert not (tmp_path / "a.yaml").exists()


def test_an_accepted_stream_stays_one(interrupted: Interrupted, tmp_path: Path) -> None:
    """Interrupted while it is only waited for the end of a connection that stays open after [DONE]."""
    done = interrupted("done-open", "--only-accepted", waits=("12 events",), before=PATIENT)
    assert (done.status, done.out.splitlines()[1]) == (130, "wrote a.yaml")
    assert done.out.splitlines()[0].endswith("  accepted")
    end = recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response.end
    assert end is not None
    assert (end.kind, end.terminal_seen) == ("client_closed", True)


@pytest.mark.parametrize("old", [None, "version: 1\ninteractions: []\n"])
def test_a_second_signal_while_it_is_saved(
    interrupted: Interrupted, sse_provider: Provider, tmp_path: Path, old: str | None
) -> None:
    """It breaks the saving off: there is the old state, nothing half-written, and that is what is said."""
    path = tmp_path / "a.yaml"
    if old is not None:
        path.write_text(old)
    done = interrupted("stall-mid", "--overwrite", waits=("6 events", "SAVING"), before=SLOW)
    assert (done.status, done.out.splitlines()[1]) == (130, "nothing was written")
    assert "6 events" in done.out.splitlines()[0]
    assert (path.read_text() if path.exists() else None) == old
    assert {each.name for each in tmp_path.iterdir()} - {"a.yaml"} == {"body.json", "ca.pem"}
