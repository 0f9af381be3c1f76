"""A reader in any language: a command that reads the stream from a real server, and says what it made of it.

Rule: each run has an address of its own, with the plan in it. What a run gave is the line, or the output, that the
command wrote; a JSON object with an `error`, or with `ok` false, is a failure, and so is another exit status than 0.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, Protocol
from urllib.parse import quote, urlsplit

from recorder.cassette import Interaction, load_cassette
from recorder.contracts import Contract
from recorder.plans import Plan, steps
from recorder.sweeps._runs import Accepts, Run, returned
from recorder.sweeps._sources import Stream

ADDRESS = "{url}"
STOPPING_S = 5.0
LONGEST = 4096  # characters of a plan in an address


@dataclass(frozen=True, slots=True)
class Command:
    """A reader that is a command; takes the place of the function in `sweep` and `check_reader`.

    The address is what the reader puts where the provider's scheme and host are: it asks `<address>/v1/...` as it does
    in production. Requests are compared by method, path and query, and by body where that is needed to tell them apart.

    Args:
        line: the command as in a shell, though none runs it; `{url}` in it becomes the address of the run.
        batch: one process for all runs: it reads an address a line on its standard input and answers each with a line.

    Raises:
        ValueError: there is no command in it, or no place for the address.
    """

    line: str
    batch: bool = False

    name = "command"
    headers_travel = True

    def __post_init__(self) -> None:
        if not self._words():
            raise ValueError("the command is empty: write it as in a shell, such as 'node reader.mjs {url}'")
        if not self.batch and ADDRESS not in self.line:
            raise ValueError(f"{self.line!r} has no {ADDRESS} for the address of the run: add it, or use batch")

    def _words(self) -> list[str]:
        return shlex.split(self.line)

    @property
    def words(self) -> tuple[str, ...]:
        """How `recorder sweep` is told of it."""
        return ("--exec", self.line, "--batch") if self.batch else ("--exec", self.line)

    @property
    def text(self) -> str:
        """How Python writes it."""
        return f"Command({self.line!r}{', batch=True' if self.batch else ''})"

    @contextmanager
    def open(
        self, reader: object, stream: Stream, contract: Contract | None, accepts: Accepts
    ) -> Iterator[Callable[[Plan], Run]]:
        """What performs plans on one stream, until it is left."""
        asking = _Batch(self._words()) if self.batch else _Started(self._words())
        with _Served(stream, contract) as served:
            try:
                yield lambda plan: served.run(plan, asking, accepts)
            finally:
                asking.close()


class _Asking(Protocol):
    """The command, ready to be asked."""

    def ask(self, url: str) -> bytes | int:
        """What it says about the stream at `url`, or the exit status that it ended with instead."""
        ...


class _Started:
    """A process for each run."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    def ask(self, url: str) -> bytes | int:
        words = [word.replace(ADDRESS, url) for word in self._words]
        with _started(words, subprocess.DEVNULL) as process:
            try:
                said, _ = process.communicate()
            except BaseException:  # the run has had its time
                process.kill()
                raise
        return process.returncode or said

    def close(self) -> None:
        """There is nothing to close."""


