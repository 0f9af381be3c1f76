"""What a sweep costs beyond the reader's own time, in time and memory; what workers gain; all cuts of our own parser.

    python benchmarks/sweeps.py [--quick] [--json]

First table: microseconds for each further run of a sweep, for a reader that does nothing but take its chunks, less what
the same reader takes on lists of the same chunks; the budget is 10 us a run and 0.3 us for each of its chunks. Second:
microseconds a chunk in one-byte chunks, the same way; the budget is 0.3 us. Then the peak memory of sweeps of different
length; the speed-up of two processes for a reader that works for a millisecond; and the shortcut for every cut of our
own parser beside the plain way. CPU time, interleaved, best of several; the speed-up is worked out from CPU time too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import time
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

from _bodies import BODIES
from _compare import best_times

import recorder
from recorder.sse import differing_cuts, iter_events

A_RUN_US, A_CHUNK_US, SPEED_UP = 10.0, 0.3, 1.7
BODY = recorder.load_cassette(recorder.gallery()["chat-lf"]).interactions[0].response.body
FEW = 10  # runs of a sweep that stands for what a sweep costs once
KINDS = {"cuts": 2, "pairs": 3, "truncations": 1, "reset": 1}  # each with the chunks of a run


def taking(chunks: Iterable[bytes]) -> bool:
    """A reader that does nothing, and says of every whole stream the same."""
    for _ in chunks:
        pass
    return True


def refusing(chunks: Iterable[bytes]) -> bool:
    """The same for streams that stop early: it never claims success, which is right but for the last of them."""
    for _ in chunks:
        pass
    return False


def working(chunks: Iterable[bytes]) -> int:
    """A reader that works for a millisecond."""
    size = sum(map(len, chunks))
    end = time.thread_time() + 0.001
    while time.thread_time() < end:
        pass
    return size


def deliveries(kind: str) -> list[list[bytes]]:
    """The chunks of every run of a kind, made beforehand."""
    size = len(BODY)
    if kind == "cuts":
        return [[BODY[:at], BODY[at:]] for at in range(size + 1)]
    if kind == "pairs":
        return [[BODY[: at // 2], BODY[at // 2 : at], BODY[at:]] for at in range(2, size)][:2000]
    return [[BODY[:at]] for at in range(size + (kind == "reset"))]


def measure_runs(rounds: int) -> list[dict[str, Any]]:
    """Microseconds a run, kind by kind."""
    rows = []
    contract = recorder.contracts.chat_text()
    for kind, chunks in KINDS.items():
        prepared = deliveries(kind)
        reader = taking if kind in ("cuts", "pairs") else refusing

        def swept(sample: int | None = None, kind: str = kind, reader: Callable[..., bool] = reader) -> None:
            recorder.sweep(reader, BODY, kind=kind, contract=contract, accepts=bool, sample=sample)

        def alone(prepared: list[list[bytes]] = prepared, reader: Callable[..., bool] = reader) -> None:
            for chunks in prepared[FEW:]:
                reader(chunks)

        times = best_times({"sweep": swept, "short": partial(swept, FEW), "reader": alone}, rounds)
        us = 1e6 * (times["sweep"] - times["short"] - times["reader"]) / (len(prepared) - FEW)
        rows.append(
            {"kind": kind, "runs": len(prepared), "us_per_run": us, "met": us <= A_RUN_US + chunks * A_CHUNK_US}
        )
    return rows


def measure_chunks(rounds: int) -> dict[str, Any]:
    """Microseconds a chunk, in chunks of one byte: many runs of the same plan."""
    plans = ["chunks=bytes:1"] * (FEW + 50)
    pieces = [BODY[at : at + 1] for at in range(len(BODY))]
    calls: dict[str, Callable[[], object]] = {
        "sweep": lambda: recorder.sweep(taking, BODY, plans=plans, accepts=bool),
        "short": lambda: recorder.sweep(taking, BODY, plans=plans[:FEW], accepts=bool),
        "reader": lambda: [taking(pieces) for _ in plans[FEW:]],
    }
    times = best_times(calls, rounds)
    us = 1e6 * (times["sweep"] - times["short"] - times["reader"]) / (50 * len(pieces))
    return {"us_per_chunk": us, "met": us <= A_CHUNK_US}


def measure_memory(counts: Iterable[int]) -> dict[int, float]:
    """Peak memory in KiB of sweeps of so many pairs, every run failing in the second half of them."""
    found = {}
    for count in counts:
        recorder.sweep(taking, BODY, kind="pairs", sample=5_000)  # what is remembered of plans is full
        tracemalloc.start()
        recorder.sweep(lambda chunks: len(next(iter(chunks))) > 900, BODY, kind="pairs", sample=count)
        found[count] = tracemalloc.get_traced_memory()[1] / 1024
        tracemalloc.stop()
    return found


def measure_workers(count: int) -> dict[str, Any]:
    """The same sweep here and on two processes: wall time, and what two idle cores would make of the CPU time.

    CPU seconds of `count` further runs: here; in the processes, which share them; and at home, where nothing is shared.
    """
    recorder.sweep(working, BODY, kind="pairs", sample=FEW)
    wall, cpu = time.perf_counter(), time.process_time()
    here = recorder.sweep(working, BODY, kind="pairs", sample=count)
    alone_s, alone_cpu = time.perf_counter() - wall, time.process_time() - cpu
    short, long = spread_over_two(FEW), spread_over_two(count)
    there, home = (after - before for before, after in zip(short["cpu"], long["cpu"], strict=True))
    gain = alone_cpu / (there / 2 + home)
    same = here.to_json() == long["report"].to_json()
    return {
        "runs": count,
        "wall_s": (alone_s, long["wall"]),
        "cpu_s": (alone_cpu, there, home),
        "speed_up": gain,
        "same": same,
        "met": gain >= SPEED_UP,
    }


def spread_over_two(count: int) -> dict[str, Any]:
    """A sweep on two fresh processes: wall seconds without their start, CPU seconds there and here with it."""
    there, home = children_cpu(), time.process_time()
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.3] * 4))
        start = time.perf_counter()
        report = recorder.sweep(working, BODY, kind="pairs", sample=count, executor=pool)
        wall = time.perf_counter() - start
    return {"wall": wall, "report": report, "cpu": (children_cpu() - there, time.process_time() - home)}


def children_cpu() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_shortcut(sizes: Iterable[int]) -> list[dict[str, Any]]:
    """CPU seconds for every cut of bodies of different size; the plain way where it comes to an end."""
    rows = []
    for size in sizes:
        body = (BODIES["chat LF"]() * 4)[:size]
        start = time.process_time()
        found = differing_cuts(body)
        took = time.process_time() - start
        row: dict[str, Any] = {"bytes": size, "shortcut_s": took, "plain_s": None, "same": None}
        if size <= 20_000:
            start = time.process_time()
            whole = list(iter_events([body]))
            plain = [at for at in range(size + 1) if list(iter_events([body[:at], body[at:]])) != whole]
            row |= {"plain_s": time.process_time() - start, "same": plain == found}
        rows.append(row)
    return rows


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="smaller bodies, fewer rounds")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the tables")
    options = arguments.parse_args()
    rounds = 3 if options.quick else 7
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "runs": measure_runs(rounds),
        "chunks": measure_chunks(rounds),
        "memory_kib": measure_memory((2_000, 8_000) if options.quick else (2_000, 20_000, 100_000)),
        "workers": measure_workers(2_000 if options.quick else 10_000),
        "shortcut": measure_shortcut((5_000, 20_000) if options.quick else (5_000, 20_000, 100_000, 1_000_000)),
    }
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
    met = [*(row["met"] for row in found["runs"]), found["chunks"]["met"], found["workers"]["met"]]
    return 0 if all(met) and all(row["same"] is not False for row in found["shortcut"]) else 1


def show(found: dict[str, Any]) -> None:
    """The same for people."""
    print(f"python {found['python']}, load {found['load']:.1f}; microseconds a run beyond the reader's own")
    for row in found["runs"]:
        print(f"  {row['kind']:<12} {row['runs']:>6} runs  {row['us_per_run']:6.1f}  {'' if row['met'] else 'MISSED'}")
    print(f"microseconds a chunk: {found['chunks']['us_per_chunk']:.3f}  {'' if found['chunks']['met'] else 'MISSED'}")
    print("peak memory, KiB: " + ", ".join(f"{count} runs {kib:.0f}" for count, kib in found["memory_kib"].items()))
    workers = found["workers"]
    (alone, two), (here, there, home) = workers["wall_s"], workers["cpu_s"]
    print(f"{workers['runs']} runs of 1 ms, wall: here {alone:.2f} s, on two processes {two:.2f} s")
    print(f"  CPU: here {here:.2f} s, there {there:.2f} s, at home {home:.2f} s")
    print(f"  {workers['speed_up']:.2f}x on idle cores; reports {'the same' if workers['same'] else 'DIFFER'}")
    for row in found["shortcut"]:
        plain = "" if row["plain_s"] is None else f", plainly {row['plain_s']:.2f} s, same: {row['same']}"
        print(f"every cut of {row['bytes']:>9,} bytes: {row['shortcut_s']:.2f} s{plain}")


if __name__ == "__main__":
    raise SystemExit(main())
