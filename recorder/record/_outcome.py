"""What a recording came to, in numbers and codes: all that may be printed of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recorder.contracts import Accepted, Rejected


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a recording has come: events dispatched, body bytes received (decoded), seconds since the start."""

    events: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one attempt.

    Attributes:
        verdict: the contract's.
        status: the HTTP status, None when no head arrived.
        seconds: from sending the request to the verdict.
        path: the cassette that was written, None when there was nothing to store.
        attempt: what this attempt is called; "" when no request was made.
    """

    verdict: Accepted | Rejected
    status: int | None
    seconds: float
    path: Path | None
    attempt: str = ""

    @property
    def facts(self) -> dict[str, int | float | str | bool | None]:
        """The outcome as plain values, for JSON and for the outcome line."""
        verdict = self.verdict
        text = verdict.text if isinstance(verdict, Accepted) else verdict.partial.text
        return {
            "status": self.status,
            "seconds": round(self.seconds, 3),
            "events": verdict.events,
            "output_length": len(text or ""),
            "usage_seen": verdict.usage is not None if isinstance(verdict, Accepted) else False,
            "code": str(verdict.code),
            "attempt": self.attempt,
            "path": None if self.path is None else str(self.path),
        }

    def line(self) -> str:
        """One line: status, seconds, events, output length, usage seen, verdict code."""
        facts = self.facts
        usage = "usage seen" if facts["usage_seen"] else "no usage"
        return (
            f"status {self.status or '-'}  {self.seconds:.2f} s  {facts['events']} events  "
            f"{facts['output_length']} characters  {usage}  {facts['code']}"
        )
