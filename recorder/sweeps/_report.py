"""What a sweep found: counts of all runs, the first failures, and a story of each.

A pass proves this: these bytes under these deliveries. It does not prove SSE compliance, provider support or uptime.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from recorder.plans import Boundary
from recorder.sweeps._failure import Failure
from recorder.sweeps._result import FAILING, Result, alike
from recorder.sweeps._tally import KEPT, Row, Tally

Classes = dict[Boundary, Counter[Result]]
PROVES = (
    "A pass proves these bytes under these deliveries: "
    "not full SSE compliance, provider support, speed, billing or uptime."
)


@dataclass(slots=True)
class Report:
    """The runs of one sweep.

    Attributes:
        kind: what was asked for.
        rows: the runs of each kind on each stream, in order.
        cut, stopped: for runs that cut, or stop, the stream at one place, the results by boundary class.
        absent: the boundary classes that none of the streams has.
        failures: the first 100.
        smallest: of each stream and word, the failure with the smallest plan, of each shape found until then.
        reader: its name, as a command would take it.
        notes: what else has to be known.
        interrupted: whether the sweep was broken off; what is here is true as far as it goes.
    """

    kind: str
    rows: list[Row] = field(default_factory=list)
    cut: Classes = field(default_factory=dict)
    stopped: Classes = field(default_factory=dict)
    absent: tuple[Boundary, ...] = ()
    failures: list[Failure] = field(default_factory=list)
    smallest: list[Failure] = field(default_factory=list)
    reader: str = ""
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False

    def add(self, tally: Tally) -> None:
        """Take over what one kind on one stream came to."""
        self.rows.append(tally.row)
        tally.row.story = min((tally.failures[each] for each in tally.smallest.values()), default=None, key=_size)
        classes = self.stopped if tally.stops else self.cut
        for boundary, counts in tally.classes.items():
            classes.setdefault(boundary, Counter()).update(counts)
        for number in tally.smallest.values():
            self._keep_smallest(tally.failures[number])
        self.failures += tally.failures[: KEPT - len(self.failures)]

    def _keep_smallest(self, failure: Failure) -> None:
        """Unless it is known already, or an error takes the place of another result that is known.

        It takes the place of a larger one of its shape: one of another is another hint of what is wrong.
        """
        known = [each for each in self.smallest if each.stream == failure.stream and alike(each.result, failure.result)]
        if not any(each.size <= failure.size for each in known):
            larger = [each for each in known if each.shape == failure.shape]
            self.smallest = [each for each in self.smallest if each not in larger] + [failure]

    @property
    def streams(self) -> tuple[str, ...]:
        """The names of the streams."""
        return tuple(dict.fromkeys(row.stream for row in self.rows))

    @property
    def counts(self) -> Counter[Result]:
        """How many runs had which result."""
        found: Counter[Result] = Counter()
        for row in self.rows:
            found.update(row.counts)
        return found

    @property
    def total(self) -> int:
        """The number of runs."""
        return self.counts.total()

    @property
    def ok(self) -> bool:
        """Whether every run was right, and there was one, and the sweep was not broken off."""
        counts = self.counts
        return 0 < counts.total() == counts[Result.RIGHT] and not self.interrupted

    def to_dict(self) -> Mapping[str, object]:
        """Plain values, without any bytes of a stream or of a result."""
        return {
            "kind": self.kind,
            "reader": self.reader,
            "ok": self.ok,
            "interrupted": self.interrupted,
            "total": self.total,
            "counts": _plain(self.counts),
            "rows": [
                {
                    "stream": row.stream,
                    "kind": row.kind,
                    "bytes": row.size,
                    "counts": _plain(row.counts),
                    "note": row.note,
                }
                for row in self.rows
            ],
            "classes": {
                name: {str(boundary): _plain(counts) for boundary, counts in in_order(classes)}
                for name, classes in (("cut", self.cut), ("stopped", self.stopped))
            },
            "absent": [str(boundary) for boundary in self.absent],
            "smallest": [failure.to_dict() for failure in self.smallest],
            "failures": [failure.to_dict() for failure in self.failures],
            "notes": [*self.notes, PROVES],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    def to_junit(self) -> str:
        """JUnit XML: a test case for each kind on each stream."""
        from recorder.sweeps._junit import junit

        return junit(self)

    def to_html(self) -> str:
        """A whole page, with the picture."""
        from recorder.sweeps._html import page

        return page(self)

    def to_svg(self) -> str:
        """The picture alone: each stream as a strip of offsets, coloured by result."""
        from recorder.sweeps._strip import svg

        return svg(self.rows)

    def _repr_html_(self) -> str:
        from recorder.sweeps._html import fragment

        return fragment(self)

    def __repr__(self) -> str:
        return f"<Report {self.kind}: {summary(self)}>"

    def __str__(self) -> str:
        from recorder.sweeps._text import text

        return text(self)


def _size(failure: Failure) -> tuple[int, int, int]:
    return failure.size


def summary(report: Report) -> str:
    """One line: `160 of 162 right, 2 raised`."""
    counts = report.counts
    wrong = [f"{counts[result]} {result}" for result in FAILING if counts[result]]
    return ", ".join([f"{counts[Result.RIGHT]} of {counts.total()} right", *wrong])


def in_order(classes: Classes) -> Iterator[tuple[Boundary, Counter[Result]]]:
    """Classes with their counts, in the order of `Boundary`."""
    return ((boundary, classes[boundary]) for boundary in Boundary if boundary in classes)


def _plain(counts: Counter[Result]) -> dict[str, int]:
    return {str(result): counts[result] for result in Result if counts[result]}
