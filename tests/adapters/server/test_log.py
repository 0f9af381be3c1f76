"""What the log tells, to Python and over HTTP, and what it never does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from recorder.adapters.server import Delivery, ReplayServer, serve

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"


def test_an_entry_over_http(server: ReplayServer, ask: Ask) -> None:
    """All there is to know of one delivery, as JSON; the log itself is not in the log."""
    ask(server, "/~chunks=events;end=incomplete@event:2/v1/chat/completions")
    (entry,) = ask(server, "/~recorder/log?wait=5", b"", method="GET").json["entries"]
    assert entry.pop("at_s") > 0
    assert entry == {
        "number": 1,
        "method": "POST",
        "path": "/v1/chat/completions",
        "http": "1.1",
        "body_bytes": 7,
        "status": 200,
        "interaction": 1,
        "attempt": 0,
        "plan": "chunks=events; end=incomplete@event:2",
        "error": None,
        "chunks": 2,
        "bytes": 18,
        "end": "incomplete",
        "left": "closed",
    }


def test_no_content_and_no_credential(server: ReplayServer, ask: Ask) -> None:
    """Neither the prompt, nor the key, nor the query, nor a piece of the stream."""
    planted = b'{"n":1,"prompt":"planted-prompt"}'
    ask(server, "/v1/chat/completions?key=planted-query", planted, more="authorization: Bearer planted-key\r\n")
    ask(server)
    shown = repr(server.log) + json.dumps([entry.to_dict() for entry in server.log]) + repr(server)
    assert "planted" not in shown
    assert "DONE" not in shown


def test_a_client_that_resets_after_the_terminal_event(recorded: Ask, connect: Ask, asking: Ask, ask: Ask) -> None:
    """Is normal: noted as that, no error of the server's, and the next request is answered."""
    with serve(recorded(), "end=stall", repeat=True) as server:
        client = connect(server)
        client.send(asking())
        client.read_until(b"data: [DONE]\n\n")
        client.reset()
        ask(server, "/~end=complete/v1/chat/completions")
        first, second = server.wait_quiet(count=2)
    assert (first.end, first.left, first.bytes) == ("stall", "reset", 32)
    assert (second.end, second.left) == ("complete", "closed")


@pytest.mark.parametrize(("leave", "left"), [("close", "closed"), ("reset", "reset")])
def test_how_a_client_leaves_in_the_middle(
    server: ReplayServer, connect: Ask, asking: Ask, leave: str, left: str
) -> None:
    """While the server waits for the next chunk's time: at once, and after so many chunks."""
    client = connect(server)
    client.send(asking("/~chunks=events;delay=ttft:1ms+fixed:20s/v1/chat/completions"))
    client.read_until(b"\r\n\r\n")
    client.sock.close() if leave == "close" else client.reset()
    (entry,) = server.wait_quiet(count=1)
    assert (entry.end, entry.left) == ("client_left", left)


def test_the_log_waits_until_it_is_quiet(server: ReplayServer, connect: Ask, asking: Ask, ask: Ask) -> None:
    """`?wait=` gives a delivery under way the time to end; without it there is none yet."""
    client = connect(server)
    client.send(asking("/~delay=fixed:200ms/v1/chat/completions"))
    client.read_until(b"\r\n\r\n")
    (entry,) = ask(server, "/~recorder/log", b"", method="GET").json["entries"]
    assert (entry["end"], entry["status"]) == (None, 200)
    (entry,) = ask(server, "/~recorder/log?wait=10", b"", method="GET").json["entries"]
    assert entry["end"] == "complete"
    assert ask(server, "/~recorder/log?wait=nonsense", b"", method="GET").status == 200


def test_the_log_can_be_cleared(server: ReplayServer, ask: Ask) -> None:
    """What is over is forgotten; the numbers go on."""
    ask(server)
    server.wait_quiet(count=1)
    assert ask(server, "/~recorder/log", b"", method="DELETE").json == {"entries": []}
    assert server.log == ()
    ask(server)
    assert [entry.number for entry in server.wait_quiet(count=2)] == [2]


def test_the_newest_entries_are_kept(server: ReplayServer, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that runs for long does not fill the memory."""
    monkeypatch.setattr("recorder.adapters.server._log.KEPT", 2)
    with serve(BODY, repeat=True) as small:
        for _ in range(3):
            ask(small)
        assert [entry.number for entry in small.wait_quiet(count=3)] == [2, 3]


def test_each_delivery_is_told_when_it_is_over(recorded: Ask, ask: Ask) -> None:
    """On the server's thread, with a copy."""
    told: list[Delivery] = []
    with serve(recorded(), on_delivery=told.append) as server:
        ask(server, "/~end=eof@event:1/v1/chat/completions")
        server.wait_quiet(count=1)
    assert [(each.number, each.plan, each.bytes, each.end) for each in told] == [(1, "end=eof@event:1", 9, "eof")]


def test_waiting_for_requests_that_do_not_come(server: ReplayServer) -> None:
    """The wait ends with an error that says what was waited for."""
    assert server.wait_quiet() == ()
    with pytest.raises(TimeoutError, match="after 0 s something is still being delivered, or fewer than 1 requests"):
        server.wait_quiet(0, count=1)
