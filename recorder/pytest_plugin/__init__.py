"""The pytest plugin: fixtures for testing a reader. Loads nothing heavy by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from recorder.provider import Provider


@pytest.fixture
def sse_provider() -> Iterator[Provider]:
    """The loopback provider, running for one test: `url`, `key`, `ssl_context()`, and what it was asked and sent."""
    from recorder.provider import Provider

    with Provider() as provider:
        yield provider
