"""A recorded cassette is vcrpy's too: the installed vcrpy replays it to real clients, buffered, with the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import vcr

import recorder
from recorder.provider import Provider


def get_httpx(url: str, payload: dict[str, Any]) -> bytes:
    with httpx.stream("POST", url, json=payload) as response:
        return response.read()


def get_requests(url: str, payload: dict[str, Any]) -> bytes:
    return requests.post(url, json=payload, stream=True, timeout=5).content


@pytest.mark.parametrize("get", [get_httpx, get_requests])
@pytest.mark.parametrize(("model", "size"), [("chat-lf", 2440), ("chat-crlf", 2466)])
def test_stock_vcrpy_replays_what_was_recorded(tmp_path: Path, get: Any, model: str, size: int) -> None:
    """With the provider stopped, so that the bytes can only come from the file."""
    payload = {"model": model, "stream": True, "messages": []}
    with Provider(pace=0) as provider:
        url = f"{provider.url}/v1/chat/completions"
        verdict = recorder.record_stream(
            url,
            path=tmp_path / "chat.yaml",
            json=payload,
            headers={"authorization": f"Bearer {provider.key}"},
            verify=provider.ssl_context(),
        )
        assert verdict.ok
    with vcr.use_cassette(str(tmp_path / "chat.yaml"), record_mode="none") as playing:
        assert get(url, payload) == b"".join(provider.sent)
        assert playing.play_count == 1
    assert sum(map(len, provider.sent)) == size
