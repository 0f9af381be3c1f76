"""Which plan a request gets: `plan=` as every client-facing function takes it, made into one plan a request.

Rule: plans are for event streams. Any other response (a JSON side call, an error page) comes whole and complete,
whatever the plan says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recorder.cassette import Interaction, Request
from recorder.errors import PlanError
from recorder.plans import Contract, Plan

PlanSource = Plan | str | Sequence[Plan | str] | Callable[[Request, int], Plan | str | None] | None

WHOLE = Plan(chunks="whole", end="complete", framing="length")


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """What a `plan=` argument chooses from.

    Attributes:
        plans: the plan of the first attempt, the second and so on; the last one is for all that follow.
        ask: instead of them, a function of the request and the number of the attempt, from 0.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.
    """

    plans: tuple[Plan, ...] = (Plan(),)
    ask: Callable[[Request, int], Plan | str | None] | None = None
    contract: Contract | None = None

    @classmethod
    def of(cls, plan: PlanSource | PlanChoice, contract: Contract | None = None) -> PlanChoice:
        """The choice that `plan` describes.

        Args:
            plan: one plan or its text for every request; a sequence of them, the n-th for the n-th request that this
                interaction or one like it answers, the last repeated; a callable `(request, index) -> plan`; or None.
            contract: says which event is the terminal one; detected unless given.

        Raises:
            PlanError: a text is not in the grammar, or the sequence is empty.
            TypeError: it is none of these.
        """
        if isinstance(plan, PlanChoice):
            return plan
        if plan is None or isinstance(plan, Plan | str):
            return cls((Plan.of(plan),), None, contract)
        if callable(plan):
            return cls((), plan, contract)
        if not isinstance(plan, Sequence):
            raise TypeError(
                f"plan={plan!r}: a Plan, its text, a sequence of them, or a callable (request, index) -> plan"
            )
        if not plan:
            raise PlanError("plan=[]: an empty sequence has no plan for the first request")
        return cls(tuple(Plan.of(each) for each in plan), None, contract)

    def for_request(self, request: Request, attempt: int, interaction: Interaction) -> Plan:
        """The plan for this request.

        Args:
            request: the live one.
            attempt: how many requests like it came before.
            interaction: what answers it.

        Raises:
            PlanError: what the callable gave is not in the grammar.
            TypeError: what it gave is not a plan.
        """
        if not is_event_stream(interaction):
            return WHOLE
        if self.ask is not None:
            return Plan.of(self.ask(request, attempt))
        return self.plans[min(attempt, len(self.plans) - 1)]


def is_event_stream(interaction: Interaction) -> bool:
    """Whether its response says so: `text/event-stream`, parameters allowed (RFC 9110 section 8.3.1)."""
    kind = interaction.response.headers.first("content-type").partition(";")[0]
    return kind.strip().lower() == "text/event-stream"
