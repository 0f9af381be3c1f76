"""The contract of a JSON-RPC response streamed over HTTP: MCP's Streamable HTTP, and A2A.

Rule: notifications and requests of the server pass. A stream is over with the response to the request it answers: the
first one, or the one with the id that is asked for. A response with `error` is the provider's error inside a stream
that began well. An A2A stream is several responses to one request; it is over with a message, with an update that says
`final`, or with a task that is in a state it cannot leave. How the task ended is data: a failed one is accepted.

Source: JSON-RPC 2.0; the Model Context Protocol, "Streamable HTTP" (batches are of its version 2025-03-26); the A2A
specification, 0.3 and 1.0. It does not know bytes, offsets or clocks, and reconnects to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recorder.contracts._bounded import Bounded, bounds
from recorder.contracts._chat import MAX_DEPTH
from recorder.contracts._dialect_run import DialectRun, Outcome
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._limits import OWN, Budget, Own
from recorder.contracts._verdict import KNOWN_FINISHES, Accepted, Partial
from recorder.errors import FaultCode
from recorder.sse import Event

RequestId = str | int | float | None

_FINAL_STATES = frozenset({"completed", "failed", "canceled", "rejected"})
_INTERRUPTED_STATES = frozenset({"input-required", "auth-required"})
_KINDS = {"statusUpdate": "status-update", "artifactUpdate": "artifact-update", "task": "task"}
_MARKS = {"status-update": "status", "artifact-update": "artifact", "task": "status"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JsonRpcAccepted(Accepted):
    """The response arrived.

    Attributes:
        result: of the terminal response, as sent.
        request_id: the id it answers.
        finish: (A2A) the state the task is in, in the words of 0.3 ("completed"); None for anything else.
    """

    result: Any = None
    request_id: RequestId = None

    def __hash__(self) -> int:
        return hash((self.code, self.finish, self.events, self.bytes_read))

    def __repr__(self) -> str:
        shown = repr(self.finish) if self.finish is None or self.finish in KNOWN_FINISHES else "(not shown)"
        return f"JsonRpcAccepted(finish={shown}, events={self.events}, bytes_read={self.bytes_read})"


@dataclass(frozen=True, slots=True)
class JsonRpc(Bounded):
    """A contract made by `jsonrpc`."""

    request_id: RequestId = None

    def start(self) -> JsonRpcRun:
        """A fresh run."""
        return JsonRpcRun(self)

    def __repr__(self) -> str:
        asked = "the first response" if self.request_id is None else "one request"
        return f"JsonRpc({asked})"


def jsonrpc(
    request_id: RequestId = None,
    *,
    max_line: Budget = OWN,
    max_event: Budget = OWN,
    max_events: int | Own | None = OWN,
) -> JsonRpc:
    """The contract of a reader of one JSON-RPC response that is streamed.

    A truthful reader cannot know whether a server that closes before the response means to go on when it is asked
    again with the last event ID (MCP allows that): it is `missing_terminal` here. Nor what notifications were lost.

    Args:
        request_id: the id of the request whose response ends the stream; the first response's when not given. Responses
            to other requests pass.
        max_line, max_event: 16 MiB unless given; one result is kept, so there is no `max_output`.
        max_events: 1,000,000 unless given.

    Raises:
        TypeError, ValueError: an id that is neither a text nor a number, or a limit that is none.
    """
    if not _is_id(request_id):
        raise TypeError(f"request_id is {type(request_id).__name__}: a text, a number or None would be right")
    return JsonRpc(*bounds(max_line, max_event, OWN, max_events), request_id=request_id)


class JsonRpcRun(DialectRun):
    """One response under judgement."""

    def __init__(self, contract: JsonRpc) -> None:
        super().__init__(contract)
        self._id = contract.request_id
        self._finish: str | None = None
        self._result: Any = None

    def _judge(self, event: Event) -> Outcome:
        if event.type == "error":
            return FaultCode.UPSTREAM_ERROR
        if event.type != "message":  # MCP has no other names; what has one is not a message of it
            self.unknown += 1
            return None
        if not event.data:  # a heartbeat, or the event with an id that MCP begins with
            return None
        sent = decode(event.data, MAX_DEPTH)
        if sent is NOT_JSON:
            return FaultCode.INVALID_JSON
        messages = sent if isinstance(sent, list) else [sent]
        outcomes = (self._message(each) for each in messages)
        return next((each for each in outcomes if each is not None), None if messages else FaultCode.INVALID_CHUNK)

    def _message(self, message: Any) -> Outcome:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not _is_id(message.get("id")):
            return FaultCode.INVALID_CHUNK
        if "method" in message:
            return None if isinstance(message["method"], str) else FaultCode.INVALID_CHUNK
        error, id_ = message.get("error"), message.get("id")
        if error is not None and id_ is None:  # the request could not be read: the answer to ours
            return FaultCode.UPSTREAM_ERROR
        if id_ is None or (error is None and "result" not in message):
            return FaultCode.INVALID_CHUNK
        if self._id is None:
            self._id = id_
        if not _same(id_, self._id):
            return None
        return FaultCode.UPSTREAM_ERROR if error is not None else self._response(message["result"])

    def _response(self, result: Any) -> Outcome:
        self._result = result
        kind, body = _a2a(result)
        self._finish = _state(body)
        return self._accepted() if _is_last(kind, body, self._finish) else None

    def _accepted(self) -> JsonRpcAccepted:
        return JsonRpcAccepted(
            finish=self._finish,
            events=self.events,
            last_event_id=self._last_event_id,
            unknown=self.unknown,
            result=self._result,
            request_id=self._id,
        )

    @property
    def partial(self) -> Partial:
        """The state of the task so far, where there is one."""
        return Partial(state=self._finish)


def _is_id(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))


def _same(id_: RequestId, other: RequestId) -> bool:
    """A number is not the text of it."""
    return isinstance(id_, str) == isinstance(other, str) and id_ == other


def _a2a(result: Any) -> tuple[str | None, Mapping[str, Any]]:
    """What kind of A2A update a result is, and its body; None for any other result, an A2A message included.

    Version 0.3 says the kind in the object, version 1.0 wraps the object in a member of the kind's name.
    """
    if not isinstance(result, dict):
        return None, {}
    kind, body = result.get("kind"), result
    if kind is None and len(result) == 1:
        ((name, body),) = result.items()
        kind = _KINDS.get(name)
    mark = _MARKS.get(kind) if isinstance(kind, str) else None
    marked = mark is not None and isinstance(body, dict) and isinstance(body.get(mark), dict | list)
    return (kind, body) if marked else (None, {})


def _state(body: Mapping[str, Any]) -> str | None:
    status = body.get("status")
    state = status.get("state") if isinstance(status, dict) else None
    if not isinstance(state, str):
        return None
    return state.removeprefix("TASK_STATE_").replace("_", "-").lower() if state.startswith("TASK_STATE_") else state


def _is_last(kind: str | None, body: Mapping[str, Any], state: str | None) -> bool:
    """Whether a result ends the stream: any that is no A2A update does, a message of A2A too."""
    if kind == "artifact-update":
        return False
    if kind == "status-update":
        final = body.get("final")
        return final is True or (final is None and state in _FINAL_STATES | _INTERRUPTED_STATES)
    return kind != "task" or state in _FINAL_STATES
