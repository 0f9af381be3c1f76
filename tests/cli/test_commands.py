"""The commands as people run them: in a process of their own, with their output and exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recorder
from recorder.provider import Provider


def run(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "recorder", *arguments],
        cwd=cwd,
        env=os.environ | {"COLUMNS": "200"} | (env or {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("lines", "size", "told"), [("lf", 2440, "2322/2440"), ("crlf", 2466, "2323/2466")])
def test_the_demo_records_replays_and_compares(tmp_path: Path, lines: str, size: int, told: str) -> None:
    """The naive reader fails and ours does not; the command it prints runs that one delivery again."""
    done = run("demo", "--lines", lines, "--keep", "kept", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[0].startswith("recorded  status 200  ")
    assert said[0].endswith("  12 events  152 characters  usage seen  accepted")
    row = next(line for line in said if line.startswith("recorder.read with chat_text")).split()
    assert row[-4:] == [f"{size + 1}/{size + 1}", "1/1", "200/200", f"{size}/{size}"]
    row = next(line for line in said if line.startswith("a naive reader ")).split()
    assert (row[-3:-1], row[-1]) == (["0/1", "0/200"], told)
    assert "sk-loopback" not in done.stdout + (tmp_path / "kept" / f"chat-{lines}.yaml").read_text("utf-8")

    again = next(line for line in said if line.strip().startswith("recorder replay")).strip()
    _, _, cassette, _, plan, _, reader = again.replace('"', "").split(" ", 6)
    repeated = run("replay", cassette, "--plan", plan, "--reader", reader, cwd=tmp_path)
    assert repeated.returncode == 1
    assert "this plan:  raised JSONDecodeError; another result" in repeated.stdout


def test_the_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    """Without --keep the command it prints names the shipped cassette with the same bytes."""
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert 'recorder replay chat-lf --plan "chunks=at:28"' in done.stdout
    assert list(tmp_path.iterdir()) == []


def recorded(provider: Provider, folder: Path, model: str, key: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "body.json").write_text(
        json.dumps({"model": model, "stream": True, "messages": [{"content": "PLANTED-PROMPT"}]})
    )
    (folder / "ca.pem").write_bytes(provider.ca_pem)
    url = f"{provider.url}/v1/chat/completions"
    options = ("-o", "out.yaml", "--auth-env", "A_KEY", "--json", "body.json", "--cacert", "ca.pem")
    return run("record", url, "--yes", *options, *more, cwd=folder, env={"A_KEY": key})


@pytest.mark.parametrize(
    ("model", "status", "said"),
    [
        ("chat-lf", 0, "12 events  152 characters  usage seen  accepted"),
        ("drop-mid", 1, "  stream_read_failed"),
        ("html-200", 1, "status 200  "),
        ("redirect", 1, "  redirect_refused"),
        ("echo-key", 0, "7 events  "),
    ],
)
def test_record_says_one_line_and_never_the_key(
    sse_provider: Provider, tmp_path: Path, model: str, status: int, said: str
) -> None:
    """Each outcome has its code and exit status; key, prompt and answer are in no output, no file is half-written."""
    done = recorded(sse_provider, tmp_path, model, sse_provider.key)
    assert done.returncode == status
    assert said in done.stdout
    everything = done.stdout + done.stderr
    assert "Traceback" not in everything
    stored = tmp_path / "out.yaml"
    assert stored.exists() == (model in ("chat-lf", "drop-mid", "echo-key"))
    if stored.exists():
        as_sent = recorder.load_cassette(stored).interactions[0].response.body == b"".join(sse_provider.sent)
        assert as_sent == (model != "echo-key")
        everything_stored = stored.read_text("utf-8")
        assert sse_provider.key not in everything_stored
    for word in (sse_provider.key, "PLANTED-PROMPT", "Hello, reader"):
        assert word not in everything
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix not in (".json", ".pem")) == (
        ["out.yaml"] if stored.exists() else []
    )


def test_record_with_a_wrong_key(sse_provider: Provider, tmp_path: Path) -> None:
    """401: a fixed code, exit 1, no file; the outcome as JSON."""
    wrong = "sk-planted-wrong-0123456789"
    done = recorded(sse_provider, tmp_path, "chat-lf", wrong, "--outcome-json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["status"], told["code"], told["path"], told["events"]) == (401, "http_error", None, 0)
    assert wrong not in done.stdout + done.stderr
    assert not (tmp_path / "out.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "nothere"), "recorder: nothere: "),
        (("replay", "chat-lf", "--plan", "chunks=pieces"), "recorder: chunks=pieces: unknown; use whole,"),
        (("replay", "chat-lf", "--plan", "end=eof@event:99"), "it has 12 events"),
        (("replay", "chat-lf", "--contract", "nope"), "'nope' is not a contract: one of 'chat', "),
        (("replay", "chat-lf", "--reader", "nope"), "write it as package.module:function"),
        (("replay", "chat-lf", "--reader", "nope.nope:x"), "No module named"),
        (("replay", "chat-lf", "--interaction", "2"), "the cassette has 1 event stream(s)"),
        (("record", "https://example.invalid", "-o", "x.yaml", "--json", "absent.json"), "absent.json"),
        (
            ("record", "https://example.invalid", "-o", "x.yaml", "--header", "nocolon"),
            "must be written as name: value",
        ),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """On standard error, exit 2, no traceback."""
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_body_that_is_not_json_is_not_shown(tmp_path: Path) -> None:
    """The message has the file and line, not the text."""
    (tmp_path / "body.json").write_text('{"a": 1,\nPLANTED}')
    done = run("record", "https://example.invalid", "-o", "x.yaml", "--json", "body.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "body.json:2: not JSON" in done.stderr
    assert "PLANTED" not in done.stderr


def test_replay_gives_the_bytes(tmp_path: Path) -> None:
    """Standard output is the delivery, byte for byte; a broken end is said, and is exit 1."""
    shipped = recorder.load_cassette(recorder.gallery()["chat-crlf"]).interactions[0].response.body
    command = [sys.executable, "-m", "recorder", "replay", "chat-crlf", "--plan"]
    assert subprocess.run([*command, "chunks=bytes:7"], capture_output=True, check=True).stdout == shipped
    cut = subprocess.run([*command, "end=reset@100"], capture_output=True, check=False)
    assert (cut.returncode, cut.stdout) == (1, shipped[:100])
    assert cut.stderr.decode() == "recorder: the plan resets the connection here\n"


def test_replay_to_a_contract(tmp_path: Path) -> None:
    """The verdict and what it means."""
    good = run("replay", "chat-lf", "--contract", "chat_text/flowbar", cwd=tmp_path)
    assert (good.returncode, good.stdout.splitlines()[0]) == (
        0,
        "chat_text/flowbar: accepted after 12 events, 2440 bytes",
    )
    bad = run("replay", "chat-lf", "--plan", "end=eof@event:3", "--contract", "chat_text", cwd=tmp_path)
    assert bad.returncode == 1
    assert bad.stdout.splitlines()[0].startswith("chat_text/openai: missing_terminal after 3 events, ")


def test_a_reader_in_the_current_folder(tmp_path: Path) -> None:
    """`module:function` is looked up there too; an async reader works."""
    (tmp_path / "mine.py").write_text("async def read(chunks):\n    return b''.join([c async for c in chunks])\n")
    done = run("replay", "chat-lf", "--plan", "chunks=bytes:1", "--reader", "mine:read", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  this plan:  reported success; the same result")


def test_help_and_version(tmp_path: Path) -> None:
    """Every command has help with an example."""
    assert run("--version", cwd=tmp_path).stdout == f"recorder {recorder.__version__}\n"
    for command in ("demo", "record", "show", "replay", "verify", "diff"):
        shown = run(command, "--help", cwd=tmp_path)
        assert shown.returncode == 0
        assert f"Examples:\n    recorder {command}" in shown.stdout


def test_the_list_of_commands_is_whole(tmp_path: Path) -> None:
    """Nothing is cut at the width of a terminal."""
    shown = run(cwd=tmp_path, env={"COLUMNS": "80"})
    commands = (shown.stdout + shown.stderr).partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(commands) == 15
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


def test_an_unknown_name_is_answered_with_those_like_it(tmp_path: Path) -> None:
    """A path with an ending is a file that is not there, and nothing else."""
    done = run("show", "chat-fl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "recorder: chat-fl: there is no such file, and no shipped cassette of that name; "
        "did you mean chat-lf or chat-crlf or chat-refusal? `recorder gallery` lists them\n"
    )
    done = run("show", "chat-fl.yaml", cwd=tmp_path)
    assert done.stderr == "recorder: chat-fl.yaml: cannot be read: No such file or directory\n"


def test_a_narrow_terminal_loses_no_figure(tmp_path: Path) -> None:
    """The widths of the tables are those of what is in them."""
    naive = ("--reader", "recorder.cli.naive_reader:read", "--sample", "classes")
    done = run("sweep", "chat-lf", *naive, cwd=tmp_path, env={"COLUMNS": "40"})
    told = [line.split() for line in done.stdout.splitlines()]
    assert ["chat-lf", "cuts", "20/62", "3", "differs,", "39", "raised"] in [words[:7] for words in told]
    assert ["inside", "a", "code", "point,", "1", "of", "2", "0/3", "3", "raised"] in told
