"""`recorder gallery`: what ships, as a table, as JSON, and as paths."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import recorder
from recorder.cli._app import app
from recorder.cli._gallery import SHOWS

README = Path(__file__).resolve().parents[2] / "README.md"


def told(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["gallery", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_lists_what_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line each, with contract, verdict and size, however narrow the terminal is."""
    monkeypatch.setenv("COLUMNS", "40")
    head, *lines = told().splitlines()
    assert head.split() == ["name", "contract", "verdict", "events", "bytes", "end", "shows"]
    assert {line.split()[0] for line in lines} == set(recorder.gallery())
    (retry,) = [line.split() for line in lines if line.startswith("retry-429 ")]
    assert retry[:7] == ["retry-429", "chat", "http_error,", "accepted", "12", "2440", "complete"]


def test_what_each_shows_is_what_the_readme_says() -> None:
    """One sentence in two places."""
    section = README.read_text("utf-8").partition("### The gallery\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \| `[\w/]+` \| .+ \|$", section, re.M)
    assert {name: text.replace("`", "") for name, text in rows} == SHOWS


def test_a_name_is_answered_with_its_path() -> None:
    """And nothing else, so that it can be used in a command line."""
    assert told("chat-lf") == f"{recorder.gallery()['chat-lf']}\n"


def test_as_json() -> None:
    """All facts of one."""
    (facts,) = json.loads(told("--json", "reset-mid"))
    assert facts == {
        "name": "reset-mid",
        "path": str(recorder.gallery()["reset-mid"]),
        "contract": "chat",
        "verdicts": ["stream_read_failed"],
        "events": 6,
        "bytes": 1561,
        "end": "reset",
        "shows": "the connection is reset there",
    }
    assert len(json.loads(told("--json"))) == len(SHOWS)
