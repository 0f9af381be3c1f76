"""What the tests of the importers share: a small file, written by hand, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from recorder.cassette import Converted, import_recording


class Check(Protocol):
    """Imports a file of one interaction, or more, and compares the first with what is said of it."""

    def __call__(self, name: str, data: bytes, *, format: str, body: bytes, **said: Any) -> Converted: ...


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Writes a file into a folder of its own."""

    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def check(written: Callable[[str, bytes], Path]) -> Check:
    """What is not said is what most of the files hold."""

    def check(
        name: str,
        data: bytes,
        *,
        format: str,
        body: bytes,
        unknown: tuple[str, ...] = ("chunks", "end"),
        asked: bytes | None = b'{"stream":true}',
        request: tuple[str, str] = ("POST", "https://api.example.com/v1/chat"),
        status: tuple[int, str] = (200, "OK"),
        content_type: str = "text/event-stream",
        count: int = 1,
    ) -> Converted:
        converted = import_recording(written(name, data))
        first = converted.cassette.interactions[0]
        assert converted.format == format
        assert tuple(converted.unknowns) == unknown
        assert len(converted.cassette.interactions) == count
        assert (first.request.method, first.request.uri) == request
        assert first.request.body == asked
        assert (first.response.status, first.response.reason) == status
        assert first.response.headers.first("content-type") == content_type
        assert first.response.body == body
        recording = first.response.recording
        assert recording is not None
        if count == 1:
            assert recording.imported == {"format": format, "unknown": list(unknown)}
        return converted

    return check
