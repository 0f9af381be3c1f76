"""Starting and stopping, from a thread and from a running loop; the cap on connections; trust."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import recorder
from recorder.adapters.server import ReplayServer, serve

Ask = Callable[..., Any]
BODY = b"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n"


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("recorder-server")]


def refused(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) != 0


def test_it_listens_on_the_loopback_alone() -> None:
    """On a port of the system's choice, or the one that was asked for."""
    with recorder.serve(BODY) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        port = server.port
    with serve(BODY, port=port) as server:
        assert server.port == port
        with pytest.raises(OSError, match="in use"):
            serve(BODY, port=port).start()
    assert refused(port)


def test_in_a_running_loop() -> None:
    """The server has a loop of its own: the one around it goes on, and may use it with any client."""

    async def use() -> bytes:
        with serve(BODY) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET / HTTP/1.0\r\n\r\n")
            data = await reader.read()
            writer.close()
            await writer.wait_closed()
            return data

    assert asyncio.run(use()).endswith(BODY)


def test_stopping_ends_what_is_open(server: ReplayServer, connect: Ask, asking: Ask) -> None:
    """A stalled delivery, a paced one, an idle connection, half a request, and the thread."""
    stalled, paced, half, idle = (connect(server) for _ in range(4))
    stalled.send(asking("/~end=stall@event:1/v1/chat/completions"))
    stalled.read_until(b"data: 1\n\n")
    paced.send(asking("/~chunks=events;delay=fixed:60s/v1/chat/completions"))
    paced.read_until(b"\r\n\r\n")
    half.send(b"POST /v1")
    port = server.port
    server.stop()
    assert threads() == []
    assert refused(port)
    assert [entry.end for entry in server.log] == ["stall", "stopped"]
    assert {client.read_all()[1] for client in (stalled, paced, half, idle)} <= {"closed", "reset"}
    server.stop()
    assert repr(server) == f"<ReplayServer http://127.0.0.1:{port}, stopped>"


def test_a_server_runs_once() -> None:
    """Another run is another server; before the start there is no address."""
    server = serve(BODY)
    assert repr(server) == "<ReplayServer, not started>"
    with pytest.raises(RuntimeError, match=r"use `with recorder.serve\(\.\.\.\) as server:`"):
        server.url  # noqa: B018
    with server, pytest.raises(RuntimeError, match="this server was started before"):
        server.start()
    with pytest.raises(RuntimeError, match="this server was started before"):
        server.start()


def test_the_body_s_own_exception_is_not_replaced(recorded: Ask, ask: Ask) -> None:
    """When the with block raises and the plan function did too, the first is raised and the second is a note."""

    def plan(request: Any, index: int) -> str:
        raise LookupError

    def use() -> None:
        with serve(recorded(), plan) as server:
            ask(server)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        use()
    assert caught.value.__notes__ == ["the server failed while it served (LookupError)"]


def test_many_paced_streams_at_once(recorded: Ask) -> None:
    """A hundred, each with a comment of its own: none is lost, reordered, or a neighbour's."""

    async def read(port: int, number: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        plan = f"chunks=bytes:4;delay=fixed:10ms;framing=close;edit=insert@start:%253A%20{number}%250A"
        writer.write(f"POST /~{plan}/v1/chat/completions HTTP/1.1\r\nhost: a\r\n".encode())
        writer.write(b'content-length: 7\r\n\r\n{"n":1}')
        data = await reader.read()
        writer.close()
        await writer.wait_closed()
        return data.partition(b"\r\n\r\n")[2]

    async def use(port: int) -> list[bytes]:
        return await asyncio.gather(*(read(port, number) for number in range(100)))

    with serve(recorded(), repeat=True) as server:
        bodies = asyncio.run(use(server.port))
        log = server.wait_quiet(count=100)
    assert bodies == [b": %d\n" % number + BODY for number in range(100)]
    assert {(entry.end, entry.chunks) for entry in log} == {
        ("complete", 9),
        ("complete", 10),
    }  # 36 or 37 bytes, 4 a chunk


def test_the_cap_on_connections(recorded: Ask, connect: Ask, asking: Ask, ask: Ask) -> None:
    """One more is told so with a 503; when another has left there is room again."""
    with serve(recorded(), repeat=True, max_connections=2) as server:
        first, second = connect(server), connect(server)
        for client in (first, second):
            client.send(asking())
            client.read_until(b"0\r\n\r\n")
        answer = ask(server)
        assert (answer.status, answer.end) == (503, "closed")
        assert answer.error["message"] == "too many connections are open: raise max_connections"
        first.sock.close()
        while (status := ask(server).status) == 503:  # until the server has noticed
            pass
        assert status == 200


def test_many_connections_over_the_cap_are_closed(recorded: Ask) -> None:
    """Whoever goes far beyond it is not even told."""
    with serve(recorded(), max_connections=1) as server:
        sockets = [socket.create_connection(("127.0.0.1", server.port), 20) for _ in range(80)]
        closed = 0
        for sock in sockets[66:]:
            try:
                closed += sock.recv(1) == b""
            except ConnectionResetError:
                closed += 1
        for sock in sockets:
            sock.close()
    assert closed == 14


def test_the_authority_of_a_run(secure: ReplayServer, ask: Ask) -> None:
    """As PEM, as a file while the server runs, and as a context; nobody else trusts it."""
    path = secure.ca_file
    assert path.read_bytes() == secure.ca_pem
    assert path == secure.ca_file
    assert secure.url.startswith("https://127.0.0.1:")
    assert ask(secure).status == 200
    with socket.create_connection(("127.0.0.1", secure.port), 20) as sock, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="127.0.0.1")
    secure.stop()
    assert not path.exists()


def test_plain_http_has_no_authority(server: ReplayServer) -> None:
    """Asking for trust where there is no TLS is a mistake, and said so."""
    for attribute in ("ca_pem", "ca_file"):
        with pytest.raises(RuntimeError, match="plain HTTP: pass tls=True"):
            getattr(server, attribute)


def test_importing_is_light() -> None:
    """The name is there without the libraries; h11 comes with the first server, h2 with the first such connection."""
    code = "import recorder, sys; recorder.serve; print(sorted({'h2', 'trustme', 'httpx', 'vcr'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_interpreter_that_ends_is_not_kept_waiting() -> None:
    """A server that was never stopped does not hold up the exit of its process, and no thread complains."""
    code = "import recorder; print(recorder.serve(b'data: 1').start().url[:17])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("http://127.0.0.1:\n", "")
