"""`recorder convert`, as people run it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

import recorder
from recorder.cli import main
from recorder.errors import CassetteError
from recorder.inspect import verify
from recorder.sanitize import Sanitizer

KEY = "sk-planted-3141592653589793"
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nset-cookie: __cf_bm=planted-cookie-271828; path=/\r\n\r\n"
)
STREAM = b'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n'
GO_VCR = f"""---
version: 1
interactions:
- request:
    body: '{{"model":"m"}}'
    form: {{}}
    headers:
      Authorization:
      - Bearer {KEY}
    url: https://api.example.com/v1/models
    method: POST
  response:
    body: |
      {{"n": 1}}
      {{"n": 2}}
    headers:
      Content-Type:
      - application/x-ndjson
    status: 200 OK
    code: 200
""".encode()


@dataclass(frozen=True)
class Ran:
    """What the command printed."""

    stdout: str
    stderr: str


class Run(Protocol):
    def __call__(self, *arguments: str, status: int = 0) -> Ran: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process and in a folder of its own; its exit status is as said."""

    def run(*arguments: str, status: int = 0) -> Ran:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["recorder", "convert", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == status, printed
        return Ran(printed.out, printed.err)

    return run


def report(done: Ran) -> list[dict[str, Any]]:
    parsed: list[dict[str, Any]] = json.loads(done.stdout)
    return parsed


def test_one_file(run: Run, tmp_path: Path) -> None:
    """It is sanitized on the way, says what it does not know, here and in the file, and is in order."""
    (tmp_path / "printed.txt").write_bytes(HEAD + STREAM)
    done = run("printed.txt", "-o", "new/chat.yaml")
    assert done.stdout.splitlines()[0] == (
        "converted  printed.txt -> new/chat.yaml  1 interaction of raw response with its head"
    )
    assert "not known (chunks): where the network cut the body, and when the pieces came\n" in done.stdout
    text = (tmp_path / "new/chat.yaml").read_text()
    assert "planted" not in text
    imported = "imported: {format: raw response with its head, unknown: [request, host, chunks, end]}"
    assert imported in text
    response = recorder.load_cassette(tmp_path / "new/chat.yaml").interactions[0].response
    assert response.body == STREAM
    assert not any(each.is_error for each in verify(tmp_path / "new/chat.yaml", Sanitizer.default()))


def test_a_body_that_is_no_event_stream(run: Run, tmp_path: Path) -> None:
    """It is carried as it is, with a label in the report and in the file; the key is nowhere."""
    (tmp_path / "a.yaml").write_bytes(GO_VCR)
    done = run("a.yaml", "-o", "b.yaml", "--json")
    assert report(done) == [
        {
            "path": "a.yaml",
            "state": "converted",
            "output": "b.yaml",
            "format": "go-vcr format 1",
            "interactions": 1,
            "bodies": {"ndjson": 1},
            "unknown": {
                "chunks": "where the network cut the body, and when the pieces came",
                "end": "how the body ended",
            },
            "said": [],
        }
    ]
    text = (tmp_path / "b.yaml").read_text()
    assert "imported: {format: go-vcr format 1, body: ndjson, unknown: [chunks, end]}" in text
    assert KEY not in text
    assert recorder.load_cassette(tmp_path / "b.yaml").interactions[0].response.body == b'{"n": 1}\n{"n": 2}\n'


def test_a_folder(run: Run, tmp_path: Path) -> None:
    """What is no recording is passed over, and the places are kept; two files never go to one place."""
    for name, data in {"x/a.sse": STREAM, "x/a.yaml": GO_VCR, "x/notes.md": b"# data", "y.txt": HEAD + STREAM}.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    done = run("in", "-o", "out")
    assert done.stdout.splitlines()[-1] == "3 converted, 1 passed over"
    found = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.yaml"))
    assert found == ["x/a.yaml", "x/a.yaml.yaml", "y.yaml"]


def test_the_output_within_the_folder_is_not_searched(run: Run, tmp_path: Path) -> None:
    """So the same command does the same again: what it made is nothing to convert, and it says so."""
    (tmp_path / "a.sse").write_bytes(STREAM)
    assert run(".", "-o", "cassettes").stderr == ""
    again = run(".", "-o", "cassettes", "--overwrite")
    assert again.stdout.splitlines()[-1] == "1 converted"
    assert again.stderr == "recorder: cassettes: is where the cassettes go, and is not searched\n"
    assert [path.name for path in (tmp_path / "cassettes").rglob("*")] == ["a.yaml"]


def test_the_output_is_the_folder_itself(run: Run, tmp_path: Path) -> None:
    """It is searched: the cassettes go beside the recordings."""
    (tmp_path / "a.sse").write_bytes(STREAM)
    assert run(".", "-o", ".").stdout.splitlines()[-1] == "1 converted"


def test_several_files_of_which_one_fails(run: Run, tmp_path: Path) -> None:
    """The others are converted; the exit status is 2, and the reason is one line."""
    (tmp_path / "good.sse").write_bytes(STREAM)
    (tmp_path / "bad.yaml").write_bytes(GO_VCR.replace(b"code: 200", b"code: 7"))
    done = run("good.sse", "bad.yaml", "-o", "out", status=2)
    assert done.stdout.splitlines()[-1] == "1 converted, 1 failed"
    assert done.stderr == "recorder: bad.yaml: interactions[0].response.code: not a whole number 100-999\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.yaml"]


