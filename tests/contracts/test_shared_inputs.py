"""The shared set of streams after public bug reports, each with the outcome a truthful reader reports.

Collected only when the environment variable RECORDER_VECTORS names its folder (see conftest.py); the behaviours
themselves are in test_bug_inputs.py.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recorder.contracts import body_kind, chat, chat_text, check_head, detect, read

CODES = {
    "complete": {"accepted"},
    "incomplete": {"missing_terminal"},
    "finish_without_done": {"missing_terminal"},
    "done_without_finish": {"missing_finish"},
    "malformed_payload": {"invalid_json", "invalid_chunk"},
    "provider_error": {"upstream_error"},
    "not_event_stream": {"unexpected_content_type"},
    "stalled": {"stream_timeout"},
}
# Chat streams that are complete and hold more than one choice's plain text, or what only the full contract reads past.
NOT_PLAIN_TEXT = {"bug-045", "bug-076", "bug-077", "bug-100", "bug-102", "bug-103", "bug-108", "bug-110"}


def shared(*formats: str) -> list[Any]:
    inputs = json.loads((Path(os.environ["RECORDER_VECTORS"]) / "bug_inputs.json").read_text())
    return [pytest.param(each, id=each["id"]) for each in inputs if each["format"] in formats]


def stalling(chunks: list[bytes], stalled: bool) -> Iterator[bytes]:
    yield from chunks
    if stalled:
        raise TimeoutError


def every_way(bug: dict[str, Any]) -> list[list[bytes]]:
    wire = base64.b64decode(bug["wire_b64"])
    ways = [[wire], [wire[at : at + 1] for at in range(len(wire))]] if len(wire) < 5_000 else [[wire]]
    for split in bug.get("splits", ()):
        ways.append([wire[:split], wire[split:]])
    return ways


@pytest.mark.parametrize("bug", shared("openai-chat"))
def test_shared_chat_inputs(bug: dict[str, Any]) -> None:
    """Each ends in its verdict: whole, byte by byte and at its recorded splits."""
    right = bug["right_outcome"]
    stalled = right["outcome"] == "stalled"
    for chunks in every_way(bug):
        verdict = read(stalling(chunks, stalled), chat())
        said = verdict if verdict.ok else verdict.partial
        assert str(verdict.code) in CODES[right["outcome"]]
        assert said.text == right["text"]
        assert said.finish == right.get("finish_reason", said.finish)
        calls = [{"name": each.name, "arguments_complete": each.arguments_complete} for each in said.tool_calls]
        assert calls == right.get("tool_calls", calls)
        assert (said.usage or {}).get("total_tokens") == right.get("usage", (said.usage or {}).get("total_tokens"))
        if "at_event" in right:
            assert verdict.at_event == right["at_event"] + 1
        if bug["id"] not in NOT_PLAIN_TEXT:
            plain = read(stalling(chunks, stalled), chat_text())
            assert (plain.code, (plain if plain.ok else plain.partial).text) == (verdict.code, said.text)
    head = {"content-type": "text/event-stream", **bug.get("http", {})}
    assert check_head(int(bug.get("http", {}).get("status", 200)), {k: str(v) for k, v in head.items()}) is None


@pytest.mark.parametrize("bug", shared("http", "ollama-ndjson"))
def test_shared_inputs_that_are_no_event_stream(bug: dict[str, Any]) -> None:
    """Told by the head where that says it, and by the first bytes."""
    wire = base64.b64decode(bug["wire_b64"])
    assert detect({}, wire) is None
    if bug["format"] == "http":
        assert check_head(200, {"content-type": bug["http"]["content-type"]}) == "unexpected_content_type"
        assert body_kind(wire) == "html"
    else:
        assert body_kind(wire) == "ndjson"
