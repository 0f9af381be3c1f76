"""`recorder sweep --exec`: a reader in JavaScript is proved like one in Python."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import gallery, load_cassette
from recorder.sweeps import Command, check_reader

HERE = Path(__file__).resolve().parent


def sweep(node: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the report."""
    reader, *options = arguments
    options += ["--json", "--hung-after", "60", "--exec", f"{shlex.quote(node)} {reader}"]
    command = [sys.executable, "-m", "recorder", "sweep", *options]
    done = subprocess.run(
        command,
        cwd=HERE,
        env=os.environ | {"READER_TIMEOUT_MS": "30000"},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.stdout, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)


def test_a_right_reader_passes_every_cut_in_one_process(node: str) -> None:
    """All N+1 of a gallery cassette."""
    size = len(load_cassette(gallery()["chat-length"]).interactions[0].response.body)
    status, report = sweep(node, "reader.mjs fetch", "chat-length", "--batch", "--kind", "cuts")
    assert (status, report["counts"]) == (0, {"right": size + 1})


def test_a_right_reader_is_right_about_edits_and_ends(node: str) -> None:
    """Edits that must not matter and others that must be rejected, content encodings, a clean end, an RST."""
    kinds = ["--kind", "edits,truncations,incomplete,reset", "--sample", "15"]
    status, report = sweep(node, "reader.mjs fetch", "chat-length", "--batch", *kinds)
    assert (status, list(report["counts"])) == (0, ["right"])


def test_a_planted_fault_is_caught_with_its_smallest_plan(node: str) -> None:
    """A reader that decodes each chunk by itself: one cut, inside a code point, and what runs it again."""
    status, report = sweep(node, "reader.mjs fetch --broken", "chat-multilingual", "--batch", "--sample", "150")
    assert status == 1
    assert set(report["counts"]) == {"right", "differs"}
    body = load_cassette(gallery()["chat-multilingual"]).interactions[0].response.body
    failure = report["failures"][0]
    plan = failure["plan"]
    assert plan.startswith("chunks=at:")
    assert "," not in plan
    assert body[int(plan.removeprefix("chunks=at:"))] & 0xC0 == 0x80
    assert failure["command"].startswith(f"recorder sweep chat-multilingual --plan {plan} --exec ")
    assert failure["command"].endswith("reader.mjs fetch --broken' --batch --hung-after 60")


def test_in_a_python_test(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line, with a process for each run."""
    monkeypatch.chdir(HERE)
    reader = Command(f"{shlex.quote(node)} reader.mjs openai {{url}}")
    check_reader(reader, gallery()["chat-usage"], kind="cuts", sample=3)
