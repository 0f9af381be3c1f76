"""The other end of a client's connection, played: each read gives the next piece when it is due.

Rule: this is only the socket. What a library makes of the bytes, of their end and of time running out is left to its
own code, so the caller meets what it would meet on a real connection.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import chain

from recorder.adapters._clock import Clock, VirtualClock
from recorder.adapters._notes import STALLED, with_plan
from recorder.adapters._wire import Sent, wire
from recorder.cassette import Interaction
from recorder.errors import ReplayStalled
from recorder.plans import Contract, End, Ending, Plan, Wait


class ReadTimedOut(Exception):
    """Nothing came for as long as the client waits. Never leaves this room: an adapter says so as its library does."""


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
        self._due = self.clock.now

    def read(self, timeout: float | None) -> bytes:
        """The next piece, b"" at the end of the connection.

        Args:
            timeout: how many seconds the client waits for something; None for ever.

        Raises:
            ReadTimedOut: nothing came in that time.
            ConnectionResetError: the plan resets the connection here.
            ReplayStalled: nothing ever comes, and the client waits for ever.
        """
        for sent in self._todo:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return self._end(sent)
            moment, gives_up = self._moment(sent, timeout)
            self.clock.sleep_until(moment)
            if gives_up:
                raise ReadTimedOut
        return b""

    async def aread(self, timeout: float | None) -> bytes:
        """`read` in a coroutine, where other tasks get their turn during a wait."""
        for sent in self._todo:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return self._end(sent)
            moment, gives_up = self._moment(sent, timeout)
            await self.clock.asleep_until(moment)
            if gives_up:
                raise ReadTimedOut
        return b""

    def read_now(self) -> bytes | None:
        """`read`, when that needs no waiting; None when it does, and then nothing is taken."""
        for sent in self._todo:
            if isinstance(sent, bytes):
                return sent
            if isinstance(sent, End):
                return self._end(sent)
            self._todo = chain((sent,), self._todo)
            return None
        return b""

    def _moment(self, wait: Wait, timeout: float | None) -> tuple[float, bool]:
        """When this wait is over, and whether it is so because the client gives up."""
        if wait.seconds is None:
            self._todo = iter((wait,))  # whoever reads again waits again
            if timeout is None:
                raise with_plan(ReplayStalled(STALLED), self.plan)
            return self.clock.now + timeout, True
        self._due += wait.seconds
        if timeout is not None and self._due > self.clock.now + timeout:
            return self.clock.now + timeout, True
        return self._due, False

    def _end(self, end: End) -> bytes:
        if end.ending is Ending.RESET:
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        return b""
