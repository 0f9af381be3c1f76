"""The other end of a client's connection, played: each read gives the next piece when it is due.

Rule: this is only the socket. What a library makes of the bytes, of their end and of time running out is left to its
own code, so the caller meets what it would meet on a real connection.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from enum import Enum

from recorder.adapters._clock import Clock, VirtualClock
from recorder.adapters._notes import STALLED, with_plan
from recorder.adapters._wire import Sent, wire
from recorder.cassette import Interaction
from recorder.errors import ReplayStalled
from recorder.plans import Contract, End, Ending, Plan, Wait


class Lost(Enum):
    """What a read can meet instead of bytes. An adapter says it as its library does."""

    RESET = "reset"
    TIMED_OUT = "timed out"  # nothing came for as long as the client waits


def reset_error() -> ConnectionResetError:
    """What a socket raises when the other side has reset the connection."""
    return ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))


class Line:
    """What one request is answered with, read piece by piece.

    Args:
        interaction, plan, method, contract: as for `wire`.
        clock: virtual unless given.

    Raises:
        PlanError: the plan does not fit the interaction.
        CodingError: the package for the plan's content coding is not installed.
    """

    def __init__(
        self,
        interaction: Interaction,
        plan: Plan,
        *,
        method: str = "POST",
        clock: Clock | None = None,
        contract: Contract | None = None,
    ) -> None:
        self.plan = plan
        self.clock = clock or VirtualClock()
        self._todo: Iterator[Sent] = wire(interaction, plan, method=method, contract=contract)
        self._put_back: Wait | None = None
        self._due = self.clock.now

    def read(self, timeout: float | None) -> bytes | Lost:
        """The next piece, b"" at the end of the connection.

        Args:
            timeout: how many seconds the client waits for something; None for ever.

        Raises:
            ReplayStalled: nothing ever comes, and the client waits for ever.
        """
        while (sent := self._next()) is not None:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return Lost.RESET if sent.ending is Ending.RESET else b""
            moment, gives_up = self._moment(sent, timeout)
            self.clock.sleep_until(moment)
            if gives_up:
                return Lost.TIMED_OUT
        return b""

    async def aread(self, timeout: float | None) -> bytes | Lost:
        """`read` in a coroutine, where other tasks get their turn during a wait."""
        while (sent := self._next()) is not None:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return Lost.RESET if sent.ending is Ending.RESET else b""
            moment, gives_up = self._moment(sent, timeout)
            await self.clock.asleep_until(moment)
            if gives_up:
                return Lost.TIMED_OUT
        return b""

    def read_now(self) -> bytes | Lost | None:
        """`read`, when that needs no waiting; None when it does, and then nothing is taken."""
        while (sent := self._next()) is not None:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return Lost.RESET if sent.ending is Ending.RESET else b""
            self._put_back = sent
            return None
        return b""

    def _next(self) -> Sent | None:
        if self._put_back is None:
            return next(self._todo, None)
        sent, self._put_back = self._put_back, None
        return sent

    def _moment(self, wait: Wait, timeout: float | None) -> tuple[float, bool]:
        """When this wait is over, and whether it is so because the client gives up."""
        if wait.seconds is None:
            self._put_back = wait  # whoever reads again waits again
            if timeout is None:
                raise with_plan(ReplayStalled(STALLED), self.plan)
            return self.clock.now + timeout, True
        self._due += wait.seconds
        if timeout is not None and self._due > self.clock.now + timeout:
            return self.clock.now + timeout, True
        return self._due, False
