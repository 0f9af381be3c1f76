"""The shipped cassettes: each shows what the README says, was recorded as the provider sent it, and can be had anew."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

import recorder
from recorder.cassette import Interaction
from recorder.contracts import named
from recorder.provider import Provider, scenario

ROOT = Path(__file__).resolve().parent.parent
ROWS = re.findall(
    r"^\| `([\w-]+)` \| .+ \| `([\w/]+)` \| `(\w+)`(?:, `(\w+)`)? \|$",
    (ROOT / "README.md").read_text("utf-8").partition("### The gallery\n")[2].partition("\n### ")[0],
    re.M,
)
# name: contract, verdict of each interaction, and of the last: events, bytes, chunks, end
SHIPPED: dict[str, tuple[str, list[str], int, int, int, str]] = {
    "chat-lf": ("chat_text", ["accepted"], 12, 2440, 19, "complete"),
    "chat-crlf": ("chat_text", ["accepted"], 12, 2466, 19, "complete"),
    "chat-multilingual": ("chat_text", ["accepted"], 9, 2153, 15, "complete"),
    "chat-usage": ("chat", ["accepted"], 5, 1143, 5, "complete"),
    "chat-tools": ("chat", ["accepted"], 8, 2116, 11, "complete"),
    "chat-n2": ("chat", ["accepted"], 9, 1936, 9, "complete"),
    "chat-refusal": ("chat", ["accepted"], 5, 1010, 5, "complete"),
    "chat-length": ("chat", ["accepted"], 4, 752, 4, "complete"),
    "chat-gzip": ("chat", ["accepted"], 12, 2440, 19, "complete"),
    "azure": ("chat", ["accepted"], 5, 1334, 5, "complete"),
    "openrouter": ("chat", ["accepted"], 5, 1326, 8, "complete"),
    "responses": ("responses", ["accepted"], 11, 3082, 13, "complete"),
    "anthropic": ("messages", ["accepted"], 9, 1125, 11, "complete"),
    "gemini": ("gemini", ["accepted"], 3, 787, 5, "complete"),
    "cohere": ("cohere", ["accepted"], 7, 918, 10, "complete"),
    "mcp": ("jsonrpc", ["accepted"], 3, 438, 6, "complete"),
    "generation-success": ("generation", ["accepted"], 3, 462, 4, "complete"),
    "generation-failed": ("generation", ["accepted"], 3, 307, 3, "complete"),
    "generation-null-progress": ("generation", ["accepted"], 3, 336, 4, "complete"),
    "error-in-stream": ("chat", ["upstream_error"], 3, 564, 4, "complete"),
    "eof-mid": ("chat", ["missing_terminal"], 6, 1561, 12, "eof"),
    "reset-mid": ("chat", ["stream_read_failed"], 6, 1561, 12, "reset"),
    "bad-utf8": ("chat", ["invalid_utf8"], 1, 846, 5, "complete"),
    "json-then-utf8": ("chat", ["invalid_json"], 3, 1215, 5, "complete"),
    "marker-only": ("chat", ["missing_finish"], 1, 14, 1, "complete"),
    "empty-200": ("chat", ["missing_terminal"], 0, 0, 0, "eof"),
    "html-200": ("chat", ["unexpected_content_type"], 0, 105, 1, "complete"),
    "json-200": ("chat", ["unexpected_content_type"], 0, 274, 1, "complete"),
    "json-error-200": ("chat", ["unexpected_content_type"], 0, 112, 1, "complete"),
    "retry-429": ("chat", ["http_error", "accepted"], 12, 2440, 19, "complete"),
}


def interactions(name: str) -> tuple[Interaction, ...]:
    return recorder.load_cassette(recorder.gallery()[name]).interactions


def judged(interaction: Interaction, contract: str) -> tuple[str, int]:
    """The verdict over a replay, whose end is the recorded one, and the number of events."""
    response = interaction.response
    head = recorder.check_head(response.status, response.headers)
    if head is not None:
        return str(head), 0
    verdict = recorder.read(recorder.replay(interaction), named(contract))
    return str(verdict.code), verdict.events


def test_the_gallery_is_this() -> None:
    """No more and no fewer, and the README lists them with contract and verdict."""
    assert set(recorder.gallery()) == set(SHIPPED)
    listed = {name: (contract, [code for code in codes if code]) for name, contract, *codes in ROWS}
    assert listed == {name: (contract, codes) for name, (contract, codes, *_) in SHIPPED.items()}
    assert len(ROWS) == len(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_each_is_judged_as_the_table_says(name: str) -> None:
    """The verdict of a replay, and what the recorder noted of the live stream."""
    contract, codes, events, size, chunks, end = SHIPPED[name]
    shipped = interactions(name)
    assert [judged(each, contract)[0] for each in shipped] == codes
    response = shipped[-1].response
    assert (judged(shipped[-1], contract)[1], len(response.body)) == (events, size)
    assert (len(response.chunks or ()), str(response.end and response.end.kind)) == (chunks, end)
    noted = [each.response.recording.outcome for each in shipped if each.response.recording]
    assert [one["code"] for one in noted] == codes
    assert {one["contract"].removesuffix("/openai") for one in noted} == {contract}


@pytest.mark.parametrize("name", SHIPPED)
def test_each_has_the_pieces_that_the_provider_sends(name: str) -> None:
    """Byte for byte and cut for cut, after decoding; and a host that cannot exist."""
    sent = scenario({"chat-gzip": "chat-lf", "retry-429": "chat-lf"}.get(name, name))
    *_, last = interactions(name)
    assert last.response.body == sent.body
    assert [chunk.size for chunk in last.response.chunks or ()] == [len(piece.data) for piece in sent.pieces]
    assert last.request.uri.startswith("https://loopback.invalid/")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_file_is_small(name: str) -> None:
    """They are read in every test run."""
    assert recorder.gallery()[name].stat().st_size < 8000


def test_the_compressed_one_was_compressed() -> None:
    """The body is stored decoded, and the coding is noted."""
    (shipped,) = interactions("chat-gzip")
    assert shipped.response.recording is not None
    assert dict(shipped.response.recording.wire) == {"http": "1.1", "content_encoding": "gzip", "framing": "chunked"}
    assert "content-encoding" not in shipped.response.headers


def careless(chunks: Iterable[bytes]) -> str:
    """Decodes each chunk by itself, strictly, and then reads its events."""
    parser = recorder.EventStreamParser()
    for chunk in chunks:
        try:
            chunk.decode()
        except UnicodeDecodeError:
            return "bad UTF-8"
        for event in parser.feed(chunk):
            try:
                json.loads(event.data)
            except ValueError:
                return "bad JSON"
    return "nothing"


def test_chunks_decide_what_a_careless_reader_reports() -> None:
    """As recorded it reports the second fault, event by event the first; our verdict is one."""
    (shipped,) = interactions("json-then-utf8")
    assert careless(recorder.replay(shipped)) == "bad UTF-8"
    assert careless(recorder.replay(shipped, "chunks=events")) == "bad JSON"
    for chunks in ("recorded", "whole", "events", "lines", "bytes:1", "hostile"):
        verdict = recorder.read(recorder.replay(shipped, f"chunks={chunks}"), named("chat"))
        assert (str(verdict.code), verdict.events) == ("invalid_json", 3), chunks


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """cassettes/regenerate.py."""
    spec = importlib.util.spec_from_file_location("regenerate", ROOT / "cassettes" / "regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["regenerate"] = module
    spec.loader.exec_module(module)
    return module


def timeless(path: Path) -> str:
    """A cassette's text without its times, and without what says by what it was recorded."""
    text = path.read_text("utf-8")
    text = re.sub(r"\[\d+, (\d+)\]", r"[\1]", re.sub(r"\n        (?=\[\d+, \d+\])", " ", text))
    text = re.sub(r"(head_ms|after_ms): \d+", r"\1", re.sub(r"recorded: .*", "recorded", text))
    return re.sub(r"(client|tool|sanitizer): .*", r"\1", text)


@pytest.mark.parametrize("name", ["gemini", "generation-failed", "retry-429", "html-200", "chat-gzip"])
def test_recording_again_changes_times_only(script: ModuleType, tmp_path: Path, name: str) -> None:
    """The script makes the very file anew: a stream, a GET, two exchanges, a page, a compressed body."""
    shipped = next(each for each in script.SHIPPED if each.name == name)
    with Provider(pace=0.5) as provider:
        script.record(provider, shipped, tmp_path)
    assert timeless(tmp_path / f"{name}.yaml") == timeless(recorder.gallery()[name])


def test_the_script_knows_every_one(script: ModuleType) -> None:
    """What ships is what it records, and a name it does not know is said."""
    assert [each.name for each in script.SHIPPED] == list(SHIPPED)
    with pytest.raises(SystemExit, match="no such cassette: chat"):
        script.main(["chat"])
