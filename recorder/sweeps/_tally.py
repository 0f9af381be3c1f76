"""What many runs came to, in bounded memory: numbers by kind, by boundary class, by place; and the first failures.

Rule: tallies of two ranges put together are the tally of both, whoever counted them and in whatever process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from recorder.plans import Boundary
from recorder.sweeps._failure import Failure
from recorder.sweeps._result import FAILING, Result

KEPT = 100
TOO_MANY_HUNG = 3
COLUMNS = 600  # of the picture: offsets that share a column show the worst of them


@dataclass(slots=True)
class Row:
    """The runs of one kind on one stream.

    Attributes:
        stream, kind: which.
        size: bytes of the stream.
        counts: how many runs had which result.
        columns: for kinds with one place a run, the result at each part of the stream, as its number among
            `Result`, plus 1; 0 where nothing ran.
        note: what was left out.
        story: the smallest of its failures, None when there was none.
    """

    stream: str
    kind: str
    size: int = 0
    counts: Counter[Result] = field(default_factory=Counter)
    columns: bytearray = field(default_factory=bytearray)
    note: str = ""
    story: Failure | None = None

    @property
    def total(self) -> int:
        """The number of runs."""
        return self.counts.total()

    def mark(self, at: int, result: Result) -> None:
        """Show `result` at an offset, unless there is a worse one."""
        column = at * len(self.columns) // (self.size + 1)
        self.columns[column] = max(self.columns[column], NUMBERS[result])

    def mark_right(self, tried: Sequence[int]) -> None:
        """Show that these offsets were tried; what failed there is marked already."""
        columns, size = len(self.columns), self.size + 1
        for column in {at * columns // size for at in tried}:
            self.columns[column] = self.columns[column] or NUMBERS[Result.RIGHT]

    def merge(self, other: Row) -> None:
        """Add what another range of the same runs came to."""
        self.counts.update(other.counts)
        self.columns = bytearray(map(max, self.columns, other.columns))


NUMBERS = {result: number for number, result in enumerate((Result.RIGHT, *FAILING), 1)}


@dataclass(slots=True)
class Tally:
    """One row, its runs by boundary class, and its first failures.

    Attributes:
        stops: whether the places are those where the stream stops; otherwise it is cut there.
        smallest: for each word, which of the failures is the minimized one.
    """

    row: Row
    stops: bool = False
    classes: dict[Boundary, Counter[Result]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    smallest: dict[Result, int] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether so many runs hung that nothing more is run."""
        return self.row.counts[Result.HUNG] >= TOO_MANY_HUNG

    def keep(self, failure: Failure) -> None:
        """Keep a failure if it is one of the first."""
        if len(self.failures) < KEPT:
            self.failures.append(failure)

    def in_class(self, boundary: Boundary, result: Result, number: int = 1) -> None:
        """Count runs at places of a class."""
        self.classes.setdefault(boundary, Counter())[result] += number

    def merge(self, other: Tally) -> None:
        """Add what another, later range of the same runs came to."""
        self.row.merge(other.row)
        for boundary, counts in other.classes.items():
            self.classes.setdefault(boundary, Counter()).update(counts)
        self.failures += other.failures[: KEPT - len(self.failures)]
