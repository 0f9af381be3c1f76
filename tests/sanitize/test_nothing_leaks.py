"""Refusals, logs, reports and tracebacks, local variables included, hold nothing of what must not be seen."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Recording, Request, Response
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize import Sanitizer, interaction_from_tape, save_cassette
from recorder.sanitize import _content as content_module
from recorder.tape import Tape, TapedHead, TapedRequest

PLANTED = {
    "key": "sk-planted-3141592653589793",
    "prompt": "PLANTED-PROMPT",
    "answer": "PLANTED-ANSWER",
    "cookie": "planted-cookie-271828",
    "organization": "planted-organization-1618",
    "secret": "planted-known-secret-5772",
    "header": "planted-header-name",
    "member": "planted_member_name",
    "query": "planted-query-1414",
}


def cassette(**response: object) -> Cassette:
    body = json.dumps({"model": "m", "input": PLANTED["prompt"], PLANTED["member"]: PLANTED["secret"]}).encode()
    request = Request(
        "POST",
        f"https://user:{PLANTED['key']}@a.example/v1?key={PLANTED['query']}",
        Headers({"authorization": f"Bearer {PLANTED['key']}", "cookie": PLANTED["cookie"], PLANTED["header"]: "1"}),
        body,
    )
    event = {"choices": [{"delta": {"content": f"{PLANTED['answer']} {PLANTED['secret']} {PLANTED['key'][:9]}"}}]}
    stream = b"data: %s\n\n" % json.dumps(event).encode()
    headers = Headers({"openai-organization": PLANTED["organization"], "content-type": "text/event-stream"})
    fields = {"headers": headers, "body": stream, "recording": Recording(tool="1")} | response
    return Cassette((Interaction(request, Response(200, **fields)),))  # type: ignore[arg-type]


def opaque() -> Cassette:
    head = Headers({"content-encoding": "gzip", "openai-organization": PLANTED["organization"]})
    return cassette(headers=head, body=b"\xff\x00" + PLANTED["answer"].encode() + PLANTED["key"].encode())


def shown(error: BaseException) -> str:
    """All that a test runner or an error tracker would print, with the local variables of every frame of ours."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if "/tests/" not in frame.filename])
    return "".join(told.format()) + repr(error) + str(error)


def clean_of(text: str) -> bool:
    return not [name for name, value in PLANTED.items() if value in text]


def refused(tmp_path: Path) -> None:
    save_cassette(opaque(), tmp_path / "a.yaml", Sanitizer.default([PLANTED["secret"]]))


def not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    save_cassette(cassette(), tmp_path / "file" / "a.yaml", Sanitizer.default([PLANTED["secret"]]))


def not_decodable(tmp_path: Path) -> None:
    tape = Tape()
    tape.request = TapedRequest(
        "POST", "https://a.example/", (("authorization", PLANTED["key"]),), PLANTED["prompt"].encode()
    )
    tape.head = TapedHead(200, "OK", "1.1", (("content-encoding", "gzip"),), 0.1)
    tape.pieces, tape.end = [(0.2, PLANTED["answer"].encode())], "complete"
    from datetime import UTC, datetime

    interaction_from_tape(
        tape, terminal_seen=True, recorded=datetime(2026, 1, 1, tzinfo=UTC), client={}, tool="1", outcome={}
    )


@pytest.mark.parametrize("fails", [refused, not_writable, not_decodable])
def test_a_traceback_with_locals_shows_nothing(
    fails: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """As `pytest --showlocals` and error trackers print them; nor is anything logged or printed."""
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises((ResidueError, CassetteError, content_module.CodingError)) as caught,
    ):
        fails(tmp_path)
    assert clean_of(shown(caught.value))
    captured = capfd.readouterr()
    assert (caplog.text, captured.out, captured.err) == ("", "", "")
    assert [path.name for path in tmp_path.iterdir()] in ([], ["file"])


def test_the_scan_names_no_value() -> None:
    """Rules and places of a cassette that is dirty in every way."""
    sanitizer = Sanitizer.default([PLANTED["secret"]])
    found = sanitizer.scan(cassette())
    assert len(found) > 8
    # a header's name is shown, unless a known value is in it
    assert clean_of((repr(found) + "".join(map(str, found))).replace(f"header {PLANTED['header']}", ""))
    named = Sanitizer.default([PLANTED["header"]]).scan(cassette())
    assert clean_of(repr(named))


def test_no_repr_shows_a_value() -> None:
    """Of the sanitizer, what it knows, what it found, and the cassette."""
    dirty = cassette()
    sanitizer = Sanitizer.default([PLANTED["secret"]]).knowing(dirty)
    assert len(sanitizer.known) >= 4
    cleaned = sanitizer.clean(dirty)
    assert clean_of(repr(sanitizer) + repr(sanitizer.known) + repr(cleaned) + repr(dirty))
    assert clean_of(json.dumps(dict(cleaned.counts)))


def test_a_tape_cannot_leave_the_process() -> None:
    """No pickle, no copy, no content in its repr."""
    tape = Tape()
    tape.start(
        TapedRequest("POST", "https://a.example/", (("authorization", PLANTED["key"]),), PLANTED["prompt"].encode())
    )
    tape.piece(PLANTED["answer"].encode())
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="stays in memory") as caught:
            leave(tape)
        assert clean_of(str(caught.value))
    assert clean_of(repr(tape) + repr(tape.request))


def test_what_is_saved_holds_nothing(tmp_path: Path) -> None:
    """The file, with chunks that were cut anywhere."""
    path = tmp_path / "a.yaml"
    dirty = cassette()
    size = len(dirty.interactions[0].response.body)
    save_cassette(
        cassette(chunks=tuple(Chunk(0.0, 1) for _ in range(size))), path, Sanitizer.default([PLANTED["secret"]])
    )
    kept = {"prompt", "answer", "member"}
    text = path.read_text("utf-8")
    assert [name for name, value in PLANTED.items() if value in text and name not in kept] == []
