"""Real installs in environments of their own: the oldest vcrpy we support and the newest, and pytest-recording.

Collected only with RECORDER_COMPAT=1: it makes virtual environments under the temporary folder, and installs into
them from the package index pip is set up for. The environments stay for the next run.

`test_vcrpy.py` shows the same, and more, for the version installed beside us.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Recording,
    Request,
    Response,
    StreamEnd,
    dump_cassette,
    load_cassette,
)
from recorder.cassette._store import locked

REPOSITORY = Path(__file__).resolve().parents[2]
OLD_PYYAML = "pyyaml==6.0.1" if sys.version_info < (3, 13) else "pyyaml==6.0.2"  # the first with a wheel; libyaml 0.2.5


@dataclass(frozen=True)
class Install:
    id: str
    packages: tuple[str, ...]
    options: tuple[str, ...] = ()


INSTALLS = [
    Install("oldest", ("vcrpy==8.2.1", "pytest-recording==0.14.0", OLD_PYYAML, "httpx", "requests")),
    Install("newest", ("vcrpy", "pytest-recording>=0.14,<0.15", "pyyaml", "httpx", "requests"), ("--upgrade",)),
]

GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
BODIES = {
    "lf": b'data: {"a":1}\n\ndata: [DONE]\n\n',
    "crlf": b"data: 1\r\n\r\n: comment\r\n",
    "cr": b"data: 1\r\rdata: 2\r\r",
    "unicode": "data: 漢字 🙂 é\n\n".encode(),
    "hidden": "\ufeffdata: \u2028\u2029\x85\x00\x7f\x9f\ufffe\uffff\n\n".encode(),
    "blanks": b" \n\t\n  data: \n\n\n\n  ",
    "yaml": b"---\n- a: &b *c\n# d\n...\n",
    "line_ends": b"\n\n\n",
    "empty": b"",
    "binary": b"data: \xff\xfe\n\n",
    "surrogate": b"data: \xed\xa0\x80\n\n",
}

REPLAY = """
import base64, json, sys
from pathlib import Path
import httpx, requests, vcr, yaml
from vcr.errors import CannotOverwriteExistingCassetteException

def bodies(path, **options):
    with vcr.use_cassette(str(path), record_mode="none", **options) as cassette:
        with httpx.stream("POST", options_url, content=b"{}") as response:
            by_httpx = b"".join(response.iter_bytes())
    with vcr.use_cassette(str(path), record_mode="none", **options) as cassette:
        by_requests = requests.post(options_url, data=b"{}", timeout=5).content
    return [base64.b64encode(body).decode() for body in (by_httpx, by_requests)]

folder = Path(sys.argv[1])
result = {"versions": [vcr.__version__, yaml.__version__], "bodies": {}}
options_url = "https://api.example.com/v1"
for path in sorted(folder.glob("*.yaml")):
    result["bodies"][path.stem] = bodies(path)
    with vcr.use_cassette(str(path), record_mode="new_episodes") as cassette:
        cassette.dirty = True
options_url = sys.argv[2] + "&key=AIzaSy-not-a-real-key"
result["gemini"] = bodies(folder / "gemini" / "chat.yaml", filter_query_parameters=["key"])
try:
    bodies(folder / "gemini" / "chat.yaml")
except CannotOverwriteExistingCassetteException:
    result["without filter"] = "not found"
print(json.dumps(result))
"""

PYTEST_RECORDING = """
import httpx, pytest, requests

@pytest.mark.vcr
def test_chat():
    assert httpx.post("https://api.example.com/v1", content=b"{}").content == BODY

@pytest.mark.block_network
@pytest.mark.default_cassette("test_chat.yaml")
@pytest.mark.vcr
def test_again():
    assert requests.post("https://api.example.com/v1", data=b"{}").content == BODY
"""

HOSTILE = """
import yaml
from recorder.cassette import parse_cassette
from recorder.errors import CassetteError
for opening in ("[", "- ", "? ", "{a: "):
    try:
        parse_cassette("interactions:\\n  " + opening * 1_000_000)
    except CassetteError as error:
        assert "nesting deeper than 100 levels" in str(error), error
    else:
        raise SystemExit("loaded")
