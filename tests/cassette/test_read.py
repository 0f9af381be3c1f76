"""Reading: our own files, and what stock vcrpy and other hands make of the same format."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from recorder.cassette import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    StreamEnd,
    dump_cassette,
    load_cassette,
    parse_cassette,
)
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER, PYTHON_LOADER
from recorder.errors import CassetteError

VCRPY = """\
interactions:
- request:
    body: '{"stream": true}'
    headers:
      Accept:
      - text/event-stream
      Content-Length:
      - '16'
    method: POST
    uri: https://api.example.com/v1
  response:
    body:
      string: 'data: {"a": 1}


        data: [DONE]


        '
    headers:
      Content-Type:
      - text/event-stream
      Set-Cookie:
      - a=1
      - b=2
    status:
      code: 200
      message: OK
version: 1
"""


def test_whole_file(whole_file: str, whole_cassette: Cassette) -> None:
    """Every member of our file is read; written again, it is the same file."""
    loaded = parse_cassette(whole_file)
    assert loaded == whole_cassette
    assert loaded.preamble == "# Recorded for the tests.\n\n"
    assert dump_cassette(loaded) == whole_file


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER])
def test_both_loaders_of_pyyaml(whole_file: str, whole_cassette: Cassette, loader: object) -> None:
    """With libyaml or without, the same cassette."""
    assert parse(whole_file.encode(), "x", 10_000, loader=loader).cassette == whole_cassette


def test_several_interactions(whole_cassette: Cassette) -> None:
    """A file of several interactions is stable too, and ends with a line end."""
    several = Cassette(whole_cassette.interactions * 3)
    text = dump_cassette(several)
    assert parse_cassette(text) == several
    assert dump_cassette(parse_cassette(text)) == text
    assert text.endswith("\n")


def test_line_ends_of_windows(whole_file: str, whole_cassette: Cassette) -> None:
    """A checkout that turned LF into CR LF loads to the same bytes, comments included."""
    loaded = parse_cassette(whole_file.replace("\n", "\r\n"))
    assert loaded == whole_cassette
    assert dump_cassette(loaded) == whole_file


def test_line_ends_of_windows_in_quotes() -> None:
    """The same for a body with CR LF of its own, which is written as escapes."""
    body = b"data: a\r\n\r\n b\r\n"
    text = dump_cassette(Cassette((Interaction.from_body(body),)))
    assert "\r" not in text
    assert parse_cassette(text.replace("\n", "\r\n")).interactions[0].response.body == body


def test_byte_order_mark_of_an_editor(whole_file: str, whole_cassette: Cassette) -> None:
    """A mark some editors put before the file is not part of it."""
    assert parse_cassette("\ufeff" + whole_file) == whole_cassette


def test_vcrpy_file() -> None:
    """A file of stock vcrpy: everything is there, chunks and end are unknown."""
    (interaction,) = parse_cassette(VCRPY).interactions
    assert interaction.request.method == "POST"
    assert interaction.request.uri == "https://api.example.com/v1"
    assert interaction.request.body == b'{"stream": true}'
    assert interaction.request.headers == Headers({"accept": "text/event-stream", "content-length": "16"})
    assert interaction.response.status == 200
    assert interaction.response.reason == "OK"
    assert interaction.response.headers["set-cookie"] == ("a=1", "b=2")
    assert interaction.response.body == b'data: {"a": 1}\n\ndata: [DONE]\n\n'
    assert interaction.response.chunks is None
    assert interaction.response.end is None
    assert interaction.response.recording is None


def test_vcrpy_file_without_version() -> None:
    """The version may be missing, as vcrpy never looks at it."""
    assert parse_cassette(VCRPY.removesuffix("version: 1\n")) == parse_cassette(VCRPY)


def test_reformatted_file() -> None:
    """Another indentation, other quotes, flow style and key order are the same cassette."""
    text = json.dumps(
        {
            "version": 1,
            "interactions": [
                {
                    "response": {
                        "status": {"message": "OK", "code": 200},
                        "body": {"string": 'data: {"a": 1}\n\ndata: [DONE]\n\n'},
                        "headers": {"Content-Type": "text/event-stream", "Set-Cookie": ["a=1", "b=2"]},
                    },
                    "request": {
                        "method": "POST",
                        "uri": "https://api.example.com/v1",
                        "body": '{"stream": true}',
                        "headers": {"Accept": ["text/event-stream"], "Content-Length": 16},
                    },
                }
            ],
        },
        indent=1,
    )
    assert parse_cassette(text) == parse_cassette(VCRPY)
    assert parse_cassette("---\n" + text) == parse_cassette(VCRPY)


@pytest.mark.parametrize(
    "text",
    [
        "data: \U0001f44b\U0001f642 \\\U0001f642\n\n",
        'data: {"a": "\\ud83d\\ude42"}\n\n',  # an escape of the stream's own, which stays one
        'data: {"a": "\\\\ud83d\\\\ude42 \\\\\U0001f642"}\n\n',
    ],
    ids=["characters", "escapes in the stream", "backslashes in the stream"],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_json_with_characters_beyond_u_ffff(text: str, indent: int | None) -> None:
    """As vcrpy's JSON serializer writes them, two escapes each; also what looks like it."""
    request = {"method": "GET", "uri": "https://api.example.com/v1", "body": None, "headers": {"a": [text[:7]]}}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": text}}
    whole = {"version": 1, "interactions": [{"request": request, "response": response}]}
    (interaction,) = parse_cassette(json.dumps(whole, indent=indent)).interactions
    assert interaction.response.body == text.encode()
    assert interaction.request.headers["a"] == (text[:7],)


