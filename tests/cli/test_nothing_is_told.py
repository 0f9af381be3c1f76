"""What commands and a failing test print about a dirty cassette: none of what must not be seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response, dump_cassette

PLANTED = {
    "key": "sk-planted-3141592653589793",
    "prompt": "PLANTED-PROMPT",
    "answer": "PLANTED-ANSWER",
    "organization": "planted-organization-1618",
    "secret": "planted-known-secret-5772",
    "mail": "planted.person@example.com",
}
FAILING = """
import logging
import recorder

def test_fails():
    cassette = recorder.load_cassette("dirty.yaml")
    sanitizer = recorder.Sanitizer.default(secret_env=["PLANTED"]).knowing(cassette)
    cleaned = sanitizer.clean(cassette)
    logging.getLogger().info("%s %s %s", cassette, sanitizer, cleaned)
    interaction = cassette.interactions[0]
    found = sanitizer.scan(cassette)
    assert (cassette, found) == (cleaned.cassette, ())

def test_refused():
    cassette = recorder.load_cassette("opaque.yaml")
    recorder.save_cassette(cassette, "new.yaml")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a cassette that is dirty in every way, and one that cannot be cleaned."""
    event = f'{{"choices":[{{"delta":{{"content":"{PLANTED["answer"]} {PLANTED["secret"]} {PLANTED["mail"]}"}}}}]}}'
    request = Request(
        "POST",
        f"https://a.example/v1?key={PLANTED['key']}",
        Headers({"authorization": f"Bearer {PLANTED['key']}"}),
        f'{{"input":"{PLANTED["prompt"]}"}}'.encode(),
    )
    head = Headers({"content-type": "text/event-stream", "openai-organization": PLANTED["organization"]})
    dirty = Response(200, head, f"data: {event}\n\n".encode())
    opaque = Response(200, Headers({"content-encoding": "br"}), b"\xff\x00" + "".join(PLANTED.values()).encode())
    for name, response in (("dirty", dirty), ("opaque", opaque)):
        text = dump_cassette(Cassette((Interaction(request, response),)))
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    (tmp_path / "test_it.py").write_text(FAILING)
    return tmp_path


COMMANDS = {
    "pytest": ("pytest", "test_it.py", "-vvl", "-p", "no:randomly", "-p", "no:cacheprovider", "--log-level=DEBUG"),
    "check": ("recorder", "sanitize", "--check", "--json", "--secret-env", "PLANTED", "dirty.yaml", "opaque.yaml"),
    "check in words": ("recorder", "sanitize", "--check", "--secret-env", "PLANTED", "dirty.yaml", "opaque.yaml"),
    "verify": ("recorder", "verify", "--json", "--secret-env", "PLANTED", "dirty.yaml", "opaque.yaml"),
    "verify in words": ("recorder", "verify", "--secret-env", "PLANTED", "dirty.yaml", "opaque.yaml"),
    "sanitize": ("recorder", "sanitize", "--secret-env", "PLANTED", "dirty.yaml", "opaque.yaml"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_told(name: str, folder: Path) -> None:
    """Standard output and error, JSON, logs and local variables of a failing test; each fails, so each has a story."""
    run = subprocess.run(
        [sys.executable, "-m", *COMMANDS[name]],
        cwd=folder,
        env=os.environ | {"PLANTED": PLANTED["secret"], "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = run.stdout + run.stderr
    assert run.returncode == 1, told
    assert len(told) > 100
    assert [each for each, value in PLANTED.items() if value in told] == []
    assert {path.name for path in folder.iterdir()} >= {"dirty.yaml", "opaque.yaml", "test_it.py"}
    assert not (folder / "new.yaml").exists()


STEERING = "\x1b]0;planted\x07\x1b[2J\u202e"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["show"], 2),
        (["verify"], 2),
        (["sanitize", "--check"], 2),
        (["convert", "-o", "made.yaml"], 2),
        (["serve", "--quiet"], 2),
        (["replay"], 2),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_the_name_of_a_file_does_not_steer_the_terminal(command: list[str], status: int, tmp_path: Path) -> None:
    """A file that is no cassette, whose name sets a title, clears the screen and turns the reading order."""
    name = f"{STEERING}.yaml"
    (tmp_path / name).write_text("version: 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "recorder", command[0], name, *command[1:]],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == status, said
    assert r"\x1b]0;planted\x07\x1b[2J\u202e.yaml" in said
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
