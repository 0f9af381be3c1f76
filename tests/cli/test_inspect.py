"""`recorder show`, `recorder verify` and `recorder diff`, as people run them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recorder
from recorder.cli import main

KEY = "sk-planted-3141592653589793"
# As stock vcrpy writes it.
FOREIGN = f"""interactions:
- request:
    body: '{{"model": "m"}}'
    headers:
      authorization:
      - Bearer {KEY}
    method: POST
    uri: https://api.example.com/v1/chat/completions
  response:
    body:
      string: "data: {{\\"a\\": \\"{KEY}\\"}}\\n\\ndata: \\e[2J\\u202e\\n\\n"
    headers:
      content-type:
      - text/event-stream
      x-user:
      - me
    status:
      code: 200
      message: OK
version: 1
"""


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, in an empty folder: starting a new one for each line would take most of the time."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["recorder", *arguments])
        with pytest.raises(SystemExit) as exited:
            main()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(sys.argv, int(exited.value.code or 0), said.out, said.err)

    return run


@pytest.mark.parametrize(
    ("arguments", "status", "first"),
    [
        (["show", "mcp"], 0, "1  POST https://loopback.invalid/mcp  144 bytes"),
        (["verify", "mcp"], 0, f"{recorder.gallery()['mcp']}: in order"),
        (["diff", "eof-mid", "reset-mid"], 1, "1  end  kind: eof -> reset"),
    ],
    ids=["show", "verify", "diff"],
)
def test_in_a_process_of_its_own(tmp_path: Path, arguments: list[str], status: int, first: str) -> None:
    """Output, exit status, no warning, no colour."""
    command = [sys.executable, "-W", "error", "-m", "recorder", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.splitlines()[0] == first
    assert "\x1b" not in done.stdout


def test_a_file_that_may_be_cut_off(run: Run, tmp_path: Path) -> None:
    """A copy that stopped in the last body: it is shown as far as it goes, and both commands say so."""
    whole = recorder.gallery()["chat-usage"].read_text("utf-8")
    (tmp_path / "a.yaml").write_text(whole[: whole.index("\n", whole.index("      string: |") + 400) + 1], "utf-8")
    shown, verified = run("show", "a.yaml"), run("verify", "a.yaml")
    assert (shown.returncode, verified.returncode) == (0, 0)
    assert verified.stdout == "a.yaml: may be cut off at its end\n"
    for said in (shown.stderr, verified.stderr):
        assert "a.yaml: may be cut off at its end: the last body has no `recorder:` behind it" in " ".join(said.split())
    assert "cut off" not in run("show", "chat-lf").stderr


def test_show(run: Run) -> None:
    """Facts for people, facts for machines, events and bytes on request; colour only on a terminal."""
    plain = run("show", "chat-lf")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "   2440 bytes  12 events  19 chunks in " in plain.stdout
    assert "     authorization: REDACTED\n" in plain.stdout
    assert "你好" not in plain.stdout
    assert "\x1b" not in plain.stdout
    events = run("show", "chat-lf", "--events")
    assert "你好" in events.stdout
    assert "One line\\u2028or two?" in events.stdout
    assert len(events.stdout.splitlines()) == len(plain.stdout.splitlines()) + 1 + 12  # a line each, however long
    shown = run("show", "chat-lf", "--bytes")
    assert shown.stdout.splitlines()[-1].endswith(" 2435     5     NE]\\n\\n")


def test_show_as_json(run: Run) -> None:
    """Without content, unless asked for."""
    told = run("show", "chat-lf", "--json")
    (facts,) = json.loads(told.stdout)
    assert (facts["status"], facts["bytes"], facts["events"], facts["chunks"], facts["dialect"], facts["end"]) == (
        200, 2440, 12, 19, "chat", "complete",
    )  # fmt: skip
    assert "Hello" not in told.stdout
    (facts,) = json.loads(run("show", "bad-utf8", "--json", "--events", "--bytes").stdout)
    assert [event["data"] for event in facts["event_list"]][-1] == "[DONE]"
    body = recorder.load_cassette(recorder.gallery()["bad-utf8"]).interactions[0].response.body
    assert b"".join(base64.b64decode(each["base64"]) for each in facts["chunk_list"]) == body


def test_show_leaks_nothing_and_steers_nothing(run: Run, tmp_path: Path) -> None:
    """A cassette that was never sanitized is shown as sanitizing would leave it, and that is said."""
    (tmp_path / "a.yaml").write_text(FOREIGN, "utf-8")
    for more in ([], ["--json"]):
        done = run("show", "a.yaml", "--events", "--bytes", *more)
        assert done.returncode == 0
        assert done.stderr == "recorder: a.yaml is not sanitized; this is what sanitizing leaves\n"
        assert KEY not in done.stdout
        assert "x-user" not in done.stdout
        assert "\x1b" not in done.stdout
        assert "\u202e" not in done.stdout


def test_verify(run: Run, tmp_path: Path) -> None:
    """One line a file; exit 1 when one is not in order, with the remedy, and 0 once that was done."""
    good = run("verify", str(recorder.gallery()["chat-lf"].parent))
    assert (good.returncode, good.stderr) == (0, "")
    assert [line.rpartition(": ")[2] for line in good.stdout.splitlines()] == ["in order"] * len(recorder.gallery())
    text = recorder.gallery()["chat-lf"].read_text("utf-8")
    (tmp_path / "a.yaml").write_text(text.replace("Hello, reader.", "Hello, dear reader."), "utf-8")
    bad = run("verify", "a.yaml", "chat-crlf")
    assert (bad.returncode, len(bad.stdout.splitlines())) == (1, 2)
    assert bad.stdout.splitlines()[0] == "a.yaml: not in order: edited"
    assert "`recorder verify --accept`" in bad.stderr
    (told,) = json.loads(run("verify", "--json", "a.yaml").stdout)
    assert (told["path"], told["ok"], told["findings"][0]["code"]) == ("a.yaml", False, "edited")
    assert run("verify", "--accept", "a.yaml").returncode == 0
    assert run("verify", "a.yaml").returncode == 0


def test_verify_walks_folders(run: Run, tmp_path: Path) -> None:
    """.yaml and .yml, below too; other files are none of its business; no file at all is a mistake."""
    (tmp_path / "all" / "deep").mkdir(parents=True)
    shutil.copy(recorder.gallery()["mcp"], tmp_path / "all" / "a.yml")
    shutil.copy(recorder.gallery()["mcp"], tmp_path / "all" / "deep" / "b.yaml")
    (tmp_path / "all" / "notes.txt").write_text("no cassette")
    done = run("verify", "all", "all/a.yml")
    assert (done.returncode, done.stdout) == (0, "all/a.yml: in order\nall/deep/b.yaml: in order\n")
    (tmp_path / "empty").mkdir()
    mistake = run("verify", "empty")
    assert mistake.returncode == 2
    assert "there is no .yaml file in empty" in mistake.stderr


def test_verify_finds_secrets_and_keeps_them(run: Run, tmp_path: Path) -> None:
    """Named by rule and place, never by value; a file's name steers no terminal."""
    path = tmp_path / "a\x1b[2J.yaml"
    path.write_text(FOREIGN, "utf-8")
    done = run("verify", path.name)
    assert done.returncode == 1
    assert done.stdout == "a\\x1b[2J.yaml: not in order: residue\n"
    assert KEY not in done.stderr
    assert "\x1b" not in done.stderr