@pytest.mark.parametrize(
    "key",
    [
        "? !!python/object/apply:multidict._multidict.istr\n      - Content-Length\n      : - '16'",
        "? !!python/object/new:multidict._multidict.istr\n      - Content-Length\n      : - '16'",
        "? !!python/object/apply:multidict.istr [Content-Length]\n      : - '16'",
        "? !!python/object/new:multidict._multidict_py.istr\n        args: [Content-Length]\n        state: {a: 1}\n"
        "      : - '16'",
    ],
)
def test_header_names_of_aiohttp(key: str) -> None:
    """A header name that is multidict's `istr` is read as plain text; nothing is constructed."""
    text = VCRPY.replace("Content-Length:\n      - '16'", key)
    assert text != VCRPY
    assert parse_cassette(text) == parse_cassette(VCRPY)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("16", "16"),
        ("2026-11-30", "2026-11-30"),
        ("no", "no"),
        ("1.10", "1.10"),
        ("null", ""),
        ("", ""),
        ("'null'", "null"),
        (f"!!binary {b64encode('é'.encode()).decode()}", "é"),
        ("!!binary 6Q==", "é"),
    ],
)
def test_header_values(written: str, value: str) -> None:
    """A header value is taken as it is written, whatever YAML would make of it; bytes are UTF-8 or Latin-1."""
    text = VCRPY.replace("- '16'", f"- {written}")
    assert parse_cassette(text).interactions[0].request.headers["content-length"] == (value,)


def test_header_given_as_one_value() -> None:
    """A header may be a text instead of a list; one without a value is not there."""
    text = VCRPY.replace("Accept:\n      - text/event-stream", "Accept: text/event-stream").replace(
        "\n      - '16'", " []"
    )
    assert parse_cassette(text).interactions[0].request.headers == Headers({"accept": "text/event-stream"})


def test_header_given_twice_in_two_spellings() -> None:
    """Two spellings of one name collect their values in order."""
    text = VCRPY.replace("Content-Length:", "ACCEPT:")
    assert parse_cassette(text).interactions[0].request.headers["accept"] == ("text/event-stream", "16")


