"""Telling a format by the first bytes, where two come close."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.cassette import cassette_schema, import_recording
from recorder.cassette.importers import importer_of
from recorder.errors import CassetteError, UnknownFormat

VCRPY = b"interactions:\n- request:\n    body: %s\n    uri: https://a.example\n  response: {}\nversion: 1\n"
GO_VCR = (
    b"version: 1\ninteractions:\n- request:\n    body: %s\n    form: {}\n    url: https://a.example\n  response: {}\n"
)


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.yaml", VCRPY % b"|\n      url: x\n      form: {}", "vcrpy"),
        ("a.yaml", GO_VCR % b"|\n      uri: x\n      body: y", "go-vcr"),
        ("a.yaml", b"  - x\n" + GO_VCR % b"x", "go-vcr"),
        ("a.yaml", b"# a licence\n\n" + GO_VCR.replace(b"\n", b"\r\n") % b"x", "go-vcr"),
        ("a.json", b'{"version": 1, "interactions": []}', "vcrpy"),
        ("a.json", b'{"request": {"url": "/", "x": {"interactions": 1}}, "response": {}}', "WireMock"),
        ("a.json", b'{"log": {"entries": [{"kind": 1, "request": {"url": "x"}}]}}', "HAR"),
        (
            "a.json",
            b'{"entries": [{"matchKey": "x", "request": {"url": "x", "body": {"kind": "empty"}}}]}',
            "Braintrust",
        ),
        ("a.json", b'[{"scope": "x", "path": "/", "status": 200, "body": {"request": 1, "response": 2}}]', "nock"),
        ("a.json", b'{"scope": "x", "path": "/", "status": 200}', None),
        ("a.json", b'\n [{"request": {}, "response": {}}]', "list of requests and responses"),
        ("a.json", b'[{"request": {"body": {"scope": 1}}, "response": {}}]', "list of requests and responses"),
        ("a.yaml", b"- request: {}\n  response: {}\n", "list of requests and responses"),
        ("a.json", b'{"log": {"creator": {}}}', "HAR"),
        ("a.json", b'{"log": {"entries": []}}', "HAR"),
        ("a.json", b'{"log": {}}', None),
        ("a.json", b'{"entries": [], "creator": {}}', None),
        ("a.json", b'{"mappings": []}', "WireMock"),
        ("a.json", b'{"request": {}}', None),
        ("a.yaml", b"requests: []\nresponses: []\n", "vcrpy"),
        ("a.SSE", b"unknown field", "raw event stream"),
        ("a.EventStream", b"unknown field", "raw event stream"),
        ("a.txt", b"unknown field", None),
        ("a.YAML", b"data: x\n", None),
        ("a.txt", b"data: http_interactions:\n\n", "raw event stream"),
        ("a.txt", b"12:00:00.000000 == Info: x\n", "curl trace"),
        ("a.txt", b"== Info: x\n", "curl trace"),
        ("a.txt", b"== Information\ndata: 1\n\n", None),
        ("a.yaml", b"data: {a: b}\n", None),
        ("a.har", b"{}", "HAR"),
        ("a.json", b'{"x": "\\"{", "mappings": []}', "WireMock"),
        ("a.json", b'{"$defs": {"request": {}, "response": {}}}', None),
        ("a.json", b'[{"request": 1}, {"x": {"response": 1}, "mappings": []}]', "list of requests and responses"),
        ("a.json", b'{"name": "x", "settings": {"mappings": [], "log": {"entries": []}}}', None),
        ("a.json", b'{"settings": {"http_interactions": [], "when": 1, "then": 2}}', None),
    ],
)
def test_which_importer(name: str, data: bytes, format: str | None) -> None:
    """Or none."""
    try:
        found: str | None = importer_of(Path(name), data).NAME
    except CassetteError:
        found = None
    assert found == format


def test_a_schema_is_no_recording() -> None:
    """The schema of cassettes, which lies beside them where somebody follows the README, describes a request."""
    with pytest.raises(UnknownFormat):
        importer_of(Path("cassette.schema.json"), cassette_schema().encode())


def test_what_curl_printed_goes_with_a_trace_only(tmp_path: Path, written: Callable[[str, bytes], Path]) -> None:
    """Given for another file it would be passed over, so it is refused."""
    stream = written("a.sse", b"data: 1\n\n")
    with pytest.raises(CassetteError, match=r"a\.sse: not a curl trace but raw event stream, which is whole"):
        import_recording(stream, body=stream)
