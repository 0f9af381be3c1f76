"""A run that was not right, with its story: what was delivered, what came of it, and how to run it again.

Rule: a value that travels between processes; what it shows of the stream and the results is short text already.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recorder.plans import Plan
from recorder.sweeps._result import EDIT_REASONS, REASONS, TWICE_REASONS, Result
from recorder.sweeps._shown import printable

_UNEQUAL = (Result.DIFFERS, Result.RAISED)


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where the plan divides or ends the bytes, and what is there.

    Attributes:
        offset: in the edited body.
        boundary: its class.
        before, after: at most 16 bytes each side.
    """

    offset: int
    boundary: str
    before: bytes = field(default=b"", repr=False)
    after: bytes = field(default=b"", repr=False)

    @property
    def picture(self) -> str:
        """The bytes around it, printable, with the place marked."""
        return f"{printable(self.before)} | {printable(self.after)}"

    @property
    def hex(self) -> str:
        """The same in hexadecimal."""
        return f"{self.before.hex(' ')} | {self.after.hex(' ')}"


@dataclass(frozen=True, slots=True)
class Failure:
    """One run that was not right.

    Attributes:
        plan: the smallest delivery known to fail this way; with it anybody can run it again.
        result: the word.
        stream: the name of the stream.
        error: the exception class, "" when the reader returned.
        expected, actual: what the results show of their first difference.
        cuts: the places of the plan, at most two.
        found: the delivery that failed in the sweep, when it was a larger one.
        kind: the family it was found in.
        command, line: what runs it again, in a shell and in a test.
        own: whether it was held against a run of the reader with the same edits.
        once_more: what the same delivery gave once more, where that was another word; None when it was not.
    """

    plan: Plan
    result: Result
    stream: str = ""
    error: str = ""
    expected: str = field(default="", repr=False)
    actual: str = field(default="", repr=False)
    cuts: tuple[Cut, ...] = ()
    found: Plan | None = None
    kind: str = ""
    command: str = ""
    line: str = ""
    own: bool = False
    once_more: Result | None = None

    @property
    def offset(self) -> int | None:
        """Where the stream was cut or stopped, None when the plan has no such place, or several."""
        return self.cuts[0].offset if len(self.cuts) == 1 else None

    @property
    def boundary(self) -> str:
        """The class of what failed: that of the place, of both, or the edit, or the whole body."""
        if self.cuts:
            return " and ".join(cut.boundary for cut in self.cuts)
        if self.plan.edits:
            return f"edit {','.join(self.plan.edits)}"
        return "the whole body" if self.in_one_piece else f"chunks {self.plan.chunks}"

    @property
    def in_one_piece(self) -> bool:
        """Whether the plan divides nothing; one cut at the start or the end does not."""
        chunks = self.plan.chunks or "whole"
        return not self.cuts and (chunks == "whole" or (chunks.startswith("at:") and "," not in chunks))

    @property
    def size(self) -> tuple[int, int, int]:
        """How large the plan is: parts, then where, then edits. The smaller one tells more."""
        several = 0 if self.plan.chunks in (None, "whole") else 3
        return len(self.cuts) or several, self.cuts[-1].offset if self.cuts else 0, len(self.plan.edits)

    @property
    def shape(self) -> tuple[str, tuple[str, ...]]:
        """How the stream ends, and what is edited: plans alike in this differ in their cuts, or in the place."""
        return (self.plan.end or "").partition("@")[0], self.plan.edits

    @property
    def reason(self) -> str:
        """One line in words."""
        pieces = self.own and self.result in _UNEQUAL
        twice = self.in_one_piece and self.plan.end is None and self.plan.delay is None
        table = EDIT_REASONS if self.plan.edits and not pieces else TWICE_REASONS if twice else REASONS
        return table[self.result] + (f" ({self.error})" if self.error else "")

    def picture(self) -> str:
        """The bytes around the first place, printable, with the place marked."""
        return self.cuts[0].picture if self.cuts else ""

    def explain(self) -> str:
        """The story: what was delivered, what came of it, and how to run it again."""
        lines = [f"{self.result}: {self.reason}"]
        if self.stream:
            lines.append(f"stream: {self.stream}")
        lines.append(f'plan: "{self.plan}"')
        if self.found is not None:
            lines.append(f'found with: "{self.found}"')
        where = "stopped at" if self.plan.end else "cut at"
        for cut in self.cuts:
            lines += [f"{where} byte {cut.offset}, {cut.boundary}:", f"  {cut.picture}", f"  {cut.hex}"]
        if not self.cuts:
            lines.append(f"where: {self.boundary}")
        if self.expected:
            lines.append(f"expected: {self.expected}")
        if self.actual:
            lines.append(f"actual:   {self.actual}")
        if self.once_more is not None:
            lines.append(f"once more: {self.once_more}: the reader does not do the same twice")
        lines += [f"again: {self.command}"] if self.command else []
        lines += [f"in a test: {self.line}"] if self.line else []
        return "\n".join(lines)

    def line_of(self) -> str:
        """The same in one line."""
        return f'{self.result}: {self.stream}, "{self.plan}", {self.boundary}'

    def to_dict(self) -> dict[str, object]:
        """Plain values, without any bytes of the stream or of a result."""
        return {
            "plan": str(self.plan),
            "result": str(self.result),
            "stream": self.stream,
            "kind": self.kind,
            "boundary": self.boundary,
            "offset": self.offset,
            "error": self.error,
            "found": None if self.found is None else str(self.found),
            "command": self.command,
        }
