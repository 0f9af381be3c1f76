"""`recorder sanitize` and `recorder rules`, as people run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recorder

KEY = "sk-planted-3141592653589793"
MAIL = "jane.doe@example.com"
# As stock vcrpy writes it: sorted keys, folded lines, nothing of ours.
VCRPY = f"""interactions:
- request:
    body: '{{"model": "m", "messages": [{{"role": "user", "content": "I am {MAIL}"}}]}}'
    headers:
      accept:
      - '*/*'
      authorization:
      - Bearer {KEY}
      user-agent:
      - OpenAI/Python 1.59.3
    method: POST
    uri: https://api.example.com/v1/chat/completions?key={KEY}
  response:
    body:
      string: 'data: {{"choices":[{{"index":0,"delta":{{"content":"your key is sk-planted-"}}}}]}}


        data: {{"choices":[{{"index":0,"delta":{{"content":"3141592653589793."}}}}]}}


        data: [DONE]


        '
    headers:
      content-type:
      - text/event-stream
      openai-organization:
      - acme-corp-7
      set-cookie:
      - __cf_bm=planted-cookie-271828; path=/
    status:
      code: 200
      message: OK
version: 1
"""
BODY = (
    b'data: {"choices":[{"index":0,"delta":{"content":"your key is secret-REDACTED-0001"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"."}}]}\n\n'
    b"data: [DONE]\n\n"
)
PLANTED = (KEY, MAIL, "acme-corp-7", "planted-cookie-271828")


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cassettes" / "deep").mkdir(parents=True)
    (tmp_path / "cassettes" / "deep" / "chat.yaml").write_text(VCRPY)
    (tmp_path / "cassettes" / "ci.yaml").write_text("jobs: [build]\n")
    (tmp_path / "cassettes" / "notes.txt").write_text(KEY)
    return tmp_path


def test_cassettes_are_cleaned_in_place(folder: Path) -> None:
    """vcrpy's file too; a second run has nothing to do and does not touch it; other files are let be."""
    path = folder / "cassettes" / "deep" / "chat.yaml"
    done = run("sanitize", "cassettes", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "cleaned  cassettes/deep/chat.yaml  7 replacements"
    assert {tuple(line.split()) for line in done.stdout.splitlines()[2:-1]} == {
        ("cookie", "1", "1"), ("credential-headers", "2", "1"), ("email", "1", "1"), ("organization", "1", "1"),
        ("query", "1", "1"), ("request-headers", "1", "1"),
    }  # fmt: skip
    assert done.stdout.splitlines()[-1] == "1 cleaned"
    text = path.read_text()
    assert not [word for word in PLANTED if word in text + done.stdout + done.stderr]
    (each,) = recorder.load_cassette(path).interactions
    assert each.response.body == BODY
    assert each.request.uri == "https://api.example.com/v1/chat/completions"
    assert each.request.body == b'{"model": "m", "messages": [{"role": "user", "content": "I am email-REDACTED-0001"}]}'
    before = path.stat()
    again = run("sanitize", "cassettes", cwd=folder)
    assert (again.returncode, again.stdout, again.stderr) == (0, "1 clean\n", "")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(each.name for each in path.parent.iterdir()) == ["chat.yaml"]
    assert (folder / "cassettes" / "notes.txt").read_text() == KEY


def test_check_writes_nothing(folder: Path) -> None:
    """Exit 1 and the places; afterwards 0."""
    path = folder / "cassettes" / "deep" / "chat.yaml"
    done = run("sanitize", "--check", "--json", str(path), cwd=folder)
    assert done.returncode == 1
    assert path.read_text() == VCRPY
    (told,) = json.loads(done.stdout)
    assert (told["path"], told["state"]) == (str(path), "not clean")
    assert sum(told["replacements"].values()) == 7
    assert "email in interaction 1, request body" in told["said"]
    assert "cookie in interaction 1, response header set-cookie" in told["said"]
    assert not [word for word in PLANTED if word in done.stdout + done.stderr]
    people = run("sanitize", "--check", str(path), cwd=folder)
    assert people.returncode == 1
    assert people.stdout.splitlines()[-1] == "1 not clean"
    assert people.stderr.splitlines()[-1].endswith("more")
    assert run("sanitize", str(path), cwd=folder).returncode == 0
    assert run("sanitize", "--check", str(path), cwd=folder).returncode == 0


def test_shape_secrets_and_rules_from_the_command_line(folder: Path) -> None:
    """`--text shape`, `--secret-env`, `--without`."""
    path = folder / "cassettes" / "deep" / "chat.yaml"
    options = ("--text", "shape", "--secret-env", "ANOTHER", "--without", "organization")
    done = run("sanitize", str(path), *options, cwd=folder, env={"ANOTHER": "chat/completions"})
    assert done.returncode == 0
    (each,) = recorder.load_cassette(path).interactions
    assert each.request.uri == "https://api.example.com/v1/secret-REDACTED-0001"
    assert b'"content": "X xx xxxx.xxx@xxxxxxx.xxx"' in (each.request.body or b"")
    assert b'"content":"xxxx xxx xx xxxxxxxxxxx"' in each.response.body  # the key: nothing of it but its bytes
    assert each.response.headers.first("openai-organization") == "acme-corp-7"


def test_the_projects_rules_are_in_force(folder: Path) -> None:
    """Read from the nearest pyproject.toml, or the one that is named."""
    (folder / "pyproject.toml").write_text('[tool.recorder]\nwithout = ["email"]\nresponse-headers = ["x-a"]\n')
    (folder / "other.toml").write_text("[[tool.recorder.rules]]\nname = 'corp'\npattern = 'acme-corp'\n")
    listed = json.loads(run("rules", "--json", cwd=folder).stdout)
    names = {rule["name"]: rule for rule in listed["rules"]}
    assert "email" not in names
    assert "x-a" in names["response-headers"]["stay"]
    assert "corp" in run("rules", "--config", "other.toml", cwd=folder).stdout.splitlines()[0]
    assert run("sanitize", "cassettes", cwd=folder).returncode == 0
    assert MAIL in (folder / "cassettes" / "deep" / "chat.yaml").read_text()


def test_one_refused_file_does_not_stop_the_others(folder: Path) -> None:
    """It stays as it was, with the reason on standard error; exit 2 as one could not be read at all."""
    bad = folder / "cassettes" / "a.yaml"
    bad.write_text(VCRPY.replace("content-type:\n", "content-encoding: [br]\n      content-type:\n").replace(
        "string: 'data:", "string: !!binary '//4A/w=='\n      x: 'data:"))  # fmt: skip
    before = bad.read_bytes()
    broken = folder / "cassettes" / "b.yaml"
    broken.write_text("interactions:\n- request: [\n")
    done = run("sanitize", "cassettes", cwd=folder)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "1 cleaned, 1 refused, 1 unreadable"
    assert "content-coding in interaction 1, response body" in done.stderr
    assert "b.yaml:" in done.stderr
    assert bad.read_bytes() == before
    assert not [word for word in PLANTED if word in done.stdout + done.stderr]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sanitize", "nothere"), "recorder: nothere: there is no such file or folder"),
        (("sanitize", "."), "recorder: no cassette in the given folders"),
        (("sanitize", ".", "--without", "cookies"), "no rule is called cookies: one of known-secret, "),
        (("sanitize", ".", "--config", "absent.toml"), "absent.toml"),
        (("rules", "nope"), "recorder: no rule is called nope"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    """On standard error, exit 2, no traceback."""
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_rules_are_listed_with_an_example(tmp_path: Path) -> None:
    """Every rule of the default; one in full on request; the same as JSON."""
    listed = run("rules", cwd=tmp_path)
    assert listed.returncode == 0
    for rule in recorder.Sanitizer.default().rules:
        assert f"\n{rule.name}  " in f"\n{listed.stdout}"
    assert "    write to jane.doe@example.com.  ->  write to email-REDACTED-0001." in listed.stdout.splitlines()
    one = run("rules", "jwt", "response-headers", cwd=tmp_path).stdout
    assert "not hit: eyJhbGciOiJIUzI1NiJ9;" in one
    assert "stay: cache-control, " in one
    told = json.loads(run("rules", "email", "--json", cwd=tmp_path).stdout)
    assert told["fingerprint"] == recorder.Sanitizer.default().fingerprint
    assert told["rules"][0]["examples"][0]["after"] == "write to email-REDACTED-0001."


def test_help_has_examples(tmp_path: Path) -> None:
    """As the other commands have."""
    for command in ("sanitize", "rules"):
        shown = run(command, "--help", cwd=tmp_path)
        assert shown.returncode == 0
        assert f"Examples:\n    recorder {command}" in shown.stdout
