"""`--sse-block-network` lets loopback and Unix sockets through, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recorder.pytest_plugin._network import NetworkBlocked, block

ELSEWHERE = "192.0.2.7"  # RFC 5737: documentation


@pytest.fixture
def blocked() -> Iterator[None]:
    undo = block()
    yield
    undo()


@pytest.mark.usefixtures("blocked")
def test_other_machines_are_refused() -> None:
    with socket.socket() as one, socket.socket(type=socket.SOCK_DGRAM) as two:
        for call in (
            lambda: one.connect((ELSEWHERE, 443)),
            lambda: one.connect_ex((ELSEWHERE, 443)),
            lambda: two.sendto(b"x", (ELSEWHERE, 53)),
            lambda: two.sendto(b"x", 0, (ELSEWHERE, 53)),
            lambda: socket.create_connection(("provider.example", 443)),
            lambda: socket.getaddrinfo(b"provider.example", 443),
            lambda: socket.create_connection(("2001:db8::1", 443)),
        ):
            with pytest.raises(NetworkBlocked, match=r"192\.0\.2\.7|provider\.example|2001:db8::1"):
                call()


@pytest.mark.usefixtures("blocked")
def test_this_machine_is_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        for host in ("127.0.0.1", "localhost"):
            socket.create_connection((host, server.getsockname()[1])).close()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))


def test_it_can_be_undone() -> None:
    before = (socket.socket.connect, socket.getaddrinfo)
    block()()
    assert (socket.socket.connect, socket.getaddrinfo) == before
    assert "connect" not in vars(socket.socket)


def test_the_option_and_the_ini_file(
    project: Callable[..., pytest.Pytester], run: Callable[..., pytest.RunResult]
) -> None:
    project("import socket\ndef test_it():\n    socket.create_connection(('provider.example', 1))\n")
    result = run("--sse-block-network")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*NetworkBlocked: a test wanted to connect to provider.example, and *"])
    project(
        "import socket\ndef test_it():\n    socket.create_connection(('provider.example', 1))\n",
        "sse_block_network = 1",
    )
    run().stdout.fnmatch_lines(["E*NetworkBlocked: *"])
