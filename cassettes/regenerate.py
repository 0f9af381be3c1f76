"""Record the shipped cassettes afresh from the loopback provider: `python cassettes/regenerate.py`.

Each is recorded again until the chunks are those the provider sent, since the network may merge two; so recording again
changes the times and nothing else. The host is written as one that cannot exist.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from recorder.cassette import load_cassette
from recorder.contracts import chat_text
from recorder.provider import Provider
from recorder.record import record_once
from recorder.sanitize import save_recording

FOLDER = Path(__file__).resolve().parent
NAMES = ("chat-lf", "chat-crlf")
ATTEMPTS = 10
URI = "https://loopback.invalid/v1/chat/completions"  # the provider's port is another one each time
PROMPT = "Say hello in five languages."


def record(provider: Provider, name: str) -> None:
    """Record the scenario `name` into its file.

    Raises:
        RuntimeError: the pieces were merged at every attempt.
    """
    path = FOLDER / f"{name}.yaml"
    for _ in range(ATTEMPTS):
        outcome = asyncio.run(
            record_once(
                f"{provider.url}/v1/chat/completions",
                path=path,
                json={"model": name, "stream": True, "messages": [{"role": "user", "content": PROMPT}]},
                headers={"authorization": f"Bearer {provider.key}"},
                contract=chat_text(),
                overwrite=True,
                verify=provider.ssl_context(),
            )
        )
        recorded = load_cassette(path).interactions[0]
        if [chunk.size for chunk in recorded.response.chunks or ()] == [len(piece) for piece in provider.sent]:
            named = replace(recorded, request=replace(recorded.request, uri=URI))
            save_recording(named, path)
            print(f"{name}: {outcome.line()}")
            return
    raise RuntimeError(f"{name}: the network merged pieces in each of {ATTEMPTS} attempts; try on a quiet machine")


if __name__ == "__main__":
    with Provider() as running:
        for each in NAMES:
            record(running, each)
