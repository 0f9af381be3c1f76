"""HTTP/2 under httpx and httpx2: the same as without us, and the file says what it was."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

import recorder

EVENT = b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
STOP = b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
BODY = EVENT * 3 + STOP + b"data: [DONE]\n\n"


def ask(client: str, url: str, context: Any) -> tuple[str, bytes, str]:
    """The version of HTTP, the body, and the exception."""
    library: Any = importlib.import_module(client.removesuffix("-async"))
    got: list[bytes] = []
    version = ""

    def sync() -> None:
        nonlocal version
        with (
            library.Client(http2=True, verify=context, timeout=5) as session,
            session.stream("POST", f"{url}/v1/chat/completions", json={"stream": True}) as response,
        ):
            version = response.http_version
            got.extend(response.iter_raw())

    async def asynchronous() -> None:
        nonlocal version
        async with (
            library.AsyncClient(http2=True, verify=context, timeout=5) as session,
            session.stream("POST", f"{url}/v1/chat/completions", json={"stream": True}) as response,
        ):
            version = response.http_version
            async for piece in response.aiter_raw():
                got.append(piece)

    try:
        if client.endswith("-async"):
            asyncio.run(asynchronous())
        else:
            sync()
    except Exception as error:
        return version, b"".join(got), type(error).__name__
    return version, b"".join(got), ""


@pytest.mark.parametrize("client", ["httpx", "httpx2", "httpx-async", "httpx2-async"])
@pytest.mark.parametrize(
    ("plan", "end", "length"),
    [
        ("chunks=events", "complete", len(BODY)),
        ("chunks=events; end=eof@event:2", "eof", 2 * len(EVENT)),
        ("chunks=events; end=reset@event:2", "", 2 * len(EVENT)),
    ],
)
def test_http2(tmp_path: Path, client: str, plan: str, end: str, length: int) -> None:
    """Bare and recording are alike, over multiplexed connections too."""
    path = tmp_path / "chat.yaml"
    with recorder.serve(BODY, plan, repeat=True, tls=True) as server:
        context = server.ssl_context()
        bare = ask(client, server.url, context)
        with recorder.use_cassette(path):
            live = ask(client, server.url, context)
        assert len(server.log) == 2
    assert live == bare
    assert (live[0], len(live[1])) == ("HTTP/2", length)
    response = recorder.load_cassette(path).interactions[0].response
    assert response.body == live[1]
    assert response.end is not None
    assert response.recording is not None
    kind = {"ReadError": "reset", "RemoteProtocolError": "incomplete"}.get(live[2], end)  # `ssl` may take it for an end
    assert (response.end.kind, response.recording.wire["http"]) == (kind, "2")
    with recorder.use_cassette(path):
        played = ask(client, server.url, context)
    assert played[1] == live[1]
    assert (played[2] == "") == (live[2] == "")
