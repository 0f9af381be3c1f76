"""Replay for urllib3, and so for requests: the standard library's HTTP/1.1 code reads a connection that plays the plan.

Rule: the caller gets urllib3's own response, exceptions and causes, because `http.client` and urllib3 make them: only
the socket is ours. Nothing leaves the process.

`incomplete` in transfer chunks ends between two of them, as when a provider vanishes: "Response ended prematurely". A
close inside of one, which urllib3 calls "Connection broken: IncompleteRead", is not told apart in a recording, and no
plan has it. Over TLS the cause of a timeout says "The read operation timed out" where here it says "timed out".
"""

from __future__ import annotations

import http.client
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from recorder.adapters._clock import Clock
from recorder.adapters._line import Line, Lost, reset_error
from recorder.adapters._notes import with_plan
from recorder.cassette import Headers, Interaction, Request
from recorder.plans import Contract, Plan


def request_of(method: str, url: str, headers: Mapping[str, str | bytes] | None = None, body: Any = None) -> Request:
    """What is about to be sent.

    Args:
        url: absolute.
        headers: values may be bytes, as requests has them.
        body: bytes, str (sent as UTF-8) or None; of a file or an iterator nothing is read, and None is noted.
    """
    pairs = [
        (str(name), value.decode("latin-1") if isinstance(value, bytes) else str(value))
        for name, value in (headers or {}).items()
    ]
    data = (
        body.encode("utf-8") if isinstance(body, str) else bytes(body) if isinstance(body, bytes | bytearray) else None
    )
    return Request(method, url, Headers(pairs), data or None)


def respond(
    method: str,
    url: str,
    interaction: Interaction,
    plan: Plan,
    *,
    timeout: float | None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
    preload_content: bool = False,
    decode_content: bool = False,
    enforce_content_length: bool = True,
) -> Any:
    """The response of `interaction` under `plan`, as `urllib3.connection.HTTPConnection.getresponse` returns it.

    Args:
        method, url: of the live request; the URL as it stands in the request line.
        timeout: its read timeout in seconds, None for ever; holds on `clock`.
        clock: virtual unless given.
        on_close: called once or more, when the response is read to its end, closed, or failed.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.
        preload_content, decode_content, enforce_content_length: as for `HTTPConnection.request`.

    Raises:
        PlanError: the plan does not fit the interaction.
        TimeoutError, ConnectionResetError, http.client.RemoteDisconnected: the plan fails before the head is complete,
            and the connection says so; urllib3's pool makes its own exceptions of them. Later ones come from the
            response.
        ReplayStalled: the plan stalls for ever and there is no timeout.
    """
    line = Line(interaction, plan, method=method, clock=clock, contract=contract)
    connection: Any = _Socket(line, timeout)  # it is asked for makefile alone
    answered = http.client.HTTPResponse(connection, method=method, url=url)
    try:
        answered.begin()
    except BaseException as error:
        answered.close()
        if on_close is not None:
            on_close()
        if isinstance(error, Exception):
            with_plan(error, plan)
        raise
    return _response_class()(
        line,
        on_close,
        body=answered,
        headers=_headers(answered),
        status=answered.status,
        version=answered.version,
        version_string="HTTP/1.1",
        reason=answered.reason,
        preload_content=preload_content,
        decode_content=decode_content,
        original_response=answered,
        enforce_content_length=enforce_content_length,
        request_method=method,
        request_url=url,
    )


def _headers(answered: http.client.HTTPResponse) -> Any:
    import urllib3

    return urllib3.HTTPHeaderDict(answered.msg.items())


class _Socket:
    """As much of a socket as `http.client.HTTPResponse` asks for."""

    def __init__(self, line: Line, timeout: float | None) -> None:
        self._line, self._timeout = line, timeout

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Pieces(self._line, self._timeout))


class _Pieces(io.RawIOBase):
    """The line as a raw file: a read gives a piece, or as much of it as there is room for."""

    def __init__(self, line: Line, timeout: float | None) -> None:
        self._line, self._timeout = line, timeout
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            data = self._line.read(self._timeout)
            if data is Lost.TIMED_OUT:
                raise TimeoutError("timed out")
            if data is Lost.RESET:
                raise reset_error()
            self._left = memoryview(data)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


@cache
def _response_class() -> Any:
    import urllib3

    class Replayed(urllib3.HTTPResponse):
        def __init__(self, line: Line, on_close: Callable[[], None] | None, **given: Any) -> None:
            self._line, self._on_close = line, on_close
            super().__init__(**given)

        @contextmanager
        def _error_catcher(self) -> Iterator[None]:
            try:
                with super()._error_catcher():
                    yield
            except Exception as error:
                self._let_go()
                with_plan(error, self._line.plan)
                raise

        def release_conn(self) -> None:
            self._let_go()
            super().release_conn()

        def close(self) -> None:
            self._let_go()
            super().close()

        def _let_go(self) -> None:
            if self._on_close is not None:
                self._on_close()

    return Replayed
