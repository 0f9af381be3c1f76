"""The recording proxy: a base URL on 127.0.0.1 for a client in any language, with one pinned upstream behind it.

Rule: credentials pass through and are never stored. Every exchange is written when it is over, sanitized together with
those before it, so that the same value has the same stand-in; what is refused is not in the file and stops nobody.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from socket import socket
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from recorder.adapters.loopback import HOST, BadRequest, Listening, Peer, Run, receive
from recorder.cassette import Cassette, Interaction, Response
from recorder.coding import CodingError
from recorder.contracts import Contract, check_head, detect, named, read
from recorder.errors import CassetteError, FaultCode, ResidueError
from recorder.record._exchange import MAX_BYTES, version_of
from recorder.record._forward import Limits, forward, refusal, refuse
from recorder.record._request import LOOPBACK, ConfigurationError
from recorder.record._stream import check_target
from recorder.sanitize import Sanitizer, cleaned, interaction_from_tape, save_cassette
from recorder.tape import Tape

MAX_REQUEST = 32 * 1024 * 1024
_EARLY = {
    "incomplete": FaultCode.STREAM_READ_FAILED,
    "reset": FaultCode.STREAM_READ_FAILED,
    "timeout": FaultCode.STREAM_TIMEOUT,
    "client_closed": FaultCode.CANCELLED,
}
"""What a reader on the spot says where the bytes alone say that the end is missing."""

_REFUSED = 64  # connections over the cap that are still told so


@dataclass(frozen=True, slots=True)
class Exchanged:
    """One exchange that is over, in numbers and codes.

    Attributes:
        method, path: of the request, as stored; the path is "" when nothing was.
        status: of the answer; None when there was none.
        code: the contract's, or what is wrong with the head.
        events, bytes: of the body.
        end: how it ended.
        seconds: it took.
        problem: why it is not in the file; "" when it is.
    """

    method: str
    path: str
    status: int | None
    code: str
    events: int
    bytes: int
    end: str
    seconds: float
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether an accepted stream is in the file."""
        return self.code == "accepted" and not self.problem

    @property
    def facts(self) -> dict[str, int | float | str | None]:
        """As plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    def line(self) -> str:
        """One line of it."""
        what = f"{self.method} {self.path}".strip()
        numbers = f"{self.events} events  {self.bytes} bytes  end {self.end or '-'}  {self.seconds:.2f} s"
        return f"{what}  status {self.status or '-'}  {numbers}  {self.code}"


class RecordingProxy:
    """Forwards what it is asked to one upstream, and records it. A context manager.

    Args:
        upstream: such as "https://api.example.com"; http on a loopback address only.
        path: the cassette to write.
        once: refuse everything after the first exchange.
        contract: what completion means; detected for each answer unless given.
        deadline: seconds for each exchange.
        idle: seconds without a byte from the upstream before giving up.
        max_bytes: the most bytes of an answer.
        max_concurrent: further requests are answered with 503.
        overwrite: allow `path` to exist.
        sanitizer: `Sanitizer.default()` unless given.
        verify: an `ssl.SSLContext` to trust other authorities.
        port: to listen on; 0 lets the system choose.
        on_exchange: called on the proxy's thread with each exchange that is over.

    Raises:
        ConfigurationError: the upstream cannot be used.
        CassetteError: the file exists and may not be overwritten.
    """

    def __init__(
        self,
        upstream: str,
        path: str | os.PathLike[str],
        *,
        once: bool = False,
        contract: Contract | None = None,
        deadline: float = 300.0,
        idle: float | None = None,
        max_bytes: int = MAX_BYTES,
        max_concurrent: int = 16,
        overwrite: bool = False,
        sanitizer: Sanitizer | None = None,
        verify: ssl.SSLContext | bool = True,
        port: int = 0,
        on_exchange: Callable[[Exchanged], None] | None = None,
    ) -> None:
        _check_upstream(upstream)
        check_target(path, overwrite=overwrite)
        self._book = _Book(Path(path), contract, sanitizer or Sanitizer.default())
        limits = Limits(deadline, idle, max_bytes)
        self._server = _Server(upstream, verify, limits, self._book, max_concurrent, once, on_exchange)
        self._port = port
        self._run: Run | None = None

    def start(self) -> Self:
        """Serve; returns when connections are accepted.

        Raises:
            OSError: the port cannot be had.
        """
        self._run = Run("proxy", self._server, self._port)
        self._server.port = self._run.port
        self._run.start()
        return self

    def stop(self) -> None:
        """End every connection; what was under way is recorded as far as it came."""
        if self._run is not None:
            self._run.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """ "http://127.0.0.1:PORT": what takes the place of the upstream's scheme and host."""
        return f"http://{HOST}:{self._server.port}"

    @property
    def exchanges(self) -> tuple[Exchanged, ...]:
        """Those that are over."""
        return tuple(self._server.over)

    def wait(self, seconds: float | None = None, *, count: int = 1) -> bool:
        """Wait until so many exchanges are over and written; whether they are."""
        return self._server.wait(seconds, count)


