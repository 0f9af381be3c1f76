"""Events that say their type: in the event's name, in the JSON object's `type`, or in both.

Rule: the type is what both say, or the one of them that is there (some servers send no `event` lines, some put them
after the data: the standard does not care). Two different types in one event are `invalid_chunk`; `error` in either
place is the provider's error. A type the dialect does not have, and a `[DONE]` where the dialect has none, are passed
over and counted; an empty `data:` is a heartbeat.

It does not know what the types mean.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, NamedTuple, TypeGuard

from recorder.contracts._chat import MAX_DEPTH
from recorder.contracts._chat_text import DONE
from recorder.contracts._dialect_run import DialectRun, Outcome
from recorder.contracts._json import NOT_JSON, decode
from recorder.errors import FaultCode
from recorder.sse import Event

ERROR = "error"
_HEARTBEATS = frozenset({"", "ping"})


class Typed(NamedTuple):
    """An event that can be told apart. `type` is None for one the dialect does not know."""

    type: str | None
    record: dict[str, Any]


UNKNOWN = Typed(None, {})


def typed(event: Event, known: AbstractSet[str]) -> Typed | FaultCode | None:
    """Read an event of a typed dialect.

    Args:
        event: the event.
        known: the types the dialect has.

    Returns:
        What it says, a fault, or None for a heartbeat.
    """
    name = "" if event.type == "message" else event.type
    if not event.data and name in _HEARTBEATS:
        return None
    record = decode(event.data, MAX_DEPTH)
    if isinstance(record, dict):
        return _of_object(name, record, known)
    if name == ERROR:
        return FaultCode.UPSTREAM_ERROR
    if (name and name not in known) or event.data == DONE:
        return UNKNOWN
    return FaultCode.INVALID_JSON if record is NOT_JSON else FaultCode.INVALID_CHUNK


def _of_object(name: str, record: dict[str, Any], known: AbstractSet[str]) -> Typed | FaultCode:
    said = record.get("type")
    if ERROR in (name, said):
        return FaultCode.UPSTREAM_ERROR
    if said is None and not name:  # an envelope of the provider's other interfaces, or nothing of this dialect
        return FaultCode.UPSTREAM_ERROR if record.get(ERROR) is not None else FaultCode.INVALID_CHUNK
    said = name if said is None else said
    if not isinstance(said, str):
        return UNKNOWN if name and name not in known else FaultCode.INVALID_CHUNK
    if name not in ("", said) and (name in known or said in known):
        return FaultCode.INVALID_CHUNK
    return Typed(said if said in known else None, record)


class TypedRun(DialectRun):
    """A run over events that say their type."""

    known: ClassVar[AbstractSet[str]]

    def _judge(self, event: Event) -> Outcome:
        read = typed(event, self.known)
        if read is None or isinstance(read, FaultCode):
            return read
        code = self._in_order(read)
        if code is not None:
            return code
        if read.type is None:
            self.unknown += 1
            return None
        return self._take(read.type, read.record)

    def _in_order(self, read: Typed) -> FaultCode | None:
        """A look at what all events of the dialect have, those of unknown types included."""
        return None

    @abstractmethod
    def _take(self, type_: str, record: dict[str, Any]) -> Outcome:
        """What an event of a known type comes to."""


def is_index(value: Any) -> TypeGuard[int]:
    """Whether a JSON value numbers something: an integer, not negative, not a boolean."""
    return type(value) is int and value >= 0
