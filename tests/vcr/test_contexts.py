"""Threads, tasks and nested cassettes: no request gets into another one's cassette, and none to the network unseen."""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import recorder
from recorder.vcr import AmbiguousCassetteError

Make = Callable[..., Any]
STREAMS = 50


def numbers(path: Path) -> list[int]:
    """The `n` of every request that is stored."""
    return [json.loads(each.request.body or b"{}")["n"] for each in recorder.load_cassette(path).interactions]


def test_fifty_threads_one_cassette(call: Make, tmp_path: Path) -> None:
    """All are recorded, each with its own stream; and replayed at once, each gets its own."""
    path, request = tmp_path / "a.yaml", call("chat-lf")

    def ask(client: httpx2.Client, n: int) -> tuple[int, int]:
        model = "chat-lf" if n % 2 else "chat-crlf"
        body = {**request.json, "model": model, "n": n}
        with client.stream("POST", request.url, json=body, headers=request.head) as response:
            return n, len(b"".join(response.iter_raw()))

    for _ in range(2):
        with (
            recorder.use_cassette(path),
            httpx2.Client(verify=request.provider.ssl_context(), timeout=30) as client,
            ThreadPoolExecutor(STREAMS) as pool,
        ):
            got = list(pool.map(lambda n: ask(client, n), range(STREAMS)))
        assert got == [(n, 2440 if n % 2 else 2466) for n in range(STREAMS)]
    stored = recorder.load_cassette(path).interactions
    assert sorted(numbers(path)) == list(range(STREAMS))
    assert all(
        len(each.response.body) == (2440 if json.loads(each.request.body or b"")["n"] % 2 else 2466) for each in stored
    )


@pytest.mark.parametrize("package", ["httpx2", "aiohttp"])
def test_fifty_tasks_fifty_cassettes(call: Make, tmp_path: Path, package: str) -> None:
    """Each task has its own cassette in force, all at the same time."""
    request = call("chat-lf")

    async def ask(session: Any, n: int) -> None:
        async with recorder.use_cassette(tmp_path / f"{n}.yaml"):
            body = {**request.json, "n": n}
            if package == "httpx2":
                async with session.stream("POST", request.url, json=body, headers=request.head) as response:
                    assert len(b"".join([piece async for piece in response.aiter_raw()])) == 2440
            else:
                async with session.post(
                    request.url, json=body, headers=request.head, ssl=request.provider.ssl_context()
                ) as response:
                    assert len(await response.read()) == 2440
            await asyncio.sleep(n % 7 / 1000)

    async def all_of_them() -> None:
        import aiohttp

        make: Any = httpx2.AsyncClient if package == "httpx2" else aiohttp.ClientSession
        options = {"verify": request.provider.ssl_context(), "timeout": 30} if package == "httpx2" else {}
        async with make(**options) as session:
            await asyncio.gather(*[ask(session, n) for n in range(STREAMS)])
        await asyncio.sleep(0.05)

    for _ in range(2):
        asyncio.run(all_of_them())
    assert [numbers(tmp_path / f"{n}.yaml") for n in range(STREAMS)] == [[n] for n in range(STREAMS)]


def test_threads_with_cassettes_of_their_own(call: Make, tmp_path: Path) -> None:
    """A thread's cassette is its own, whatever the others do and in whatever order they leave."""

    def work(n: int) -> None:
        with recorder.use_cassette(tmp_path / f"{n}.yaml"):
            assert len(call("chat-lf", extra={"n": n}).by("requests" if n % 2 else "httpx").body) == 2440

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))
    assert [numbers(tmp_path / f"{n}.yaml") for n in range(16)] == [[n] for n in range(16)]


def test_a_thread_without_a_context(call: Make, tmp_path: Path) -> None:
    """Uses the only cassette in force; with two it is told how to say which, and makes no request."""
    asked = len(call("").provider.requests)
    with ThreadPoolExecutor(1) as pool, recorder.use_cassette(tmp_path / "a.yaml"):
        pool.submit(call("chat-lf", extra={"n": 1}).by, "httpx2").result()
        with recorder.use_cassette(tmp_path / "b.yaml"):
            lost = pool.submit(call("chat-lf", extra={"n": 2}).by, "httpx2").result()
            here = contextvars.copy_context()
            pool.submit(here.run, call("chat-lf", extra={"n": 3}).by, "urllib3").result()
    assert AmbiguousCassetteError.__name__ in lost.error
    assert "contextvars.copy_context().run" in lost.error
    assert (numbers(tmp_path / "a.yaml"), numbers(tmp_path / "b.yaml")) == ([1], [3])
    assert len(call("").provider.requests) == asked + 2


def test_nested_cassettes(call: Make, tmp_path: Path) -> None:
    """The inner one gets the requests, the outer one those before and after; the same for tasks."""
    outer, inner = tmp_path / "outer.yaml", tmp_path / "inner.yaml"

    async def nested() -> None:
        async with recorder.use_cassette(outer):
            await call("chat-lf", extra={"n": 1}).aby("httpx2-async")
            async with recorder.use_cassette(inner):
                later = asyncio.Event()
                task = asyncio.create_task(ask_after(later))
                await call("chat-lf", extra={"n": 2}).aby("httpx-async")
            later.set()
            await task
            await call("chat-lf", extra={"n": 4}).aby("aiohttp")

    async def ask_after(later: asyncio.Event) -> None:
        await later.wait()  # the inner cassette is over by then: the outer one is what is left of this context
        await call("chat-lf", extra={"n": 3}).aby("httpx2-async")

    asyncio.run(nested())
    assert (numbers(outer), numbers(inner)) == ([1, 3, 4], [2])


def test_left_in_another_context(call: Make, tmp_path: Path) -> None:
    """As fixtures of an event loop do: entered in one task, left in another."""
    use = recorder.use_cassette(tmp_path / "a.yaml")

    async def enter() -> None:
        use.__enter__()

    async def leave() -> None:
        use.__exit__(None, None, None)

    async def test() -> None:
        await asyncio.create_task(enter())
        await call("chat-lf", extra={"n": 1}).aby("httpx2-async")
        await asyncio.create_task(leave())

    asyncio.run(test())
    assert numbers(tmp_path / "a.yaml") == [1]
