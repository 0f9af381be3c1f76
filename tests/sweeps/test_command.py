"""Readers that are commands: how they are started, asked, judged, and broken off."""

from __future__ import annotations

import pickle
import shlex
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from recorder.cassette import Cassette, Interaction, Response, gallery, load_cassette
from recorder.errors import PlanError
from recorder.sanitize import save_cassette
from recorder.sweeps import Command, Result, sweep

BODY = b'data: {"choices":[{"index":0,"delta":{"content":"h\xc3\xa9"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
READ = """
import json, os, sys, urllib.request
from http.client import HTTPException

def read(url):
    pieces = []
    try:
        with urllib.request.urlopen(f"{url}/v1/chat/completions", b"{}", timeout=20) as answer:
            while piece := answer.read1():
                pieces.append(piece)
    except (OSError, HTTPException) as error:
        return {"error": {"type": type(error).__name__, "code": "broken"}}
    return judge(pieces)
"""
RIGHT = """
def judge(pieces):
    body = b"".join(pieces)
    if not body.endswith(b"data: [DONE]\\n\\n"):
        return {"ok": False}
    return {"text": body.decode(), "finish": "stop"}
"""
BY_CHUNK = """
def judge(pieces):
    return {"text": "".join(piece.decode("utf-8", "replace") for piece in pieces), "finish": "stop"}
"""
EXIT = "if 'bytes' in sys.argv[1]: sys.exit(3)\n"
ONCE = "print(json.dumps(read(sys.argv[1])))\n"
BATCH = "for line in sys.stdin: print(json.dumps(read(line.strip())), flush=True)\n"


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., str]:
    """Writes a reader and gives the command that starts it."""

    def command(*parts: str) -> str:
        path = tmp_path / "a reader.py"
        path.write_text("".join(parts))
        return f"{shlex.quote(sys.executable)} -S {shlex.quote(str(path))}"

    return command


def test_a_right_reader(command: Callable[..., str]) -> None:
    """Every cut, and every clean and unclean end, in one process."""
    reader = Command(command(READ, RIGHT, BATCH), batch=True)
    report = sweep(reader, BODY, kind="cuts,truncations,incomplete,reset", sample=40)
    assert report.ok
    assert report.counts[Result.RIGHT] == report.total == 160


def test_a_reader_that_decodes_by_chunk(command: Callable[..., str]) -> None:
    """The one cut inside the code point, found among all; the story says how to run it again."""
    line = command(READ, BY_CHUNK, BATCH)
    report = sweep(Command(line, batch=True), BODY)
    inside = BODY.index(b"\xa9")
    assert (report.counts[Result.DIFFERS], report.counts[Result.RIGHT]) == (1, len(BODY))
    failure = report.failures[0]
    assert str(failure.plan) == f"chunks=at:{inside}"
    assert failure.command == shlex.join(
        ["recorder", "sweep", "CASSETTE", "--plan", f"chunks=at:{inside}", "--exec", line, "--batch"]
    )
    assert failure.line == (
        f"recorder.check_reader(recorder.sweeps.Command({line!r}, batch=True), source, plans=['chunks=at:{inside}'])"
    )


def test_a_process_for_each_run(command: Callable[..., str]) -> None:
    """The address is an argument; an exit status other than 0 is a failure."""
    once = command(READ, RIGHT, ONCE, "if 'eof' in sys.argv[1]: sys.exit(3)\n")
    report = sweep(Command(f"{once} {{url}}"), BODY, plans=["chunks=bytes:40", "end=eof@event:1"])
    assert report.ok
    for parts in ((ONCE, EXIT), (EXIT, ONCE)):  # after its request, and before
        once = command(READ, RIGHT, *parts)
        (failure,) = sweep(Command(f"{once} {{url}}"), BODY, plans=["chunks=bytes:40"]).failures
        assert (failure.result, failure.error) == (Result.RAISED, "exit status 3")


