"""The one exchange: a request straight through a transport, its event stream judged, and all of it on a tape.

Rule: it ends in a verdict, whatever happens on the wire. Nothing is retried, followed, stored or printed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from recorder.capture.httpx import AsyncCaptureTransport
from recorder.cassette import Interaction
from recorder.coding import CodingError
from recorder.contracts import Accepted, Contract, Rejected, aread, check_contract, check_head, saw_terminal
from recorder.errors import FaultCode, LimitExceeded
from recorder.record._outcome import Progress
from recorder.record._quiet import quiet
from recorder.record._request import Outgoing
from recorder.record._source import Deadline, Pieces, ReadCancelled
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

    def __post_init__(self) -> None:
        """What is wrong is found here, before the one request is made.

        Raises:
            TypeError: the contract is none, or a limit is no number.
        """
        check_contract(self.contract)
        for name in ("deadline", "idle", "max_bytes", "max_events"):
            given = getattr(self, name)
            if not isinstance(given, int | float) and not (name == "idle" and given is None):
                raise TypeError(f"{name}={given!r}: a number would be right")


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it.

    Attributes:
        verdict: the contract's.
        status: the HTTP status; None when no head came.
        seconds: from sending the request to the verdict.
        interaction: the event stream, unsanitized; None when none came.
        cancelled: what the task was cancelled with meanwhile, to be raised once the interaction is stored; None when it
            was not.
    """

    verdict: Verdict
    status: int | None
    seconds: float
    interaction: Interaction | None
    cancelled: asyncio.CancelledError | None = field(default=None, repr=False)


async def take(outgoing: Outgoing, settings: Settings) -> Taken:
    """Make the request and read its answer.

    A cancelled task breaks the reading off and is given what had come, since that was paid for: whoever calls stores
    it, and raises `Taken.cancelled` then.
    """
    recorded = datetime.datetime.now(datetime.UTC)
    tape, deadline = Tape(), Deadline(settings.deadline)
    attempt = _Attempt(settings, tape, deadline)
    with quiet():
        try:
            await attempt.make(outgoing)
        except asyncio.CancelledError as error:
            attempt.cancelled = error.with_traceback(None)
    return _taken(attempt, recorded)


def _taken(attempt: _Attempt, recorded: datetime.datetime) -> Taken:
    tape, verdict, seconds = attempt.tape, attempt.verdict, attempt.deadline.spent()
    interaction, status = None, tape.head.status if tape.head else None
    if tape.head is not None and check_head(tape.head.status, tape.head.headers) is None:
        tape.finish("client_closed")  # has ended, but where the cancellation came before the body was opened
        with contextlib.suppress(CodingError):  # the verdict has it for its cause
            interaction = _interaction(tape, verdict, attempt.settings, recorded)
    return Taken(verdict, status, seconds, interaction, attempt.cancelled)


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


class _Attempt:
    """One request and the reading of its answer; what it came to is in the attributes, also when it is broken off."""

    def __init__(self, settings: Settings, tape: Tape, deadline: Deadline) -> None:
        self.settings, self.tape, self.deadline = settings, tape, deadline
        self.verdict: Verdict = rejected(FaultCode.CANCELLED)
        self.cancelled: asyncio.CancelledError | None = None

    async def make(self, outgoing: Outgoing) -> None:
        """The request straight through a transport: a client would add a cookie jar, redirects, and log the URL."""
        import httpx2

        inner = httpx2.AsyncHTTPTransport(verify=self.settings.verify, retries=0)
        request = httpx2.Request(outgoing.method, outgoing.url, headers=outgoing.headers, content=outgoing.body)
        async with AsyncCaptureTransport(inner, self.tape) as transport:
            try:
                async with asyncio.timeout(self.deadline.left()):
                    response = await transport.handle_async_request(request)
            except TimeoutError as error:
                self.verdict = rejected(FaultCode.REQUEST_TIMEOUT, error)
                return
            except httpx2.HTTPError as error:
                self.verdict = rejected(FaultCode.TRANSPORT_FAILED, error)
                return
            response.request = request
            try:
                await self._judge(response)
            finally:
                await response.aclose()

    async def _judge(self, response: Any) -> None:
        code = check_head(response.status_code, response.headers)
        if code is not None:
            self.verdict = rejected(code)
            return
        settings, seen = self.settings, _counter(self.settings, self.deadline)
        limits: dict[str, Any] = {"idle": settings.idle, "max_bytes": settings.max_bytes}
        try:
            pieces = Pieces(response, self.tape, self.deadline, **limits, seen=seen)
        except CodingError as error:
            self.verdict = rejected(FaultCode.STREAM_READ_FAILED, error)
            return
        self.verdict = _named(await aread(pieces, settings.contract))
        if pieces.cancelled is None and not _over_a_limit(self.verdict):
            await pieces.drain(GRACE_S if self.verdict.ok else settings.deadline)
        self.cancelled = pieces.cancelled


def _over_a_limit(verdict: Verdict) -> bool:
    return isinstance(verdict, Rejected) and isinstance(verdict.cause, LimitExceeded)


def _named(verdict: Verdict) -> Verdict:
    """The verdict, with the code of what we ourselves broke the reading off for."""
    if not isinstance(verdict, Rejected):
        return verdict
    if isinstance(verdict.cause, ReadCancelled):
        return replace(verdict, code=FaultCode.CANCELLED, cause=None)
    return replace(verdict, code=verdict.cause.code) if isinstance(verdict.cause, LimitExceeded) else verdict


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
