"""What recording costs the caller: the time to the first event, direct and recorded, interleaved, for each client.

Run as `python benchmarks/recording.py [ROUNDS]`. The budget is direct + 5 ms. The last column is what a replayed
request costs in CPU time, the client's own work in it. The provider is on the loopback, over TLS; every round makes a
fresh client, as a test would, and that is not timed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import httpx
import httpx2
import urllib3

import recorder
from recorder.provider import Provider

BUDGET_MS = 5.0
BODY = {"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}

Pieces = Iterator[bytes]
Client = Callable[[Provider], Any]


@contextmanager
def by_httpx(library: Any, provider: Provider) -> Iterator[Callable[[], float]]:
    """Seconds to the first piece, with httpx or httpx2."""
    with library.Client(verify=provider.ssl_context()) as client:

        def ask() -> float:
            start, first = time.perf_counter(), 0.0
            with client.stream("POST", url(provider), json=BODY, headers=head(provider)) as response:
                for _ in response.iter_raw():
                    first = first or time.perf_counter() - start
            return first

        yield ask


@contextmanager
def by_urllib3(provider: Provider) -> Iterator[Callable[[], float]]:
    """The same with urllib3."""
    with urllib3.PoolManager(ssl_context=provider.ssl_context()) as pool:

        def ask() -> float:
            start, first = time.perf_counter(), 0.0
            with pool.request(
                "POST", url(provider), json=BODY, headers=head(provider), preload_content=False
            ) as response:
                for _ in response.stream():
                    first = first or time.perf_counter() - start
            return first

        yield ask


@contextmanager
def by_aiohttp(provider: Provider) -> Iterator[Callable[[], float]]:
    """The same with aiohttp."""
    context = provider.ssl_context()

    async def once() -> float:
        async with aiohttp.ClientSession() as session:
            start, first = time.perf_counter(), 0.0
            async with session.post(url(provider), json=BODY, headers=head(provider), ssl=context) as response:
                async for _ in response.content.iter_any():
                    first = first or time.perf_counter() - start
        return first

    with asyncio.Runner() as runner:
        yield lambda: runner.run(once())


def url(provider: Provider) -> str:
    """Where the stream is."""
    return f"{provider.url}/v1/chat/completions"


def head(provider: Provider) -> dict[str, str]:
    """The key."""
    return {"authorization": f"Bearer {provider.key}"}


CLIENTS: dict[str, Client] = {
    "httpx": lambda provider: by_httpx(httpx, provider),
    "httpx2": lambda provider: by_httpx(httpx2, provider),
    "urllib3": by_urllib3,
    "aiohttp": by_aiohttp,
}


def first_events(make: Client, provider: Provider, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds to the first event, direct and recorded in turn."""
    times: dict[str, list[float]] = {"direct": [], "recorded": []}
    for number in range(rounds + 1):
        for name in sorted(times, reverse=bool(number % 2)):  # neither is always the one that comes first
            use: Any = (
                nullcontext() if name == "direct" else recorder.use_cassette(folder / f"{number}.yaml", "rewrite")
            )
            with use, make(provider) as ask:
                seconds = ask()
            if number:  # the first round imports and connects for the first time
                times[name].append(seconds)
    return times


def replayed(make: Client, provider: Provider, folder: Path, rounds: int) -> float:
    """CPU seconds of one replayed request, the client's own work in it."""
    with recorder.use_cassette(folder / "1.yaml", mode="none", plan="chunks=whole") as used, make(provider) as ask:
        ask()
        start = time.process_time()
        for _ in range(rounds):
            used.rewind()
            ask()
        return (time.process_time() - start) / rounds


def main(rounds: int) -> int:
    """Print the table; 1 when a client is over its budget."""
    over = []
    print(f"{'client':8} {'direct':>9} {'recorded':>9} {'more':>8}   of {BUDGET_MS} ms   replayed")
    with Provider(pace=0) as provider, tempfile.TemporaryDirectory() as folder:
        for name, make in CLIENTS.items():
            times = first_events(make, provider, Path(folder), rounds)
            direct, recorded = (median(each) * 1000 for each in times.values())
            cost = replayed(make, provider, Path(folder), rounds * 5) * 1000
            print(f"{name:8} {direct:6.2f} ms {recorded:6.2f} ms {recorded - direct:5.2f} ms{'':12}{cost:5.2f} ms")
            if recorded - direct > BUDGET_MS:
                over.append(name)
    print(f"over the budget: {', '.join(over) or 'none'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