def test_an_unknown_format(run: Run, tmp_path: Path) -> None:
    """Named by itself, such a file fails; the formats that were tried are named."""
    (tmp_path / "a.txt").write_bytes(b"hello")
    done = run("a.txt", "-o", "b.yaml", "--json", status=2)
    assert report(done)[0]["state"] == "failed"
    assert report(done)[0]["said"][0].startswith("a.txt: in none of the known formats; tried curl trace, httprr,")
    assert not (tmp_path / "b.yaml").exists()


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        '[{"requests": [], "responses": []}]',
        '[{"interactions": []}]',
        '[{"method": "GET", "url": "https://a.example", "status": 200}]',
        "- a: 1\n",
        "version: 7\ninteractions: []\n",
        "version: 1\ninteractions: []\n---\nversion: 1\ninteractions: []\n",
        "requests: 1\n",
        "requests: []\nresponses: {}\n",
    ],
)
def test_what_cannot_be_converted_is_not_told_to_be_converted(run: Run, tmp_path: Path, text: str) -> None:
    """Neither here nor, for a list, where it is taken for a cassette."""
    (tmp_path / "a.json").write_text(text)
    done = run("a.json", "-o", "b.yaml", status=2)
    assert done.stderr.startswith("recorder: a.json")
    assert "recorder convert" not in done.stderr
    if text[0] in "[-":
        with pytest.raises(CassetteError, match=r"a list at the top level; a cassette has `version: 1`"):
            recorder.load_cassette(tmp_path / "a.json")


def test_a_folder_without_recordings(run: Run, tmp_path: Path) -> None:
    """That is a finding too."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_bytes(b"hello")
    assert run("in", "-o", "out", status=2).stdout == "1 passed over\n"


def test_an_existing_cassette_stays(run: Run, tmp_path: Path) -> None:
    """Unless it is to be replaced."""
    (tmp_path / "a.sse").write_bytes(STREAM)
    (tmp_path / "b.yaml").write_text("mine")
    done = run("a.sse", "-o", "b.yaml", status=2)
    assert done.stderr == "recorder: a.sse: b.yaml: there is such a file; --overwrite replaces it\n"
    assert (tmp_path / "b.yaml").read_text() == "mine"
    run("a.sse", "-o", "b.yaml", "--overwrite")
    assert recorder.load_cassette(tmp_path / "b.yaml").interactions[0].response.body == STREAM


def test_a_secret_that_cannot_go_means_no_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames with checksums cannot be edited; the error names the rule and the place."""
    monkeypatch.setenv("PLANTED", KEY)
    frame = b"\x00\x00\x00\x50\x00\x00\x00\x10" + bytes(4) + b"\x0b:event-type" + KEY.encode().ljust(54, b"\x00")
    scope = {"scope": "https://a.example", "path": "/", "status": 200}
    (tmp_path / "a.json").write_text(json.dumps([scope | {"response": frame.hex(), "responseIsBinary": True}]))
    done = run("a.json", "-o", "b.yaml", "--secret-env", "PLANTED", status=1)
    assert "not written, a secret is still there" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert not (tmp_path / "b.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent", "-o", "b.yaml"], "absent: there is no such file or folder"),
        (["a.sse", "a.sse", "-o", "out", "--body", "a.sse"], "--body goes with one trace"),
        (["a.sse"], "Missing option"),
    ],
)
def test_misuse(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    """Exit status 2."""
    (tmp_path / "a.sse").write_bytes(STREAM)
    assert said in run(*arguments, status=2).stderr
