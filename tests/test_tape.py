"""The tape: counts in its repr, no way out of memory."""

from __future__ import annotations

import copy
import pickle

import pytest

from recorder.tape import Tape, TapedRequest


class Ticks:
    """A clock that moves by one second each time it is read."""

    def __init__(self) -> None:
        self.at = 99.0

    def __call__(self) -> float:
        self.at += 1.0
        return self.at


def filled() -> Tape:
    tape = Tape(clock=Ticks())
    tape.start(
        TapedRequest("POST", "https://api.example.com/v1?key=PLANTED", (("authorization", "PLANTED"),), b"PLANTED")
    )
    tape.answer(
        200, "OK", "1.1", [("Content-Type", "text/event-stream"), ("x-echo", "PLANTED"), ("Vary", "a"), ("vary", "b")]
    )
    tape.piece(b"PLANTED")
    tape.piece(b"")
    tape.piece(b"!")
    tape.finish("complete")
    tape.finish("client_closed")
    return tape


def test_times_are_seconds_since_the_request() -> None:
    """Head, pieces and end each carry their moment; an empty piece is none, and the first end stands."""
    tape = filled()
    assert tape.head is not None
    assert tape.head.at_s == 1.0
    assert tape.pieces == [(2.0, b"PLANTED"), (3.0, b"!")]
    assert (tape.end, tape.end_s) == ("complete", 4.0)


def test_a_header_is_found_in_any_case_and_joined() -> None:
    """Repeated headers are one list (RFC 9110 section 5.3)."""
    assert filled().header("content-type") == "text/event-stream"
    assert filled().header("vary") == "a, b"
    assert filled().header("absent") == ""


def test_nothing_of_a_tape_shows() -> None:
    """Reprs of the tape and its parts give counts."""
    tape = filled()
    assert repr(tape) == "<Tape <TapedHead 200, 4 headers>, 2 pieces, 8 bytes, end complete>"
    assert repr(tape.request) == "<TapedRequest POST, 1 headers, 7 bytes>"
    assert "PLANTED" not in f"{tape!r}{tape}{tape.request!r}{tape.head!r}"


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("part", ["tape", "request", "head"])
def test_a_tape_cannot_leave_memory(duplicate: object, part: str) -> None:
    """Pickling and copying are refused for the tape and for each part."""
    tape = filled()
    value = {"tape": tape, "request": tape.request, "head": tape.head}[part]
    with pytest.raises(TypeError, match="stays in memory"):
        duplicate(value)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("method", "status", "version", "headers", "end"),
    [
        ("POST", 200, "1.1", [("Transfer-Encoding", "chunked")], "complete"),
        ("POST", 200, "1.1", [("Transfer-Encoding", "gzip, Chunked")], "complete"),
        ("POST", 200, "1.1", [("Transfer-Encoding", "gzip")], "eof"),
        ("POST", 200, "1.1", [("Content-Length", "0")], "complete"),
        ("POST", 200, "1.1", [("Content-Length", "9")], "complete"),
        ("POST", 200, "1.1", [], "eof"),
        ("POST", 200, "1.0", [], "eof"),
        ("POST", 200, "2", [], "complete"),
        ("HEAD", 200, "1.1", [], "complete"),
        ("GET", 204, "1.1", [], "complete"),
        ("GET", 304, "1.1", [], "complete"),
    ],
)
def test_a_clean_end_is_that_of_the_framing_or_of_the_connection(
    method: str, status: int, version: str, headers: list[tuple[str, str]], end: str
) -> None:
    """RFC 9112 section 6.3."""
    tape = Tape()
    tape.start(TapedRequest(method, "https://example.invalid/", (), None))
    tape.answer(status, "", version, headers)
    assert tape.clean_end() == end


def test_the_end_is_told_once_and_nothing_is_kept_after_it() -> None:
    """A stream that goes on after its recording is not held in memory."""
    told: list[str | None] = []
    tape = Tape(on_end=lambda ended: told.append(ended.end))
    tape.piece(b"1")
    tape.finish("client_closed")
    tape.finish("complete")
    tape.piece(b"2")
    assert (told, tape.end, [data for _, data in tape.pieces]) == (["client_closed"], "client_closed", [b"1"])


def test_a_time_limit_is_the_reason_for_the_close_it_causes() -> None:
    """Whichever is said first; what is said first of any others stands, and the end is told once."""
    told: list[str | None] = []
    tape = Tape(on_end=lambda ended: told.append(ended.end))
    for end in ("client_closed", "timeout", "reset"):
        tape.finish(end)
    assert (tape.end, told) == ("timeout", ["client_closed"])
    tape = Tape()
    for end in ("reset", "timeout", "complete"):
        tape.finish(end)
    assert tape.end == "reset"


def test_what_has_not_begun_has_no_proper_end() -> None:
    """Without a request, without a head; no header is there, and it can be shown."""
    empty, begun, headless = Tape(), Tape(), Tape()
    begun.start(TapedRequest("HEAD", "https://a.example/", (), None))
    headless.answer(200, "", "2", ())
    assert [each.clean_end() for each in (empty, begun, headless)] == ["eof", "eof", "eof"]
    assert (empty.header("vary"), empty.decoded) == ("", False)
    assert repr(begun.request) == "<TapedRequest HEAD, 0 headers, 0 bytes>"
