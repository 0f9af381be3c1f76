"""Record the shipped cassettes afresh from the loopback provider: `python cassettes/regenerate.py [NAME...]`.

Rule: each is recorded again until its chunks are the pieces the provider sent, since the network may merge two; so
recording again changes the times and nothing else. The host is written as one that cannot exist: the provider's port
is another one each time.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2

from recorder.capture.httpx import AsyncCaptureTransport
from recorder.cassette import Cassette, Interaction, load_cassette
from recorder.contracts import check_head, named
from recorder.provider import Provider, scenario
from recorder.record import record_once
from recorder.sanitize import interaction_from_tape, save_cassette
from recorder.tape import Tape

FOLDER = Path(__file__).resolve().parent
ATTEMPTS = 20
HOST = "https://loopback.invalid"
PROMPT = "Say hello in five languages."
MESSAGES = [{"role": "user", "content": PROMPT}]
RETRY = "x-stainless-retry-count"


@dataclass(frozen=True)
class Shipped:
    """One cassette of the gallery.

    Args:
        name: of the file, and of the scenario it is recorded from.
        path: where the request goes.
        contract: by which it is judged.
        more: members of the request body beside the model, `stream` and the messages.
        body: the whole request body instead; an empty one makes the request a GET.
        key_header: where the key goes, when not into a bearer header.
        headers: further request headers.
        attempts: the headers of each request on top; one request unless given.
        pieces: the scenario that has the pieces of the last response as they are after decoding.
    """

    name: str
    path: str = "/v1/chat/completions"
    contract: str = "chat"
    more: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    key_header: str = "authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    attempts: tuple[Mapping[str, str], ...] = ({},)
    pieces: str = ""

    @property
    def sent(self) -> Mapping[str, Any] | None:
        """The request body."""
        if self.body is not None:
            return self.body or None
        return {"model": self.name, "stream": True, "messages": MESSAGES, **self.more}


def _job(name: str) -> Shipped:
    return Shipped(name, f"/v1/generations/{name}/events", "generation", body={})


_CALL = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "weather", "arguments": {"city": "Zürich"}, "_meta": {"progressToken": "loopback-1"}},
}
_TOOL_NAMES = ("get_weather", "get_time")
_TOOLS = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in _TOOL_NAMES]

SHIPPED = (
    Shipped("chat-lf", contract="chat_text/openai"),
    Shipped("chat-crlf", contract="chat_text/openai"),
    Shipped("chat-multilingual", contract="chat_text/openai"),
    Shipped("chat-usage", more={"stream_options": {"include_usage": True}}),
    Shipped("chat-tools", more={"tools": _TOOLS}),
    Shipped("chat-n2", more={"n": 2}),
    Shipped("chat-refusal"),
    Shipped("chat-length", more={"max_tokens": 8}),
    Shipped("chat-gzip", headers={"accept-encoding": "gzip"}, pieces="chat-lf"),
    Shipped("azure", "/openai/deployments/azure/chat/completions?api-version=2024-10-21", key_header="api-key"),
    Shipped("openrouter", "/api/v1/chat/completions"),
    Shipped("responses", "/v1/responses", "responses", body={"model": "responses", "stream": True, "input": PROMPT}),
    Shipped(
        "anthropic",
        "/v1/messages",
        "messages",
        more={"max_tokens": 64},
        key_header="x-api-key",
        headers={"anthropic-version": "2023-06-01"},
    ),
    Shipped(
        "gemini",
        "/v1beta/models/gemini:streamGenerateContent?alt=sse",
        "gemini",
        body={"contents": [{"role": "user", "parts": [{"text": PROMPT}]}]},
        key_header="x-goog-api-key",
    ),
    Shipped("cohere", "/v2/chat", "cohere"),
    Shipped(
        "mcp",
        "/mcp",
        "jsonrpc",
        body=_CALL,
        headers={"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"},
    ),
    _job("generation-success"),
    _job("generation-failed"),
    _job("generation-null-progress"),
    Shipped("error-in-stream"),
    Shipped("eof-mid"),
    Shipped("reset-mid"),
    Shipped("bad-utf8"),
    Shipped("json-then-utf8"),
    Shipped("marker-only"),
    Shipped("empty-200"),
    Shipped("html-200"),
    Shipped("json-200"),
    Shipped("json-error-200"),
    Shipped("retry-429", attempts=({RETRY: "0"}, {RETRY: "1"}), pieces="chat-lf"),
)


def record(provider: Provider, shipped: Shipped, folder: Path = FOLDER) -> None:
    """Record a cassette into `folder`.

    Raises:
        RuntimeError: the pieces were merged at every attempt.
    """
    expected = [len(piece.data) for piece in scenario(shipped.pieces or shipped.name).pieces]
    for _ in range(ATTEMPTS):
        recorded = [asyncio.run(_exchange(provider, shipped, headers)) for headers in shipped.attempts]
        if [chunk.size for chunk in recorded[-1].response.chunks or ()] == expected:
            save_cassette(Cassette(tuple(recorded)), folder / f"{shipped.name}.yaml")
            return
    raise RuntimeError(f"{shipped.name}: the network merged pieces in each of {ATTEMPTS} attempts; use a quiet machine")


async def _exchange(provider: Provider, shipped: Shipped, more: Mapping[str, str]) -> Interaction:
    """One request by the recorder; an answer that is no event stream, which it does not store, is captured again."""
    key = f"Bearer {provider.key}" if shipped.key_header == "authorization" else provider.key
    headers = {shipped.key_header: key, **shipped.headers, **more}
    with tempfile.TemporaryDirectory() as folder:
        outcome = await record_once(
            provider.url + shipped.path,
            path=Path(folder, "recorded.yaml"),
            json=shipped.sent,
            headers=headers,
            contract=named(shipped.contract),
            verify=provider.ssl_context(),
        )
        if outcome.path:
            recorded = load_cassette(outcome.path).interactions[0]
        else:
            recorded = await _captured(provider, shipped, headers)
    return replace(recorded, request=replace(recorded.request, uri=HOST + shipped.path))


async def _captured(provider: Provider, shipped: Shipped, headers: Mapping[str, str]) -> Interaction:
    """One exchange whose head says that no stream follows."""
    inner, tape = httpx2.AsyncHTTPTransport(verify=provider.ssl_context()), Tape()
    sent = {"accept": "text/event-stream", "accept-encoding": "identity", "content-type": "application/json", **headers}
    content = json.dumps(shipped.sent, ensure_ascii=False, separators=(",", ":")).encode()
    request = httpx2.Request("POST", provider.url + shipped.path, headers=sent, content=content)
    recorded = datetime.datetime.now(datetime.UTC)
    async with AsyncCaptureTransport(inner, tape) as transport:
        response = await transport.handle_async_request(request)
        response.request = request
        async for _ in response.aiter_raw():
            pass
        await response.aclose()
    return interaction_from_tape(
        tape,
        terminal_seen=True,
        recorded=recorded,
        client={"name": tape.client, "version": version(tape.client)},
        tool=version("sse-recorder"),
        outcome={"contract": shipped.contract, "code": str(check_head(response.status_code, response.headers))},
    )


def main(names: list[str]) -> None:
    """Record those named, or all."""
    unknown = set(names) - {each.name for each in SHIPPED}
    if unknown:
        sys.exit(f"no such cassette: {', '.join(sorted(unknown))}")
    with Provider() as provider:
        for each in SHIPPED:
            if not names or each.name in names:
                record(provider, each)
                print(each.name)


if __name__ == "__main__":
    main(sys.argv[1:])