print(len(parse_cassette(open(FILE, "rb").read()).interactions))
"""


def run(python: Path, *arguments: object, folder: Path | None = None) -> str:
    """The output of a Python of one of the environments; what it says of an error is shown."""
    ours = ("PYTEST_", "PIP_CONSTRAINT")  # the versions CI pins are not the ones that these environments are for
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    command = [str(python), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(params=INSTALLS, ids=lambda install: install.id)
def python(request: pytest.FixtureRequest) -> Path:
    """The interpreter of an environment with these packages, made at need."""
    install: Install = request.param
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    place = Path(tempfile.gettempdir(), f"sse-recorder-compat-{os.geteuid()}", f"{install.id}-{version}")
    place.parent.mkdir(mode=0o700, exist_ok=True)
    interpreter = place / "bin" / "python"
    with locked(place / "pyvenv.cfg"):  # of several test processes, one installs
        if not interpreter.exists():
            run(Path(sys.executable), "-m", "venv", place)
        pip = ("-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check")
        run(interpreter, *pip, *install.options, *install.packages)
    return interpreter


def cassette(body: bytes, uri: str = "https://api.example.com/v1") -> Cassette:
    """A recorded stream: two chunks where there is something to cut."""
    chunks = (Chunk(0.0, 1), Chunk(0.034, len(body) - 1)) if len(body) > 1 else None
    headers = Headers({"content-type": "text/event-stream", "set-cookie": ["a=1", "b=2"]})
    recording = Recording(0.2, {"http": "1.1"}, "2026-11-30T12:00:00Z", extra={"later": [1, "no", None]})
    end = StreamEnd(EndKind.RESET, 0.003)
    request = Request("POST", uri, Headers({"accept": "text/event-stream"}), b"{}")
    return Cassette((Interaction(request, Response(200, headers, body, chunks, end, "OK", recording)),))


def test_load_replay_and_save_again(python: Path, tmp_path: Path) -> None:
    """Stock vcrpy replays every body to both clients, and what it saves again still has all that is ours."""
    (tmp_path / "gemini").mkdir()
    (tmp_path / "gemini" / "chat.yaml").write_text(dump_cassette(cassette(BODIES["crlf"], GEMINI)), "utf-8")
    for ascii in (False, True):
        for name, body in BODIES.items():
            path = tmp_path / f"{name}-{'ascii' if ascii else 'utf8'}.yaml"
            path.write_bytes(dump_cassette(cassette(body), ascii=ascii).encode())
    result: dict[str, Any] = json.loads(run(python, "-X", "utf8", "-c", REPLAY, tmp_path, GEMINI))
    assert len(result["bodies"]) == 2 * len(BODIES)
    for name, received in result["bodies"].items():
        body = BODIES[name.partition("-")[0]]
        assert [b64decode(one) for one in received] == [body, body], (name, result["versions"])
        assert (tmp_path / f"{name}.yaml").read_text("utf-8").startswith("interactions:")
        assert load_cassette(tmp_path / f"{name}.yaml") == cassette(body), (name, result["versions"])
    assert [b64decode(one) for one in result["gemini"]] == [BODIES["crlf"]] * 2
    assert result["without filter"] == "not found"


def test_pytest_recording(python: Path, tmp_path: Path) -> None:
    """pytest-recording replays our file in its default mode, without and with the network blocked."""
    (tmp_path / "test_it.py").write_text(f"BODY = {BODIES['unicode']!r}\n{PYTEST_RECORDING}")
    folder = tmp_path / "cassettes" / "test_it"
    folder.mkdir(parents=True)
    (folder / "test_chat.yaml").write_bytes(dump_cassette(cassette(BODIES["unicode"])).encode())
    output = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "test_it.py", folder=tmp_path)
    assert "2 passed" in output


def test_hostile_nesting(python: Path, tmp_path: Path) -> None:
    """Our reader refuses endless nesting with the libyaml of that environment too, where it would overrun the stack."""
    file = tmp_path / "chat.yaml"
    file.write_bytes(dump_cassette(cassette(BODIES["lf"] * 1_000)).encode())
    program = f"import sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n{HOSTILE}".replace("FILE", repr(str(file)))
    assert run(python, "-c", program) == "1\n"
