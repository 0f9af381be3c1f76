"""What public bug reports show readers doing wrong, and the verdict of a truthful one: our own bytes, and a shared set.

The shared set is read when the environment variable RECORDER_VECTORS names its folder.
"""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recorder.contracts import Verdict, body_kind, chat, chat_text, check_head, detect, read


def delta(text: str, finish: str = "null") -> bytes:
    return f'data: {{"choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":{finish}}}]}}\n\n'.encode()


STOP = delta("", '"stop"')
DONE = b"data: [DONE]\n\n"
END = STOP + DONE
HB = b": hb\n\n"


@dataclass(frozen=True)
class Case:
    """A stream, what `chat` says of it, and what `chat_text` says where that is something else."""

    id: str
    body: bytes
    code: str
    text: str
    chat_text: str | None = None
    finish: str | None = None


CASES = [
    Case("a raw U+2028 inside text is no line end", delta("x\u2028y") + END, "accepted", "x\u2028y", finish="stop"),
    Case("a raw U+0085 and a form feed neither", delta("x\u0085y") + b": a\x0cb\n\n" + END, "accepted", "x\u0085y"),
    Case("CRLF throughout", (delta("ok") + END).replace(b"\n", b"\r\n"), "accepted", "ok"),
    Case("CR throughout", (delta("ok") + END).replace(b"\n", b"\r"), "accepted", "ok"),
    Case("line ends mixed in one event", delta("ok")[:-2] + b"\r\n\n" + END, "accepted", "ok"),
    Case("a BOM before the first field", b"\xef\xbb\xbf" + delta("ok") + END, "accepted", "ok"),
    Case("no space after the colon", (delta("ok") + END).replace(b"data: ", b"data:"), "accepted", "ok"),
    Case("comment heartbeats of every form", HB + b":\n\n:\n" + delta("ok") + b": x\n" + END, "accepted", "ok"),
    Case("a comment sent as data", b"data: : PROCESSING\n\n" + delta("ok") + END, "invalid_json", ""),
    Case("an empty data line as a heartbeat", b"data:\n\n" + delta("ok") + END, "accepted", "ok", "invalid_json"),
    Case("control blocks without data", b"id: 1\nretry: 10\n\nevent: x\n\n" + delta("ok") + END, "accepted", "ok"),
    Case("the last blank line missing", delta("ok") + STOP[:-1], "missing_terminal", "ok"),
    Case("no marker, no finish", delta("ok"), "missing_terminal", "ok"),
    Case("a finish, no marker", delta("ok") + STOP, "missing_terminal", "ok", finish="stop"),
    Case("cut inside the next event", delta("ok") + b'data: {"cho', "missing_terminal", "ok"),
    Case("usage, then the end", delta("ok") + b'data: {"choices":[],"usage":{"n":1}}\n\n', "missing_terminal", "ok"),
    Case("the marker, no finish", delta("ok") + DONE, "missing_finish", "ok"),
    Case("the marker twice", delta("ok") + END + DONE, "accepted", "ok"),
    Case("the marker inside text", delta("say [DONE] now") + END, "accepted", "say [DONE] now"),
    Case("an error object at once", b'data: {"error":{"code":400}}\n\n', "upstream_error", ""),
    Case("an error object in the middle", delta("pa") + b'data: {"error":{"code":504}}\n\n', "upstream_error", "pa"),
    Case("an error beside empty choices", b'data: {"choices":[],"error":{}}\n\n' + DONE, "upstream_error", ""),
    Case("an error that is a text", b'data: {"error":"quota"}\n\n', "upstream_error", ""),
    Case("an error with a finish of error", delta("pa") + delta("", '"error"').replace(b"{", b'{"error":{},', 1),
         "upstream_error", "pa"),
    Case("a finish of error alone", delta("pa") + delta("", '"error"') + DONE, "unaccepted_finish", "pa"),
    Case("usage after the finish, without choices", delta("ok") + STOP + b'data: {"choices":[],"usage":{}}\n\n' + DONE,
         "accepted", "ok"),
    Case("usage after the finish, no choices member", delta("ok") + STOP + b'data: {"usage":{}}\n\n' + DONE,
         "accepted", "ok", "invalid_choices"),
    Case("usage in an empty choice after the finish",
         delta("ok") + STOP + delta("").replace(b"{", b'{"usage":{},', 1) + DONE, "accepted", "ok",
         "choice_after_finish"),
    Case("filter results first", b'data: {"choices":[],"prompt_filter_results":[]}\n\n' + delta("ok") + END,
         "accepted", "ok"),
    Case("a choice without a delta", b'data: {"choices":[{"index":0,"finish_reason":null}]}\n\n' + delta("ok") + END,
         "accepted", "ok", "invalid_delta"),
    Case("an empty finish", delta("ok", '""') + END, "accepted", "ok", "unaccepted_finish"),
    Case("a finish of the text null", delta("ok", '"null"') + END, "accepted", "ok", "unaccepted_finish"),
    Case("a finish of length", delta("ok", '"length"') + DONE, "accepted", "ok", "unaccepted_finish", "length"),
    Case("one frame glued onto another", delta("ok")[:30] + delta("ok") + END, "invalid_json", ""),
    Case("a last frame that is cut and closed", delta("ok") + b'data: {"choices":[{"ind\n\n', "invalid_json", "ok"),
    Case("JSON over several data lines", delta("ok").replace(b",", b",\ndata: ") + END, "accepted", "ok"),
    Case("long thinking between heartbeats", delta("a") + HB * 50 + delta("b") + END, "accepted", "ab"),
    Case("heartbeats only", HB * 6, "missing_terminal", ""),
    Case("a line longer than common buffers", delta("L" * 140_000) + END, "accepted", "L" * 140_000),
]  # fmt: skip


def told(verdict: Verdict) -> tuple[str, str | None]:
    return str(verdict.code), verdict.text if verdict.ok else verdict.partial.text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_verdict_of_a_truthful_reader(judge, case: Case) -> None:
    """Whole, byte by byte and at every cut."""
    same = judge if len(case.body) < 2_000 else lambda body, contract: read([body], contract)
    verdict = same(case.body, chat())
    assert told(verdict) == (case.code, case.text)
    assert case.finish in (None, verdict.finish if verdict.ok else verdict.partial.finish)
    assert same(case.body, chat_text()).code == (case.chat_text or case.code)


# The shared set.

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
    folder = os.environ.get("RECORDER_VECTORS")
    if not folder:
        return []
    inputs = json.loads((Path(folder) / "bug_inputs.json").read_text())
    return [pytest.param(each, id=each["id"]) for each in inputs if each["format"] in formats]


def stalling(chunks: list[bytes], stalled: bool):
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
            assert told(read(stalling(chunks, stalled), chat_text())) == told(verdict)
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
