"""The one exchange: a request straight through a transport, its event stream judged, and all of it on a tape.

Rule: it ends in a verdict, whatever happens on the wire. Nothing is retried, followed, stored or printed here.
"""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from recorder.capture.httpx import AsyncCaptureTransport
from recorder.cassette import Interaction
from recorder.coding import CodingError
from recorder.contracts import Accepted, Contract, Rejected, aread, check_head, saw_terminal
from recorder.errors import FaultCode, LimitExceeded
from recorder.record._outcome import Progress
from recorder.record._quiet import quiet
from recorder.record._request import Outgoing
from recorder.record._source import Deadline, Pieces
from recorder.sanitize import interaction_from_tape
from recorder.sse import EventStreamParser
from recorder.tape import Tape

GRACE_S = 1.0  # how long an accepted stream is read on, to learn how it ends; a rejected one is read to its end
MAX_BYTES = 64 * 1024 * 1024
MAX_EVENTS = 100_000

Verdict = Accepted | Rejected


@dataclass(frozen=True, slots=True)
class Settings:
    """What an exchange may take, and how it is judged: seconds, bytes and events."""

    contract: Contract
    deadline: float = 30.0
    idle: float | None = None
    max_bytes: int = MAX_BYTES
    max_events: int = MAX_EVENTS
    verify: ssl.SSLContext | bool = True
    progress: Callable[[Progress], None] | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it.

    Attributes:
        verdict: the contract's.
        status: the HTTP status; None when no head came.
        seconds: from sending the request to the verdict.
        interaction: the event stream, unsanitized; None when none came.
    """

    verdict: Verdict
    status: int | None
    seconds: float
    interaction: Interaction | None


async def take(outgoing: Outgoing, settings: Settings) -> Taken:
    """Make the request and read its answer."""
    recorded = datetime.datetime.now(datetime.UTC)
    tape, deadline = Tape(), Deadline(settings.deadline)
    with quiet():
        verdict = await _attempt(outgoing, settings, tape, deadline)
    seconds = deadline.spent()
    if tape.head is None or check_head(tape.head.status, tape.head.headers) is not None:
        return Taken(verdict, tape.head.status if tape.head else None, seconds, None)
    try:
        interaction = _interaction(tape, verdict, settings, recorded)
    except CodingError:  # the verdict has it for its cause
        interaction = None
    return Taken(verdict, tape.head.status, seconds, interaction)


def _interaction(tape: Tape, verdict: Verdict, settings: Settings, recorded: datetime.datetime) -> Interaction:
    return interaction_from_tape(
        tape,
        terminal_seen=verdict.code != FaultCode.MISSING_TERMINAL if tape.end == "complete" else saw_terminal(verdict),
        recorded=recorded,
        client={"name": tape.client, "version": version_of(tape.client)},
        tool=version_of("sse-recorder"),
        outcome={"contract": settings.contract.name, "code": str(verdict.code)},
    )


@cache
def version_of(distribution: str) -> str:
    """The installed version of a distribution."""
    from importlib.metadata import version

    return version(distribution)


def rejected(code: FaultCode, cause: Exception | None = None) -> Rejected:
    """A verdict that no contract gives."""
    return Rejected(code=code, cause=cause)


async def _attempt(outgoing: Outgoing, settings: Settings, tape: Tape, deadline: Deadline) -> Verdict:
    """One request straight through a transport: a client would add a cookie jar, redirects, and log the URL."""
    import httpx2

    inner = httpx2.AsyncHTTPTransport(verify=settings.verify, retries=0)
    request = httpx2.Request(outgoing.method, outgoing.url, headers=outgoing.headers, content=outgoing.body)
    async with AsyncCaptureTransport(inner, tape) as transport:
        try:
            async with asyncio.timeout(deadline.left()):
                response = await transport.handle_async_request(request)
        except TimeoutError as error:
            return rejected(FaultCode.REQUEST_TIMEOUT, error)
        except httpx2.HTTPError as error:
            return rejected(FaultCode.TRANSPORT_FAILED, error)
        response.request = request
        try:
            return await _judge(response, settings, tape, deadline)
        finally:
            await response.aclose()


async def _judge(response: Any, settings: Settings, tape: Tape, deadline: Deadline) -> Verdict:
    code = check_head(response.status_code, response.headers)
    if code is not None:
        return rejected(code)
    seen = _counter(settings, deadline)
    try:
        pieces = Pieces(response, tape, deadline, idle=settings.idle, max_bytes=settings.max_bytes, seen=seen)
    except CodingError as error:
        return rejected(FaultCode.STREAM_READ_FAILED, error)
    verdict = await aread(pieces, settings.contract)
    if isinstance(verdict, Rejected) and isinstance(verdict.cause, LimitExceeded):
        return replace(verdict, code=verdict.cause.code)
    await pieces.drain(GRACE_S if verdict.ok else settings.deadline)
    return verdict


def _counter(settings: Settings, deadline: Deadline) -> Callable[[bytes], None]:
    """What to call with each piece: a parser of its own counts the events, for their limit and for the display."""
    parser = EventStreamParser(max_line=None, max_event=None, max_events=settings.max_events)
    counts = {"events": 0, "bytes": 0}

    def seen(data: bytes) -> None:
        counts["events"] += len(parser.feed(data))
        counts["bytes"] += len(data)
        if settings.progress is not None:
            settings.progress(Progress(counts["events"], counts["bytes"], deadline.spent()))

    return seen
