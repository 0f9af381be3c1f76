"""What the recording proxy adds to the time to the first event: direct and through the proxy, in turns, in one run.

Run as `python benchmarks/proxy.py`. The budget is direct + 5 ms in the median, on a machine with nothing else to do.
Client, proxy and provider are processes of their own, as they are in use; the provider speaks TLS, and both ways keep
their connection to it. The fastest tenth is printed too: it is what is left of the difference on a busy machine.
"""

from __future__ import annotations

import json
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

RUNS = 40
BUDGET_MS = 5.0
BODY = {"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
PROVIDER = """
import json, sys
from recorder.provider import Provider
with Provider(pace=0) as provider:
    print(json.dumps({"url": provider.url, "key": provider.key, "ca": provider.ca_pem.decode()}), flush=True)
    sys.stdin.read()
"""


@contextmanager
def child(*command: str) -> Iterator[Iterator[dict[str, str]]]:
    """The lines of JSON that a process prints while it works."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield map(json.loads, process.stdout)
        finally:
            process.terminate()


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
    """Medians, fastest tenths, and the differences."""
    with tempfile.TemporaryDirectory() as folder, child(sys.executable, "-c", PROVIDER) as told:
        provider = next(told)
        trust = Path(folder) / "ca.pem"
        trust.write_text(provider["ca"])
        options = ("--upstream", provider["url"], "-o", f"{folder}/a.yaml", "--cacert", str(trust), "--json")
        context = ssl.create_default_context(cafile=str(trust))
        times: dict[str, list[float]] = {"direct": [], "proxy": []}
        with (
            child(sys.executable, "-m", "recorder", "proxy", *options) as proxy,
            httpx2.Client(verify=context) as client,
        ):
            address = next(proxy)["url"]
            for number in range(RUNS + 3):
                for name, url in (("direct", provider["url"]), ("proxy", address)):
                    took = first_event_ms(client, url, provider["key"])
                    if number >= 3:
                        times[name].append(took)
                next(proxy)  # the file is written, which is not part of it
    direct, through = sorted(times["direct"]), sorted(times["proxy"])
    for what, pick in (("median", statistics.median), ("fastest tenth", lambda values: values[len(values) // 10])):
        added = pick(through) - pick(direct)
        verdict = "within" if added <= BUDGET_MS else "OVER"
        print(f"{what:<14}direct {pick(direct):6.2f} ms  proxy {pick(through):6.2f} ms  +{added:.2f} ms  {verdict}")


if __name__ == "__main__":
    main()