@pytest.mark.parametrize(
    ("written", "body"), [("null", None), ("", None), ("~", None), ("''", b""), ("!!binary ''", b"")]
)
def test_request_without_a_body(written: str, body: bytes | None) -> None:
    """No body and an empty one differ."""
    text = VCRPY.replace("""'{"stream": true}'""", written)
    assert parse_cassette(text).interactions[0].request.body == body


def test_binary_body() -> None:
    """Base64 may be broken into lines anywhere."""
    text = VCRPY.replace("""'{"stream": true}'""", "!!binary |\n      /w\n      ==")
    assert parse_cassette(text).interactions[0].request.body == b"\xff"


def test_reason_may_be_missing() -> None:
    """A response without a reason phrase has an empty one."""
    for written in ("", "      message: null\n", "      message:\n"):
        assert parse_cassette(VCRPY.replace("      message: OK\n", written)).interactions[0].response.reason == ""


def test_members_beyond_ours_are_named() -> None:
    """What other tools keep in the file is not carried through, but named."""
    text = VCRPY.replace("    status:\n", "    x_sse: {chunks: [1]}\n    status:\n") + "metadata: {a: 1}\n"
    assert parse_cassette(text).not_kept == ("metadata (line 31)", "response.x_sse (line 26)")
    assert parse_cassette(text) == parse_cassette(VCRPY)


def test_members_at_every_place_are_named() -> None:
    """Beside `body` a `content` is another tool's too, and no mark of an old format."""
    text = VCRPY.replace("- request:\n", "- recorded_at: now\n  request:\n").replace(
        "    body:\n      string:", "    content: x\n    body:\n      encoding: utf8\n      string:"
    )
    assert parse_cassette(text.replace("      code: 200\n", "      code: 200\n      x: 1\n")).not_kept == (
        "interaction.recorded_at (line 2)",
        "response.content (line 13)",
        "response.status.x (line 31)",
        "response.body.encoding (line 15)",
    )
    assert parse_cassette(text) == parse_cassette(VCRPY)


def test_members_with_odd_names_are_not_shown() -> None:
    """A name that is not a simple word may be content: only its place is shown."""
    assert parse_cassette(VCRPY + "sk-secret-1: 1\n").not_kept == ("a member (line 30)",)


def test_end_without_a_time() -> None:
    """Of an end only the kind is needed."""
    text = VCRPY.removesuffix("version: 1\n") + (
        "    recorder: {format: 1, end: {kind: eof}, chunks: [[7, 30]],\n"
        "      sha256: '0dc611265d5664c0aca6cd27c735d3bebf9c014fb4e6e24492f9eb67d21bebb1'}\n"
    )
    response = parse_cassette(text).interactions[0].response
    assert response.end == StreamEnd(EndKind.EOF, 0.0, None)
    assert response.chunks == (Chunk(0.007, 30),)


@pytest.mark.parametrize("code", [100, 999])
def test_every_status_of_three_digits(code: int) -> None:
    """A status code has three digits (RFC 9110 section 15); the limits themselves pass."""
    assert parse_cassette(VCRPY.replace("code: 200", f"code: {code}")).interactions[0].response.status == code


def test_times_at_their_limit(whole_file: str) -> None:
    """The longest time that is taken for one, 10**12 milliseconds, passes."""
    text = whole_file.replace("[[0, 30]", "[[1000000000000, 30]").replace("after_ms: 3", "after_ms: 1000000000000")
    response = parse_cassette(text).interactions[0].response
    assert response.chunks == (Chunk(1e9, 30), Chunk(0.034, 14))
    assert response.end == StreamEnd(EndKind.CLIENT_CLOSED, 1e9, True)


