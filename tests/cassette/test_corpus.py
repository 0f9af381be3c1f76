"""Public recordings, as other people made them: each file loads whole, or is refused with the precise reason.

Collected only when RECORDER_CORPUS names the folder with the files and their MANIFEST.json.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from recorder.cassette import check_cassette, dump_cassette, load_cassette, parse_cassette
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
