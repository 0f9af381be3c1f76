"""The seam between the reader and the dialects: a contract, and a run of it over one stream.

Rule: a contract is a frozen value that can be compared, hashed, pickled and shared; everything that changes lives in
the run it starts. A run sees events only: bytes, offsets, clocks and exceptions are the reader's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from recorder.contracts._verdict import Partial, Verdict
from recorder.sse import Event, EventStreamParser


class Run(Protocol):
    """One stream under judgement. Once it has decided it stays decided."""

    def event(self, event: Event) -> Verdict | None:
        """Judge the next event: None means go on, a verdict means stop reading."""
        ...

    def several(self, events: Iterable[Event]) -> Verdict | None:
        """Judge events one after the other until one decides: what `event` on each would give, in less time."""
        ...

    def eof(self) -> Verdict:
        """Judge the end of the stream."""
        ...

    @property
    def events(self) -> int:
        """Events seen so far."""
        ...

    @property
    def partial(self) -> Partial:
        """What has arrived so far: evidence, not an answer."""
        ...


class Contract(Protocol):
    """One dialect's completion rule."""

    @property
    def name(self) -> str:
        """The name in cassettes and reports, such as "chat_text/openai"."""
        ...

    def parser(self) -> EventStreamParser:
        """A fresh parser with the contract's UTF-8 policy and limits."""
        ...

    def start(self) -> Run:
        """A fresh run."""
        ...


def check_contract(contract: object) -> None:
    """Look at what was given for a contract, before anything is read or sent.

    Raises:
        TypeError: it is none.
    """
    if not (hasattr(contract, "parser") and hasattr(contract, "start")):
        raise TypeError(f"contract={contract!r}: a contract such as recorder.contracts.chat() would be right")
