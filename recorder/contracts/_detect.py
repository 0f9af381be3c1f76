"""Which contract reads a stream, from its head and first bytes alone.

Rule: a dialect is named only when something says so; a stream that has shown nothing yet (comments, a heartbeat) and
a body that is no event stream are None. `body_kind` says what the latter looks like.
"""

from __future__ import annotations

from typing import Any

from recorder.contracts._body import BodyKind, body_kind
from recorder.contracts._chat_steps import MARKER
from recorder.contracts._head import EVENT_STREAM, Headers, header_values, media_type
from recorder.contracts._json import NOT_JSON, decode
from recorder.errors import StreamFault
from recorder.sse import Event, EventStreamParser

_GENERATION_EVENTS = frozenset({"progress", "done", "error"})
_GENERATION_MEMBERS = frozenset({"state", "progress", "outputs"})


def detect(headers: Headers, prefix: bytes) -> str | None:
    """The name of the contract for a stream.

    Args:
        headers: the response's, as for `check_head`; an empty mapping when they are not known.
        prefix: the first bytes of the decoded body; up to the end of the first event with JSON is enough.

    Returns:
        "chat" or "generation", or None: the dialect does not show, or the body is not an event stream.
    """
    types = header_values(headers, "content-type")
    if any(media_type(each) != EVENT_STREAM for each in types):
        return None
    if body_kind(prefix) is not BodyKind.EVENT_STREAM:
        return None
    return next((name for event in _events(prefix) if (name := _dialect(event))), None)


def _events(prefix: bytes) -> list[Event]:
    parser = EventStreamParser()
    try:
        return parser.feed(prefix) + parser.feed(b"\n\n")  # so that a cut event shows itself where its JSON is whole
    except StreamFault as fault:
        return list(fault.events)


def _dialect(event: Event) -> str | None:
    record: Any = decode(event.data, 64)
    if record is NOT_JSON or not isinstance(record, dict):
        return None
    if event.type == "message" and _is_chat(record):
        return "chat"
    is_generation = event.type in _GENERATION_EVENTS and not _GENERATION_MEMBERS.isdisjoint(record)
    return "generation" if is_generation else None


def _is_chat(record: dict[str, Any]) -> bool:
    if record.get("object") == MARKER:
        return True
    choices = record.get("choices")
    if not isinstance(choices, list):
        return False
    return not choices or any(isinstance(each, dict) and "delta" in each for each in choices)