@pytest.mark.parametrize(
    ("says", "result"),
    [
        ('"complete"', Result.RIGHT),
        ('{"finish": "stop"}', Result.RIGHT),
        ('{"finish": "stop", "error": None}', Result.RIGHT),
        ('{"ok": False}', Result.FALSE_ALARM),
        ('{"error": "no idea"}', Result.FALSE_ALARM),
        ('{"error": {"type": "Broken", "code": 7}}', Result.FALSE_ALARM),
    ],
)
def test_what_a_line_means(command: Callable[..., str], says: str, result: Result) -> None:
    """An `error`, or `ok` false, is a failure; anything else a success. The stream is whole here."""
    reader = Command(command(READ, f"def judge(pieces): return {says}\n", BATCH), batch=True)
    assert set(sweep(reader, BODY, plans=["chunks=whole"]).counts) == {result}


def test_text_that_is_no_json(command: Callable[..., str]) -> None:
    """Is compared as it is, whatever line separators of other kinds are in it."""
    loop = 'for line in sys.stdin: read(line.strip()); print("a\\u2028b\\u0085c", flush=True)\n'
    reader = Command(command(READ, RIGHT, "sys.stdout.reconfigure(encoding='utf-8')\n", loop), batch=True)
    report = sweep(reader, BODY, plans=["chunks=whole", "chunks=bytes:9"])
    assert report.ok


def test_a_process_that_ends_is_started_again(command: Callable[..., str]) -> None:
    """That run failed; the next has a process of its own."""
    loop = "for line in sys.stdin:\n    if 'bytes:40' in line: read(line.strip()); sys.exit(4)\n"
    reader = Command(command(READ, RIGHT, loop, "    print(json.dumps(read(line.strip())), flush=True)\n"), batch=True)
    report = sweep(reader, BODY, plans=["chunks=bytes:9", "chunks=bytes:40", "chunks=bytes:10"])
    (failure,) = report.failures
    assert (failure.result, failure.error) == (Result.RAISED, "exit status 4")
    assert report.counts[Result.RIGHT] == 2


def test_a_run_that_hangs_is_broken_off(command: Callable[..., str]) -> None:
    """And its process ended, so that a late answer is not taken for the next run's."""
    loop = "for line in sys.stdin:\n    told = json.dumps(read(line.strip()))\n"
    loop += "    if 'bytes:40' in line: import time; time.sleep(60)\n    print(told, flush=True)\n"
    reader = Command(command(READ, RIGHT, loop), batch=True)
    report = sweep(reader, BODY, plans=["chunks=bytes:9", "chunks=bytes:40", "chunks=bytes:10"], hung_after=2.0)
    assert (report.counts[Result.RIGHT], report.counts[Result.HUNG]) == (2, 1)


def test_commands_that_cannot_be_used(command: Callable[..., str], tmp_path: Path) -> None:
    """Each is told what is wrong with it."""
    with pytest.raises(ValueError, match="the command is empty"):
        Command(" ")
    with pytest.raises(ValueError, match=r"'node reader.mjs' has no \{url\} for the address of the run"):
        Command("node reader.mjs")
    with pytest.raises(ValueError, match="no-such-command' cannot be started: No such file"):
        sweep(Command(f"{tmp_path}/no-such-command", batch=True), BODY, plans=["chunks=whole"])
    with pytest.raises(ValueError, match="ended with status 5, before it answered the first address"):
        sweep(Command(command("import sys; sys.exit(5)"), batch=True), BODY, plans=["chunks=whole"])
    with pytest.raises(PlanError, match="event:9"):
        sweep(Command(command(READ, RIGHT, BATCH), batch=True), BODY, plans=["end=eof@event:9"])


def test_a_reader_that_asks_for_something_else(command: Callable[..., str]) -> None:
    """Is told what it asked for, once, instead of a report about nothing."""
    reader = Command(command(READ.replace("completions", "else"), RIGHT, BATCH), batch=True)
    with pytest.raises(ValueError, match="nothing that is recorded: its last request was POST /v1/chat/else"):
        sweep(reader, gallery()["chat-lf"], plans=["chunks=whole"])
    silent = Command(command("import sys\n", "for line in sys.stdin: print('done', flush=True)\n"), batch=True)
    with pytest.raises(ValueError, match="it made no request to the address it was given"):
        sweep(silent, gallery()["chat-lf"], plans=["chunks=whole"])