class _Batch:
    """One process for all runs; another when it has ended or hung."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._process: subprocess.Popen[bytes] | None = None
        self._answered = False
        self._said = b""  # read already, and no answer to anything that was asked

    def ask(self, url: str) -> bytes | int:
        process = self._process = self._process or _started(self._words, subprocess.PIPE)
        to, source = _pipes(process)
        try:
            to.write(f"{url}\n".encode())
            to.flush()
            said = self._line(source)
        except BrokenPipeError:
            said = b""
        except BaseException:  # the run has had its time, and what comes later would be taken for the next one's
            process.kill()
            self.close()
            raise
        if said.endswith(b"\n"):
            self._answered = True
            if not self._said:
                return said
            self.close()
            raise ValueError(
                f"the command {self._words[0]!r} wrote more than a line for one address: it answers in one"
            )
        self.close()
        if not self._answered:
            told = f"status {process.returncode}, before it answered the first address"
            raise ValueError(f"the command {self._words[0]!r} ended with {told}: it reads addresses, a line each")
        return process.returncode or -1

    def _line(self, source: IO[bytes]) -> bytes:
        """The next line; what there is of one where the output ends."""
        while b"\n" not in self._said and (more := os.read(source.fileno(), 1 << 16)):
            self._said += more
        line, end, self._said = self._said.partition(b"\n")
        return line + end

    def close(self) -> None:
        """Let it end, or end it."""
        self._said = b""
        process, self._process = self._process, None
        if process is None:
            return
        to, source = _pipes(process)
        with suppress(BrokenPipeError):
            to.close()
        try:
            process.wait(STOPPING_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        source.close()


def _started(words: list[str], stdin: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(words, bufsize=0, stdin=stdin, stdout=subprocess.PIPE)
    except OSError as error:
        raise ValueError(f"the command {words[0]!r} cannot be started: {error.strerror}") from None


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise AssertionError("started with pipes")
    return process.stdin, process.stdout


class _Served:
    """The cassette of a stream, on a server whose chunks are reads of their own."""

    def __init__(self, stream: Stream, contract: Contract | None) -> None:
        from recorder.adapters.server import serve

        self._stream, self._contract = stream, contract
        self._plan = Plan()
        self._asked = 0
        self._ever_played = False
        interactions = (stream.interaction,) if stream.file is None else load_cassette(stream.file).interactions
        anything = stream.file is None
        match_on = () if anything else _match_on(interactions)
        self._server = serve(
            list(interactions), self._choose, repeat=True, exact=True, contract=contract, match_on=match_on
        )

    def __enter__(self) -> _Served:
        self._server.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.stop()

    def _choose(self, request: object, index: int) -> Plan:
        """The plan for the stream under test, counted among the event streams that are asked for."""
        self._asked += 1
        return self._plan if self._stream.alone or self._asked == self._stream.number else Plan()

    def run(self, plan: Plan, asking: _Asking, accepts: Accepts) -> Run:
        """One run.

        Raises:
            PlanError: the plan does not fit the stream.
            ValueError: the command asked for nothing that is recorded.
        """
        steps(plan, self._stream.interaction, contract=self._contract)
        self._plan, self._asked = plan, 0
        self._server.rewind()
        self._server.clear_log()
        prefix = f"/~{quote(str(plan), safe='=;:@,*+')}"
        if not self._stream.alone or len(prefix) > LONGEST:  # then the server knows by itself
            prefix = ""
        said = asking.ask(self._server.url + prefix)
        if self._server.played:
            self._ever_played = True
        elif not (self._ever_played and isinstance(said, int)):
            raise ValueError(f"the command asked for nothing that is recorded: {self._asked_instead()}")
        return Run(None, (f"exit status {said}", "", ""), False) if isinstance(said, int) else _outcome(said, accepts)

    def _asked_instead(self) -> str:
        asked = self._server.log
        if not asked:
            return "it made no request to the address it was given"
        return f"its last request was {asked[-1].method} {asked[-1].path}"


def _match_on(interactions: tuple[Interaction, ...]) -> tuple[str, ...]:
    """Without the body, where the rest tells the requests apart: a reader may have a prompt of its own."""
    from recorder.adapters.server import SERVER_MATCH_ON

    bodies: dict[tuple[str, str, str], bytes | None] = {}
    for each in interactions:
        url = urlsplit(each.request.uri)
        if bodies.setdefault((each.request.method, url.path, url.query), each.request.body) != each.request.body:
            return SERVER_MATCH_ON
    return tuple(part for part in SERVER_MATCH_ON if part != "body")


def _outcome(said: bytes, accepts: Accepts) -> Run:
    """What the command says, as what a reader returns or raises."""
    text = said.decode("utf-8", "backslashreplace").strip()
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if not isinstance(value, dict):
        return returned(value, accepts)
    if error := value.get("error"):
        kind, code = (error.get("type"), error.get("code")) if isinstance(error, dict) else (error, None)
        return Run(None, (str(kind or "error"), str(code or ""), ""), False)
    return Run(value, None, False) if value.get("ok", True) is False else returned(value, accepts)
