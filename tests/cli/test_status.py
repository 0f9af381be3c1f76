"""What every command does with what it cannot use, and with which exit status: one table for all of them.

0 when all is well, 1 when the answer is no, 2 when there is no answer; never a traceback, nor a number of the system.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

import recorder
from recorder.cli._app import COMMANDS, main

NAIVE = "--reader recorder.cli.naive_reader:read"
URL = "http://127.0.0.1:9/v1/chat/completions"
DIRTY = """interactions:
- request:
    {method: GET, uri: https://api.example.com/v1/models, body: null, headers: {authorization: [Bearer hunter2-x]}}
  response:
    status: {code: 200, message: OK}
    headers: {content-type: [text/plain]}
    body: {string: hello}
version: 1
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Case:
    """A command line in a folder of good and bad files, the exit status, and a piece of what is said."""

    line: str
    status: int
    said: str = ""


FINE = [
    Case("convert answer.sse -o new.yaml", 0, "converted"),
    Case("diff chat-lf chat-lf", 0),
    Case("gallery", 0, "chat-lf"),
    Case("gallery mcp chat-lf", 0, "mcp.yaml"),
    Case("record https://api.example.com/v1/chat/completions --dry-run --json body.json", 0, "nothing was sent"),
    Case("replay chat-lf --contract chat_text", 0, "accepted"),
    Case(f"replay chat-lf --plan chunks=whole {NAIVE}", 0, "the same result"),
    Case("rules email", 0, "email"),
    Case("sanitize dirty.yaml", 0, "1 cleaned"),
    Case("schema", 0, "interactions"),
    Case("show chat-lf", 0),
    Case(f"sweep chat-lf {NAIVE} --plan chunks=whole", 0),
    Case("verify chat-lf good.yaml", 0, "in order"),
    Case("verify good.yaml --secret-env NOT_SET", 0, "--secret-env NOT_SET: there is no such variable"),
    Case("sanitize good.yaml --secret-env NOT_SET", 0, "--secret-env NOT_SET: there is no such variable"),
]
NO = [
    Case("diff chat-lf reset-mid", 1),
    Case(f"record {URL} -o new.yaml --json body.json --auth-env A_KEY --yes", 1, "transport_failed"),
    Case(f"record {URL} --yes -o new.yaml", 1, "nothing listens at this address"),
    Case("record https://nowhere.invalid/ --yes -o new.yaml", 1, "the name of the host was not found"),
    Case("drift good.yaml --auth-env A_KEY --yes --deadline 5", 1, "_failed"),
    Case("replay reset-mid --contract chat", 1, "stream_read_failed"),
    Case("replay chat-lf --plan end=reset@20", 1, "the plan resets the connection here"),
    Case(f"replay chat-lf --plan chunks=at:28 {NAIVE}", 1, "another result"),
    Case("sanitize dirty.yaml --check", 1, "1 not clean"),
    Case(f"sweep chat-lf {NAIVE} --plan chunks=at:28", 1),
    Case("verify edited.yaml chat-lf", 1, "not in order: edited"),
    Case("verify dirty.yaml", 1, "residue"),
]
CANNOT = [
    *(
        Case(line, 2, "the name of a file is empty")
        for line in (
            "convert '' -o new",
            "diff '' chat-lf",
            "replay ''",
            "sanitize ''",
            "sanitize folder ''",
            "serve ''",
            "show ''",
            f"sweep '' {NAIVE}",
            "verify ''",
        )
    ),
    Case("convert answer.sse answer2.sse -o good.yaml", 2, "--output good.yaml: is no folder"),
    Case("convert answer.sse -o good.yaml/new.yaml", 2, "good.yaml: is no folder"),
    Case("replay chat-lf --reader broken:read", 2, "broken cannot be imported: SyntaxError in "),
    Case("replay chat-lf --reader failing:read", 2, "failing cannot be imported: RuntimeError in "),
    Case("sweep chat-lf --reader leaving:read", 2, "leaving cannot be imported: SystemExit in "),
    Case('sweep chat-lf --exec "node \'a {url}"', 2, "--exec node 'a {url}: "),
    Case("nosuch", 2, "No such command 'nosuch'"),
    Case("shwo", 2, "Did you mean 'show'"),
    Case("--nosuch", 2, "--nosuch"),
    Case("convert", 2, "Missing argument"),
    Case("convert absent.har -o new.yaml", 2, "absent.har: there is no such file or folder"),
    Case("convert folder -o new", 2, "no file in the given folders"),
    Case("convert empty.yaml -o new.yaml", 2, "an empty file"),
    Case("convert binary.yaml -o new.yaml", 2, "in none of the known formats"),
    Case("convert answer.sse binary.yaml -o new", 2, "1 converted, 1 failed"),
    Case("convert answer.sse -o good.yaml", 2, "--overwrite replaces it"),
    Case("convert answer.sse -o new.yaml --body absent", 2, "--body absent: there is no such file"),
    Case("demo --keep good.yaml", 2, "--keep good.yaml: is no folder; it takes a folder"),
    Case("demo --lines cr", 2, "--lines"),
    Case("diff chat-lf", 2, "Missing argument"),
    Case("drift good.yaml --auth-env NOT_SET --yes", 2, "NOT_SET is not set"),
    Case("drift good.yaml --auth-env A_KEY --yes --cacert absent.pem", 2, "--cacert absent.pem: there is no such file"),
    Case("drift good.yaml --auth-env A_KEY --interaction 4", 2, "there is no interaction 4"),
    Case("gallery chat-fl", 2, "chat-fl: no shipped cassette of that name; did you mean chat-lf"),
    Case("proxy --upstream nothing -o new.yaml", 2, "absolute"),
    Case("proxy --upstream http://127.0.0.1:9 -o good.yaml", 2, "--overwrite"),
    Case("proxy --upstream http://127.0.0.1:9 -o folder", 2, "folder is a folder"),
    Case(
        "proxy --upstream http://127.0.0.1:9 -o new.yaml --cacert good.yaml", 2, "holds no certificate; it takes a PEM"
    ),
    Case("proxy --upstream http://127.0.0.1:9 -o new.yaml --contract nope", 2, "'nope' is not a contract"),
    Case("record", 2, "-o FILE"),
    Case("record -o new.yaml", 2, "name one of: a URL, --curl"),
    Case("record -o new.yaml --provider nope --model m --prompt p", 2, "'nope' is not a known provider"),
    Case("record -o new.yaml --provider openai --prompt p", 2, "--provider openai needs --model too"),
    Case("record -o new.yaml --provider openai --model m", 2, "--provider openai needs --prompt too"),
    Case("record -o new.yaml --curl wget", 2, "does not begin with curl"),
    Case("record ftp://host -o new.yaml --yes", 2, "the URL must be absolute"),
    Case(f"record {URL} -o good.yaml", 2, "--overwrite"),
    Case(f"record {URL} -o folder --overwrite", 2, "folder is a folder"),
    Case(
        f"record {URL} -o body.json/new.yaml --yes", 2, "body.json/new.yaml: cannot be written: Not a directory, no req"
    ),
    Case(f"record {URL} -o new.yaml --auth-env NOT_SET --yes", 2, "NOT_SET is not set"),
    Case(f"record {URL} -o new.yaml --auth-env NOT_SET --yes --outcome-json", 2, '"code": "invalid_configuration"'),
    Case(f"record {URL} -o new.yaml --json absent.json", 2, "--json absent.json: there is no such file"),
    Case(f"record {URL} -o new.yaml --json folder", 2, "--json folder: is a folder; it takes a file with the JSON"),
    Case(f"record {URL} -o new.yaml --json binary.yaml", 2, "--json binary.yaml: not JSON"),
    Case(f"record {URL} -o new.yaml --json dirty.yaml", 2, "--json dirty.yaml:1: not JSON"),
    Case(f"record {URL} -o new.yaml --yes --cacert folder", 2, "--cacert folder: is a folder; it takes a PEM file"),
    Case(f"record {URL} -o new.yaml --yes --contract nope", 2, "'nope' is not a contract"),
    Case(f"record {URL} -o new.yaml", 2, "pass --yes"),
    Case("replay chat-lf --plan chunks=pieces", 2, "chunks=pieces: unknown"),
    Case("replay chat-lf --contract nope", 2, "'nope' is not a contract"),
    Case("replay chat-lf --reader os:sep", 2, "--reader os:sep: sep is no function"),
    Case(
        "replay chat-lf --reader os:getcwd", 2, "--reader os:getcwd: getcwd cannot be called with the chunks: too many"
    ),
    Case("replay chat-lf --reader here/reader.py:read", 2, "write it as package.module:function"),
    Case("replay chat-lf --reader reader.py:read", 2, "write it as package.module:function"),
    Case("replay chat-lf --timeout -1", 2, "--timeout"),
    Case("rules nope", 2, "no rule is called nope"),
    Case(
        "rules --config absent.toml", 2, "--config absent.toml: there is no such file or folder; it takes a pyproject"
    ),
    Case("rules --config binary.yaml", 2, "binary.yaml: not TOML"),
    Case("sanitize absent.yaml", 2, "absent.yaml: there is no such file or folder"),
    Case("sanitize folder", 2, "no cassette in the given folders"),
    Case("sanitize empty.yaml", 2, "1 unreadable"),
    Case("sanitize --check binary.yaml dirty.yaml", 2, "1 not clean, 1 unreadable"),
    Case("sanitize good.yaml --without nope", 2, "no rule is called nope"),
    Case("sanitize good.yaml --config folder", 2, "--config folder: is a folder"),
    Case("schema more", 2, "more"),
    Case("serve chat-lf --plan chunks=pieces", 2, "chunks=pieces: unknown"),
    Case("serve chat-lf --match-on mood", 2, "mood"),
    Case("serve", 2, "Missing argument"),
    Case("show", 2, "Missing argument"),
    Case("sweep chat-lf", 2, "give a reader"),
    Case(f"sweep chat-lf {NAIVE} --kind nope", 2, "'nope' is unknown"),
    Case(f"sweep chat-lf {NAIVE} --html folder", 2, "--html folder: is a folder"),
    Case(
        f"sweep chat-lf {NAIVE} --junit no/such/report.xml", 2, "--junit no/such/report.xml: there is no folder no/such"
    ),
    Case("sweep chat-lf --reader os:sep", 2, "--reader os:sep: sep is no function"),
    Case("sweep chat-lf --reader os:getcwd", 2, "--reader os:getcwd: getcwd cannot be called with the chunks"),
    Case(f"sweep chat-lf {NAIVE} --via client", 2, "read cannot be called with nothing: missing a required argument"),
    Case("verify absent.yaml", 2, "not in order: unreadable"),
    Case("verify edited.yaml absent.yaml", 2, "not in order: edited"),
    Case(
        "verify absent",
        2,
        "absent: there is no such file, and no shipped cassette of that name; `recorder gallery` lists",
    ),
    Case("verify folder", 2, "there is no .yaml file in folder"),
    Case("verify empty.yaml", 2, "the file is empty"),
    *(
        Case(line.replace("FILE", file), 2, said)
        for line in (
            "diff FILE chat-lf",
            "diff chat-lf FILE",
            "drift FILE --auth-env A_KEY --yes",
            "replay FILE",
            "serve chat-lf FILE",
            "show FILE",
            f"sweep FILE {NAIVE}",
        )
        for file, said in (
            ("absent.yaml", "absent.yaml: cannot be read: No such file or directory"),
            ("absent", "absent: there is no such file, and no shipped cassette of that name; `recorder gallery` lists"),
            ("folder", "folder: cannot be read: Is a directory"),
            ("empty.yaml", "empty.yaml:1: the file is empty"),
            ("binary.yaml", "binary.yaml:1: not UTF-8"),
            ("answer.sse", "answer.sse:"),
        )
    ),
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[[str], Done]:
    """A command line in this process, in a folder with good and bad files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("A_KEY", "sk-planted-0123456789")
    good = recorder.gallery()["chat-lf"].read_text("utf-8")
    good = good.replace("https://loopback.invalid/", "http://127.0.0.1:9/")
    (tmp_path / "folder").mkdir()
    (tmp_path / "good.yaml").write_text(good, "utf-8")
    (tmp_path / "edited.yaml").write_text(good.replace("Hello, reader.", "Hello, dear reader."), "utf-8")
    (tmp_path / "dirty.yaml").write_text(DIRTY)
    (tmp_path / "empty.yaml").write_bytes(b"")
    (tmp_path / "binary.yaml").write_bytes(b"\x7fELF\xff\xfe\x00\x80" * 40)
    (tmp_path / "body.json").write_text('{"stream": true}')
    for name in ("answer.sse", "answer2.sse"):
        (tmp_path / name).write_text("data: [DONE]\n\n")
    (tmp_path / "broken.py").write_text("def read(:\n")
    (tmp_path / "failing.py").write_text("raise RuntimeError('PLANTED')\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)\n")

    def run_it(line: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["recorder", *shlex.split(line)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capfd.readouterr()
        return Done(int(left.value.code or 0), captured.out, captured.err)

    return run_it


@pytest.mark.parametrize("case", FINE + NO + CANNOT, ids=lambda case: case.line)
def test_the_status_says_what_the_end_means(run: Callable[[str], Done], case: Case) -> None:
    """The status of the table, and a message without the jargon of the system or of Python."""
    done = run(case.line)
    assert done.status == case.status, done
    assert case.said in done.out + done.err
    assert "PLANTED" not in done.out + done.err
    assert not re.search(r"Errno|Traceback|Exception|codec|_ssl\.c", done.err)
    if case.status == 2 and "Usage:" not in done.err:
        told = [line for line in done.err.splitlines() if line.startswith("recorder: ")]
        assert len(told) <= (1 if case.line.split()[0] not in ("sanitize", "convert") else 3), done.err
    assert case.status == 2 or "Usage:" not in done.err


@pytest.mark.parametrize("cases", [CANNOT], ids=["2"])
def test_every_command_is_in_the_table(cases: list[Case]) -> None:
    """A new command needs rows."""
    assert {case.line.split()[0] for case in cases} >= {listed.name for listed in COMMANDS}
    long_running = {"demo", "serve", "proxy"}  # their good ends are tested with servers, each in its own file
    assert {case.line.split()[0] for case in FINE} >= {listed.name for listed in COMMANDS} - long_running - {"drift"}


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "line", ["show chat-lf --json", "gallery", "rules", "schema", "verify chat-lf", "replay chat-lf", "diff mcp cohere"]
)
def test_who_reads_no_further_is_no_trouble(line: str, unbuffered: str, tmp_path: Path) -> None:
    """As with `head`: nothing on standard error, and the status that shells have for it."""
    reading, writing = os.pipe()
    os.close(reading)
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    command = [sys.executable, "-m", "recorder", *line.split()]
    with open(writing, "wb") as pipe:  # noqa: PTH123  # of a file descriptor
        done = subprocess.run(command, cwd=tmp_path, env=env, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("line", ["show chat-lf --events", "diff chat-lf chat-multilingual --text", "gallery"])
def test_what_a_terminal_cannot_show_is_escaped(line: str, tmp_path: Path) -> None:
    """In an encoding that lacks it; no failure, and nothing missing."""
    command = [sys.executable, "-m", "recorder", *line.split()]
    told = {}
    for encoding in ("ascii", "utf-8"):
        env = os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "200"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (1 if line.startswith("diff") else 0, b"")
        told[encoding] = done.stdout.decode(encoding)
    assert told["ascii"] == told["utf-8"].encode("ascii", "backslashreplace").decode("ascii")


def test_an_interrupted_command_says_so(tmp_path: Path) -> None:
    """With the status that shells have for it, and no traceback."""
    (tmp_path / "slow.py").write_text("import os, signal\ndef read(chunks):\n    os.kill(os.getpid(), signal.SIGINT)\n")
    command = [sys.executable, "-m", "recorder", "replay", "chat-lf", "--reader", "slow:read"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def test_an_interruption_while_it_starts_is_no_traceback(tmp_path: Path) -> None:
    """The imports take the longest: there too it is the status, and nothing else."""
    code = """
import sys
class Interrupted:
    def find_spec(self, name, *more):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from recorder.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