def test_a_reader_that_answers_in_two_lines(command: Callable[..., str]) -> None:
    """The second would be taken for the next run's answer."""
    loop = "for line in sys.stdin: read(line.strip()); print('reading\\n{}', flush=True)\n"
    reader = Command(command(READ, RIGHT, loop), batch=True)
    with pytest.raises(ValueError, match="wrote more than a line for one address: it answers in one"):
        sweep(reader, BODY, plans=["chunks=whole", "chunks=bytes:9"])


def test_an_answer_longer_than_a_pipe_holds(command: Callable[..., str]) -> None:
    """200,000 characters, in as many reads as it takes."""
    loop = "for line in sys.stdin: read(line.strip()); print('x' * 200_000, flush=True)\n"
    reader = Command(command(READ, RIGHT, loop), batch=True)
    report = sweep(
        reader, BODY, plans=["chunks=whole", "chunks=bytes:9"], key=len, accepts=lambda said: len(said) == 200_000
    )
    assert report.ok


def test_a_plan_too_long_for_an_address(command: Callable[..., str]) -> None:
    """Two thousand cuts, which the server then knows by itself."""
    body = b": " + b"x" * 3000 + b"\n\n" + BODY
    loop = "for line in sys.stdin: print(json.dumps({'short': len(line) < 99, 'n': len(read(line.strip())['text'])}))"
    reader = Command(command(READ, RIGHT, f"{loop}; sys.stdout.flush()\n"), batch=True)
    plan = "chunks=at:" + ",".join(map(str, range(1, 2001)))
    assert sweep(reader, body, plans=[plan]).ok


def test_the_stream_under_test_among_others(command: Callable[..., str], tmp_path: Path) -> None:
    """A retry after a refusal: each run begins with the cassette rewound, and the plan is for the stream alone."""
    recorded = load_cassette(gallery()["retry-429"]).interactions
    first = Interaction(recorded[1].request, Response(200, {"content-type": "text/event-stream"}, BODY))
    save_cassette(Cassette((first, *recorded)), tmp_path / "three.yaml")
    reads = READ + "\nfirst = read\ndef read(url):\n    first(url)\n    first(url)\n    return first(url)\n"
    reader = Command(command(reads, RIGHT, BATCH), batch=True)
    report = sweep(reader, tmp_path / "three.yaml", plans=["end=eof@event:1", "chunks=bytes:100"])
    first_row, second_row = report.rows
    assert first_row.counts == {Result.SILENT: 1, Result.RIGHT: 1}  # this reader does not look at what came first
    assert second_row.counts == {Result.RIGHT: 2}


def test_on_two_processes(command: Callable[..., str]) -> None:
    """Each has a server and a process of the reader's own; the report is the same."""
    reader = Command(command(READ, BY_CHUNK, BATCH), batch=True)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert sweep(reader, BODY, executor=pool).to_json() == sweep(reader, BODY).to_json()


def test_a_command_travels() -> None:
    """To workers, by pickle."""
    command = Command("node reader.mjs {url}")
    assert pickle.loads(pickle.dumps(command)) == command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give a reader: --reader MODULE:FUNCTION, or --exec COMMAND"),
        (["--reader", "a:b", "--exec", "c {url}"], "give a reader: --reader MODULE:FUNCTION, or --exec COMMAND"),
        (["--reader", "a:b", "--batch"], "--batch is for --exec"),
        (["--exec", "node reader.mjs"], "has no {url} for the address of the run"),
    ],
)
def test_the_options_of_the_command_line(options: list[str], message: str) -> None:
    """One reader, of one of the two kinds."""
    command = [sys.executable, "-m", "recorder", "sweep", "chat-lf", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
