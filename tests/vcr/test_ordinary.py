"""Everything that is no stream: redirects, uploads, answers without a body, cookies; and connections that are kept."""

from __future__ import annotations

import asyncio
import importlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import recorder

CLIENTS = ("httpx", "httpx2", "httpx-async", "httpx2-async", "requests", "urllib3", "aiohttp")


class Handler(BaseHTTPRequestHandler):
    """Says what it was asked; `/moved` sends to `/here`, `/none` has no body."""

    protocol_version = "HTTP/1.1"
    ports: set[int]
    count: list[int]

    def answer(self) -> None:
        self.ports.add(self.client_address[1])
        self.count.append(1)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "chunked" in self.headers.get("transfer-encoding", ""):
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        status = {"/none": 204, "/moved": 302, "/bad": 500}.get(self.path, 200)
        said = json.dumps({"path": self.path, "method": self.command, "size": len(body)}).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("location", "/here")
        if status == 204:
            self.end_headers()
            return
        self.send_header("content-type", "application/json")
        self.send_header("set-cookie", "session=0123456789abcdef; path=/")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(said)

    do_GET = do_HEAD = do_POST = answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    handler = type("Counting", (Handler,), {"ports": set(), "count": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def halves() -> Iterator[bytes]:
    yield b"first "
    yield b"second"


Said = list[tuple[int, bytes]]


def by_httpx(package: str, url: str) -> Said:
    library: Any = importlib.import_module(package)
    with library.Client(follow_redirects=True) as client:
        answers = [
            client.get(f"{url}/a?x=1"),
            client.head(f"{url}/a"),
            client.get(f"{url}/none"),
            client.get(f"{url}/moved"),
            client.post(f"{url}/form", data={"a": "1"}),
            client.post(f"{url}/file", files={"f": ("n.txt", b"content")}),
            client.post(f"{url}/parts", content=halves()),
            client.post(f"{url}/empty"),
            client.get(f"{url}/bad"),
        ]
    return [(each.status_code, each.content) for each in answers]


async def by_httpx_async(package: str, url: str) -> Said:
    library: Any = importlib.import_module(package)

    async def parts() -> Any:
        for each in halves():
            yield each

    async with library.AsyncClient(follow_redirects=True) as client:
        answers = [
            await client.get(f"{url}/a?x=1"),
            await client.head(f"{url}/a"),
            await client.get(f"{url}/none"),
            await client.get(f"{url}/moved"),
            await client.post(f"{url}/form", data={"a": "1"}),
            await client.post(f"{url}/file", files={"f": ("n.txt", b"content")}),
            await client.post(f"{url}/parts", content=parts()),
            await client.post(f"{url}/empty"),
            await client.get(f"{url}/bad"),
        ]
    return [(each.status_code, each.content) for each in answers]


def by_requests(url: str) -> Said:
    import requests

    with requests.Session() as client:
        answers = [
            client.get(f"{url}/a?x=1"),
            client.head(f"{url}/a"),
            client.get(f"{url}/none"),
            client.get(f"{url}/moved"),
            client.post(f"{url}/form", data={"a": "1"}),
            client.post(f"{url}/file", files={"f": ("n.txt", b"content")}),
            client.post(f"{url}/parts", data=halves()),
            client.post(f"{url}/empty"),
            client.get(f"{url}/bad"),
        ]
    return [(each.status_code, each.content) for each in answers]


def by_urllib3(url: str) -> Said:
    import io

    import urllib3

    with urllib3.PoolManager() as client:
        answers = [
            client.request("GET", f"{url}/a?x=1"),
            client.request("HEAD", f"{url}/a"),
            client.request("GET", f"{url}/none"),
            client.request("GET", f"{url}/moved"),
            client.request("POST", f"{url}/form", fields={"a": "1"}, encode_multipart=False),
            client.request("POST", f"{url}/file", fields={"f": ("n.txt", b"content")}),
            client.request("POST", f"{url}/parts", body=io.BytesIO(b"first second")),
            client.request("POST", f"{url}/empty"),
            client.request("GET", f"{url}/bad"),
        ]
    return [(each.status, each.data) for each in answers]


async def by_aiohttp(url: str) -> Said:
    import aiohttp

    async def parts() -> Any:
        for each in halves():
            yield each

    form = aiohttp.FormData()
    form.add_field("f", b"content", filename="n.txt")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        said = []
        for method, path, data in (
            ("GET", "/a?x=1", None),
            ("HEAD", "/a", None),
            ("GET", "/none", None),
            ("GET", "/moved", None),
            ("POST", "/form", {"a": "1"}),
            ("POST", "/file", form),
            ("POST", "/parts", parts()),
            ("POST", "/empty", None),
            ("GET", "/bad", None),
        ):
            async with client.request(method, f"{url}{path}", data=data) as response:
                said.append((response.status, await response.read()))
    return said


def ask(client: str, url: str) -> Said:
    package = client.removesuffix("-async")
    makers: dict[str, Callable[[], Said]] = {
        "requests": lambda: by_requests(url),
        "urllib3": lambda: by_urllib3(url),
        "aiohttp": lambda: asyncio.run(by_aiohttp(url)),
    }
    if client in makers:
        return makers[client]()
    if client.endswith("-async"):
        return asyncio.run(by_httpx_async(package, url))
    return by_httpx(package, url)


@pytest.mark.parametrize("client", CLIENTS)
def test_ordinary_requests(server: Any, tmp_path: Path, client: str) -> None:
    """Bare, recording and replayed are equal; each hop of a redirect is an interaction of its own."""
    url, path = f"http://127.0.0.1:{server.server_port}", tmp_path / "a.yaml"
    handler = server.RequestHandlerClass

    def counted() -> tuple[Said, int, int]:
        handler.ports.clear()
        handler.count.clear()
        said = ask(client, url)
        return said, len(handler.count), len(handler.ports)

    bare = counted()
    with recorder.use_cassette(path) as used:
        live = counted()
        assert used.recorded == 10
    assert live == bare
    assert bare[1] == 10
    assert bare[2] < 3  # connections are kept
    assert [status for status, _ in bare[0]] == [200, 200, 204, 200, 200, 200, 200, 200, 500]
    assert bare[0][6] == (200, b'{"path": "/parts", "method": "POST", "size": 12}')
    with recorder.use_cassette(path, mode="none") as used:
        played = counted()
        assert used.unplayed == ()
    assert played == (live[0], 0, 0)
    text = path.read_text("utf-8")
    assert "0123456789abcdef" not in text
    stored = recorder.load_cassette(path).interactions
    assert [each.response.status for each in stored] == [200, 200, 204, 302, 200, 200, 200, 200, 200, 500]
    kinds = [str(each.response.end.kind) for each in stored if each.response.end]
    assert [*kinds[:3], *kinds[4:]] == ["complete"] * 9  # aiohttp may leave the body of a redirect unread
