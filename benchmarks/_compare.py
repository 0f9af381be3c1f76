"""Compare callables by CPU time, side by side: interleaved, so that a slow moment of the machine hits all of them.

Rule: only ratios within one run mean anything; each callable is timed several times and its best run counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version


def best_times(contenders: dict[str, Callable[[], object]], rounds: int = 7, floor_s: float = 0.02) -> dict[str, float]:
    """CPU seconds of one call of each contender, best of `rounds`.

    Args:
        contenders: what to call, by name. Each is called once before anything is timed.
        rounds: how often each is measured; in every round all are, one after the other.
        floor_s: a measurement repeats its call until it lasts about this long, for the clock's grain.
    """
    repeats = {}
    for name, call in contenders.items():
        call()
        start = time.process_time()
        call()
        repeats[name] = max(1, round(floor_s / max(time.process_time() - start, 1e-6)))
    best = dict.fromkeys(contenders, float("inf"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in contenders.items():
                start = time.process_time()
                for _ in range(repeats[name]):
                    call()
                best[name] = min(best[name], (time.process_time() - start) / repeats[name])
    finally:
        gc.enable()
    return best


def versions(names: Iterable[str]) -> dict[str, str]:
    """The installed version of each distribution, or "not installed"."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def drain(items: Iterable[object]) -> int:
    """Go through `items` as a caller's loop would; give how many there were."""
    count = 0
    for _ in items:
        count += 1
    return count
