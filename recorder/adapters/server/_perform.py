"""The steps of a message performed over a connection.

Rule: time is the loop's clock, and waits add up to moments, so a delivery does not fall behind. It does not know which
version of HTTP carries it.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from recorder.adapters._message import Message
from recorder.adapters.loopback import ClientLeft, HttpRequest, Presence
from recorder.adapters.server._log import Delivery, Log
from recorder.plans import Deliver, End, Ending, Wait

MAX_BODY = 64 * 1024 * 1024  # of a request
TURN = 64  # chunks before the other connections get their turn


class Sink(Protocol):
    """Where an answer goes: one exchange on one connection.

    Attributes:
        presence: the client.
        entry: where the answer is noted, once there is one.
    """

    presence: Presence
    entry: Delivery | None

    async def head(self, message: Message) -> None:
        """Send the head."""

    async def chunk(self, data: bytes) -> None:
        """Send these bytes of the body, at once and by themselves. Raises ClientLeft."""

    async def end(self, ending: Ending) -> None:
        """End that way."""


class App(Protocol):
    """What answers."""

    async def respond(self, sink: Sink, request: HttpRequest) -> bool:
        """Answer a request; whether the client is still there."""

    async def refuse(self, sink: Sink, status: int) -> bool:
        """Answer what is no request, or one that is too large."""

    def over(self, sink: Sink) -> None:
        """Nothing more happens to this exchange, or its client has left afterwards."""


async def perform(message: Message, sink: Sink, entry: Delivery, log: Log) -> bool:
    """Send it all and note the end.

    Returns:
        Whether the client is still there.
    """
    try:
        ending = await _deliver(message, sink, entry, log)
    except ClientLeft:
        log.end(entry, "client_left")
        return False
    except BaseException:
        log.end(entry, "stopped")
        raise
    log.end(entry, str(ending))
    return True


async def _deliver(message: Message, sink: Sink, entry: Delivery, log: Log) -> Ending:
    headed, in_a_row = False, 0
    due = asyncio.get_running_loop().time()
    for step in message.steps:
        if not headed and not (isinstance(step, Wait | End) and step.before_head):
            headed = True
            entry.status = message.status
            await sink.head(message)
        if isinstance(step, Deliver):
            entry.chunks += 1
            entry.bytes += len(step.data)
            await sink.chunk(step.data)
            in_a_row += 1
            if in_a_row == TURN:
                in_a_row = 0
                await asyncio.sleep(0)
        elif isinstance(step, End):
            await sink.end(step.ending)
            return step.ending
        elif step.seconds is None:
            log.end(entry, "stall")
            await sink.presence.departure()
            raise ClientLeft
        else:
            due += step.seconds
            await sink.presence.pause_until(due)
    raise AssertionError("steps have an end")
