"""The families of plans a sweep goes through, by kind.

Rule: a family is an indexed sequence that is never made whole: its size is known, and any range of it can be produced.
All pairs of cuts of a long stream are billions; nothing here grows with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isqrt
from typing import Literal

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.plans import Plan, boundary_classes, random_sums
from recorder.sweeps._edit_family import Truths, edit_plans
from recorder.sweeps._end_family import ends
from recorder.sweeps._variants import CutAt, CutAtRandom, StoppedAt, Variant

RANDOM_PLANS = 200
PAIRS = 2_000
OF_EACH_CLASS = 3
OF_EACH_SEED, MOST_PARTS = 8, 33

Sample = int | Literal["classes", "all"] | None
Case = tuple[Plan | Variant, int]  # the one place is where it divides or ends the body; -1 where there is not just one
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Subject:
    """A stream, the contract that judges it (None when no dialect is known), and whether its headers are seen."""

    interaction: Interaction
    contract: Contract | None
    headers_travel: bool = False

    @property
    def body(self) -> bytes:
        """The body as recorded."""
        return self.interaction.response.body


@dataclass(frozen=True, slots=True)
class Family:
    """The plans of one kind for one stream.

    Attributes:
        kind: its name.
        total: how many there are.
        cases: gives those from one number up to another.
        offsets: the places, where every plan has just one; a picture of the stream can show them.
        stops: whether the places are those where the stream stops; otherwise it is cut there.
        truths: what making the plans has shown of the body after their edits.
        note: what was left out, "" when nothing was.
    """

    kind: str
    total: int
    cases: Callable[[int, int], Iterator[Case]]
    offsets: Sequence[int] = ()
    stops: bool = False
    truths: Truths = field(default_factory=dict)
    note: str = ""


def checked(sample: object) -> Sample:
    """`sample` as a family takes it.

    Raises:
        ValueError: it is none of these.
    """
    if sample is None or sample == "classes" or sample == "all":
        return sample
    if isinstance(sample, int) and not isinstance(sample, bool) and sample > 0:
        return sample
    raise ValueError(f"sample={sample!r}: use None, 'classes', 'all', or a number of at least 1")


def _one_place(kind: str, offsets: Sequence[int], make: Callable[[int], Variant], note: str) -> Family:
    def cases(start: int, stop: int) -> Iterator[Case]:
        for at in offsets[start:stop]:
            yield make(at), at

    return Family(kind, len(offsets), cases, offsets, note=note)


def listed(kind: str, plans: Sequence[Plan | Variant]) -> Family:
    """A family of just these plans."""
    return Family(kind, len(plans), lambda start, stop: ((plan, -1) for plan in plans[start:stop]))


def spread(count: int, total: int, start: int = 0, stop: int | None = None) -> Iterator[int]:
    """`count` different numbers below `total`, increasing: one in each of so many equal parts, always the same ones.

    Args:
        start, stop: gives only those from one of them up to another, without going through what is before.
    """
    for number in range(count)[start:stop]:
        first, end = number * total // count, (number + 1) * total // count
        yield first + int((number * _GOLDEN % 1) * (end - first))


def _sampled(offsets: range, body: bytes, sample: Sample) -> tuple[Sequence[int], str]:
    """Which of `offsets` are tried, and what to say about it."""
    if sample == "classes":
        chosen = [at for at in _of_each_class(body) if at in offsets]
        return chosen, f"{len(chosen)} of {len(offsets)}: up to {OF_EACH_CLASS} of each boundary class"
    if isinstance(sample, int) and sample < len(offsets):
        return [
            offsets[number] for number in spread(sample, len(offsets))
        ], f"{sample} of {len(offsets)}, spread evenly"
    return offsets, ""


def _of_each_class(body: bytes) -> list[int]:
    """The first, the middle and the last offset of each boundary class."""
    chosen: set[int] = set()
    for offsets in boundary_classes(body).values():
        chosen |= {offsets[number * (len(offsets) - 1) // (OF_EACH_CLASS - 1)] for number in range(OF_EACH_CLASS)}
    return sorted(chosen)


def _cuts(subject: Subject, sample: Sample) -> Family:
    """All N+1 two-part deliveries; the cuts at 0 and N deliver the whole body at once."""
    body = subject.body
    offsets, note = _sampled(range(len(body) + 1), body, sample)
    return _one_place("cuts", offsets, CutAt, note)


def _bytewise(subject: Subject, sample: Sample) -> Family:
    """One byte at a time."""
    return listed("bytewise", [Plan(chunks="bytes:1")])


def _random(subject: Subject, sample: Sample) -> Family:
    """Seeded partitions of 2 to 33 parts, eight of each seed; every other one with seeded pauses."""
    total = sample if isinstance(sample, int) else 20 if sample == "classes" else RANDOM_PLANS

    def cases(start: int, stop: int) -> Iterator[Case]:
        sums: Sequence[float] = ()
        for number in range(start, stop):
            seed, turn = divmod(number, OF_EACH_SEED)
            if not turn or not sums:
                sums = random_sums(seed, MOST_PARTS)
            yield CutAtRandom(2 + seed % 4 + 4 * turn, seed, sums, waits=bool((seed + turn) % 2)), -1

    note = "" if total >= RANDOM_PLANS else f"{total} of {RANDOM_PLANS}"
    return Family("random", total, cases, note=note)


def _pairs(subject: Subject, sample: Sample) -> Family:
    """Two cuts inside the body: a sample, or all of them with `sample="all"`."""
    body = subject.body
    if sample == "classes":
        chosen = [at for at in boundary_classes(body).firsts if at < len(body)]
        return _pairs_of(chosen, len(chosen) * (len(chosen) - 1) // 2, "the first of each boundary class, in pairs")
    inner = range(1, len(body))
    total = len(inner) * (len(inner) - 1) // 2
    wanted = PAIRS if sample is None else total if sample == "all" else sample
    return _pairs_of(inner, min(wanted, total), f"{wanted} of {total}, spread evenly" if wanted < total else "")


def _pairs_of(offsets: Sequence[int], wanted: int, note: str) -> Family:
    total = len(offsets) * (len(offsets) - 1) // 2

    def cases(start: int, stop: int) -> Iterator[Case]:
        numbers = range(start, stop) if wanted == total else spread(wanted, total, start, stop)
        for number in numbers:
            first, second = pair(number)
            yield CutAt(offsets[first], offsets[second]), -1

    return Family("pairs", wanted, cases, note=note)


def pair(number: int) -> tuple[int, int]:
    """The pair of that number, counted from 0: (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), ..."""
    second = (1 + isqrt(8 * number + 1)) // 2
    return number - second * (second - 1) // 2, second


def _truncations(kind: str, end: str, with_whole: bool) -> Callable[[Subject, Sample], Family]:
    def stopped(subject: Subject, sample: Sample) -> Family:
        body = subject.body
        offsets, note = _sampled(range(len(body) + with_whole), body, sample)
        return replace(_one_place(kind, offsets, partial(StoppedAt, end), note), stops=True)

    return stopped


def _ends(subject: Subject, sample: Sample) -> Family:
    return listed("ends", list(ends(subject.body)))


def _edits(subject: Subject, sample: Sample) -> Family:
    plans, truths = edit_plans(subject.interaction, subject.contract, subject.headers_travel)
    return replace(listed("edits", plans), truths=truths)


KINDS: dict[str, Callable[[Subject, Sample], Family]] = {
    "cuts": _cuts,
    "bytewise": _bytewise,
    "random": _random,
    "truncations": _truncations("truncations", "eof", False),
    "incomplete": _truncations("incomplete", "incomplete", True),
    "reset": _truncations("reset", "reset", True),
    "stall": _truncations("stall", "stall", True),
    "pairs": _pairs,
    "ends": _ends,
    "edits": _edits,
}
NEED_A_CONTRACT = frozenset({"truncations", "incomplete", "reset", "stall", "ends"})
NEVER_END = frozenset({"stall", "ends"})  # a reader without a timeout hangs there, and may be right everywhere else