def test_verify_goes_by_the_rules_of_the_project(run: Run, tmp_path: Path) -> None:
    """A header that the project lets be stored is no finding."""
    text = recorder.gallery()["mcp"].read_text("utf-8")
    line = "      content-type: [text/event-stream]\n"
    assert line in text
    (tmp_path / "a.yaml").write_text(text.replace(line, f"{line}      x-region: [here]\n"), "utf-8")
    assert run("verify", "a.yaml").returncode == 1
    (tmp_path / "pyproject.toml").write_text('[tool.recorder]\nresponse-headers = ["x-region"]\n')
    assert run("verify", "a.yaml").returncode == 0


def test_diff(run: Run) -> None:
    """Exit 0 and 1; notes do not count; text on request."""
    same = run("diff", "chat-lf", "chat-crlf")
    assert (same.returncode, same.stderr) == (0, "")
    assert same.stdout.splitlines()[0] == "no difference"
    assert "1  note  line ends: LF -> CR LF" in same.stdout.splitlines()
    other = run("diff", "eof-mid", "reset-mid")
    assert (other.returncode, other.stdout.splitlines()[0]) == (1, "1  end  kind: eof -> reset")
    text = run("diff", "chat-lf", "chat-crlf", "--text")
    assert (text.returncode, text.stdout.splitlines()[0]) == (1, "1  request  body, character 15:")


def test_diff_as_json(run: Run) -> None:
    """The same facts; and what is wrong with a file is said."""
    done = run("diff", "eof-mid", "reset-mid", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["same"]) == (1, False)
    assert told["differences"] == [{"interaction": 1, "what": "end", "place": "kind", "a": "eof", "b": "reset"}]
    assert json.loads(run("diff", "mcp", "mcp", "--json").stdout) == {
        "same": True,
        "differences": [],
        "notes": [],
    }
    missing = run("diff", "mcp", "nothere")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "recorder: nothere: " in missing.stderr


def test_diff_of_two_answers(run: Run, tmp_path: Path) -> None:
    """Loosely, one delta fewer and other numbers make no difference."""
    cassette = recorder.load_cassette(recorder.gallery()["chat-lf"])
    body = cassette.interactions[0].response.body
    blocks = body.replace(b'"total_tokens":75', b'"total_tokens":70').split(b"\n\n")
    other = recorder.Interaction.from_body(b"\n\n".join(blocks[:4] + blocks[5:]))
    recorder.save_cassette(recorder.Cassette((recorder.Interaction.from_body(body),)), tmp_path / "a.yaml")
    recorder.save_cassette(recorder.Cassette((other,)), tmp_path / "b.yaml")
    strict = run("diff", "a.yaml", "b.yaml")
    assert (strict.returncode, strict.stdout.splitlines()[:2]) == (
        1,
        [
            "1  events  event 2 (message) and those like it: 8 -> 7",
            "1  usage  numbers: total_tokens 75 -> total_tokens 70",
        ],
    )
    assert run("diff", "a.yaml", "b.yaml", "--loose").returncode == 0
