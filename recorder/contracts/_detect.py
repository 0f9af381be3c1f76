"""Which contract reads a stream, from its head and first bytes alone.

Rule: a dialect is named only when something in a dispatched or begun event says so; a stream that has shown nothing
yet (comments, a heartbeat) and a body that is no event stream are None. `body_kind` says what the latter looks like.
"""

from __future__ import annotations

import re
from typing import Any

from recorder.contracts._body import BodyKind, body_kind
from recorder.contracts._chat_steps import MARKER
from recorder.contracts._head import EVENT_STREAM, Headers, header_values, media_type
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._signs import sign_of
from recorder.errors import StreamFault
from recorder.sse import Event, EventStreamParser

_GENERATION_EVENTS = frozenset({"progress", "done", "error"})
_GENERATION_MEMBERS = frozenset({"state", "progress", "outputs"})

# In an event that is cut off: a quotation mark inside a JSON string is escaped, so these are members, not text.
_MARKED = re.compile(rf'"object"\s*:\s*"{re.escape(MARKER)}"')
_WITH_STATE = re.compile(r'"(?:state|progress|outputs)"\s*:')


def detect(headers: Headers, prefix: bytes) -> str | None:
    """The name of the contract for a stream.

    Args:
        headers: the response's, as for `check_head`; an empty mapping when they are not known. A content type that
            is none (a redacted one) says nothing.
        prefix: the first bytes of the decoded body; the first event with JSON in it is enough.

    Returns:
        One of `names()` but "chat_text" (which reads what "chat" reads, more strictly), or None: the dialect does not
        show, or the body is not an event stream.
    """
    types = [media_type(each) for each in header_values(headers, "content-type")]
    if any("/" in each and each != EVENT_STREAM for each in types) or body_kind(prefix) is not BodyKind.EVENT_STREAM:
        return None
    return next((name for event in _events(prefix) if (name := _dialect(event)) is not None), None)


def _events(prefix: bytes) -> list[Event]:
    """The events in the first bytes, the last one as far as it goes."""
    parser = EventStreamParser()
    try:
        return parser.feed(prefix) + parser.feed(b"\n\n")
    except StreamFault as fault:
        return list(fault.events)


def _dialect(event: Event) -> str | None:
    record = decode(event.data, 64)
    sign = sign_of(event, record)
    if sign is not None:
        return sign
    if event.type == "message" and _is_chat(event.data, record):
        return "chat"
    return "generation" if event.type in _GENERATION_EVENTS and _is_generation(event.data, record) else None


def _is_chat(data: str, record: Any) -> bool:
    if record is NOT_JSON:
        return _MARKED.search(data) is not None
    if not isinstance(record, dict):
        return False
    choices = record.get("choices")
    if record.get("object") == MARKER or choices == []:
        return True
    return isinstance(choices, list) and any(isinstance(each, dict) and "delta" in each for each in choices)


def _is_generation(data: str, record: Any) -> bool:
    if record is NOT_JSON:
        return _WITH_STATE.search(data) is not None
    return isinstance(record, dict) and not _GENERATION_MEMBERS.isdisjoint(record)
