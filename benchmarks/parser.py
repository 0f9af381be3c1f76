"""Our parser against the event stream decoders Python clients use, on the same bytes, in one run.

    python benchmarks/parser.py [--quick] [--json] [--limits default|none|strict] [--body NAME]

Every decoder is driven as its own client drives it: httpx-sse's line decoder and event decoder over incrementally
decoded text, openai's and anthropic's `SSEDecoder.iter_bytes`, sseclient-py's `SSEClient(chunks).events()`. Ours goes
through `iter_events`. Each row is one body at one chunking; the ratio is the fastest of the others over ours, so 2.0
means that ours takes half the time. CPU time, interleaved, best of several.
"""

from __future__ import annotations

import argparse
import codecs
import json
import platform
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from _bodies import BODIES, CHUNKINGS, cut
from _compare import best_times, drain, versions

from recorder.sse import Limit, iter_events

LARGE = ("whole", "64 KiB", "4 KiB")
LIMITS: dict[str, dict[str, Any]] = {
    "default": {},
    "none": {"max_line": None, "max_event": None},
    "strict": {"utf8": "strict", "max_line": 1 << 20, "max_event": 1 << 20, "max_events": 100_000},
    "utf16": {"utf8": "strict", "max_line": Limit(65536, "utf16", counts="fields"), "max_event": Limit(65536, "utf16")},
}


def budget(body: str, chunking: str) -> float:
    """The ratio that must be reached."""
    if body in ("short LF", "chat LF"):
        return 2.0 if chunking in LARGE else 1.3 if chunking == "event" else 1.0
    if body in ("short CRLF", "short named", "chat CRLF", "anthropic"):
        return 1.5 if chunking in LARGE else 1.0
    return 1.0


def httpx_sse_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    """What `EventSource.iter_sse` does, without the response object."""
    from httpx_sse._decoders import SSEDecoder, SSELineDecoder

    text_decoder = codecs.getincrementaldecoder("utf-8")("replace")
    lines, events = SSELineDecoder(), SSEDecoder()
    for chunk in chunks:
        for line in lines.decode(text_decoder.decode(chunk)):
            event = events.decode(line.rstrip("\n"))
            if event is not None:
                yield event
    for line in lines.flush():
        event = events.decode(line.rstrip("\n"))
        if event is not None:
            yield event


def openai_events(chunks: Iterable[bytes]) -> Iterator[object]:
    from openai._streaming import SSEDecoder

    return SSEDecoder().iter_bytes(iter(chunks))


def anthropic_events(chunks: Iterable[bytes]) -> Iterator[object]:
    from anthropic._streaming import SSEDecoder

    return SSEDecoder().iter_bytes(iter(chunks))


def sseclient_events(chunks: Iterable[bytes]) -> Iterator[object]:
    from sseclient import SSEClient

    return iter(SSEClient(chunks).events())


OTHERS: dict[str, Callable[[Iterable[bytes]], Iterator[object]]] = {
    "httpx-sse": httpx_sse_events,
    "openai": openai_events,
    "anthropic": anthropic_events,
    "sseclient-py": sseclient_events,
}


def measure(body: str, chunking: str, limits: dict[str, Any], rounds: int, scale: float) -> dict[str, Any]:
    """One row: microseconds an event for every decoder, and the ratio to the fastest of the others."""
    chunks = cut(BODIES[body](int(scale * 2000) if body != "responses" else int(scale * 120)), chunking)
    events = drain(iter_events(chunks, **limits))
    calls: dict[str, Callable[[], object]] = {"recorder": lambda: drain(iter_events(chunks, **limits))}
    for name, decode in OTHERS.items():
        if drain(decode(chunks)) != events:
            raise SystemExit(f"{name} does not find the {events} events of {body!r} at {chunking!r}")
        calls[name] = lambda decode=decode: drain(decode(chunks))
    times = best_times(calls, rounds)
    ours = times.pop("recorder")
    fastest = min(times, key=times.__getitem__)
    ratio, wanted = times[fastest] / ours, budget(body, chunking)
    return {
        "body": body,
        "chunks": chunking,
        "events": events,
        "us_per_event": {name: round(1e6 * t / events, 3) for name, t in {"recorder": ours, **times}.items()},
        "fastest_other": fastest,
        "ratio": round(ratio, 2),
        "budget": wanted,
        "met": ratio >= wanted,
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="smaller bodies, fewer rounds")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    arguments.add_argument("--limits", choices=LIMITS, default="default", help="the limits our parser runs with")
    arguments.add_argument("--body", choices=BODIES, action="append", help="only this body (may be repeated)")
    options = arguments.parse_args()
    rounds, scale = (3, 0.25) if options.quick else (9, 1.0)
    rows = []
    found = versions(["httpx-sse", "openai", "anthropic", "sseclient-py"])
    if not options.json:
        print(f"python {platform.python_version()}; " + ", ".join(f"{n} {v}" for n, v in found.items()))
        print(f"limits: {options.limits}; microseconds an event")
        print(
            f"{'body':<12} {'chunks':<7} {'recorder':>9} " + " ".join(f"{n:>12}" for n in OTHERS) + "   ratio  budget"
        )
    for body in options.body or BODIES:
        for chunking in CHUNKINGS:
            row = measure(body, chunking, LIMITS[options.limits], rounds, scale)
            rows.append(row)
            if not options.json:
                us = row["us_per_event"]
                others = " ".join(f"{us[name]:>12.2f}" for name in OTHERS)
                note = "" if row["met"] else "  MISSED"
                print(
                    f"{body:<12} {chunking:<7} {us['recorder']:>9.2f} {others}  "
                    f"{row['ratio']:>5.2f}x  {row['budget']:.1f}x{note}",
                    flush=True,
                )
    if options.json:
        print(json.dumps({"python": platform.python_version(), "versions": found, "rows": rows}, indent=2))
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
