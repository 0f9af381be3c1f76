"""What sanitizing costs: cleaning and scanning a stream of 1 MB, on one core, in CPU seconds; and that it is linear.

Run as `python benchmarks/sanitize.py`. The budget is 1.5 s for clean + scan of 1 MB. With detect-secrets installed, its
regex plugins are measured on the text our detectors read; that is how the choice between them was made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import _bodies

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Recording, Request, Response
from recorder.sanitize import Sanitizer

MEGABYTE = 1_000_000
BUDGET_S = 1.5
KEY = "sk-planted-3141592653589793"
SECRETS = [f"another-known-secret-{number:04d}" for number in range(5)]
BODIES: dict[str, tuple[Callable[[int], bytes], int]] = {
    "chat": (_bodies.chat, 2000),
    "chat CRLF": (_bodies.chat_crlf, 2000),
    "chat CJK": (_bodies.chat_cjk, 2000),
    "shortest events": (_bodies.short, 4000),
}


def body(name: str, size: int) -> bytes:
    """About `size` bytes of one shape."""
    make, count = BODIES[name]
    return make(count * size // len(make(count)))


def one_text(size: int) -> bytes:
    """A single event whose text is all of it: the most for detectors to read."""
    words = "the stream arrives in pieces, and v1.2.3 of https://example.com/a?b=c says (2026-11-30): 50% is done. "
    return (
        b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": words * (size // 100)}}]}).encode()
    )


def with_secrets(stream: bytes) -> bytes:
    """A key in every hundredth event, in two halves."""
    events = stream.split(b"\n\n")
    halves = [
        b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}' % half.encode() for half in (KEY[:9], KEY[9:])
    ]
    return b"\n\n".join(
        each for n, event in enumerate(events) for each in ((*halves, event) if n % 100 == 99 else (event,))
    )


def cassette(stream: bytes) -> Cassette:
    """As recorded: a chunk every 190 bytes."""
    ends = [*range(190, len(stream), 190), len(stream)]
    chunks = tuple(Chunk(0.001, end - start) for start, end in pairwise([0, *ends]))
    request = Request(
        "POST", "https://api.example.com/v1", Headers({"authorization": f"Bearer {KEY}"}), b'{"model":"m"}'
    )
    head = Headers({"content-type": "text/event-stream"})
    return Cassette((Interaction(request, Response(200, head, stream, chunks, recording=Recording(tool="0"))),))


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The best of several runs, in CPU time."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def measure(name: str, stream: bytes, text: Literal["keep", "shape"] = "keep") -> float:
    """Learn, clean and scan, as saving does it; one line."""
    dirty = cassette(stream)
    sanitizer = Sanitizer.default(SECRETS, text=text)
    knowing = sanitizer.knowing(dirty)
    clean = knowing.clean_known(dirty).cassette
    parts = [
        seconds(lambda: sanitizer.knowing(dirty)),
        seconds(lambda: knowing.clean_known(dirty)),
        seconds(lambda: knowing.scan_known(clean)),
    ]
    total = sum(parts) / len(stream) * MEGABYTE
    verdict = "within" if total <= BUDGET_S else "OVER"
    learn, apply, scan = parts
    shares = f"learn {learn:.2f}  clean {apply:.2f}  scan {scan:.2f}"
    print(f"{name:<28}{len(stream):>9} B  {shares}  {total:.2f} s/MB  {verdict}")
    return total


def detect_secrets() -> None:
    """The regex plugins of detect-secrets on a megabyte of text, if it is installed."""
    try:
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings
    except ImportError:
        print("detect-secrets is not installed")
        return
    entropy = {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector"}
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    plugins = [
        each.__name__ for each in get_mapping_from_secret_type_to_class().values() if each.__name__ not in entropy
    ]
    text = json.loads(one_text(MEGABYTE)[6:])["choices"][0]["delta"]["content"]
    from recorder.sanitize import Rule

    with transient_settings({"plugins_used": [{"name": name} for name in plugins]}):
        theirs = seconds(lambda: list(scan_line(text)), runs=1)
    rules = [rule for rule in Sanitizer.default().rules if isinstance(rule, Rule) and rule.pattern]
    ours = seconds(lambda: [hit for rule in rules for hit in rule.find(text)], runs=1)
    print(
        f"1 MB of text: {len(plugins)} plugins of detect-secrets {theirs:.2f} s, our {len(rules)} patterns {ours:.2f} s"
    )


def main() -> None:
    """Every shape at 1 MB, with and without secrets, kept and shaped; then the growth from 1 to 4 MB."""
    for name in BODIES:
        measure(name, body(name, MEGABYTE))
    measure("one text", one_text(MEGABYTE))
    measure("chat, with secrets", with_secrets(body("chat", MEGABYTE)))
    for name in BODIES:
        measure(f"{name}, shape", body(name, MEGABYTE), "shape")
    measure("chat, with secrets, shape", with_secrets(body("chat", MEGABYTE)), "shape")
    one, four = measure("chat", body("chat", MEGABYTE)), measure("chat, 4 MB", body("chat", 4 * MEGABYTE))
    print(f"4 MB cost {four / one:.2f} times as much a byte as 1 MB")
    detect_secrets()


if __name__ == "__main__":
    main()
