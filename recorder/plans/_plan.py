"""A plan as a value: the five terms of the grammar, parsed and written back.

Rule: a plan that exists is in the grammar. Whether it fits a body is known when its steps are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recorder.errors import PlanError
from recorder.plans._framing import framing
from recorder.plans.delays import delay
from recorder.plans.edits import check_edits, encoding_of
from recorder.plans.ends import end
from recorder.plans.partitions import partition

_CHECKS: dict[str, Callable[[str], object]] = {"chunks": partition, "delay": delay, "end": end, "framing": framing}
_TERMS = (*_CHECKS, "edit")
_AFTER_A_COMMA = re.compile(rf",\s*({'|'.join(_TERMS)})\s*=")


@dataclass(frozen=True, slots=True)
class Plan:
    """How the bytes of an interaction are delivered.

    A value: it can be compared, hashed, pickled, and written as text that parses to the same plan.

    Attributes:
        chunks, delay, end, framing: the values of the grammar's terms as written; None is the default of that term.
        edits: the values of `edit=`, in order.

    Raises:
        PlanError: a value is not in the grammar; names it and what is allowed there.
    """

    chunks: str | None = None
    delay: str | None = None
    end: str | None = None
    framing: str | None = None
    edits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.chunks is not None:
            partition(self.chunks)
        if self.delay is not None:
            delay(self.delay)
        if self.end is not None:
            end(self.end)
        if self.framing is not None:
            framing(self.framing)
        if self.edits:
            if isinstance(self.edits, str):
                raise TypeError(f"edits={self.edits!r}: a sequence of edits, such as ('crlf', 'bom')")
            object.__setattr__(self, "edits", tuple(self.edits))
            check_edits(self.edits)

    @classmethod
    def parse(cls, text: str) -> Plan:
        """The plan that `text` writes, such as `chunks=bytes:1; end=eof@event:3; edit=crlf,bom`.

        White space around `;`, `=` and `,` does not matter.

        Raises:
            PlanError: names the term at fault and what is allowed there.
            TypeError: it is no str.
        """
        if not isinstance(text, str):
            raise TypeError(f"a plan is written as a str, not {type(text).__name__}")
        terms: dict[str, str] = {}
        for term in filter(None, map(str.strip, text.split(";"))):
            name, equals, value = map(str.strip, term.partition("="))
            if not equals or name not in _TERMS:
                raise PlanError(f"{term!r} is not a term: use {', '.join(f'{each}=' for each in _TERMS)}")
            if name in terms:
                raise PlanError(f"{term!r}: {name}= is there twice; each term at most once")
            if joined := _AFTER_A_COMMA.search(value):
                raise PlanError(f"{joined[1]}= is a term of its own: it stands after a ;, not after a comma")
            terms[name] = ",".join(map(str.strip, value.split(",")))
        edits = terms.pop("edit", None)
        return cls(**terms, edits=() if edits is None else tuple(edits.split(",")))

    @classmethod
    def of(cls, plan: Plan | str | None) -> Plan:
        """A plan from what a `plan=` argument takes.

        Raises:
            PlanError: the text is not in the grammar.
            TypeError: it is neither a plan nor a str nor None.
        """
        if isinstance(plan, Plan):
            return plan
        if plan is None or isinstance(plan, str):
            return cls.parse(plan or "")
        raise TypeError(f"a plan is a Plan or its text, not {type(plan).__name__}")

    @property
    def encoding(self) -> str | None:
        """The content encoding that the edits end with, None without one. It takes effect where headers travel."""
        return encoding_of(self.edits)

    def __str__(self) -> str:
        terms = [f"{name}={value}" for name in _CHECKS if (value := getattr(self, name)) is not None]
        if self.edits:
            terms.append(f"edit={','.join(self.edits)}")
        return "; ".join(terms)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.plans._html import plan_html

        return {"text/plain": repr(self), "text/html": plan_html(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.chunks, self.delay, self.end, self.framing, self.edits)
