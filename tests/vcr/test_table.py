"""Every client library and SDK, bare, recording and replayed: one table, in which bare and recording are equal.

Run with `-s` to see it. The provider speaks HTTP/1.1 over TLS; HTTP/2 has a file of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

import recorder
from recorder.provider import End, Provider, Scenario, scenario

CLIENTS = ("httpx", "httpx2", "httpx-async", "httpx2-async", "requests", "urllib3", "aiohttp")
SDKS = ("openai", "openai-async", "anthropic", "anthropic-async", "groq", "groq-async")
QUESTION = {"role": "user", "content": "PLANTED-PROMPT tell me"}


@dataclass
class Row:
    """What a caller saw. Times, and how many pieces sockets make of the same bytes, are shown and not compared."""

    events: int
    digest: str
    error: str
    requests: int
    pieces: int = field(compare=False)
    first_ms: float = field(compare=False)


def _sdk(name: str, provider: Provider, timeout: float) -> Any:
    """A real client of the provider, of a package on httpx2 (openai, anthropic) or httpx (groq)."""
    import anthropic
    import groq
    import openai

    package: Any = httpx if name.startswith("groq") else httpx2
    make = package.AsyncClient if name.endswith("-async") else package.Client
    http_client = make(verify=provider.ssl_context(), timeout=package.Timeout(10, read=timeout))
    kinds: dict[str, Any] = {
        "openai": openai.OpenAI,
        "openai-async": openai.AsyncOpenAI,
        "anthropic": anthropic.Anthropic,
        "anthropic-async": anthropic.AsyncAnthropic,
        "groq": groq.Groq,
        "groq-async": groq.AsyncGroq,
    }
    url = f"{provider.url}/v1" if name.startswith("openai") else provider.url
    return kinds[name](base_url=url, api_key=provider.key, http_client=http_client)


def _events(name: str, client: Any, model: str) -> Any:
    if name.startswith("anthropic"):
        return client.messages.create(model=model, max_tokens=64, messages=[QUESTION], stream=True)
    return client.chat.completions.create(model=model, messages=[QUESTION], stream=True)


def by_sdk(name: str, provider: Provider, model: str, timeout: float, seen: Callable[[Any], None]) -> None:
    """One streamed call; each event is seen as it comes."""

    def sync() -> None:
        with _sdk(name, provider, timeout) as client:
            events: Iterator[Any] = _events(name, client, model)
            for event in events:
                seen(event)

    async def asynchronous() -> None:
        async with _sdk(name, provider, timeout) as client:
            events: AsyncIterator[Any] = await _events(name, client, model)
            async for event in events:
                seen(event)

    if name.endswith("-async"):
        asyncio.run(asynchronous())
    else:
        sync()


def observe(name: str, model: str, provider: Provider, asked: Callable[[], int], make: Callable[..., Any]) -> Row:
    """One call by one client, and what its caller saw."""
    before, start, first, got, error = asked(), time.monotonic(), [0.0], [], ""
    timeout = 0.5 if model.endswith("stall") else 10.0

    def seen(piece: Any) -> None:
        first[0] = first[0] or time.monotonic() - start
        got.append(piece if isinstance(piece, bytes) else piece.model_dump_json().encode())

    if name in SDKS:
        try:
            by_sdk(name, provider, model, timeout, seen)
        except Exception as problem:
            error = f"{type(problem).__name__} <- {type(problem.__cause__).__name__}: {problem}"
    else:
        error = make(model, provider, timeout=timeout, on_piece=seen).by(name).error
    events = len(got) if name in SDKS else 0
    digest = hashlib.sha256(b"".join(got)).hexdigest()[:12]
    return Row(events, digest, error, asked() - before, len(got), first[0] * 1000)


def _broken(name: str, of: str, end: End) -> Scenario:
    whole: Any = scenario(of)
    return Scenario(name, headers=whole.headers, pieces=whole.pieces[:4], end=end)


@pytest.fixture(scope="module")
def broken() -> Iterator[Provider]:
    """A provider with streams of two dialects that are whole, that are dropped and that stall."""
    more = [
        _broken(f"{dialect}-{how}", of, end)
        for dialect, of in (("chat", "chat-lf"), ("messages", "anthropic"))
        for how, end in (("drop", End.INCOMPLETE), ("stall", End.STALL))
    ]
    with Provider(scenarios=more, pace=0.1) as provider:
        yield provider


@pytest.mark.parametrize("how", ["whole", "drop", "stall", "retry"])
@pytest.mark.parametrize("name", [*CLIENTS, *SDKS])
def test_the_table(broken: Provider, tmp_path: Path, name: str, how: str, call: Callable[..., Any]) -> None:
    """Bare and recording are equal in every cell but the time; replayed, the caller sees the same again."""
    messages = name.startswith("anthropic")
    model = {"whole": "anthropic" if messages else "chat-lf", "retry": "retry-429"}.get(how)
    model = model or f"{'messages' if messages else 'chat'}-{how}"
    path = tmp_path / "a.yaml"

    def asked() -> int:
        return len(broken.requests)

    bare = observe(name, model, broken, asked, call)
    with recorder.use_cassette(path) as used:
        live = observe(name, model, broken, asked, call)
        made = used.recorded
    before = asked()
    with recorder.use_cassette(path, mode="none") as used:
        played = observe(name, model, broken, lambda: used.played, call)
    (*_, last) = recorder.load_cassette(path).interactions
    kind = last.response.end.kind if last.response.end else "?"
    for title, row in (("bare", bare), ("recording", live), ("replay", played)):
        print(
            f"{name:16} {how:6} {title:9} first {row.first_ms:6.1f} ms  {row.pieces:3} pieces  {row.digest}"
            f"  end {kind:10}  requests {row.requests}  {row.error[:60]}"
        )
    assert live == bare
    assert made == live.requests
    assert asked() == before
    assert (played.events, played.digest, played.requests) == (live.events, live.digest, live.requests)
    assert played.error.partition(":")[0] == live.error.partition(":")[0]
