"""The gate that lets a test prove an order without sleeping: an answer waits at a given piece until somebody opens it.

Rule: waiting happens on the provider's loop, everything else on any thread; a gate opens once and stays open.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress


class Hold:
    """A pause of one answer after `after` pieces (0: after the head), until `release()`."""

    __slots__ = ("_opened", "_reached", "after")

    def __init__(self, after: int) -> None:
        if after < 0:
            raise ValueError(f"hold(after={after!r}): a number of pieces, zero or more")
        self.after = after
        self._reached = threading.Event()
        self._opened: Future[None] = Future()

    def release(self) -> None:
        """Open the gate; the second time does nothing."""
        with suppress(InvalidStateError):  # open already, or given up because the client left
            self._opened.set_result(None)

    def wait_reached(self, timeout: float = 5.0) -> None:
        """Block until the answer stands at the gate.

        Raises:
            TimeoutError: it did not within `timeout` seconds.
        """
        if not self._reached.wait(timeout):
            raise TimeoutError(f"no answer came to the hold after {self.after} pieces within {timeout} s")

    async def stand(self) -> None:
        """Wait for the gate, on the provider's loop."""
        self._reached.set()
        await asyncio.wrap_future(self._opened)


class Gates:
    """At most one gate that waits for the next answer, and those that answers have taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: Hold | None = None
        self._taken: list[Hold] = []

    def hold(self, after: int) -> Hold:
        """Set a gate for the next answer.

        Raises:
            RuntimeError: one is already waiting for it.
        """
        gate = Hold(after)
        with self._lock:
            if self._next is not None:
                raise RuntimeError(f"a hold after {self._next.after} pieces already waits for the next answer")
            self._next = gate
        return gate

    def take(self) -> Hold | None:
        """The gate for the answer that begins now."""
        with self._lock:
            gate, self._next = self._next, None
            if gate is not None:
                self._taken.append(gate)
            return gate

    def release(self) -> None:
        """Open every gate, the one still waiting for its answer included."""
        with self._lock:
            gates = [*self._taken, *([self._next] if self._next else [])]
            self._next, self._taken = None, []
        for gate in gates:
            gate.release()
