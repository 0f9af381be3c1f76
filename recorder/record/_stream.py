"""Record one event stream: exactly one request, no retry, no redirect, no cookie jar, a deadline over all of it.

Rule: the attempt ends in a verdict, whatever happens on the wire. An event stream that broke, or that the caller broke
off, is stored with its end; an answer that is not an event stream is not stored. Nothing here prints, and nothing but
the cassette holds content.

A local failure, timeout or cancellation says nothing about what the provider did or charged.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from recorder.cassette import Cassette
from recorder.contracts import Contract, chat
from recorder.errors import CassetteError, ConfigurationError, FaultCode, PromptError
from recorder.record._exchange import MAX_BYTES, MAX_EVENTS, Settings, Taken, Verdict, rejected, take
from recorder.record._outcome import Outcome, Progress
from recorder.record._request import Outgoing, prepare
from recorder.sanitize import Cleaned, Sanitizer, check_place, cleaned, save_cassette


async def arecord_stream(url: str, *, path: str | os.PathLike[str], **options: Any) -> Verdict:
    """`record_stream` in a coroutine; the same arguments and verdicts.

    When its task is cancelled, what had come is stored first, as there, and `asyncio.CancelledError` passes on.
    """
    making = record_once(url, path=path, **options)
    del url, options  # a traceback with local variables must not show a key or a prompt
    return (await making).verdict


def record_stream(url: str, *, path: str | os.PathLike[str], **options: Any) -> Verdict:
    """Make one authorized request, judge its event stream, and store it sanitized.

    What had come when Ctrl-C breaks it off was paid for, so it is stored as every other broken stream, with the end
    `client_closed` and the outcome `cancelled`; `KeyboardInterrupt` passes on afterwards.

    Args:
        url: where to; https, or http on a loopback address.
        path: the cassette to write.
        json: the request body as a JSON value; without one the request is a GET. One that asks for an answer has to
            ask for a stream.
        headers: further request headers; values of credential headers are treated as secrets.
        auth_env: the environment variable with the key.
        auth_header: the header it travels in, "authorization" (as a bearer token) unless given.
        contract: what completion means; `recorder.contracts.chat()` unless given.
        deadline: seconds for everything, 30 unless given.
        idle: seconds without a byte of the body before giving up; only the deadline unless given.
        max_bytes: the most body bytes to take, 64 MiB unless given.
        max_events: the most events to take, 100,000 unless given.
        usage: ask for usage in the stream; left unset otherwise.
        overwrite: allow `path` to exist.
        only_accepted: store nothing but an accepted stream.
        sanitizer: `Sanitizer.default()` unless given.
        verify: an `ssl.SSLContext` to trust other authorities.
        progress: called with a `Progress` after each piece.
        review: called with what is about to be written; nothing is unless it returns true.

    Returns:
        The verdict. With the code `invalid_configuration` its `cause` says what to change.

    Raises:
        CassetteError: `path` exists and may not be overwritten (nothing was sent), or cannot be written.
        ResidueError: a secret is left after sanitizing; nothing was written.
        TypeError: an argument is of another kind than it has to be; nothing was sent.
    """
    start = _starter(url, path, options)
    del url, options
    return _run(start).verdict


def _starter(url: str, path: str | os.PathLike[str], options: Mapping[str, Any]) -> Callable[[], Any]:
    return lambda: record_once(url, path=path, **options)


def _run(start: Callable[[], Any]) -> Outcome:
    """Run a coroutine to its end, also where a loop is running already (a notebook): then in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass  # what is raised below has no "during handling of" before it
    else:
        return _run_in_a_thread(start)
    outcome: Outcome = asyncio.run(start())
    return outcome


def _run_in_a_thread(start: Callable[[], Any]) -> Outcome:
    """The same; Ctrl-C is heard on this thread and cancels over there, where what had come is stored."""
    cancel: Future[Callable[[], Any]] = Future()

    async def cancellable() -> Outcome:
        task = asyncio.current_task()
        if task is not None:
            cancel.set_result(partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel))
        outcome: Outcome = await start()
        return outcome

    with ThreadPoolExecutor(1) as pool:
        making = pool.submit(lambda: asyncio.run(cancellable()))
        try:
            return making.result()
        except KeyboardInterrupt:
            with suppress(RuntimeError):  # its loop is closed: it has just ended by itself
                cancel.result()()
            raise


