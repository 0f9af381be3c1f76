"""What the form says, and the plan it stands for.

Rule: the form loses nothing. Every plan can be put into it and comes out again; "" is the default of a term.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from recorder.cassette import Interaction
from recorder.errors import PlanError
from recorder.plans import Boundary, Plan, boundary_classes

COUNTED = ("bytes", "events", "lines")
CHUNKS = ("", "whole", "recorded", *COUNTED, "random", "hostile", "at")
DELAYS = ("", "none", "recorded", "fixed", "uniform", "rate", "ttft")
ENDS = ("", "complete", "recorded", "eof", "incomplete", "reset", "stall")
PACES = {"recorded": "1", "fixed": "20ms", "uniform": "5ms,50ms", "rate": "50/s", "ttft": "200ms"}


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of the controls.

    Attributes:
        chunks: a word of `CHUNKS`; `size` counts bytes, events, lines or the parts of `random`, `at` lists places.
        delay: a word of `DELAYS`; `pace` is what follows it.
        end: a word of `ENDS`; `stop` is where, "" for after the last byte.
        edits: as in `edit=`.
        seed: for what is random.
        framing: no control shows it, as it matters to a server alone; it is kept.
    """

    chunks: str = ""
    size: int = 1
    at: str = "mid:event"
    delay: str = ""
    pace: str = ""
    end: str = ""
    stop: str = ""
    edits: str = ""
    seed: int = 1
    framing: str = ""

    def plan(self) -> Plan:
        """The plan.

        Raises:
            PlanError: what was typed is not in the grammar.
        """
        return Plan(
            chunks=self._chunks() or None,
            delay=self._delay() or None,
            end=(f"{self.end}@{self.stop.strip()}" if self.stop.strip() and self.end else self.end) or None,
            framing=self.framing or None,
            edits=tuple(each.strip() for each in self.edits.split(",")) if self.edits.strip() else (),
        )

    def _chunks(self) -> str:
        if self.chunks in ("events", "lines") and self.size == 1:
            return self.chunks
        if self.chunks in COUNTED:
            return f"{self.chunks}:{self.size}"
        if self.chunks == "random":
            return f"random:{self.size},{self.seed}"
        return f"at:{self.at.replace(' ', '')}" if self.chunks == "at" else self.chunks

    def _delay(self) -> str:
        pace = self.pace.replace(" ", "") or PACES.get(self.delay, "")
        if self.delay == "recorded":
            return "recorded" if pace == "1" else f"recorded*{pace}"
        if self.delay == "uniform":
            return f"uniform:{pace},{self.seed}"
        return f"{self.delay}:{pace}" if self.delay in PACES else self.delay

    def of(self, plan: Plan) -> Choice:
        """This choice with the values of `plan`; what the plan does not use stays."""
        chunks, _, parts = (plan.chunks or "").partition(":")
        delay, _, pace = (plan.delay or "").partition(":")
        if delay.startswith("recorded*"):
            delay, pace = "recorded", delay.removeprefix("recorded*")
        end, _, stop = (plan.end or "").partition("@")
        made = replace(self, chunks=chunks, delay=delay, pace=pace, end=end, stop=stop)
        made = replace(made, edits=",".join(plan.edits), framing=plan.framing or "")
        if chunks in COUNTED:
            made = replace(made, size=int(parts or 1))
        elif chunks == "random":
            size, _, seed = parts.partition(",")
            made = replace(made, size=int(size), seed=int(seed))
        elif chunks == "at":
            made = replace(made, at=parts)
        if delay == "uniform":
            pace, _, seed = pace.rpartition(",")
            made = replace(made, pace=pace, seed=int(seed))
        return made


PRESETS = ("as recorded", "1 byte", "inside an emoji", "between CR and LF", "no [DONE]", "reset mid-event")


def preset(name: str, interaction: Interaction) -> Plan:
    """The plan a preset stands for, on this stream.

    Raises:
        PlanError: the stream has no such place.
    """
    if name == "inside an emoji":
        return Plan(chunks=f"at:{_inside_an_emoji(interaction.response.body)}")
    if name == "between CR and LF":
        edits = () if b"\r\n" in interaction.response.body else ("crlf",)
        return Plan(chunks="at:mid:crlf", edits=edits)
    return {
        "as recorded": Plan(),  # at which pace is the form's business
        "1 byte": Plan(chunks="bytes:1"),
        "no [DONE]": Plan(end="eof@terminal"),
        "reset mid-event": Plan(end="reset@mid:event"),
    }[name]


def _inside_an_emoji(body: bytes) -> int:
    """The middle of the first code point of four bytes, or inside the first one of several."""
    classes = boundary_classes(body)
    for boundary in (Boundary.CODE_POINT_2_OF_4, Boundary.CODE_POINT_1_OF_3, Boundary.CODE_POINT_1_OF_2):
        if boundary in classes:
            return classes[boundary][0]
    raise PlanError("this stream has no code point of several bytes, so no emoji to cut")
