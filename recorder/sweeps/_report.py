"""What a sweep found: counts of all runs, the first failures, and a story of each.

A pass proves this: these bytes under these deliveries. It does not prove SSE compliance, provider support or uptime.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from recorder.plans import Plan

KEPT = 100
AROUND = 16


class Result(StrEnum):
    """What one run amounts to."""

    RIGHT = "right"
    DIFFERS = "differs"  # another result than for the whole body
    RAISED = "raised"  # an error where the whole body gives none
    SILENT = "silent"  # cut before the end, and reported as finished
    FALSE_ALARM = "false alarm"  # an error although the stream is complete


REASONS = {
    Result.DIFFERS: "the same bytes, delivered in other pieces, gave another result",
    Result.RAISED: "the same bytes, delivered in other pieces, raised an error",
    Result.SILENT: "the stream stopped before its terminal event, and the reader reported success",
    Result.FALSE_ALARM: "the stream is complete, and the reader reported a failure",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """One run that was not right.

    Attributes:
        plan: the delivery; with it anybody can run it again.
        result: the kind of failure.
        offset: where the stream was cut, None when the plan cuts in many places.
        error: the exception class, "" when the reader returned.
        around: at most 16 bytes each side of the cut.
    """

    plan: Plan
    result: Result
    offset: int | None
    error: str = ""
    around: tuple[bytes, bytes] = field(default=(b"", b""), repr=False)

    @property
    def reason(self) -> str:
        """One line in words."""
        return REASONS[self.result] + (f" ({self.error})" if self.error else "")

    def picture(self) -> str:
        """The bytes around the cut, printable, with the cut marked."""
        before, after = (printable(part) for part in self.around)
        return f"{before} | {after}"

    def explain(self) -> str:
        """The story: what was delivered, what came of it, and the plan."""
        lines = [f"{self.result}: {self.reason}", f'plan: "{self.plan}"']
        if self.offset is not None:
            lines.insert(1, f"cut at byte {self.offset}: {self.picture()}")
        return "\n".join(lines)


def printable(data: bytes) -> str:
    """Bytes as text that is safe on a terminal: whole characters as they are, everything else escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return re.sub(
        r"[^\x20-\x7e\u00a1-\U0010ffff]|[\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", _escape, text
    )


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


@dataclass(slots=True)
class Report:
    """The runs of one sweep.

    Attributes:
        kind: the family of plans.
        counts: how many runs had which result.
        failures: the first 100.
    """

    kind: str
    counts: Counter[Result] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, failure: Failure) -> None:
        """Count a failure, and keep it if it is one of the first."""
        self.counts[failure.result] += 1
        if len(self.failures) < KEPT:
            self.failures.append(failure)

    @property
    def total(self) -> int:
        """The number of runs."""
        return self.counts.total()

    @property
    def ok(self) -> bool:
        """Whether every run was right, and there was one."""
        return self.total > 0 and self.counts[Result.RIGHT] == self.total

    def as_dict(self) -> Mapping[str, object]:
        """Plain values, without any bytes of the stream."""
        return {
            "kind": self.kind,
            "ok": self.ok,
            "total": self.total,
            "counts": {str(result): number for result, number in self.counts.items()},
            "failures": [
                {"plan": str(each.plan), "result": str(each.result), "offset": each.offset, "error": each.error}
                for each in self.failures
            ],
        }

    def to_json(self) -> str:
        """`as_dict` as JSON text."""
        return json.dumps(self.as_dict(), indent=2)

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.counts[Result.RIGHT]} of {self.total} right"]
        lines += [f"  {number} {result}" for result, number in self.counts.items() if result is not Result.RIGHT]
        if self.failures:
            lines += ["first failure:", *(f"  {line}" for line in self.failures[0].explain().splitlines())]
        return "\n".join(lines)
