"""A proxy in between: recorded through it, and no connection to it where the cassette answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

import recorder


class Tunnel:
    """A proxy on the loopback that takes CONNECT, and counts how often."""

    def __init__(self) -> None:
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            asked = b""
            while not asked.endswith(b"\r\n\r\n") and (more := client.recv(4096)):
                asked += more
            if not asked.startswith(b"CONNECT "):
                client.close()
                return
            self.connections += 1
            host, _, port = asked.split()[1].decode().partition(":")
            server = socket.create_connection((host, int(port)))
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            for one, other in ((client, server), (server, client)):
                self._threads.append(threading.Thread(target=self._copy, args=(one, other)))
                self._threads[-1].start()

    @staticmethod
    def _copy(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        finally:
            for each in (one, other):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            other.close()

    def close(self) -> None:
        socket.create_connection(self._listener.getsockname()).close()
        for thread in self._threads:
            thread.join(5)
        self._listener.close()


@pytest.fixture
def tunnel() -> Iterator[Tunnel]:
    made = Tunnel()
    yield made
    made.close()


def by_urllib3(call: Any, proxy: str) -> bytes:
    import urllib3

    with urllib3.ProxyManager(proxy, ssl_context=call.provider.ssl_context(), retries=False) as pool:
        return bytes(pool.request("POST", call.url, json=call.json, headers=call.head).data)


def by_httpx2(call: Any, proxy: str) -> bytes:
    import httpx2

    with httpx2.Client(proxy=proxy, verify=call.provider.ssl_context()) as client:
        return bytes(client.post(call.url, json=call.json, headers=call.head).content)


@pytest.mark.parametrize("ask", [by_urllib3, by_httpx2])
def test_through_a_proxy(
    call: Callable[..., Any], tunnel: Tunnel, tmp_path: Path, ask: Callable[[Any, str], bytes]
) -> None:
    """The same bytes and connections as without us; in replay, none."""
    path = tmp_path / "a.yaml"
    bare = ask(call("chat-lf"), tunnel.url)
    assert (len(bare), tunnel.connections) == (2440, 1)
    with recorder.use_cassette(path):
        assert ask(call("chat-lf"), tunnel.url) == bare
    assert tunnel.connections == 2
    with recorder.use_cassette(path):
        assert ask(call("chat-lf"), tunnel.url) == bare
    with recorder.use_cassette(path):
        assert ask(call("chat-lf"), "http://127.0.0.1:1") == bare
    assert tunnel.connections == 2


def test_a_proxy_that_is_not_there_is_the_librarys_error(call: Callable[..., Any], tmp_path: Path) -> None:
    """The same with and without us."""
    import urllib3

    told = []
    uses: list[Any] = [nullcontext(), recorder.use_cassette(tmp_path / "a.yaml")]
    for use in uses:
        with use, pytest.raises(urllib3.exceptions.HTTPError) as caught:
            by_urllib3(call("chat-lf"), "http://127.0.0.1:1")
        told.append((type(caught.value), type(caught.value.__cause__)))
    assert told[0] == told[1]