def test_facts_of_a_newer_version(whole_file: str) -> None:
    """What a newer version noted is kept as plain data; what is no plain number or truth value is kept as its text."""
    text = whole_file.replace(
        "later: [1.5, null, true]", "later: [-1.5, 2.0e+3, -7, false, .inf, .nan, 1.0e+999, 1_0.5, 1:30.5, 0x1F, yes]"
    )
    recording = parse_cassette(text).interactions[0].response.recording
    assert recording is not None
    texts = [".inf", ".nan", "1.0e+999", "1_0.5", "1:30.5", "0x1F", "yes"]
    assert recording.extra == {"later": [-1.5, 2000.0, -7, False, *texts]}
    assert parse_cassette(dump_cassette(parse_cassette(text))) == parse_cassette(text)


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER])
def test_how_deep_a_file_may_nest(loader: object) -> None:
    """100 levels, the top level one of them."""

    def nested(levels: int) -> Cassette:
        text = f"{VCRPY}metadata: {'[' * levels}{']' * levels}\n"
        return parse(text.encode(), "x", 100_000, loader=loader).cassette

    assert nested(99) == parse_cassette(VCRPY)
    with pytest.raises(CassetteError, match="nesting deeper than 100 levels"):
        nested(100)


def test_load(tmp_path: Path, whole_file: str, whole_cassette: Cassette) -> None:
    """A file is loaded by its path, given as a path or a text."""
    path = tmp_path / "a.yaml"
    path.write_bytes(whole_file.encode())
    assert load_cassette(path) == whole_cassette
    assert load_cassette(str(path)) == whole_cassette


def test_no_such_file(tmp_path: Path) -> None:
    """A missing file and a folder are errors with the path."""
    with pytest.raises(CassetteError) as caught:
        load_cassette(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path}/none.yaml: cannot be read: No such file or directory"
    with pytest.raises(CassetteError) as caught:
        load_cassette("chat-lf")
    known = "; the shipped cassette of that name is recorder.gallery()['chat-lf']"
    assert str(caught.value) == f"chat-lf: cannot be read: No such file or directory{known}"
    with pytest.raises(CassetteError, match="cannot be read: Is a directory"):
        load_cassette(tmp_path)


def test_size_limit(tmp_path: Path, whole_file: str) -> None:
    """A file over the limit is refused without being read to its end; at the limit it passes."""
    path = tmp_path / "a.yaml"
    size = path.write_bytes(whole_file.encode())
    assert load_cassette(path, max_bytes=size)
    with pytest.raises(CassetteError) as caught:
        load_cassette(path, max_bytes=size - 1)
    assert str(caught.value) == f"{path}:1: the file has more than {size - 1} bytes; max_bytes= sets the limit"
    with pytest.raises(CassetteError, match="more than 10 bytes"):
        parse_cassette(whole_file, max_bytes=10)


def test_default_size_limit() -> None:
    """Without a word the limit is 64 MiB."""
    with pytest.raises(CassetteError, match=r"^<string>:1: the file has more than 67108864 bytes"):
        parse_cassette(b"#" * (64 * 1024 * 1024 + 1))


def test_text_with_half_a_surrogate_pair() -> None:
    """A text that cannot be UTF-8 is refused with its line."""
    with pytest.raises(CassetteError) as caught:
        parse_cassette("version: 1\ninteractions: [] # \ud800\n")
    assert str(caught.value) == "<string>:2: half a surrogate pair; a cassette is UTF-8 text"
    assert caught.value.__context__ is None


def test_replace_keeps_what_the_file_was(whole_file: str) -> None:
    """A cassette changed with `replace` keeps comments and form."""
    loaded = parse_cassette(whole_file)
    assert dump_cassette(replace(loaded, interactions=loaded.interactions)) == whole_file


def test_yaml_is_imported_when_a_file_is_read() -> None:
    """Who builds and writes cassettes does not pay for PyYAML."""
    program = (
        "import sys, recorder.cassette as room\n"
        "text = room.dump_cassette(room.Cassette((room.Interaction.from_body(b'data: a\\n\\n'),)))\n"
        "before = 'yaml' in sys.modules\n"
        "room.parse_cassette(text)\n"
        "print(before, 'yaml' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False True\n"
