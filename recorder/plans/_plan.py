"""A plan as a value: the five terms of the grammar, parsed and written back."""

from __future__ import annotations

from dataclasses import dataclass

from recorder.errors import PlanError
from recorder.plans._chunks import check_chunks
from recorder.plans._delays import check_delay
from recorder.plans._ends import check_end

_CHECKS = {"chunks": check_chunks, "delay": check_delay, "end": check_end}


@dataclass(frozen=True, slots=True)
class Plan:
    """How the bytes of an interaction are delivered.

    Attributes:
        chunks, delay, end: the values of the grammar's terms as written; None is the default of that term.
    """

    chunks: str | None = None
    delay: str | None = None
    end: str | None = None

    @classmethod
    def parse(cls, text: str) -> Plan:
        """The plan that `text` writes, such as `chunks=bytes:1; end=eof@event:3`.

        Raises:
            PlanError: names the term at fault and what is allowed there.
        """
        terms: dict[str, str] = {}
        for term in filter(None, (part.strip() for part in text.split(";"))):
            name, equals, value = (part.strip() for part in term.partition("="))
            if not equals or name not in _CHECKS:
                raise PlanError(f"{term!r} is not a term: use {', '.join(f'{each}=' for each in _CHECKS)}")
            if name in terms:
                raise PlanError(f"{term!r}: {name}= is there twice; each term at most once")
            _CHECKS[name](value)
            terms[name] = value
        return cls(**terms)

    @classmethod
    def of(cls, plan: Plan | str | None) -> Plan:
        """A plan from what a `plan=` argument takes."""
        return plan if isinstance(plan, Plan) else cls.parse(plan or "")

    def __str__(self) -> str:
        given = {"chunks": self.chunks, "delay": self.delay, "end": self.end}
        return "; ".join(f"{name}={value}" for name, value in given.items() if value is not None)
