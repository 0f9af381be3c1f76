"""What a command imports when it is called: only what it needs, so that each starts quickly.

The lists are held, not the seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from recorder.cli._app import COMMANDS, Listed, load

CALL = """
import json, sys
sys.argv = ["recorder", *sys.argv[1:]]
from recorder.cli import main
try:
    main()
except SystemExit as left:
    status = left.code or 0
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""
CLIENTS = {"httpx", "httpx2", "aiohttp", "requests", "urllib3"}
HEAVY = CLIENTS | {"vcr", "h11", "h2", "trustme", "ipywidgets", "anywidget", "IPython", "distributed", "hypothesis"}
LIGHTEST = {"cli", "errors"}
TO_CLEAN = {"cli", "errors", "sse", "contracts", "coding", "tape", "cassette", "sanitize"}
TO_LOOK = TO_CLEAN | {"inspect", "plans"}
TO_DELIVER = {"cli", "errors", "sse", "contracts", "cassette", "plans", "adapters", "sweeps"}
ASKED = {"_RECORDER_COMPLETE": "complete_bash", "COMP_WORDS": "recorder s", "COMP_CWORD": "1"}


@dataclass(frozen=True, slots=True)
class Case:
    """A command line, the rooms of ours it may import, and the heavy libraries among its imports."""

    id: str
    arguments: str
    rooms: set[str]
    heavy: frozenset[str] = frozenset()
    env: tuple[tuple[str, str], ...] = ()


CASES = [
    Case("help", "--help", LIGHTEST),
    Case("version", "--version", LIGHTEST),
    Case("completion", "", LIGHTEST, env=tuple(ASKED.items())),
    Case("schema", "schema", LIGHTEST | {"cassette", "sse"}),
    Case("rules", "rules", TO_CLEAN),
    Case("gallery", "gallery", LIGHTEST | {"cassette", "sse"}),
    Case("show", "show chat-lf --events", TO_LOOK),
    Case("diff", "diff chat-lf chat-lf", TO_LOOK),
    Case("replay", "replay chat-lf", TO_DELIVER),
    Case("replay to a contract", "replay chat-lf --contract chat_text", TO_DELIVER),
    Case(
        "replay to a reader", "replay chat-lf --reader recorder.cli.naive_reader:read --plan chunks=whole", TO_DELIVER
    ),
    Case("help of convert", "convert --help", TO_CLEAN),
    Case("help of sanitize", "sanitize --help", TO_CLEAN),
    Case("help of verify", "verify --help", TO_CLEAN),
    Case("help of sweep", "sweep --help", TO_DELIVER),
    Case("help of record", "record --help", TO_CLEAN | {"plans", "adapters", "capture", "record"}, frozenset({"h11"})),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_command_imports_what_it_needs(case: Case) -> None:
    """No room beyond its own, and no library that is only for others."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, *case.arguments.split()],
        env=os.environ | dict(case.env),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0, done.stderr.splitlines()[:-1]
    assert {name.split(".")[1] for name in modules if name.startswith("recorder.")} <= case.rooms
    assert {name.split(".")[0] for name in modules} & HEAVY <= case.heavy


def test_completion_lists_the_commands_and_the_options_of_one() -> None:
    """As bash asks for them."""
    listed = completed("recorder s", "1")
    assert listed == ["show", "serve", "sweep", "sanitize", "schema"]
    assert completed("recorder show --e", "2") == ["--events"]


def completed(words: str, position: str) -> list[str]:
    asked = ASKED | {"COMP_WORDS": words, "COMP_CWORD": position}
    command = [sys.executable, "-c", "from recorder.cli import main; import sys; sys.argv = ['recorder']; main()"]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("listed", COMMANDS, ids=lambda listed: listed.name)
def test_every_listed_command_is_there(listed: Listed) -> None:
    """By the name under which it is listed, with a help of its own."""
    command = load(listed)
    assert command.name == listed.name
    assert command.help
