"""What these tests share: one streamed request by each client library, told in one way."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.provider import Provider

SYNC = ("httpx", "httpx2", "requests", "urllib3")
ASYNC = ("httpx-async", "httpx2-async", "aiohttp")
CLIENTS = (*SYNC, *ASYNC)


@dataclass
class Seen:
    """What a caller got: the status, the pieces of the body, and the exception with its message, if any."""

    status: int = 0
    pieces: list[bytes] = field(default_factory=list, repr=False)
    error: str = ""

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


@dataclass
class Call:
    """One streamed POST to the provider, by one client library.

    Attributes:
        model: names the scenario.
        take: leave after so many pieces; -1 reads all.
        timeout: between two pieces, in seconds.
        on_piece: called with each piece as it comes.
        raises: what the reader raises after `take` pieces.
    """

    provider: Provider
    model: str
    take: int = -1
    timeout: float = 10.0
    on_piece: Callable[[bytes], None] = lambda piece: None
    raises: type[BaseException] | None = None
    path: str = "/v1/chat/completions"
    extra: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.provider.url}{self.path}"

    @property
    def json(self) -> dict[str, Any]:
        question = {"role": "user", "content": "PLANTED-PROMPT tell me"}
        return {"model": self.model, "stream": True, "messages": [question], **self.extra}

    @property
    def head(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.provider.key}", **self.headers}

    @property
    def tls(self) -> bool:
        return self.url.startswith("https")

    def by(self, client: str) -> Seen:
        """What a caller with this client sees; async ones in a loop of their own."""
        if client in ASYNC:
            return asyncio.run(self.aby(client))
        seen = Seen()
        try:
            self._sync(client, seen)
        except Exception as error:
            seen.error = told(error)
        return seen

    async def aby(self, client: str) -> Seen:
        """The same in a running loop."""
        seen = Seen()
        try:
            await self._async(client, seen)
        except Exception as error:
            seen.error = told(error)
        return seen

    def _got(self, seen: Seen, piece: bytes) -> bool:
        """Whether the caller leaves."""
        seen.pieces.append(piece)
        self.on_piece(piece)
        leaves = len(seen.pieces) == self.take
        if leaves and self.raises is not None:
            raise self.raises("the reader failed")
        return leaves

    def _sync(self, client: str, seen: Seen) -> None:
        if client in ("requests", "urllib3"):
            self._pooled(client, seen)
            return

        library: Any = importlib.import_module(client)
        context = self.provider.ssl_context() if self.tls else False
        with (
            library.Client(verify=context, timeout=library.Timeout(10, read=self.timeout)) as session,
            session.stream("POST", self.url, json=self.json, headers=self.head) as response,
        ):
            seen.status = response.status_code
            for piece in response.iter_raw():
                if self._got(seen, piece):
                    break

    def _pooled(self, client: str, seen: Seen) -> None:
        import requests
        import urllib3

        if client == "urllib3":
            timeout = urllib3.Timeout(connect=10, read=self.timeout)
            options = {"ssl_context": self.provider.ssl_context()} if self.tls else {}
            with urllib3.PoolManager(retries=False, **options) as pool:
                answered = pool.request(
                    "POST", self.url, json=self.json, headers=self.head, timeout=timeout, preload_content=False
                )
                with answered:
                    seen.status = answered.status
                    for piece in answered.stream(decode_content=False):
                        if self._got(seen, piece):
                            break
            return
        with requests.Session() as session:
            if self.tls:
                session.mount("https://", trusting(self.provider.ssl_context()))
            with session.post(
                self.url, json=self.json, headers=self.head, timeout=(10, self.timeout), stream=True
            ) as response:
                seen.status = response.status_code
                for piece in response.iter_content(None):
                    if self._got(seen, piece):
                        break

    async def _async(self, client: str, seen: Seen) -> None:
        if client == "aiohttp":
            try:
                await self._aiohttp(seen)
            finally:  # aiohttp's documentation: TLS connections close a little after their session
                await asyncio.sleep(0.05 if self.tls else 0)
            return
        library: Any = importlib.import_module(client.removesuffix("-async"))
        context = self.provider.ssl_context() if self.tls else False
        async with (
            library.AsyncClient(verify=context, timeout=library.Timeout(10, read=self.timeout)) as session,
            session.stream("POST", self.url, json=self.json, headers=self.head) as response,
        ):
            seen.status = response.status_code
            async for piece in response.aiter_raw():
                if self._got(seen, piece):
                    break

    async def _aiohttp(self, seen: Seen) -> None:
        import aiohttp

        data = json.dumps(self.json).encode()  # as bytes: stock vcrpy does not serialize a `json=`
        head = {**self.head, "content-type": "application/json"}
        timeout = aiohttp.ClientTimeout(sock_read=self.timeout, sock_connect=10)
        context = self.provider.ssl_context() if self.tls else True
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self.url, data=data, headers=head, ssl=context) as response,
        ):
            seen.status = response.status
            async for piece in response.content.iter_any():
                if self._got(seen, piece):
                    break


def trusting(context: ssl.SSLContext) -> Any:
    """An adapter for requests that trusts what the context trusts."""
    from requests.adapters import HTTPAdapter

    class Trusting(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, ssl_context=context, **options)  # type: ignore[no-untyped-call]

    return Trusting()


def told(error: BaseException) -> str:
    """An exception as a caller meets it; addresses of objects left out."""
    text = re.sub(r"0x[0-9a-f]+", "0x", str(error))
    return f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}: {text}"


@pytest.fixture(scope="module")
def quick() -> Any:
    """A provider over TLS that does not wait between pieces."""
    with Provider(pace=0) as provider:
        yield provider


@pytest.fixture(scope="module")
def plain() -> Any:
    """The same over plain HTTP."""
    with Provider(pace=0, tls=False) as provider:
        yield provider


@pytest.fixture
def call(quick: Provider) -> Callable[..., Call]:
    """A call to the quick provider."""

    def make(model: str, provider: Provider | None = None, **options: Any) -> Call:
        return Call(provider or quick, model, **options)

    return make


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    """Each client library, sync and async."""
    return str(request.param)


@pytest.fixture(params=ASYNC)
def async_client(request: pytest.FixtureRequest) -> str:
    """Each async client library."""
    return str(request.param)
