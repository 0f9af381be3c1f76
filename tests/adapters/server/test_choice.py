"""Which plan and which interaction a request gets, and what is answered when there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from recorder.adapters.server import ReplayServer, serve
from recorder.cassette import Cassette, Request, gallery
from recorder.errors import CassetteError, PlanError

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"
WHOLE = b"20\r\n" + BODY + b"\r\n0\r\n\r\n"
FIRST = b"9\r\ndata: 1\n\n\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("target", "header", "rest"),
    [
        ("/v1/chat/completions", "", WHOLE),
        ("/~end=eof@event:1/v1/chat/completions", "", FIRST),
        ("/~end%3Deof%40event%3A1/v1/chat/completions", "", FIRST),
        ("/v1/chat/completions", "x-recorder-plan: end=eof@event:1\r\n", FIRST),
        ("/v1/chat/completions", "X-Recorder-Plan:  end = eof@event:1 \r\n", FIRST),
        ("/~end=eof@event:1/v1/chat/completions", "x-recorder-plan: end=reset@event:2\r\n", FIRST),
        ("/~/v1/chat/completions", "x-recorder-plan: end=reset@event:2\r\n", WHOLE),
        ("http://127.0.0.1/~end=eof@event:1/v1/chat/completions", "", FIRST),
        (
            "/~edit=insert@start:%253A%20%252Fping%250A;end=eof@event:1/v1/chat/completions",
            "",
            b"11\r\n: /ping\ndata: 1\n\n\r\n0\r\n\r\n",
        ),
    ],
)
def test_a_request_chooses_its_plan(server: ReplayServer, ask: Ask, target: str, header: str, rest: bytes) -> None:
    """By a path in front, percent-encoded where need be, then by the header, then the server's own."""
    assert ask(server, target, more=header).rest == rest


@pytest.mark.parametrize(
    ("plan", "bodies"),
    [
        ("end=eof@event:1", [BODY[:9], BODY[:9], BODY[:9]]),
        (["end=eof@event:1", ""], [BODY[:9], BODY, BODY]),
        (lambda request, index: f"end=eof@event:{index}", [b"", BODY[:9], BODY[:18]]),
        (None, [BODY, BODY, BODY]),
    ],
)
def test_the_server_s_own_plan(recorded: Ask, ask: Ask, plan: Any, bodies: list[bytes]) -> None:
    """One for all, one for each attempt, or a function of the request and the attempt."""
    with serve(recorded(), plan, repeat=True) as server:
        seen = [ask(server, "/v1/chat/completions", version="1.0").rest for _ in range(3)]
    assert seen == bodies


def test_a_plan_function_sees_the_request(recorded: Ask, ask: Ask) -> None:
    """As the client sent it, without what belongs to the server."""
    seen: list[Request] = []

    def plan(request: Request, index: int) -> None:
        seen.append(request)

    with serve(recorded(), plan) as server:
        ask(server, more="x-mine: yes\r\n")
        url = server.url
    assert [(each.method, each.uri, each.body) for each in seen] == [
        ("POST", "http://127.0.0.1/v1/chat/completions", b'{"n":1}')
    ]
    assert url.startswith("http://127.0.0.1:")
    assert seen[0].headers["x-mine"] == ("yes",)


def test_a_plan_function_that_raises(recorded: Ask, ask: Ask) -> None:
    """The client gets a 500 that names the exception class; the owner gets the exception when the server stops."""

    def plan(request: Request, index: int) -> str:
        raise LookupError("a mistake of the function")

    server = serve(recorded(), plan, repeat=True).start()
    answer = ask(server)
    assert (answer.status, answer.error["code"]) == (500, "server_failed")
    assert answer.error["message"].startswith("the server could not answer (LookupError)")
    with pytest.raises(RuntimeError, match=r"the server failed while it served \(LookupError\)"):
        server.stop()


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("end=eof@event:9", "end=eof@event:9: 'event:9' is not a place in this body: it has 3 events"),
        ("end=nowhere", "end=nowhere: unknown"),
        ("chunks=bytes:0", "chunks=bytes:0"),
    ],
)
def test_a_plan_that_is_none(server: ReplayServer, ask: Ask, plan: str, message: str) -> None:
    """The client is told what is wrong with it."""
    answer = ask(server, f"/~{plan}/v1/chat/completions")
    assert (answer.status, answer.error["code"]) == (400, "plan_error")
    assert answer.error["message"].startswith(message)


def test_only_event_streams_have_plans(recorded: Ask, ask: Ask) -> None:
    """A JSON answer beside the stream comes whole, with its length, whatever is asked for."""
    models = recorded(b'{"data": []}', method="GET", path="/v1/models", asked=None, kind="application/json")
    with serve([recorded(), models], "end=reset@start") as server:
        answer = ask(server, "/~end=reset@start/v1/models", b"", method="GET")
    assert answer.head.endswith(b"content-type: application/json\r\ncontent-length: 12\r\nconnection: close")
    assert (answer.json, answer.end) == ({"data": []}, "closed")


