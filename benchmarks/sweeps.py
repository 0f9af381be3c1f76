"""What a sweep costs beyond the reader's own time, in time and memory; what workers gain; all cuts of our own parser.

    python benchmarks/sweeps.py [--quick] [--json]

First table: microseconds for each further run of a sweep, for a reader that takes its chunks and looks its answer up,
less what the same reader takes on lists of the same chunks; the budget is 10 us a run and 0.3 us for each of its
chunks. What has to be known of each edited body is worked out once, however many runs there are of it, and is told
beside. Second:
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
from recorder.sweeps import KINDS as KINDS_OF
from recorder.sweeps._families import Subject
from recorder.sweeps._variants import plan_of

A_RUN_US, A_CHUNK_US, SPEED_UP = 10.0, 0.3, 1.7
BODY = recorder.load_cassette(recorder.gallery()["chat-lf"]).interactions[0].response.body
CONTRACT = recorder.contracts.chat_text()
FEW = 10  # runs of a sweep that stands for what a sweep costs once
KINDS = ("cuts", "pairs", "random", "truncations", "reset", "ends")
MANY = {"random": 2_000}  # of the others all, or the sample that is the default
BROKEN_OFF = (recorder.ReplayReset, recorder.ReplayIncomplete, recorder.ReplayStalled)
ANSWERS: dict[bytes, bool] = {}


def taking(chunks: Iterable[bytes]) -> bool:
    """A reader that does nothing, and says of every whole stream the same."""
    for _ in chunks:
        pass
    return True


def answering(chunks: Iterable[bytes]) -> bool:
    """A reader that is always right, and looks the answer up."""
    return ANSWERS[b"".join(taken(chunks))]


def taken(chunks: Iterable[bytes]) -> list[bytes]:
    """The chunks that come, until the stream ends or breaks off."""
    pieces = []
    try:
        for chunk in chunks:
            pieces.append(chunk)
    except BROKEN_OFF:
        pass
    return pieces


def working(chunks: Iterable[bytes]) -> int:
    """A reader that works for a millisecond."""
    size = sum(map(len, chunks))
    end = time.thread_time() + 0.001
    while time.thread_time() < end:
        pass
    return size


def deliveries(kind: str) -> list[list[bytes]]:
    """The chunks of every run of a kind; what a truthful reader says of them is in `ANSWERS` then."""
    runs = []

    def reading(chunks: Iterable[bytes]) -> bool:
        runs.append(taken(chunks))
        return ANSWERS.setdefault(b"".join(runs[-1]), recorder.read(runs[-1], CONTRACT).ok)

    report = recorder.sweep(reading, BODY, kind=kind, contract=CONTRACT, accepts=bool, sample=MANY.get(kind))
    assert report.ok, report
    return runs


def measure_runs(rounds: int) -> list[dict[str, Any]]:
    """Microseconds a run, kind by kind."""
    rows = []
    for kind in KINDS:
        prepared = deliveries(kind)
        once = 2 if kind == "ends" else FEW + 1  # with the run of the whole

        def swept(sample: int | None = MANY.get(kind), kind: str = kind) -> None:
            recorder.sweep(answering, BODY, kind=kind, contract=CONTRACT, accepts=bool, sample=sample)

        def alone(runs: list[list[bytes]] = prepared[once:]) -> None:
            for chunks in runs:
                answering(chunks)

        short = partial(swept, 1, "truncations") if kind == "ends" else partial(swept, FEW)  # ends are not sampled
        times = best_times({"sweep": swept, "short": short, "reader": alone}, rounds)
        rows.append(row(kind, prepared[once:], times["sweep"] - times["short"] - times["reader"]))
    rows.append(measure_edits(rounds))
    return rows


def row(kind: str, runs: list[list[bytes]], seconds: float) -> dict[str, Any]:
    """What so many seconds are for each of these runs."""
    us = 1e6 * seconds / len(runs)
    budget = A_RUN_US + A_CHUNK_US * sum(map(len, runs)) / len(runs)
    return {"kind": kind, "runs": len(runs), "us_per_run": us, "budget_us": budget, "met": us <= budget}


def measure_edits(rounds: int) -> dict[str, Any]:
    """Microseconds a run of edited bodies: every plan twice, beside once.

    The bodies are made, classed and judged by the contract once in a sweep, however many runs there are of each.
    """
    prepared = deliveries("edits")[1:]
    subject = Subject(recorder.Interaction.from_body(BODY), CONTRACT)
    plans = [plan_of(asked) for asked, _ in KINDS_OF["edits"](subject, None).cases(0, len(prepared))]
    twice = [plan for plan in plans for _ in range(2)]
    options: dict[str, Any] = {"contract": CONTRACT, "accepts": bool}
    times = best_times(
        {
            "kind": lambda: recorder.sweep(answering, BODY, kind="edits", **options),
            "bytewise": lambda: recorder.sweep(answering, BODY, kind="bytewise", **options),
            "twice": lambda: recorder.sweep(answering, BODY, plans=twice, **options),
            "listed": lambda: recorder.sweep(answering, BODY, plans=plans, **options),
            "reader": lambda: [answering(chunks) for chunks in prepared],
        },
        rounds,
    )
    further = times["twice"] - times["listed"] - times["reader"]
    once = times["kind"] - times["bytewise"] - times["reader"] - further
    return row("edits", prepared, further) | {"once_ms": 1e3 * once}


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
        missed = "" if row["met"] else "MISSED"
        print(
            f"  {row['kind']:<12} {row['runs']:>6} runs  {row['us_per_run']:6.1f} of {row['budget_us']:6.1f}  {missed}"
            + (f"and {row['once_ms']:.0f} ms once" if "once_ms" in row else "")
        )
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
