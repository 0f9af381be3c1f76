"""The JSON Schema of the file: valid by it is what we write and read, and what it refuses the codec refuses too."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from recorder.cassette import EndKind, Unknown, cassette_schema, gallery, parse_cassette
from recorder.cassette._write import FACTS
from recorder.errors import CassetteError

SCHEMA: dict[str, Any] = json.loads(cassette_schema())
VALIDATOR = Draft202012Validator(SCHEMA)
VCRPY = """\
interactions:
- request: {method: GET, uri: https://a.example/, body: null, headers: {Accept: text/event-stream, X: [1, null]}}
  response: {status: {code: 200, message: null}, headers: {}, body: {string: !!binary AAH/}, more: 1}
more: 1
"""


def plain(value: Any) -> Any:
    """What a schema can look at: bytes as their base64."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


def is_valid(text: str) -> bool:
    return bool(VALIDATOR.is_valid(plain(yaml.safe_load(text))))


def is_read(text: str) -> bool:
    try:
        parse_cassette(text)
    except CassetteError:
        return False
    return True


def test_it_is_a_schema() -> None:
    """Of the draft it names."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("path", gallery().values(), ids=lambda path: path.stem)
def test_the_gallery_is_valid(path: Path) -> None:
    """Every cassette that ships."""
    assert list(VALIDATOR.iter_errors(plain(yaml.safe_load(path.read_text("utf-8"))))) == []


def test_every_member_is_valid(whole_file: str) -> None:
    """Of a file of ours; and what vcrpy writes, with members of others."""
    assert is_valid(whole_file)
    assert is_read(whole_file)
    assert is_valid(VCRPY)
    assert is_read(VCRPY)


def test_what_is_imported(whole_file: str) -> None:
    """It has a member of its own."""
    imported = "imported: {format: HAR, body: json, unknown: [chunks, of a newer version], x: 1}"
    text = whole_file.replace("later: [1.5, null, true]", imported)
    assert is_valid(text)
    assert is_read(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 1", "version: 2"),
        ("interactions:", "other:"),
        ("- request:", "- requests:"),
        ("method: POST", "method: 7"),
        ("    method: POST\n", ""),
        ("    uri: https://api.example.com/v1/chat/completions?alt=sse\n", "    uri: null\n"),
        ('body: \'{"model":"m","stream":true}\'', "body: {a: b}"),
        ("    method: POST", "    method: POST\n    more: 1"),
        ("accept: [text/event-stream]", "accept: {a: b}"),
        ("accept: [text/event-stream]", "accept: [[text/event-stream]]"),
        ("code: 200", "code: 99"),
        ("code: 200", "code: fine"),
        ("      string: |+\n", "      text: |+\n"),
        ("format: 1", "format: 2"),
        ("      format: 1\n", ""),
        ("sha256: '31ce", "SHA256: '31ce"),
        ("head_ms: 212", "head_ms: -1"),
        ("head_ms: 212", "head_ms: 1.5"),
        ("[[0, 30], [34, 14]]", "[[0, 30], [34]]"),
        ("[[0, 30], [34, 14]]", "[[0, 30], [34, 14, 1]]"),
        ("[[0, 30], [34, 14]]", "[[0, 44], [34, 0]]"),
        ("[[0, 30], [34, 14]]", "[[-1, 30], [34, 14]]"),
        ("[[0, 30], [34, 14]]", "30"),
        ("kind: client_closed", "kind: unknown"),
        ("end: {kind: client_closed, ", "end: {"),
        ("after_ms: 3", "after_ms: soon"),
        ("terminal_seen: true", "terminal_seen: 1"),
        ("http: '1.1'", "http: 1.1"),
        ("recorded: '2026-11-30T12:00:00Z'", "recorded: [1]"),
        ("client: {name: httpx2, version: '2.16.2'}", "client: httpx2"),
        ("tool: '0.1.0'", "tool: 1"),
        ("contract: chat_text/openai", "contract: null"),
        ("sanitizer: {rules: '3f1c', replacements: 4}", "sanitizer: 4"),
        ("later: [1.5, null, true]", "imported: HAR"),
        ("later: [1.5, null, true]", "imported: {format: 1}"),
        ("later: [1.5, null, true]", "imported: {body: null}"),
        ("later: [1.5, null, true]", "imported: {unknown: chunks}"),
        ("later: [1.5, null, true]", "imported: {unknown: [1]}"),
    ],
)
def test_what_the_schema_refuses_the_codec_refuses(whole_file: str, old: str, new: str) -> None:
    """One change each, and both refuse it."""
    text = whole_file.replace(old, new, 1)
    assert text != whole_file
    assert not is_valid(text)
    assert not is_read(text)


def test_the_names_are_those_of_the_code() -> None:
    """Members, kinds of ends, and what an import may not know."""
    recorder = SCHEMA["$defs"]["recorder"]["properties"]
    assert set(recorder) == FACTS
    assert recorder["end"]["properties"]["kind"]["enum"] == [kind.value for kind in EndKind]
    unknown = recorder["imported"]["properties"]["unknown"]
    assert unknown["items"]["examples"] == [code.value for code in Unknown]
