"""What public bug reports show readers doing wrong, and the verdict of a truthful one; in our own bytes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from recorder.contracts import Verdict, chat, chat_text, read


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
def test_the_verdict_of_a_truthful_reader(judge_at_every_cut, case: Case) -> None:
    """Whole, byte by byte and at every cut."""
    same = judge_at_every_cut if len(case.body) < 2_000 else lambda body, contract: read([body], contract)
    verdict = same(case.body, chat())
    assert told(verdict) == (case.code, case.text)
    assert case.finish in (None, verdict.finish if verdict.ok else verdict.partial.finish)
    assert same(case.body, chat_text()).code == (case.chat_text or case.code)
