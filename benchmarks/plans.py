"""What a plan costs: its steps for each chunk, a whole replay of two chunks as a sweep makes thousands, and memory.

    python benchmarks/plans.py [--quick] [--json]

Each row of the first table is one plan on one body of chat deltas: microseconds a chunk for `steps`, for `replay`, and,
as a measure of the machine, for a bare generator that cuts the body at the same places. The budget is 0.3 us a chunk
for the steps. Rows without a budget say why. Then the fixed cost of `replay(interaction, plan)` with two chunks of a
shipped stream, its plan new, or known already. CPU time, interleaved, best of several. At last, the memory that
expanding a plan holds at its peak.
"""

from __future__ import annotations

import argparse
import json
import platform
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from _bodies import BODIES
from _compare import best_times

from recorder.adapters import replay
from recorder.cassette import Chunk, Headers, Interaction, Request, Response, gallery, load_cassette
from recorder.plans import Deliver, Plan, boundary_classes, steps
from recorder.plans.partitions import partition

PER_CHUNK_US = 0.3
A_RUN_US = 10.0  # of the whole sweep machinery; a replay is the larger part of it

PLANS: dict[str, str] = {  # plan -> why it has no budget
    "chunks=whole": "one chunk",
    "chunks=recorded": "",
    "chunks=bytes:1": "",
    "chunks=bytes:16": "",
    "chunks=events": "",
    "chunks=lines": "",
    "chunks=hostile": "few chunks",
    "chunks=random:5000,1": "",
    "chunks=bytes:16; delay=fixed:20ms": "",
    "chunks=bytes:16; delay=rate:50/s": "",
    "chunks=bytes:16; delay=ttft:200ms": "",
    "chunks=bytes:16; delay=recorded*0.5": "",
    "chunks=bytes:16; delay=uniform:1ms,5ms,1": "",
    "chunks=bytes:16; edit=crlf,comments": "",
    "chunks=bytes:16; end=eof@-100": "",
    "chunks=bytes:16; end=stall@1000:30s": "",
}


def recorded_chat(count: int) -> Interaction:
    """Chat deltas that arrived in pieces of 400 bytes, 30 ms apart."""
    body = BODIES["chat LF"]() if count >= 2000 else BODIES["chat LF"]()[: count * 190]
    sizes = [min(400, len(body) - at) for at in range(0, len(body), 400)]
    chunks = tuple(Chunk(0.03, size) for size in sizes)
    return Interaction(Request("POST", "https://api.example.com/"), Response(200, Headers(), body, chunks))


def bare(body: bytes, cuts: Sequence[int]) -> Iterator[bytes]:
    """The least a generator can do."""
    start = 0
    for cut in cuts:
        yield body[start:cut]
        start = cut
    yield body[start:]


def exhaust(items: Iterable[object]) -> None:
    """Run through `items` at no cost of our own."""
    deque(items, maxlen=0)


def measure_chunks(interaction: Interaction, text: str, rounds: int) -> dict[str, Any]:
    """One row of the first table."""
    plan = Plan.parse(text)
    sizes = [len(step.data) for step in steps(plan, interaction) if isinstance(step, Deliver)]
    body = b"x" * sum(sizes)
    cuts = [sum(sizes[:1])]
    for size in sizes[1:-1]:
        cuts.append(cuts[-1] + size)
    calls: dict[str, Callable[[], object]] = {
        "steps": lambda: exhaust(steps(plan, interaction)),
        "replay": lambda: exhaust(replay(interaction, plan)),
        "bare": lambda: exhaust(bare(body, cuts)),
    }
    us = {name: 1e6 * took / len(sizes) for name, took in best_times(calls, rounds).items()}
    why = PLANS[text]
    met = bool(why) or us["steps"] <= PER_CHUNK_US
    return {"plan": text, "chunks": len(sizes), "us_per_chunk": us, "no_budget": why, "met": met}


def measure_run(rounds: int) -> dict[str, float]:
    """Microseconds of one whole replay of two chunks: with a new plan, and with one that is known."""
    count = 500
    interaction = load_cassette(gallery()["chat-lf"]).interactions[0]

    def known() -> None:
        for number in range(count):
            exhaust(replay(interaction, Plan(chunks=f"at:{number}")))

    def new() -> None:
        partition.cache_clear()
        known()

    def made() -> None:
        for number in range(count):
            Plan(chunks=f"at:{number}")

    times = best_times({"new plan": new, "known plan": known, "of it the plan": made}, rounds)
    return {name: 1e6 * took / count for name, took in times.items()}


def measure_memory(interaction: Interaction) -> dict[str, float]:
    """Peak memory in bytes for each byte of the body: expanding it byte by byte, and naming its boundary classes."""
    plan, size = Plan.parse("chunks=bytes:1; delay=fixed:1ms"), len(interaction.response.body)
    found = {}
    calls: dict[str, Callable[[], object]] = {
        "steps": lambda: exhaust(steps(plan, interaction)),
        "boundary classes": lambda: boundary_classes(bytes(bytearray(interaction.response.body))),
    }
    for name, call in calls.items():
        tracemalloc.start()
        call()
        found[name] = tracemalloc.get_traced_memory()[1] / size
        tracemalloc.stop()
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="a smaller body, fewer rounds")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the tables")
    options = arguments.parse_args()
    rounds, count = (3, 300) if options.quick else (9, 2000)
    interaction = recorded_chat(count)
    rows = [measure_chunks(interaction, text, rounds) for text in PLANS]
    run, memory = measure_run(rounds), measure_memory(interaction)
    met = all(row["met"] for row in rows) and run["new plan"] <= A_RUN_US
    if options.json:
        found = {"python": platform.python_version(), "rows": rows, "run_us": run, "memory": memory}
        print(json.dumps(found, indent=2))
    else:
        show(rows, run, memory)
    return 0 if met else 1


def show(rows: list[dict[str, Any]], run: dict[str, float], memory: dict[str, float]) -> None:
    """The same for people."""
    print(f"python {platform.python_version()}; microseconds a chunk")
    print(f"{'plan':<42} {'chunks':>7} {'steps':>7} {'replay':>7} {'bare':>7}  budget")
    for row in rows:
        times = " ".join(f"{took:>7.3f}" for took in row["us_per_chunk"].values())
        budget = (row["no_budget"] and f"none: {row['no_budget']}") or f"{PER_CHUNK_US}" + "  MISSED" * (not row["met"])
        print(f"{row['plan']:<42} {row['chunks']:>7} {times}  {budget}")
    print("\na whole replay of two chunks, microseconds: " + ", ".join(f"{name} {us:.1f}" for name, us in run.items()))
    print("peak memory, bytes a byte of the body: " + ", ".join(f"{name} {each:.2f}" for name, each in memory.items()))


if __name__ == "__main__":
    raise SystemExit(main())
