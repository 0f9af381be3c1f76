"""The fault family: streams that break, answers that are no stream, one that tells the caller its own key; synthetic.

Rule: each shows one fault, after as much of a good stream as the fault needs. The name says what a client meets.
"""

from __future__ import annotations

import json
from typing import Any

from recorder.provider._chat import (
    CHAT_LINES,
    CHAT_SCENARIOS,
    DONE_LINE,
    HEARTBEAT,
    ROLE_LINE,
    USAGE,
    blocks,
    chunk_line,
)
from recorder.provider._heads import OPENAI
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import AnyScenario, BuiltScenario, End, HeaderPairs, Piece, Scenario, document

_STEP_S = 0.03
_LF_PIECES = CHAT_SCENARIOS[0].pieces
_MID_EVENT = _LF_PIECES[:12]  # the last one ends inside a JSON escape, in the sixth text
_BETWEEN_EVENTS = _LF_PIECES[:13]  # the sixth text is whole: nothing is left over that would tell
_MID_CODE_POINT = _LF_PIECES[:10]  # the last one ends inside the first emoji
_STOP_LINE = chunk_line({}, finish="stop")
_HTML = b"<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in to continue.</body></html>\n"


def _pieces(*data: bytes) -> tuple[Piece, ...]:
    return tuple(Piece(_STEP_S, one) for one in data)


def _stream(name: str, *lines: str, end: End = End.COMPLETE) -> Scenario:
    """A stream with one piece for each block."""
    return Scenario(name, headers=OPENAI, pieces=_pieces(*(blocks((line,)) for line in lines)), end=end)


def _broken(name: str, pieces: tuple[Piece, ...], end: End) -> Scenario:
    return Scenario(name, headers=OPENAI, pieces=pieces, end=end, end_delay_s=_STEP_S)


def _json(name: str, status: int, value: Any, headers: HeaderPairs = ()) -> Scenario:
    return document(name, status, "application/json", json.dumps(value, separators=(",", ":")).encode(), headers)


def _error(message: str, kind: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _bad_utf8() -> Scenario:
    bad = blocks((chunk_line({"content": "good, then @ bad. "}),)).replace(b"@", b"\xff")
    good = [blocks((line,)) for line in (chunk_line({"content": "More text."}), _STOP_LINE, DONE_LINE)]
    return Scenario("bad-utf8", headers=OPENAI, pieces=_pieces(blocks((ROLE_LINE,)), bad, *good))


def _echo_key(request: SeenRequest) -> Scenario:
    """The caller's own credential in the text: whole in one delta, then in two halves over two events."""
    key = request.credential or ""
    half = len(key) // 2
    texts = (f"You sent {key} with it. ", f"Again: {key[:half]}", f"{key[half:]}.")
    lines = (
        ROLE_LINE,
        *(chunk_line({"content": text}) for text in texts),
        _STOP_LINE,
        chunk_line(None, usage=USAGE),
        DONE_LINE,
    )
    return _stream("echo-key", *lines)


def _retry_429(request: SeenRequest) -> Scenario:
    """A rate limit for a first attempt, the LF chat for a further one; which it is, the OpenAI clients say."""
    if request.header("x-stainless-retry-count") not in (None, "0"):
        return CHAT_SCENARIOS[0]
    error = _error("Synthetic rate limit.", "requests", "rate_limit_exceeded")
    return _json("retry-429", 429, error, (("retry-after", "1"), ("retry-after-ms", "20"), ("x-should-retry", "true")))


_COMPLETION = {
    "id": "chatcmpl-loopback-0002",
    "object": "chat.completion",
    "created": 1764500000,
    "model": "loopback-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Not a stream."}, "finish_reason": "stop"}],
    "usage": USAGE,
}
_ERROR_LINE = "data: " + json.dumps(
    _error("Synthetic failure inside the stream.", "server_error", None), separators=(",", ":")
)
_TEXT_LINE = chunk_line({"content": "Some text, "})

FAULT_SCENARIOS: tuple[AnyScenario, ...] = (
    # the connection ends, or does not
    _broken("drop-mid", _MID_EVENT, End.INCOMPLETE),
    _broken("reset-mid", _MID_EVENT, End.RESET),
    _broken("eof-mid", _MID_EVENT, End.EOF),
    _broken("cut-mid", _MID_EVENT, End.COMPLETE),
    _broken("cut-between", _BETWEEN_EVENTS, End.COMPLETE),
    _broken("cut-codepoint", _MID_CODE_POINT, End.COMPLETE),
    _broken("stall-mid", _MID_EVENT, End.STALL),
    _broken("done-open", _LF_PIECES, End.STALL),
    _stream("heartbeat-forever", HEARTBEAT, end=End.REPEAT),
    Scenario("refuse-head", end=End.REFUSE_HEAD),
    Scenario("reset-head", end=End.RESET_HEAD),
    Scenario("stall-head", end=End.STALL_HEAD),
    # no event stream
    document("html-200", 200, "text/html; charset=utf-8", _HTML),
    _json("json-200", 200, _COMPLETION),
    _json("json-error-200", 200, _error("Synthetic failure with status 200.", "server_error", "synthetic")),
    Scenario("empty-200", headers=OPENAI),
    _json("status-401", 401, _error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key")),
    _json(
        "status-429", 429, _error("Synthetic rate limit.", "requests", "rate_limit_exceeded"), (("retry-after", "7"),)
    ),
    _json("status-500", 500, _error("Synthetic server failure.", "server_error", None)),
    document("redirect", 307, "text/plain", b"", (("location", "https://example.invalid/v1/chat/completions"),)),
    # a stream that is not what it should be
    _bad_utf8(),
    _stream("no-done", *CHAT_LINES[:-1]),
    _stream("error-in-stream", ROLE_LINE, _TEXT_LINE, _ERROR_LINE, DONE_LINE),
    BuiltScenario("echo-key", _echo_key),
    BuiltScenario("retry-429", _retry_429),
)
