"""`end=`: how delivery stops, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from recorder.cassette import EndKind, Interaction, StreamEnd
from recorder.errors import PlanError
from recorder.plans._durations import seconds
from recorder.plans._places import check_place, resolve_place


class Ending(StrEnum):
    """What the reader's transport meets after the last byte."""

    COMPLETE = "complete"  # a proper HTTP end
    EOF = "eof"  # a clean HTTP end, wherever it stands
    INCOMPLETE = "incomplete"  # closed inside the HTTP framing
    RESET = "reset"
    STALL = "stall"  # nothing more, and no end


@dataclass(frozen=True, slots=True)
class ResolvedEnd:
    """Deliver up to `at`; then, with `pause_s`, wait so long and deliver the rest; else stop as `ending` says."""

    ending: Ending
    at: int
    pause_s: float | None = None


ALLOWED = "complete, recorded, eof[@POS], incomplete[@POS], reset[@POS], stall[@POS[:30s]]"
_CUTTING = ("eof", "incomplete", "reset", "stall")


def _parts(value: str) -> tuple[str, str, str]:
    """The name, the place ("" when none) and, for a stall, the duration ("" when none)."""
    name, _, place = value.partition("@")
    if name == "stall" and ":" in place:
        head, _, last = place.rpartition(":")
        if last.endswith("s"):
            return name, head, last
    return name, place, ""


def check_end(value: str) -> None:
    """Raises:
    PlanError: `value` is not a value of `end=`.
    """
    name, place, pause = _parts(value)
    if value not in ("complete", "recorded") and name not in _CUTTING:
        raise PlanError(f"end={value}: unknown; use {ALLOWED}")
    if "@" in value:
        check_place(place)
    if pause:
        seconds(pause)


def resolve_end(value: str | None, interaction: Interaction) -> ResolvedEnd:
    """What `end=value` means for this interaction. None: recorded if known, else complete."""
    body, recorded = interaction.response.body, interaction.response.end
    if value == "recorded" and recorded is None:
        raise PlanError(
            "end=recorded: no end was recorded for this body; use complete, eof, incomplete, reset or stall"
        )
    if value in (None, "recorded"):
        return ResolvedEnd(_as_recorded(recorded), len(body))
    name, place, pause = _parts(value or "")
    at = resolve_place(place, body) if place else len(body)
    return ResolvedEnd(Ending(name), at, seconds(pause) if pause else None)


_REPLAYED = {
    EndKind.COMPLETE: Ending.COMPLETE,
    EndKind.EOF: Ending.EOF,
    EndKind.INCOMPLETE: Ending.INCOMPLETE,
    EndKind.RESET: Ending.RESET,
    EndKind.TIMEOUT: Ending.STALL,
}


def _as_recorded(end: StreamEnd | None) -> Ending:
    """A client that left after the terminal event saw all; after one that left before it, the rest is unknown."""
    if end is None:
        return Ending.COMPLETE
    if end.kind is EndKind.CLIENT_CLOSED:
        return Ending.COMPLETE if end.terminal_seen else Ending.INCOMPLETE
    return _REPLAYED[end.kind]
