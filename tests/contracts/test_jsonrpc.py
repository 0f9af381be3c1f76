"""JSON-RPC responses over HTTP: MCP's streamable HTTP, and A2A in two versions."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.contracts import JsonRpc, JsonRpcAccepted, jsonrpc, read

FIRST = jsonrpc()


def message(**members: Any) -> bytes:
    """One event as MCP servers send it."""
    return f"event: message\r\ndata: {json.dumps({'jsonrpc': '2.0', **members})}\r\n\r\n".encode()


def answer(result: Any, id_: Any = 1) -> bytes:
    return message(id=id_, result=result)


PROGRESS = message(method="notifications/progress", params={"progress": 1})
ASKED = message(method="sampling/createMessage", id="s1", params={})
RESULT = answer({"content": [{"type": "text", "text": "Hi"}]})


def update(state: str, final: bool | None = None) -> bytes:
    said = {} if final is None else {"final": final}
    return answer({"kind": "status-update", "taskId": "t", "status": {"state": state}, **said})


def task(state: str) -> bytes:
    return answer({"kind": "task", "id": "t", "status": {"state": state}})


ARTIFACT = answer({"kind": "artifact-update", "artifact": {"parts": []}})
NEW_ARTIFACT = answer({"artifactUpdate": {"artifact": {"parts": []}}})


def new_update(state: str) -> bytes:
    return answer({"statusUpdate": {"taskId": "t", "status": {"state": f"TASK_STATE_{state}"}}})


@dataclass(frozen=True)
class Case:
    """A stream and what is made of it; `events` are those that were read."""

    id: str
    body: bytes
    code: str = "accepted"
    events: int = 1
    contract: JsonRpc = FIRST
    more: dict[str, Any] = field(default_factory=dict)


MCP = [
    Case("the response", RESULT, more={"result": {"content": [{"type": "text", "text": "Hi"}]}, "request_id": 1}),
    Case("notifications and requests pass", PROGRESS + ASKED + PROGRESS + RESULT, events=4, more={"unknown": 0}),
    Case("no event names", (PROGRESS + RESULT).replace(b"event: message\r\n", b""), events=2),
    Case("pings of the server library", b": ping - 2026-01-01\r\n\r\n" + PROGRESS + b": ping\r\n\r\n" + RESULT,
         events=2),
    Case("an event with an id and no data begins", b"id: 7\r\ndata:\r\n\r\n" + b"id: 8\r\n" + RESULT, events=2,
         more={"last_event_id": "8"}),
    Case("other names", b"event: endpoint\ndata: /messages?x\n\n" + RESULT, events=2, more={"unknown": 1}),
    Case("a null result", answer(None), more={"result": None}),
    Case("a null error beside a result", message(id=1, result={}, error=None), more={"result": {}}),
    Case("a text as id", answer({}, "a"), more={"request_id": "a"}),
    Case("the response asked for", answer({"n": 1}, 1) + answer({"n": 2}, 2), events=2, contract=jsonrpc(2),
         more={"result": {"n": 2}, "request_id": 2}),
    Case("another request's error passes", message(id=1, error={"code": -1}) + answer({}, 2), events=2,
         contract=jsonrpc(2)),
    Case("a batch", b'data: [{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":1,"result":{"n":1}}]\n\n',
         more={"result": {"n": 1}}),
    Case("a batch and its rest", b'data: [{"jsonrpc":"2.0","method":"m"}]\n\n' + RESULT, events=2),
    Case("a task of MCP is a result", answer({"task": {"taskId": "t", "status": "working"}}), more={"finish": None}),
    Case("a result of an A2A name and another shape", answer({"message": "hello"}), more={"finish": None}),
    Case("what follows is not read", RESULT + b"data: {\n\n"),
]  # fmt: skip

A2A = [
    Case("until it is final", update("submitted", False) + update("working", False) + update("completed", True),
         events=3, more={"finish": "completed"}),
    Case("a failed task is an answer", update("working", False) + update("failed", True), events=2,
         more={"finish": "failed"}),
    Case("the agent asks back", update("input-required", True), more={"finish": "input-required"}),
    Case("a state nobody knows", update("novel", True), more={"finish": "novel"}),
    Case("artifacts between", task("submitted") + ARTIFACT + update("completed", True), events=3),
    Case("a task that is over", task("working") + ARTIFACT + task("completed"), events=3,
         more={"finish": "completed"}),
    *(Case(f"a task that is over: {state}", task(state), more={"finish": state})
      for state in ("failed", "canceled", "rejected")),
    *(Case(f"an update that does not say final: {state}", update(state), more={"finish": state})
      for state in ("failed", "canceled", "rejected", "input-required", "auth-required")),
    Case("a message", answer({"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "Hi"}]}),
         more={"finish": None}),
    Case("an update that does not say final", update("working") + update("completed"), events=2,
         more={"finish": "completed"}),
    Case("version 1.0", answer({"task": {"id": "t", "status": {"state": "TASK_STATE_SUBMITTED"}}}) + NEW_ARTIFACT
         + new_update("WORKING") + new_update("COMPLETED"), events=4, more={"finish": "completed"}),
    Case("version 1.0, the agent asks back", new_update("WORKING") + new_update("INPUT_REQUIRED"), events=2,
         more={"finish": "input-required"}),
    Case("version 1.0, a message", answer({"message": {"role": "ROLE_AGENT", "parts": []}}), more={"finish": None}),
]  # fmt: skip

WRONG = [
    Case("nothing", b"", "missing_terminal", 0),
    Case("notifications alone", PROGRESS * 2, "missing_terminal", 2),
    Case("a request of the server's with our id", message(method="ping", id=1), "missing_terminal"),
    Case("a response that is cut", RESULT[:-3], "missing_terminal", 0),
    Case("another request's response", answer({}, 1), "missing_terminal", 1, jsonrpc(2)),
    Case("a number is not its text", answer({}, "1"), "missing_terminal", 1, jsonrpc(1)),
    Case("a task that goes on", task("submitted") + update("working", False), "missing_terminal", 2),
    Case("completed and not final", update("completed", False), "missing_terminal"),
    Case("an artifact alone", ARTIFACT, "missing_terminal"),
    Case("a task that waits", task("input-required"), "missing_terminal"),
    Case("an error", PROGRESS + message(id=1, error={"code": -32603, "message": "m"}), "upstream_error", 2),
    Case("an error beside a null result", message(id=1, result=None, error={"code": -1}), "upstream_error"),
    Case("a request that could not be read", message(id=None, error={"code": -32700}), "upstream_error"),
    Case("an error after an update", update("working", False) + message(id=1, error={}), "upstream_error", 2),
    Case("an event named error", PROGRESS + b"event: error\ndata: m\n\n", "upstream_error", 2),
    Case("no JSON", PROGRESS + b"data: {\n\n", "invalid_json", 2),
    Case("no version", b'data: {"id":1,"result":{}}\n\n', "invalid_chunk"),
    Case("another version", b'data: {"jsonrpc":"1.0","id":1,"result":{}}\n\n', "invalid_chunk"),
    Case("a text", b'data: "x"\n\n', "invalid_chunk"),
    Case("an empty batch", b"data: []\n\n", "invalid_chunk"),
    Case("a batch of nothing", b"data: [null]\n\n", "invalid_chunk"),
    Case("neither result nor error", message(id=1), "invalid_chunk"),
    Case("a result without an id", message(result={}), "invalid_chunk"),
    Case("an id that is none", answer({}, True), "invalid_chunk"),
    Case("an id that is an object", answer({}, {}), "invalid_chunk"),
    Case("a method that is no text", message(method=5), "invalid_chunk"),
]  # fmt: skip


@pytest.mark.parametrize("case", [*MCP, *A2A, *WRONG], ids=lambda case: case.id)
def test_the_verdict(judge, case: Case) -> None:
    """The same whole, byte by byte and in two parts."""
    verdict = judge(case.body, case.contract)
    assert (verdict.code, verdict.events) == (case.code, case.events)
    assert verdict.text is None
    for name, value in case.more.items():
        assert getattr(verdict, name) == value


def test_the_state_so_far_is_evidence() -> None:
    """Of a task that was left."""
    assert read([update("working", False)], jsonrpc()).partial.state == "working"


def test_the_verdict_shows_and_carries_no_result() -> None:
    """A result is content: reachable by attribute, in the process that read it."""
    live = read([update("completed", True)], jsonrpc())
    assert isinstance(live, JsonRpcAccepted)
    assert repr(live) == f"JsonRpcAccepted(finish='completed', events=1, bytes_read={live.bytes_read})"
    carried = pickle.loads(pickle.dumps(live))
    assert (carried.result, carried.request_id, carried.finish) == (None, None, "completed")
    assert repr(carried) == repr(live)
    assert repr(read([RESULT], jsonrpc())) == f"JsonRpcAccepted(finish=None, events=1, bytes_read={len(RESULT) - 1})"
    assert hash(live) == hash(read([update("completed", True)], jsonrpc()))
    assert repr(read([update("xyzzy", True)], jsonrpc())).startswith("JsonRpcAccepted(finish=(not shown), events=1")


def test_results_are_compared() -> None:
    """Two results are two verdicts, unpickled too."""
    one, other = read([answer({"n": 1})], jsonrpc()), read([answer({"n": 2})], jsonrpc())
    assert one != other
    assert pickle.loads(pickle.dumps(one)) != pickle.loads(pickle.dumps(other))


def test_the_contract_is_a_value() -> None:
    """Equal when made alike; the id asked for stays out of the representation."""
    assert jsonrpc("a") == jsonrpc("a") != jsonrpc("b")
    assert jsonrpc().name == "jsonrpc"
    assert repr(jsonrpc()) == "JsonRpc(the first response)"
    assert repr(jsonrpc("xyzzy")) == "JsonRpc(one request)"
    for wrong in (True, [], b"1", {}):
        with pytest.raises(TypeError, match=f"request_id is {type(wrong).__name__}: a text, a number or None"):
            jsonrpc(wrong)  # type: ignore[arg-type]
