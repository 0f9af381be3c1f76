"""What the recording proxy adds to the time to the first event: direct and through the proxy, in turns, in one run.

Run as `python benchmarks/proxy.py`. The budget is direct + 5 ms in the median. Client, proxy and provider share the
machine, and the provider speaks TLS; both ways keep their connection to it.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import httpx2

from recorder.provider import Provider
from recorder.record import RecordingProxy

RUNS = 60
BUDGET_MS = 5.0
BODY = {"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}


def first_event_ms(client: httpx2.Client, url: str, key: str) -> float:
    """Milliseconds from the request to the first bytes of the body; the rest is read, and not measured."""
    headers = {"authorization": f"Bearer {key}"}
    started = time.perf_counter()
    with client.stream("POST", f"{url}/v1/chat/completions", json=BODY, headers=headers) as response:
        pieces = response.iter_raw()
        next(pieces)
        took = time.perf_counter() - started
        for _ in pieces:
            pass
    return took * 1000


def main() -> None:
    """Medians and the difference."""
    with Provider(pace=0) as provider, tempfile.TemporaryDirectory() as folder:
        context = provider.ssl_context()
        with (
            RecordingProxy(provider.url, Path(folder) / "a.yaml", verify=context) as proxy,
            httpx2.Client(verify=context) as client,
        ):
            direct, through = [], []
            for number in range(RUNS + 3):
                pair = [first_event_ms(client, url, provider.key) for url in (provider.url, proxy.url)]
                proxy.wait(count=number + 1)  # writing the file is not part of it
                if number >= 3:
                    direct.append(pair[0])
                    through.append(pair[1])
    added = statistics.median(through) - statistics.median(direct)
    verdict = "within" if added <= BUDGET_MS else "OVER"
    print(f"first event, median of {RUNS}: direct {statistics.median(direct):.2f} ms, ", end="")
    print(f"through the proxy {statistics.median(through):.2f} ms: +{added:.2f} ms  {verdict}")


if __name__ == "__main__":
    main()
