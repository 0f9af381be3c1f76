"""The response body as a source of chunks with two clocks on it, a total deadline and an idle limit, and a byte cap."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from recorder.coding import decoder
from recorder.errors import FaultCode, LimitExceeded
from recorder.tape import Tape


class Deadline:
    """A moment on the running loop's clock, `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        self._clock = asyncio.get_running_loop().time
        self._started = self._clock()
        self._seconds = seconds

    def spent(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._started

    def left(self, at_most: float | None = None) -> float:
        """Seconds that are left, never less than 0, no more than `at_most`."""
        left = max(0.0, self._seconds - self.spent())
        return left if at_most is None else min(left, at_most)


class ReadCancelled(Exception):
    """The task that reads was cancelled: what had come is judged, and the cancellation is passed on afterwards."""


class Pieces:
    """The decoded body as it arrives: an async iterator that is read on after the verdict, so it has no `aclose`.

    Attributes:
        cancelled: what the reading task was cancelled with, for whoever reads to pass on; None while it was not.

    Raises (from `async for`):
        ReadCancelled: the task was cancelled before the verdict.
        TimeoutError: the deadline passed, or nothing came for `idle` seconds. A heartbeat resets only the latter.
        LimitExceeded: more than `max_bytes`.
    """

    def __init__(
        self,
        response: Any,
        tape: Tape,
        deadline: Deadline,
        *,
        idle: float | None,
        max_bytes: int,
        seen: Callable[[bytes], None],
    ) -> None:
        self._raw = aiter(response.aiter_raw())
        self._decode = decoder(tape.header("content-encoding")).decode
        self._tape, self._deadline, self._idle, self._max_bytes, self._seen = tape, deadline, idle, max_bytes, seen
        self._size = 0
        self._drains = False
        self.cancelled: asyncio.CancelledError | None = None

    def __aiter__(self) -> Pieces:
        return self

    async def __anext__(self) -> bytes:
        while True:
            data = self._decode(await self._next())
            self._size += len(data)
            if self._size > self._max_bytes:
                raise LimitExceeded(FaultCode.BYTE_LIMIT, self._max_bytes, f"body over {self._max_bytes} bytes")
            if data:
                self._seen(data)
                return data

    async def _next(self) -> bytes:
        try:
            async with asyncio.timeout(self._deadline.left(self._idle)):
                piece: bytes = await anext(self._raw)
                return piece
        except TimeoutError:
            self._tape.finish("timeout")
            raise
        except asyncio.CancelledError as error:
            if self._drains:
                raise  # the verdict stands; and it may be the grace that is over
            self._tape.finish("client_closed")
            self.cancelled = error.with_traceback(None)
        raise ReadCancelled  # from here, where it has no context: that of a cancellation shows the library's frames

    async def drain(self, grace: float) -> None:
        """After the verdict: read on for at most `grace` seconds, so that the tape knows how the body really ended.

        Whatever goes wrong now is noted on the tape as the end; the verdict stands. A cancellation passes.
        """
        self._drains = True
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._deadline.left(grace)):
                async for _ in self:
                    pass
