"""The families of plans a sweep goes through, by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recorder.plans import Plan

RANDOM_PLANS = 200


def _cuts(size: int) -> Iterator[Plan]:
    """All N+1 two-part deliveries; the cuts at 0 and N deliver the whole body at once."""
    return (Plan(chunks=f"at:{offset}") for offset in range(size + 1))


def _bytewise(size: int) -> Iterator[Plan]:
    """One byte at a time."""
    yield Plan(chunks="bytes:1")


def _random(size: int) -> Iterator[Plan]:
    """Seeded partitions of 2 to 33 parts."""
    return (Plan(chunks=f"random:{2 + seed % 32},{seed}") for seed in range(RANDOM_PLANS))


def _truncations(size: int) -> Iterator[Plan]:
    """A clean HTTP end at every byte before the last."""
    return (Plan(chunks="whole", end=f"eof@{offset}") for offset in range(size))


KINDS: dict[str, Callable[[int], Iterator[Plan]]] = {
    "cuts": _cuts,
    "bytewise": _bytewise,
    "random": _random,
    "truncations": _truncations,
}


def count(kind: str, size: int) -> int:
    """How many plans a family has for a body of `size` bytes."""
    return {"cuts": size + 1, "bytewise": 1, "random": RANDOM_PLANS, "truncations": size}[kind]
