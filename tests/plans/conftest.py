"""What the tests of plans have in common: streams with a recording, and steps written short."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorder.cassette import Chunk, Headers, Interaction, Request, Response, StreamEnd
from recorder.plans import Deliver, Plan, steps


def _stream(body: bytes, chunks: list[tuple[float, int]] | None = None, end: StreamEnd | None = None) -> Interaction:
    recorded = None if chunks is None else tuple(Chunk(delay_s, size) for delay_s, size in chunks)
    return Interaction(
        Request("POST", "https://api.example.com/v1"),
        Response(200, Headers({"content-type": "text/event-stream"}), body, chunks=recorded, end=end),
    )


def _brief(plan: str, interaction: Interaction) -> list[object]:
    """The steps, a delivery as its bytes."""
    return [step.data if isinstance(step, Deliver) else step for step in steps(Plan.parse(plan), interaction)]


def _pieces(plan: str, body: bytes) -> list[bytes]:
    """The chunks alone."""
    made = steps(Plan.parse(plan), Interaction.from_body(body))
    return [step.data for step in made if isinstance(step, Deliver)]


@pytest.fixture
def stream() -> Callable[..., Interaction]:
    """Makes an interaction from a body, its chunks as (seconds, bytes), and its end."""
    return _stream


@pytest.fixture
def brief() -> Callable[[str, Interaction], list[object]]:
    """Gives the steps of a plan, a delivery as its bytes."""
    return _brief


@pytest.fixture
def pieces() -> Callable[[str, bytes], list[bytes]]:
    """Gives the chunks of a plan for a body."""
    return _pieces