def test_a_miss_tells_what_came_nearest(server: ReplayServer, ask: Ask) -> None:
    """404 in the shape SDKs show, with the differences and without the prompt."""
    answer = ask(server, body=b'{"n":1,"prompt":"planted words"}')
    assert answer.status == 404
    assert answer.head.split(b"\r\n")[1] == b"content-type: application/json"
    error = answer.error
    assert (error["code"], error["type"], error["matching"]) == ("no_match", "recorder", [])
    assert error["request"] == {"method": "POST", "uri": "http://127.0.0.1/v1/chat/completions"}
    (near,) = error["nearest"]
    assert near["interaction"] == 1
    assert [line.partition(":")[0] for line in near["differences"]] == ["body $.prompt"]
    assert "no recorded answer for POST" in error["message"]
    assert b"planted words" not in answer.rest
    assert server.log[0].error == "no_match"


@pytest.mark.parametrize("length", [0, 1])
def test_each_interaction_plays_once(recorded: Ask, ask: Ask, length: int) -> None:
    """In the order of the recording; then a 404 says that they are used up. A rewind starts again."""
    with serve([recorded(b"data: a\n\n"), recorded(b"data: b\n\n")]) as server:
        assert server.unplayed == (0, 1)
        assert [ask(server, version="1.0").rest for _ in range(2)] == [b"data: a\n\n", b"data: b\n\n"]
        assert server.unplayed == ()
        answer = ask(server)
        assert (answer.status, answer.error["code"], answer.error["matching"]) == (404, "exhausted", [0, 1])
        assert "was played already" in answer.error["message"]
        if length:
            server.rewind()
        else:
            assert ask(server, "/~recorder/rewind", b"").json == {"unplayed": [1, 2]}
        assert ask(server, version="1.0").rest == b"data: a\n\n"


def test_repeating(recorded: Ask, ask: Ask) -> None:
    """The last of those that match answers again."""
    with serve([recorded(b"data: a\n\n"), recorded(b"data: b\n\n")], repeat=True) as server:
        assert [ask(server, version="1.0").rest for _ in range(3)] == [b"data: a\n\n", b"data: b\n\n", b"data: b\n\n"]


def test_the_provider_s_host_does_not_matter_but_the_rest_does(recorded: Ask, ask: Ask) -> None:
    """Method, path, query and body are compared; `ignore` and `match_on` change that."""
    one = Cassette((recorded(path="/v1/x?alt=sse"),))
    with serve(one, repeat=True) as server:
        assert ask(server, "/v1/x?alt=sse").status == 200
        assert ask(server, "/v1/x").status == 404
        assert ask(server, "/v1/x?alt=sse", b'{"n":2}').status == 404
    with serve(one, repeat=True, ignore=["$.n"]) as server:
        assert ask(server, "/v1/x?alt=sse", b'{"n":2}').status == 200
    with serve(one, repeat=True, match_on=["path"]) as server:
        assert ask(server, "/v1/x", b"", method="GET").status == 200


def test_what_can_be_served(recorded: Ask, ask: Ask) -> None:
    """Bytes answer every request; a file, a cassette and an interaction those that were recorded; several together."""
    with serve(BODY, repeat=True) as server:
        assert ask(server, "/anything?at=all", b"whatever", method="PUT", version="1.0").rest == BODY
    with serve(gallery()["chat-lf"], match_on=["path"]) as server:
        assert ask(server, version="1.0").rest.startswith(b": loopback heartbeat\n")
    with serve([gallery()["chat-lf"], recorded(path="/v1/mine")], match_on=["path"]) as server:
        assert ask(server, "/v1/mine", version="1.0").rest == BODY
        assert server.log[0].interaction == 2


def test_arguments_that_cannot_be_served(tmp_path: Any, recorded: Ask) -> None:
    """Said at the call."""
    with pytest.raises(ValueError, match="there is nothing to serve"):
        serve([])
    with pytest.raises(PlanError, match="nowhere"):
        serve(BODY, "end=nowhere")
    with pytest.raises(CassetteError, match=r"none\.yaml"):
        serve(tmp_path / "none.yaml")
    with pytest.raises(ValueError, match="port=70000: 0 to 65535"):
        serve(BODY, port=70000)
    with pytest.raises(ValueError, match="max_connections=0: 1 or more"):
        serve(BODY, max_connections=0)
    with pytest.raises(ValueError, match="match_on names 'colour'"):
        serve(BODY, match_on=["colour"])


def test_what_was_recorded_of_another_wire_is_not_sent(recorded: Ask, ask: Ask) -> None:
    """Framing, connection handling, and what would send a browser elsewhere; a line break cannot add a header."""
    noted = {
        "content-length": "7",
        "content-encoding": "gzip",
        "connection": "keep-alive",
        "alt-svc": 'h3=":443"',
        "strict-transport-security": "max-age=1",
        "x-two": "a\r\nx-three: b",
        "bad name": "c",
        "x-request-id": "kept",
    }
    with serve(recorded(headers=noted)) as server:
        answer = ask(server)
    assert answer.head.split(b"\r\n") == [
        b"HTTP/1.1 200 OK",
        b"content-type: text/event-stream",
        b"x-two: a x-three: b",
        b"x-request-id: kept",
        b"transfer-encoding: chunked",
        b"connection: close",
    ]


def test_the_own_paths(server: ReplayServer, ask: Ask) -> None:
    """What is not there says what is."""
    answer = ask(server, "/~recorder/else", b"", method="GET")
    assert (answer.status, answer.error["code"]) == (404, "unknown_path")
    assert json.loads(answer.rest)["error"]["message"].endswith("POST /~recorder/rewind")
