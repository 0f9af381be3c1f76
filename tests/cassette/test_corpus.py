"""Public recordings, as other people made them: each file loads whole, or is refused with the precise reason.

Collected only when RECORDER_CORPUS names the folder with the files and their MANIFEST.json.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from recorder.cassette import (
    Interaction,
    Unknown,
    check_cassette,
    dump_cassette,
    import_recording,
    load_cassette,
    parse_cassette,
)
from recorder.errors import CassetteError
from recorder.sse import iter_events

FOLDER = Path(os.environ["RECORDER_CORPUS"])
FILES: list[dict[str, Any]] = json.loads((FOLDER / "MANIFEST.json").read_text("utf-8"))["files"]

PLAIN = ("vcrpy-yaml", "vcrpy-yaml + multidict.istr python tags")
REASONS = {
    "vcrpy-yaml + parsed_body (custom serializer)": "`parsed_body` instead of `body`",
    "vcrpy-yaml(requests/responses lists)": "a gzip file",
    "go-vcr v2": "a version other than 1, as of go-vcr",
    "ruby-vcr": "a Ruby VCR cassette",
    "raw": "a raw event stream, without the request and the head",
    "httprr": "raw HTTP messages",
    "json-list": "a list at the top level",
    "nock-json": "a list at the top level",
    "polly-har": "an HTTP archive (HAR)",
    "polly-har-yaml": "an HTTP archive (HAR)",
    "azure-test-proxy-json": "a recording of the Azure test proxy",
    "wiremock-yaml": "a single request and response, as of WireMock",
}
PLAIN_FILES = [file for file in FILES if file["format_detail"] in PLAIN]
OTHER_FILES = [file for file in FILES if file["format_detail"] not in PLAIN]


def name(file: dict[str, Any]) -> str:
    return str(file["file"])


@pytest.mark.parametrize("file", PLAIN_FILES, ids=name)
def test_file_of_vcrpy(file: dict[str, Any]) -> None:
    """The interactions are as many as the manifest says, the stream has its size and events; chunks are unknown."""
    cassette = load_cassette(FOLDER / file["file"])
    assert len(cassette.interactions) == file["n_interactions"]
    assert all(interaction.response.chunks is None for interaction in cassette.interactions)
    streams = [
        interaction.response.body
        for interaction in cassette.interactions
        if interaction.response.headers.first("content-type").startswith("text/event-stream")
    ]
    if not file["compressed"]:
        assert sum(map(len, streams)) == file["sse_body_bytes"]
        assert sum(len(list(iter_events([body]))) for body in streams) == file["n_events"]


@pytest.mark.parametrize("file", PLAIN_FILES, ids=name)
def test_rewritten_file(file: dict[str, Any]) -> None:
    """Written by us, it holds the same cassette and is stable; stock YAML reads the same bodies from it."""
    cassette = load_cassette(FOLDER / file["file"])
    text = dump_cassette(cassette)
    again = parse_cassette(text)
    assert again == cassette
    assert dump_cassette(again) == text
    for interaction, stored in zip(cassette.interactions, yaml.safe_load(text)["interactions"], strict=True):
        string = stored["response"]["body"]["string"]
        assert (string if isinstance(string, bytes) else string.encode()) == interaction.response.body
    assert {finding.is_error for finding in check_cassette(FOLDER / file["file"])} == {False}


@pytest.mark.parametrize("file", OTHER_FILES, ids=name)
def test_file_of_another_tool(file: dict[str, Any]) -> None:
    """What is not in vcrpy's format is named for what it is, with the way out."""
    with pytest.raises(CassetteError) as caught:
        load_cassette(FOLDER / file["file"])
    message = str(caught.value)
    assert message.startswith(f"{FOLDER / file['file']}:")
    assert message.endswith("`recorder convert IN -o OUT` reads it")
    assert REASONS.get(file["format_detail"], "") in message


FORMATS = {
    "azure-test-proxy-json": "Azure test proxy",
    "bt-json-cassette": "Braintrust",
    "go-vcr v2": "go-vcr format 2",
    "httpmock-yaml": "httpmock",
    "httprr": "httprr",
    "json-list": "list of requests and responses",
    "nock-json": "nock",
    "polly-har": "Polly HAR",
    "polly-har-yaml": "Polly HAR",
    "raw": "raw event stream",
    "ruby-vcr": "Ruby VCR",
    "wiremock-yaml": "WireMock",
}


def event_streams(interactions: tuple[Interaction, ...]) -> list[bytes]:
    return [
        each.response.body
        for each in interactions
        if each.response.headers.first("content-type").lower().startswith("text/event-stream")
    ]


@pytest.mark.parametrize("file", FILES, ids=name)
def test_every_file_is_imported(file: dict[str, Any]) -> None:
    """As what it is, with as many interactions and streams; where the bytes are exact, with its bytes and events."""
    converted = import_recording(FOLDER / file["file"])
    interactions = converted.cassette.interactions
    streams = event_streams(interactions)
    assert converted.format == FORMATS.get(file["format_detail"], "vcrpy")
    assert (len(interactions), len(streams)) == (file["n_interactions"], file["n_sse_interactions"])
    assert {Unknown.CHUNKS, Unknown.END} <= set(converted.unknowns)
    stale = "already decoded, header left" in "".join(file["content_encoding"])
    assert (Unknown.CODING in converted.unknowns) == stale
    if "gzip:still encoded" in file["content_encoding"]:
        assert {each.response.headers.first("content-encoding") for each in interactions} == {"gzip"}
        streams = [gzip.decompress(stream) for stream in streams]
    unterminated = "unterminated" in file["features"]  # the manifest counts an event that no empty line ends
    assert sum(len(list(iter_events([body]))) for body in streams) == file["n_events"] - unterminated
    if Unknown.SEPARATORS not in converted.unknowns:
        assert sum(map(len, streams)) == file["sse_body_bytes"]


@pytest.mark.parametrize("file", FILES, ids=name)
def test_every_imported_file_is_a_cassette(file: dict[str, Any]) -> None:
    """Written and read back it is the same, and says in the file what it does not know."""
    cassette = import_recording(FOLDER / file["file"]).cassette
    text = dump_cassette(cassette)
    assert parse_cassette(text) == cassette
    for stored in yaml.safe_load(text)["interactions"]:
        assert stored["response"]["recorder"]["imported"]["unknown"]
