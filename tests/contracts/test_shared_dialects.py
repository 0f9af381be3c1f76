"""The shared set of streams after public bug reports, for every dialect but chat, and the ones for any event stream.

Collected only when the environment variable RECORDER_VECTORS names its folder (see conftest.py); the behaviours
themselves are in the tables of test_responses.py, test_messages.py and test_gemini.py.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from recorder.contracts import detect, named, read
from recorder.sse import EventStreamParser

CODES = {
    "complete": {"accepted"},
    "incomplete": {"missing_terminal"},
    "malformed_payload": {"invalid_json", "invalid_chunk"},
    "provider_error": {"upstream_error"},
}
DIALECTS = {"openai-responses": "responses", "anthropic": "messages", "gemini": "gemini"}


def shared(*formats: str) -> list[Any]:
    inputs = json.loads((Path(os.environ["RECORDER_VECTORS"]) / "bug_inputs.json").read_text())
    return [pytest.param(each, id=each["id"]) for each in inputs if each["format"] in formats]


def every_way(bug: dict[str, Any]) -> list[list[bytes]]:
    wire = base64.b64decode(bug["wire_b64"])
    cuts = [[wire[:at], wire[at:]] for at in range(1, len(wire))]
    return [[wire], [wire[at : at + 1] for at in range(len(wire))], *cuts]


@pytest.mark.parametrize("bug", shared(*DIALECTS))
def test_shared_inputs_of_the_dialects(bug: dict[str, Any]) -> None:
    """Each is detected and ends in its verdict: whole, byte by byte and at every cut, the recorded ones among them."""
    right, name = bug["right_outcome"], DIALECTS[bug["format"]]
    wire = base64.b64decode(bug["wire_b64"])
    if right["outcome"] != "malformed_payload":  # two frames woven into one show no dialect, or one of them
        assert detect({}, wire) == name
    for chunks in every_way(bug):
        verdict = read(chunks, named(name))
        said = verdict if verdict.ok else verdict.partial
        assert str(verdict.code) in CODES[right["outcome"]]
        assert said.text == right["text"]
        assert said.finish == right.get("finish_reason", said.finish)
        if "at_event" in right:
            assert verdict.at_event == right["at_event"] + 1
        if "after_done" in right and len(chunks) == 1:
            after = len(EventStreamParser().feed(wire)) - verdict.events
            assert (after, verdict.later_bytes > 0) == (right["after_done"], True)


@pytest.mark.parametrize("bug", shared("sse"))
def test_shared_inputs_of_any_event_stream(bug: dict[str, Any]) -> None:
    """The events a parser to the standard dispatches, whatever the chunking."""
    for chunks in every_way(bug):
        parser = EventStreamParser()
        events = [event.data for chunk in chunks for event in parser.feed(chunk)]
        parser.close()
        assert events == bug["right_outcome"]["events"]
