"""Events of a generation job: named progress records and how the job ended; the job's id is nowhere in the stream."""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import GENERATION
from recorder.provider._scenario import Scenario

_OUTPUTS = [{"type": "image", "url": "https://loopback.invalid/outputs/1.png"}]


def _record(
    state: str,
    progress: float | None,
    outputs: list[dict[str, str]] | None = None,
    error: dict[str, str] | None = None,
    name: str = "progress",
) -> bytes:
    payload: dict[str, Any] = {"state": state, "progress": progress, "outputs": outputs, "error": error}
    return block(payload, name)


def _job(name: str, *blocks: bytes) -> Scenario:
    return Scenario(name, headers=GENERATION, pieces=pieces(blocks))


GENERATION_SCENARIOS = (
    _job(
        "generation-success",
        _record("queued", 0),
        _record("running", 50),
        _record("succeeded", 100, _OUTPUTS),
        _record("succeeded", 100, _OUTPUTS, name="done"),
    ),
    _job(
        "generation-failed",
        _record("queued", 0),
        _record("running", 25),
        _record("failed", 25, None, {"code": "synthetic", "message": "Synthetic failure of the job."}, "error"),
    ),
    _job(
        "generation-null-progress",
        _record("queued", None),
        b": still waiting\n\n",
        _record("running", None),
        _record("succeeded", None, _OUTPUTS, name="done"),
    ),
)
