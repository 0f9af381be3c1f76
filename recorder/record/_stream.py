"""Record one event stream: exactly one request, no retry, no redirect, no cookie jar, a deadline over all of it.

Rule: the attempt ends in a verdict, whatever happens on the wire. An event stream that broke is stored with its end;
an answer that is not an event stream is not stored. Nothing here prints, and nothing but the cassette holds content.

A local failure, timeout or cancellation says nothing about what the provider did or charged.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recorder.capture.httpx import AsyncCaptureTransport
from recorder.contracts import Accepted, Contract, Rejected, aread, chat, check_head
from recorder.errors import CassetteError, FaultCode, LimitExceeded
from recorder.record._outcome import Outcome, Progress
from recorder.record._quiet import quiet
from recorder.record._request import ConfigurationError, Outgoing, prepare
from recorder.record._source import Deadline, Pieces
from recorder.sanitize import Sanitizer, interaction_from_tape, save_recording
from recorder.sse import EventStreamParser
from recorder.tape import Tape

GRACE_S = 1.0  # how long an accepted stream is read on, to learn how it ends; a rejected one is read to its end
MAX_BYTES = 64 * 1024 * 1024

Verdict = Accepted | Rejected


@dataclass(frozen=True, slots=True)
class _Settings:
    contract: Contract
    deadline: float
    idle: float | None
    max_bytes: int
    verify: ssl.SSLContext | bool
    progress: Callable[[Progress], None] | None


async def arecord_stream(url: str, *, path: str | os.PathLike[str], **options: Any) -> Verdict:
    """`record_stream` in a coroutine; the same arguments and verdicts."""
    return (await record_once(url, path=path, **options)).verdict


def record_stream(url: str, *, path: str | os.PathLike[str], **options: Any) -> Verdict:
    """Make one authorized request, judge its event stream, and store it sanitized.

    Args:
        url: where to; https, or http on a loopback address.
        path: the cassette to write.
        json: the request body as a JSON value; without one the request is a GET.
        headers: further request headers; values of credential headers are treated as secrets.
        auth_env: the environment variable with the bearer key.
        contract: what completion means; `recorder.contracts.chat()` unless given.
        deadline: seconds for everything, 30 unless given.
        idle: seconds without a byte of the body before giving up; only the deadline unless given.
        max_bytes: the most body bytes to take, 64 MiB unless given.
        overwrite: allow `path` to exist.
        sanitizer: `Sanitizer.default()` unless given.
        verify: an `ssl.SSLContext` to trust other authorities.
        progress: called with a `Progress` after each piece.

    Returns:
        The verdict. With the code `invalid_configuration` its `cause` says what to change.

    Raises:
        CassetteError: `path` exists and may not be overwritten (nothing was sent), or cannot be written.
        ResidueError: a secret is left after sanitizing; nothing was written.
    """
    return _run(lambda: record_once(url, path=path, **options)).verdict


def _run(start: Callable[[], Any]) -> Outcome:
    """Run a coroutine to its end, also where a loop is running already (a notebook): then in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        outcome: Outcome = asyncio.run(start())
        return outcome
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_run, start).result()


async def record_once(
    url: str,
    *,
    path: str | os.PathLike[str],
    json: Any | None = None,
    headers: Mapping[str, str] | None = None,
    auth_env: str | None = None,
    contract: Contract | None = None,
    deadline: float = 30.0,
    idle: float | None = None,
    max_bytes: int = MAX_BYTES,
    overwrite: bool = False,
    sanitizer: Sanitizer | None = None,
    verify: ssl.SSLContext | bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """What `record_stream` does, with the facts around the verdict. Arguments and errors as there."""
    target = Path(path)
    if target.exists() and not overwrite:
        raise CassetteError(f"{target} exists and was not touched, no request was made: pass overwrite to replace it")
    try:
        outgoing = prepare(url, json, headers, auth_env)
    except ConfigurationError as error:
        return Outcome(_rejected(FaultCode.INVALID_CONFIGURATION, error), None, 0.0, None)
    settings = _Settings(contract or chat(), deadline, idle, max_bytes, verify, progress)
    recorded = datetime.datetime.now(datetime.UTC)
    tape, started = Tape(), time.monotonic()
    with quiet():
        verdict = await _attempt(outgoing, settings, tape)
    seconds = time.monotonic() - started
    if tape.head is None or check_head(tape.head.status, tape.head.headers) is not None:
        return Outcome(verdict, tape.head.status if tape.head else None, seconds, None)
    interaction = interaction_from_tape(
        tape,
        terminal_seen=verdict.code != FaultCode.MISSING_TERMINAL if tape.end == "complete" else verdict.ok,
        recorded=recorded,
        client={"name": tape.client, "version": _version(tape.client)},
        tool=_version("sse-recorder"),
        outcome={"contract": settings.contract.name, "code": str(verdict.code)},
    )
    save_recording(interaction, target, sanitizer)
    return Outcome(verdict, tape.head.status, seconds, target)


def _version(distribution: str) -> str:
    from importlib.metadata import version

    return version(distribution)


def _rejected(code: FaultCode, cause: Exception | None = None) -> Rejected:
    return Rejected(code=code, cause=cause)


async def _attempt(outgoing: Outgoing, settings: _Settings, tape: Tape) -> Verdict:
    """One request straight through a transport: a client would add a cookie jar, redirects, and log the URL."""
    import httpx2

    deadline = Deadline(settings.deadline)
    inner = httpx2.AsyncHTTPTransport(verify=settings.verify, retries=0)
    request = httpx2.Request(outgoing.method, outgoing.url, headers=outgoing.headers, content=outgoing.body)
    async with AsyncCaptureTransport(inner, tape) as transport:
        try:
            async with asyncio.timeout(deadline.left()):
                response = await transport.handle_async_request(request)
        except TimeoutError as error:
            return _rejected(FaultCode.REQUEST_TIMEOUT, error)
        except httpx2.HTTPError as error:
            return _rejected(FaultCode.TRANSPORT_FAILED, error)
        response.request = request
        try:
            return await _judge(response, settings, tape, deadline)
        finally:
            await response.aclose()


async def _judge(response: Any, settings: _Settings, tape: Tape, deadline: Deadline) -> Verdict:
    code = check_head(response.status_code, response.headers)
    if code is not None:
        return _rejected(code)
    pieces = Pieces(
        response, tape, deadline, idle=settings.idle, max_bytes=settings.max_bytes, seen=_counter(settings, deadline)
    )
    verdict = await aread(pieces, settings.contract)
    if isinstance(verdict, Rejected) and isinstance(verdict.cause, LimitExceeded):
        return replace(verdict, code=verdict.cause.code)
    await pieces.drain(GRACE_S if verdict.ok else settings.deadline)
    return verdict


def _counter(settings: _Settings, deadline: Deadline) -> Callable[[bytes], None]:
    """What to call with each piece; counts events for the progress display with a parser of its own."""
    if settings.progress is None:
        return lambda data: None
    show, parser = settings.progress, EventStreamParser(max_line=None, max_event=None)
    counts = {"events": 0, "bytes": 0}

    def seen(data: bytes) -> None:
        counts["events"] += len(parser.feed(data))
        counts["bytes"] += len(data)
        show(Progress(counts["events"], counts["bytes"], deadline.spent()))

    return seen
