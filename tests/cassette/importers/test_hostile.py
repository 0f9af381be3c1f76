"""Files that are broken or mean harm: each gives a `CassetteError` that names the place, and never the content."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.cassette import import_recording
from recorder.cassette.importers import IMPORTERS
from recorder.errors import CassetteError, UnknownFormat

Written = Callable[[str, bytes], Path]
NOT_SHOWN = "s3cr3t"


def refused(path: Path, **limits: int) -> str:
    """What is said when the file is refused: one line, and nothing of what it holds."""
    with pytest.raises(CassetteError) as caught:
        import_recording(path, **limits)  # type: ignore[arg-type]
    said = str(caught.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    assert NOT_SHOWN not in said
    assert caught.value.__cause__ is None
    return said.removeprefix(str(path))


HAR = b'{"log": {"creator": {}, "entries": [{"request": {"method": "GET", "url": "https://s3cr3t"}, "response": R}]}}'
VCR = b"interactions:\n- request: {method: GET, uri: 'https://s3cr3t', body: null, headers: {}}\n  response: R\n"
GO_VCR = b"version: 1\ninteractions:\n- request:\n    url: https://s3cr3t\n    method: GET\n  response: R\n"
RUBY = b"http_interactions:\n- request: {method: get, uri: 'https://s3cr3t'}\n  response: R\n"
WIREMOCK = b"request: {url: /s3cr3t}\nresponse: R\n"
MISSING = "and must have one"
NOCK = b'[{"scope": "https://s3cr3t", "path": "/", "status": R}]'


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.har", HAR.replace(b"R", b'{"status": 42}'), ": log.entries[0].response.status: not a whole number 100-999"),
        ("a.har", HAR.replace(b"R", b'{"status": 99}'), ": log.entries[0].response.status: not a whole number 100-999"),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 1000}'),
            ": log.entries[0].response.status: not a whole number 100-999",
        ),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 200, "content": {"encoding": "base64", "text": "[s3cr3t"}}'),
            ": log.entries[0].response.content.text: not a JSON list of encoded pieces",
        ),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 200, "content": {"encoding": "base64", "text": "%s"}}' % (b"[" * 100_000)),
            ": log.entries[0].response.content.text: not a JSON list of encoded pieces",
        ),
        ("a.har", HAR.replace(b"R", b"[]"), ": log.entries[0].response: not a mapping of names to values"),
        ("a.har", HAR.replace(b"R", b"null"), ": log.entries[0]: it has no `response`, and must have one"),
        ("a.har", HAR.replace(b"R", b"{"), ":1: not JSON from column 107 on; was it cut off?"),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 200, "content": {"encoding": "base64", "text": "s3cr3t!"}}'),
            ": log.entries[0].response.content.text: not valid base64; RFC 4648 with padding is",
        ),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 200, "content": {"text": "\\ud83d"}}'),
            ": log.entries[0].response.content.text: half a surrogate pair, which has no UTF-8; the bytes of this text "
            "are lost",
        ),
        (
            "a.har",
            HAR.replace(b"R", b'{"status": 200, "headers": {}}'),
            ": log.entries[0].response.headers: not a list",
        ),
        ("a.har", b'{"log": {"creator": {}, "entries": ' + b"1" * 5000 + b"}}", ": a number with thousands of digits"),
        ("a.har", b'{"log": {"creator": "\xff', ":1: not UTF-8"),
        ("a.har", b"[" * 100_000, ": nesting deeper than 100 levels"),
        ("a.har", b'{"log":' * 101 + b"1" + b"}" * 101, ": nesting deeper than 100 levels"),
        (
            "a.yaml",
            GO_VCR.replace(b"R", b"{code: 200, body: !!binary s3cr3t!}"),
            ":6: a value is not valid base64; RFC 4648 with padding is",
        ),
        (
            "a.yaml",
            GO_VCR.replace(b"R", b"{code: 200, body: [1]}"),
            ": interactions[0].response.body: not a text",
        ),
        (
            "a.yaml",
            GO_VCR.replace(b"R", b"{status: 200 OK}"),
            ": interactions[0].response: it has no `code`, and must have one",
        ),
        ("a.yaml", GO_VCR.replace(b"version: 1", b"version: 7"), ": version: not a whole number 1-2"),
        (
            "a.yaml",
            RUBY.replace(b"R", b"&a {status: *a}"),
            ":3: a YAML anchor or alias; cassettes have none: write the value out",
        ),
        (
            "a.yaml",
            RUBY.replace(b"R", b"!ruby/object:Kernel {}"),
            ":3: a YAML tag other than !!binary; cassettes hold plain values only",
        ),
        (
            "a.yaml",
            RUBY.replace(b"R", b"!!python/object/apply:os.system [s3cr3t]"),
            ":3: a YAML tag other than !!binary; cassettes hold plain values only",
        ),
        ("a.yaml", RUBY.replace(b"R", b"'s3cr3t"), ":4: a quoted text that is never closed; close the quotes"),
        (
            "a.yaml",
            RUBY.replace(b"R", b"{a: " * 101 + b"1" + b"}" * 101),
            ":3: nesting deeper than 100 levels; a cassette has about six",
        ),
        ("a.yaml", RUBY + b"---\n" + RUBY, ": 2 documents; a file of this format is one"),
        ("a.yaml", b"requests: []\n", ": it has no `interactions`, and must have one"),
        ("a.yaml", VCR.replace(b"R", b"{}"), ":3: response has no `status`; it must have one"),
        (
            "a.yaml",
            WIREMOCK.replace(b"R", b"{base64Body: s3cr3t!}"),
            ": response.base64Body: not valid base64; RFC 4648 with padding is",
        ),
        (
            "a.yaml",
            WIREMOCK.replace(b"R", b"{jsonBody: [!!binary AAH/]}"),
            ": response.jsonBody: bytes inside parsed JSON, which has no way to hold them",
        ),
        (
            "a.json",
            NOCK.replace(b"R", b'200, "response": "s3cr3t", "responseIsBinary": true'),
            ": [0].response: not hexadecimal digits, two for each byte",
        ),
        (
            "a.json",
            NOCK.replace(b"R", b'200, "rawHeaders": ["a"]'),
            ": [0].rawHeaders: an odd number of texts; names and values alternate",
        ),
        (
            "a.json",
            b'[{"request": {"url": "https://s3cr3t"}, "response": {}}]',
            ": [0]: a request has `url` or `uri`, a response `status`, `status_code` or `code`; one is missing",
        ),
        (
            "a.json",
            b'[{"request": {}, "response": {"code": 200}}]',
            ": [0]: a request has `url` or `uri`, a response `status`, `status_code` or `code`; one is missing",
        ),
        ("a.json", NOCK.replace(b"R", b"true"), ": [0].status: not a whole number 100-999"),
    ],
)
def test_a_fault_names_its_place(written: Written, name: str, data: bytes, said: str) -> None:
    """Wrong types, missing members, bad base64, foreign tags, deep nesting, and files that are cut off."""
    assert refused(written(name, data)) == said


@pytest.mark.parametrize(
    ("status", "code"), [(b"100", 100), (b"999", 999), (b'"200"', 200), (b'"00000000000000200"', 200)]
)
def test_a_status_at_its_limits(written: Written, status: bytes, code: int) -> None:
    """A number, or a text of one; those beyond are refused above."""
    path = written("a.har", HAR.replace(b"R", b'{"status": %s}' % status))
    assert import_recording(path).cassette.interactions[0].response.status == code


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"{}", b"[]", b"hello", b"\x00\x01\x02", b"<html>", b"\xff\xfea\x00", b"a: 1\n"]
)
def test_what_is_no_recording(written: Written, data: bytes) -> None:
    """The error names every format that was tried."""
    path = written("a.dat", data)
    with pytest.raises(UnknownFormat) as caught:
        import_recording(path)
    what = "in none of the known formats" if data.strip() else "an empty file"
    tried = (
        "curl trace, httprr, go-vcr, Ruby VCR, HAR, httpmock, nock, Azure test proxy, Braintrust, list of requests and "
        "responses, vcrpy, WireMock, raw event stream"
    )
    assert str(caught.value) == f"{path}: {what}; tried {tried}"


def test_no_such_file(tmp_path: Path) -> None:
    """Nor a folder."""
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(CassetteError, match="cannot be read"):
            import_recording(path)


def test_a_long_file(written: Written) -> None:
    """Longer than the limit by one byte."""
    path = written("a.sse", b"data: 1\n\n")
    assert len(import_recording(path, max_bytes=9).cassette.interactions) == 1
    assert refused(path, max_bytes=8) == ": more than 8 bytes; max_bytes= sets the limit"


def test_a_gzip_bomb(written: Written) -> None:
    """100 KB that would be 100 MB: not more than the limit is ever unpacked."""
    bomb = gzip.compress(b"\n" * 100_000_000)
    assert len(bomb) < 200_000
    assert (
        refused(written("a.gz", bomb), max_bytes=1_000_000)
        == ": more than 1000000 bytes out of gzip; max_bytes= sets the limit"
    )


def test_a_gzip_file_of_very_many_members(written: Written) -> None:
    """Each member costs a pass over the rest."""
    data = gzip.compress(b"", mtime=0) * 101
    assert refused(written("a.gz", data)) == ": a gzip file of more than 100 members; write it as one"


@pytest.mark.parametrize("cut", [5, 11, 20, -1])
def test_a_gzip_file_that_is_cut_off(written: Written, cut: int) -> None:
    """Half of a recording is none."""
    whole = gzip.compress(b"data: 1\n\n" * 20)
    assert refused(written("a.gz", whole[:cut])) == ": a gzip file that is cut off; get the whole file"


def test_a_gzip_file_that_is_damaged(written: Written) -> None:
    """Its check value differs."""
    whole = bytearray(gzip.compress(b"data: 1\n\n"))
    whole[-5] ^= 1
    assert refused(written("a.gz", bytes(whole))) == ": begins as a gzip file and is none; it was damaged"
    with pytest.raises(gzip.BadGzipFile):
        gzip.decompress(bytes(whole))


FILES = {
    "a.har": HAR.replace(
        b"R", b'{"status": 200, "headers": [{"name": "a", "value": "b"}], "content": {"text": "data: 1"}}'
    ),
    "vcr.yaml": VCR.replace(b"R", b"{status: {code: 200, message: OK}, headers: {a: [b]}, body: {string: x}}"),
    "go.yaml": GO_VCR.replace(b"R", b"{code: 200, status: 200 OK, body: x, headers: {a: [b]}}"),
    "ruby.yaml": RUBY.replace(b"R", b"{status: {code: 200, message: OK}, body: {string: x}, headers: {a: [b]}}"),
    "wire.yaml": WIREMOCK.replace(b"R", b"{status: 200, body: x, headers: {a: b}}"),
    "nock.json": NOCK.replace(b"R", b'200, "response": "x", "headers": {"a": ["b"]}'),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere(written: Written, name: str) -> None:
    """It converts, or gives a `CassetteError`; nothing else is ever raised."""
    for cut in range(len(FILES[name])):
        try:
            import_recording(written(name, FILES[name][:cut]))
        except CassetteError:
            continue
    assert len(import_recording(written(name, FILES[name])).cassette.interactions) == 1


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("value", [b"null", b"[]", b"{}", b"true", b"-1", b"1.5", b'"x"', b"[[1]]"])
def test_values_of_other_types(written: Written, name: str, value: bytes) -> None:
    """Every simple value in turn becomes another one."""
    data, at = FILES[name], 0
    while (at := data.find(b": ", at) + 2) > 1:
        ends = [end for mark in (b",", b"}", b"\n") if (end := data.find(mark, at)) > 0]
        try:
            import_recording(written(name, data[:at] + value + data[min(ends, default=len(data)) :]))
        except CassetteError:
            continue


def test_each_importer_has_a_name_of_its_own() -> None:
    """The error lists them."""
    assert len({each.NAME for each in IMPORTERS}) == len(IMPORTERS) == 13