async def record_once(
    url: str,
    *,
    path: str | os.PathLike[str],
    json: Any | None = None,
    headers: Mapping[str, str] | None = None,
    auth_env: str | None = None,
    auth_header: str = "authorization",
    contract: Contract | None = None,
    deadline: float = 30.0,
    idle: float | None = None,
    max_bytes: int = MAX_BYTES,
    max_events: int = MAX_EVENTS,
    usage: bool = False,
    overwrite: bool = False,
    only_accepted: bool = False,
    sanitizer: Sanitizer | None = None,
    verify: ssl.SSLContext | bool = True,
    progress: Callable[[Progress], None] | None = None,
    review: Callable[[Cleaned], bool] | None = None,
) -> Outcome:
    """What `record_stream` does, with the facts around the verdict. Arguments and errors as there."""
    outgoing = _prepared(url, json, headers, auth_env=auth_env, auth_header=auth_header, usage=usage)
    del url, json, headers
    check_target(path, overwrite=overwrite)
    if sanitizer is not None and not isinstance(sanitizer, Sanitizer):
        raise TypeError(f"sanitizer={sanitizer!r}: a Sanitizer such as Sanitizer.default() would be right")
    settings = Settings(contract or chat(), deadline, idle, max_bytes, max_events, verify, progress)
    if isinstance(outgoing, Outcome):
        return outgoing
    taken = await take(outgoing, settings)
    storing = {"sanitizer": sanitizer, "only_accepted": only_accepted, "review": review}
    try:
        return store(taken, path, secrets=outgoing.secrets, **storing)  # type: ignore[arg-type]  # typed at the door
    finally:
        if taken.cancelled is not None:
            raise taken.cancelled  # the very one: whoever cancelled may look for its own


def _prepared(url: str, body: Any, headers: Mapping[str, str] | None, **options: Any) -> Outgoing | Outcome:
    try:
        return prepare(url, body, headers, **options)
    except ConfigurationError as error:
        return not_made(ConfigurationError(str(error)))


def store(
    taken: Taken,
    path: str | os.PathLike[str],
    *,
    secrets: tuple[str, ...] = (),
    sanitizer: Sanitizer | None = None,
    only_accepted: bool = False,
    review: Callable[[Cleaned], bool] | None = None,
    attempt: str = "",
) -> Outcome:
    """Store what came of a request.

    Args:
        taken: that.
        path, sanitizer, only_accepted, review: as for `record_stream`.
        secrets: what the request was authorized with.
        attempt: what the attempt is called; a random name unless given.

    Raises:
        ResidueError, CassetteError: as there.
    """
    attempt = attempt or new_attempt()
    if taken.interaction is None or (only_accepted and not taken.verdict.ok):
        return Outcome(taken.verdict, taken.status, taken.seconds, None, attempt)
    knowing = (sanitizer or Sanitizer.default()).with_secrets(secrets)
    del secrets
    done = cleaned(Cassette((taken.interaction,)), knowing)
    written = review is None or review(done)
    if written:
        save_cassette(done.cassette, path, knowing)
    return Outcome(taken.verdict, taken.status, taken.seconds, Path(path) if written else None, attempt)


def new_attempt() -> str:
    """A name for an attempt, for one's own records; it is not sent."""
    return secrets.token_hex(8)


def not_made(error: ConfigurationError) -> Outcome:
    """The outcome of a request that was never sent."""
    code = FaultCode.INVALID_PROMPT if isinstance(error, PromptError) else FaultCode.INVALID_CONFIGURATION
    return Outcome(rejected(code, error), None, 0.0, None)


def check_target(path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Look at the file to write before anything is sent.

    Raises:
        CassetteError: it exists and may not be overwritten, is a folder, or cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise CassetteError(f"{target} is a folder, no request was made: name the file in it that is to be written")
    if target.exists() and not overwrite:
        raise CassetteError(
            f"{target} exists and was not touched, no request was made: pass overwrite=True (--overwrite) to replace it"
        )
    check_place(target)
