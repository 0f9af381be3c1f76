"""Libraries we do not stream: vcrpy's own stand-ins, behind our matching, sanitizing and store."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

import recorder
from recorder.provider import Provider


def ask(provider: Provider, model: str) -> bytes:
    request = urllib.request.Request(
        f"{provider.url}/v1/chat/completions",
        json.dumps({"model": model, "stream": True}).encode(),
        {"authorization": f"Bearer {provider.key}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        body: bytes = response.read()
    return body


def test_urllib_is_recorded_and_replayed(plain: Provider, tmp_path: Path) -> None:
    """Whole, sanitized, and matched by what was asked."""
    path = tmp_path / "chat.yaml"
    with recorder.use_cassette(path) as used:
        live = [ask(plain, "chat-lf"), ask(plain, "chat-crlf")]
        assert used.recorded == 2
    assert plain.key not in path.read_text("utf-8")
    asked = len(plain.requests)
    with recorder.use_cassette(path) as used:
        played = [ask(plain, "chat-crlf"), ask(plain, "chat-lf")]
        assert used.unplayed == ()
    assert played == live[::-1]
    assert [len(each) for each in played] == [2466, 2440]
    assert len(plain.requests) == asked


def test_urllib_opens_no_socket_in_none(plain: Provider, tmp_path: Path) -> None:
    """A miss is refused before a connection is made."""
    from vcr.errors import CannotOverwriteExistingCassetteException

    asked = len(plain.requests)
    with (
        recorder.use_cassette(tmp_path / "none.yaml", mode="none"),
        pytest.raises(CannotOverwriteExistingCassetteException, match="which does not exist"),
    ):
        ask(plain, "chat-lf")
    assert len(plain.requests) == asked
