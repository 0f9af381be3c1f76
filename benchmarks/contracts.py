"""Reading a chat stream to a verdict against the loop people write: httpx-sse's decoder and `json.loads`.

    python benchmarks/contracts.py [--quick] [--json] [--profile NAME] [--contract chat_text|chat]

The loop decodes each event, parses its JSON and looks at nothing; `recorder.read` also checks every chunk, keeps the
text and says whether the stream was complete. Each row is one body at one chunking; a ratio of 2.0 means that ours
takes half the time. CPU time, interleaved, best of several. No ratio is asked for at one byte a chunk.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from typing import Any

from _bodies import BODIES, CHUNKINGS, cut
from _compare import best_times, versions
from parser import httpx_sse_events

from recorder.contracts import chat, chat_text, read


def openai_like(count: int = 2000, end: str = "\n", usage: str = "null") -> bytes:
    """Deltas as OpenAI sends them with usage asked for: about 320 bytes, logprobs, usage and padding in each."""
    head = (
        '{"id":"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWx","object":"chat.completion.chunk","created":1790000000,'
        '"model":"bench-1-2026-11-30","service_tier":"default","system_fingerprint":"fp_0123456789","choices":['
    )
    tail = f'],"usage":{usage},"obfuscation":"aZ09bY18"}}'
    choice = '{{"index":0,"delta":{{{}}},"logprobs":null,"finish_reason":{}}}'
    deltas = [choice.format('"content":" word"', "null")] * count
    chunks = [head + each + tail for each in (*deltas, choice.format("", '"stop"'))]
    return "".join(f"data: {chunk}{end}{end}" for chunk in (*chunks, "[DONE]")).encode()


def openai_like_crlf(count: int = 2000) -> bytes:
    """The same deltas with CRLF."""
    return openai_like(count, "\r\n")


def usage_in_each(count: int = 2000) -> bytes:
    """Deltas of a provider that sends usage with every chunk."""
    return openai_like(count, usage='{"prompt_tokens":396,"completion_tokens":12,"total_tokens":408}')


STREAMS: dict[str, Callable[[int], bytes]] = {
    "chat LF": BODIES["chat LF"],
    "chat CRLF": BODIES["chat CRLF"],
    "chat CJK": BODIES["chat CJK"],
    "openai LF": openai_like,
    "openai CRLF": openai_like_crlf,
    "usage in each": usage_in_each,
}


def budget(body: str, chunking: str) -> float | None:
    """The ratio that must be reached; None where none is asked for."""
    if chunking == "1 B":
        return None
    return 1.4 if "CRLF" in body and chunking == "event" else 2.0


def the_usual_loop(chunks: list[bytes]) -> int:
    """Decode and parse until [DONE]; gives the number of events."""
    count = 0
    for event in httpx_sse_events(chunks):
        count += 1
        data: str = event.data
        if data == "[DONE]":
            break
        json.loads(data)
    return count


def measure(body: str, chunking: str, contract: Any, rounds: int, count: int) -> dict[str, Any]:
    """One row."""
    chunks = cut(STREAMS[body](count), chunking)
    verdict = read(chunks, contract)
    if not verdict.ok or verdict.events != the_usual_loop(chunks):
        raise SystemExit(f"{body!r} at {chunking!r}: {verdict!r}")
    calls: dict[str, Callable[[], object]] = {
        "recorder": lambda: read(chunks, contract),
        "loop": lambda: the_usual_loop(chunks),
    }
    times = best_times(calls, rounds)
    ratio, wanted = times["loop"] / times["recorder"], budget(body, chunking)
    return {
        "body": body,
        "chunks": chunking,
        "events": verdict.events,
        "us_per_event": {name: round(1e6 * took / verdict.events, 3) for name, took in times.items()},
        "ratio": round(ratio, 2),
        "budget": wanted,
        "met": wanted is None or ratio >= wanted,
    }


def shown(row: dict[str, Any]) -> str:
    """A row of the table."""
    us, wanted = row["us_per_event"], row["budget"]
    asked = "     -" if wanted is None else f"{wanted:>5.1f}x"
    figures = f"{us['recorder']:>9.2f} {us['loop']:>9.2f}  {row['ratio']:>5.2f}x {asked}"
    return f"{row['body']:<14} {row['chunks']:<7} {figures}" + ("" if row["met"] else "  MISSED")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="smaller bodies, fewer rounds")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    arguments.add_argument("--profile", default="openai", help="the profile of chat_text")
    arguments.add_argument("--contract", choices=("chat_text", "chat"), default="chat_text")
    options = arguments.parse_args()
    contract = chat() if options.contract == "chat" else chat_text(options.profile, max_output=None, max_events=None)
    rounds, count = (3, 500) if options.quick else (9, 2000)
    found = versions(["httpx-sse", "msgspec"])
    if not options.json:
        print(f"python {platform.python_version()}; " + ", ".join(f"{n} {v}" for n, v in found.items()))
        print(f"contract: {contract.name}; microseconds an event")
        print(f"{'body':<14} {'chunks':<7} {'recorder':>9} {'loop':>9}   ratio  budget")
    rows = []
    for body in STREAMS:
        for chunking in CHUNKINGS:
            row = measure(body, chunking, contract, rounds, count)
            rows.append(row)
            if not options.json:
                print(shown(row), flush=True)
    if options.json:
        print(json.dumps({"python": platform.python_version(), "versions": found, "rows": rows}, indent=2))
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
