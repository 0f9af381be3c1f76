"""The recording proxy: a base URL on 127.0.0.1 for a client in any language, with one pinned upstream behind it.

Rule: credentials pass through and are never stored. Every exchange is added to the file when it is over, sanitized, and
the same value has the same stand-in in all of them; what is refused is not in the file and stops nobody. A change that
somebody makes to the file meanwhile stays: then it is read again.
Sanitizing waits for a quiet moment, so that it does not slow down what is under way.
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
from recorder.cassette import Interaction, Response
from recorder.coding import CodingError
from recorder.contracts import Contract, check_head, detect, named, read, saw_terminal
from recorder.errors import CassetteError, ConfigurationError, FaultCode, ResidueError
from recorder.record._exchange import MAX_BYTES, version_of
from recorder.record._forward import Limits, forward, refusal, refuse
from recorder.record._request import address
from recorder.record._stream import check_target
from recorder.sanitize import Growing, Sanitizer, interaction_from_tape
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


_PATIENCE, _TURN_S = 50, 0.02  # writing waits for a second at most until nothing is under way

Seen = tuple[Tape, str]
"""What was seen of an exchange, and the method that was asked for."""


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


Entry = tuple[Interaction | None, Exchanged]


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
        """End every connection; what was under way is recorded as far as it came, however long writing takes."""
        while self._run is not None:
            try:
                self._run.stop()
                return
            except RuntimeError:
                if not (self._run.running and self._server.is_writing):
                    raise

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
        self._pending: list[Seen] = []
        self._arrived = asyncio.Event()
        self._stopped = False
        self.is_writing = False
        self._done = threading.Condition()
        self._url: Any = None
        self._transport: Any = None

    async def serve(self, listener: socket, stop: asyncio.Event) -> None:
        import httpx2

        self._url = httpx2.URL(self._upstream)
        writing = asyncio.create_task(self._write())
        try:
            async with httpx2.AsyncHTTPTransport(verify=self._verify, retries=0) as self._transport:
                await super().serve(listener, stop)
        finally:
            self._stopped = True
            self._arrived.set()
            await writing

    async def _write(self) -> None:
        """Write what is over, as long as the server runs and once more after it; away from the loop."""
        while self._pending or not self._stopped:
            await self._arrived.wait()
            self._arrived.clear()
            for _ in range(_PATIENCE):
                if self._active and not self._stopped:
                    await asyncio.sleep(_TURN_S)
            seen, self._pending = self._pending, []
            if seen:
                self.is_writing = True
                try:
                    self._tell(await asyncio.to_thread(self._book.enter, seen))
                finally:
                    self.is_writing = False

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
            if tape.end is None:
                tape.finish("client_closed")
            self._pending.append((tape, received.request.method))
            self._arrived.set()

    def _tell(self, exchanges: list[Exchanged]) -> None:
        with self._done:
            self.over += exchanges
            self._done.notify_all()
        for each in exchanges:
            if self._on_exchange is not None:
                self._on_exchange(each)


class _Book:
    """Judges what is over, and adds it to the file."""

    def __init__(self, path: Path, contract: Contract | None, sanitizer: Sanitizer) -> None:
        self._file, self._contract = Growing(path, sanitizer), contract

    def enter(self, seen: list[Seen]) -> list[Exchanged]:
        """Take these exchanges and write the file."""
        entries = [self._entry(tape, method) for tape, method in seen]
        told, problem = self._written(entries)
        if problem and len(entries) > 1:  # one of them is to blame: the others are written without it
            return [each for entry in entries for each in self._written([entry])[0]]
        return told

    def _entry(self, tape: Tape, method: str) -> Entry:
        nothing = Exchanged(method, "", None, str(FaultCode.TRANSPORT_FAILED), 0, 0, "", tape.end_s)
        if tape.head is None or tape.request is None:
            return None, replace(nothing, problem="no answer came")
        try:
            interaction, events = self._judged(tape)
        except CodingError as error:
            return None, replace(nothing, status=tape.head.status, problem=str(error))
        response = interaction.response
        code = response.recording.outcome["code"] if response.recording else ""
        size, end = len(response.body), str(response.end.kind if response.end else "")
        return interaction, Exchanged(method, "", response.status, code, events, size, end, tape.end_s)

    def _written(self, entries: list[Entry]) -> tuple[list[Exchanged], str]:
        """What is to be told of each, and why nothing was written; "" when it was."""
        new = tuple([interaction for interaction, _ in entries if interaction is not None])
        if not new:
            return [exchanged for _, exchanged in entries], ""
        try:
            stored = self._file.add(new)
        except (ResidueError, CassetteError) as error:
            problem = str(error)
            told = [each if each.problem else replace(each, problem=problem) for _, each in entries]
            return told, problem
        paths = [urlsplit(each.request.uri).path for each in stored]
        told = [exchanged for interaction, exchanged in entries if interaction is None]
        recorded = [exchanged for interaction, exchanged in entries if interaction is not None]
        return told + [replace(each, path=path) for each, path in zip(recorded, paths, strict=True)], ""

    def _judged(self, tape: Tape) -> tuple[Interaction, int]:
        """The exchange as an interaction that says what became of it, and how many events it has."""
        plain = self._interaction(tape, True, {})
        assert tape.head is not None
        code = check_head(tape.head.status, tape.head.headers)
        if code is not None:
            return self._interaction(tape, True, {"code": str(code)}), 0
        contract = self._contract or _detected(plain.response)
        verdict = read([plain.response.body], contract)
        seen = verdict.code != FaultCode.MISSING_TERMINAL if tape.end == "complete" else saw_terminal(verdict)
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
    parts = address(upstream, "upstream", "https://host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError("the upstream is a scheme and a host, with a path at most")
