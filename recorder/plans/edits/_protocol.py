"""What an edit is: a pure function from a body to splices of it.

Rule: edits are done left to right, each on the body the ones before it gave; POS means that body. An edit knows
nothing of chunks, times or ends.
"""

from __future__ import annotations

from typing import Protocol

from recorder.contracts import Contract
from recorder.plans._splices import Splices
from recorder.plans._values import Value


class Edit(Value, Protocol):
    """A value of `edit=` that changes the text."""

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        """What to change in `body`.

        Args:
            contract: for the place `terminal`; detected unless given.

        Raises:
            PlanError: the body does not have the place or the event.
        """
        ...