class _Server(Listening):
    def __init__(
        self,
        upstream: str,
        verify: ssl.SSLContext | bool,
        limits: Limits,
        book: _Book,
        max_concurrent: int,
        once: bool,
        on_exchange: Callable[[Exchanged], None] | None,
    ) -> None:
        super().__init__(self._one, None, max_concurrent + _REFUSED)
        self.port = 0
        self.over: list[Exchanged] = []
        self._upstream, self._verify, self._limits, self._book = upstream, verify, limits, book
        self._max_concurrent, self._once, self._on_exchange = max_concurrent, once, on_exchange
        self._active = self._begun = 0
        self._noting: set[asyncio.Task[None]] = set()
        self._done = threading.Condition()
        self._url: Any = None
        self._transport: Any = None

    async def serve(self, listener: socket, stop: asyncio.Event) -> None:
        import httpx2

        self._url = httpx2.URL(self._upstream)
        async with httpx2.AsyncHTTPTransport(verify=self._verify, retries=0) as self._transport:
            await super().serve(listener, stop)
        await asyncio.gather(*self._noting)

    def wait(self, seconds: float | None, count: int) -> bool:
        with self._done:
            return self._done.wait_for(lambda: len(self.over) >= count, seconds)

    async def _one(self, peer: Peer) -> None:
        try:
            async with asyncio.timeout(self._limits.deadline):
                received = await receive(b"", peer.take, peer.send, MAX_REQUEST)
        except TimeoutError:
            return
        except BadRequest as error:
            await refuse(peer, error.status, "this is not an HTTP request")
            return
        if received is None:
            return
        refused = refusal(received, self.port)
        if refused is None and (self._active >= self._max_concurrent or (self._once and self._begun)):
            refused = 503, "this proxy has as many exchanges as it may: try again later"
        if refused is not None:
            await refuse(peer, *refused)
            return
        tape = Tape()
        self._active, self._begun = self._active + 1, self._begun + 1
        try:
            await forward(peer, received.request, self._url, self._transport, tape, self._limits)
        finally:
            self._active -= 1
            task = asyncio.create_task(self._note(tape, received.request.method))
            self._noting.add(task)
            task.add_done_callback(self._noting.discard)

    async def _note(self, tape: Tape, method: str) -> None:
        exchanged = await self._book.enter(tape, method)
        with self._done:
            self.over.append(exchanged)
            self._done.notify_all()
        if self._on_exchange is not None:
            self._on_exchange(exchanged)


class _Book:
    """What was recorded so far, unsanitized and in memory; and the file, which is neither."""

    def __init__(self, path: Path, contract: Contract | None, sanitizer: Sanitizer) -> None:
        self._path, self._contract, self._sanitizer = path, contract, sanitizer
        self._interactions: tuple[Interaction, ...] = ()
        self._one_by_one = asyncio.Lock()

    async def enter(self, tape: Tape, method: str) -> Exchanged:
        """Take one more exchange and write the file, away from the loop, where nobody waits for it."""
        if tape.end is None:
            tape.finish("client_closed")
        async with self._one_by_one:
            return await asyncio.to_thread(self._entered, tape, method)

    def _entered(self, tape: Tape, method: str) -> Exchanged:
        nothing = Exchanged(method, "", None, str(FaultCode.TRANSPORT_FAILED), 0, 0, "", tape.end_s)
        if tape.head is None or tape.request is None:
            return replace(nothing, problem="no answer came")
        try:
            interaction, events = self._judged(tape)
        except CodingError as error:
            return replace(nothing, status=tape.head.status, problem=str(error))
        response = interaction.response
        code = response.recording.outcome["code"] if response.recording else ""
        size, end = len(response.body), str(response.end.kind if response.end else "")
        exchanged = Exchanged(method, "", response.status, code, events, size, end, tape.end_s)
        try:
            done = cleaned(Cassette((*self._interactions, interaction)), self._sanitizer)
            save_cassette(done.cassette, self._path, self._sanitizer)
        except (ResidueError, CassetteError) as error:
            return replace(exchanged, problem=str(error))
        self._interactions = (*self._interactions, interaction)
        return replace(exchanged, path=urlsplit(done.cassette.interactions[-1].request.uri).path)

    def _judged(self, tape: Tape) -> tuple[Interaction, int]:
        """The exchange as an interaction that says what became of it, and how many events it has."""
        plain = self._interaction(tape, True, {})
        assert tape.head is not None
        code = check_head(tape.head.status, tape.head.headers)
        if code is not None:
            return self._interaction(tape, True, {"code": str(code)}), 0
        contract = self._contract or _detected(plain.response)
        verdict = read([plain.response.body], contract)
        seen = verdict.code != FaultCode.MISSING_TERMINAL if tape.end == "complete" else verdict.ok
        early = None if seen or verdict.code != FaultCode.MISSING_TERMINAL else _EARLY.get(tape.end or "")
        outcome = {"contract": contract.name, "code": str(early or verdict.code)}
        return self._interaction(tape, seen, outcome), verdict.events

    def _interaction(self, tape: Tape, terminal_seen: bool, outcome: dict[str, str]) -> Interaction:
        return interaction_from_tape(
            tape,
            terminal_seen=terminal_seen,
            recorded=datetime.datetime.now(datetime.UTC),
            client={"name": "recorder proxy", "version": version_of("sse-recorder")},
            tool=version_of("sse-recorder"),
            outcome=outcome,
        )


def _detected(response: Response) -> Contract:
    return named(detect(response.headers, response.body[:65536]) or "chat")


def _check_upstream(upstream: str) -> None:
    try:
        parts = urlsplit(upstream)
        _ = parts.port
    except ValueError:
        raise ConfigurationError("the upstream cannot be read: write https://host") from None
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ConfigurationError("the upstream must be absolute: https://host")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ConfigurationError("a credential travels over https only: use https:// (http is for loopback addresses)")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError("the upstream is a scheme and a host, with a path at most")
