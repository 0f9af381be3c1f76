"""What in one event shows which dialect it is: the event's name, its JSON `type`, or members no other dialect has.

Rule: a sign is something the dialect's own documentation demands and no other dialect here has. An event that could be
of several shows nothing. An event that is cut off is looked at as text, for members only: a quotation mark inside a
JSON string is escaped, so text of the stream cannot look like one.

It does not know chat and generation, which `_detect.py` looks for, nor whether a stream is complete.
"""

from __future__ import annotations

import re
from typing import Any

from recorder.contracts._cohere import CohereRun
from recorder.contracts._json import NOT_JSON
from recorder.contracts._messages import MessagesRun
from recorder.contracts._responses import ResponsesRun
from recorder.sse import Event

_TYPES = {
    **dict.fromkeys(ResponsesRun.known, "responses"),
    **dict.fromkeys(MessagesRun.known - {"ping"}, "messages"),
    **dict.fromkeys(CohereRun.known - {"debug"}, "cohere"),
}
_GEMINI = ("candidates", "promptFeedback", "usageMetadata")
_COMPLETION = "text_completion"

_CUT_TYPE = re.compile(r'"type"\s*:\s*"([a-z_.-]+)"')
_CUT_JSONRPC = re.compile(r'"jsonrpc"\s*:\s*"2\.0"')
_CUT_COMPLETION = re.compile(rf'"object"\s*:\s*"{_COMPLETION}[^"]*"')
_CUT_GEMINI = re.compile(rf'\s*\{{\s*"(?:{"|".join(_GEMINI)})"\s*:')


def sign_of(event: Event, record: Any) -> str | None:
    """The dialect that an event shows, None when it shows none of those here.

    Args:
        event: the event, cut off or whole.
        record: its data as JSON, or `NOT_JSON`.
    """
    if event.type != "message":
        return _of_type(event.type) or _of_named_object(event.type, record)
    if record is NOT_JSON:
        return _of_cut_text(event.data)
    if isinstance(record, list):
        return "jsonrpc" if record and all(map(_is_jsonrpc, record)) else None
    return _of_object(record) if isinstance(record, dict) else None


def _of_type(type_: Any) -> str | None:
    if not isinstance(type_, str):
        return None
    return _TYPES.get(type_) or ("responses" if type_.startswith("response.") else None)


def _of_named_object(name: str, record: Any) -> str | None:
    """Of the events whose name more than one dialect has."""
    if not isinstance(record, dict) or record.get("type") != name:
        return None
    return "messages" if name == "ping" else _of_error(record) if name == "error" else None


def _of_object(record: dict[str, Any]) -> str | None:
    type_ = record.get("type")
    if type_ in ("ping", "error"):
        return _of_named_object(type_, record)
    if _is_jsonrpc(record):
        return "jsonrpc"
    if any(isinstance(record.get(name), list | dict) for name in _GEMINI):
        return "gemini"
    return _of_type(type_) or ("completions" if _is_completion(record) else None)


def _of_error(record: dict[str, Any]) -> str | None:
    """Anthropic's error says a type and a message; OpenAI's has a code, a parameter or a number beside it."""
    error = record.get("error")
    said = {*record, *(error if isinstance(error, dict) else ())}
    if not said.isdisjoint(("code", "param", "sequence_number")):
        return "responses"
    return "messages" if isinstance(error, dict) and isinstance(error.get("type"), str) else None


def _is_jsonrpc(record: Any) -> bool:
    return isinstance(record, dict) and record.get("jsonrpc") == "2.0"


def _is_completion(record: dict[str, Any]) -> bool:
    choices, object_ = record.get("choices"), record.get("object")
    if isinstance(object_, str) and object_.startswith(_COMPLETION):
        return True
    texts = [each for each in choices if isinstance(each, dict) and "text" in each] if isinstance(choices, list) else []
    return any("delta" not in each for each in texts)


def _of_cut_text(data: str) -> str | None:
    if _CUT_JSONRPC.search(data):
        return "jsonrpc"
    types = (_of_type(match[1]) for match in _CUT_TYPE.finditer(data))
    found = next((name for name in types if name is not None), None)
    return found or ("gemini" if _CUT_GEMINI.match(data) else "completions" if _CUT_COMPLETION.search(data) else None)
