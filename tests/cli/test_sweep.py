"""`recorder sweep`: what it prints, writes and exits with."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

READERS = Path(__file__).resolve().parent.parent / "sweeps"
NAIVE = ["--reader", "recorder.cli.naive_reader:read"]


def run(*arguments: str, cwd: Path = READERS) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "recorder", "sweep", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_a_right_reader_exits_with_0() -> None:
    """A module in the current folder is found."""
    done = run("chat-usage", "--reader", "readers:right", "--kind", "all", "--sample", "classes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("all: ")
    assert "A pass proves these bytes under these deliveries" in done.stdout


def test_a_broken_reader_exits_with_1_and_the_story() -> None:
    """And the files that were asked for."""
    done = run("chat-lf", *NAIVE, "--sample", "classes")
    assert done.returncode == 1
    assert 'plan: "chunks=at:28"' in done.stdout
    assert "again: recorder sweep chat-lf --plan chunks=at:28 --reader recorder.cli.naive_reader:read" in done.stdout


def test_what_a_story_says_runs_again() -> None:
    """The very delivery, judged."""
    done = run("chat-lf", "--plan", "chunks=at:28", *NAIVE, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["total"], told["counts"]) == (1, 1, {"raised": 1})
    assert run("chat-lf", "--plan", "chunks=whole", *NAIVE).returncode == 0


def test_files_are_written(tmp_path: Path) -> None:
    """JUnit XML and a page."""
    xml, html = tmp_path / "report.xml", tmp_path / "report.html"
    run("chat-usage", *NAIVE, "--sample", "10", "--junit", str(xml), "--html", str(html))
    assert ET.fromstring(xml.read_text("utf-8")).get("tests") == "1"
    assert "<svg" in html.read_text("utf-8")


def test_two_processes_say_the_same() -> None:
    """With a reader from the current folder."""
    arguments = ("chat-usage", "--reader", "readers:dispatches_at_the_end", "--kind", "truncations", "--json")
    assert run(*arguments, "--workers", "2").stdout == run(*arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chat-lf", *NAIVE, "--kind", "cutz"], "kind='cutz' is unknown: use cuts, "),
        (["chat-lf", *NAIVE, "--sample", "some"], "--sample some: write classes, all, or how many of each kind"),
        (["chat-lf", *NAIVE, "--interaction", "2"], "interaction=2: chat-lf has 1 event stream, counted from 1"),
        (["chat-lf", *NAIVE, "--plan", "chunks=at:99999"], "chunks=at:99999"),
        (["chat-lf", *NAIVE, "--workers", "2", "--dask", "tcp://x"], "--workers and --dask: give one of them"),
        (["nowhere.yaml", *NAIVE], "nowhere.yaml"),
        (["chat-lf", "--reader", "nothing"], "write it as package.module:function"),
    ],
)
def test_a_mistake_exits_with_2(arguments: list[str], message: str) -> None:
    """One line, no traceback."""
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
