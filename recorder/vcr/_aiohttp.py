"""A stand-in for the connectors of aiohttp: where a session gets its connection, for each request and each redirect."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from recorder.adapters import aiohttp as adapter
from recorder.capture import aiohttp as capture
from recorder.tape import TapedRequest
from recorder.vcr._layers import Find, Patch, of_vcrpy, unwrapped


def patches(find: Find) -> Iterator[Patch]:
    """For all connectors, if aiohttp is installed."""
    try:
        owner = import_module("aiohttp.connector").BaseConnector
    except ImportError:
        return
    session = import_module("aiohttp").ClientSession
    yield Patch(owner, "connect", _connect(unwrapped(owner.connect), find, session))
    yield Patch(session, "_request", unwrapped(session._request))


def _connect(real: Any, find: Find, session: Any) -> Any:
    @functools.wraps(real)
    async def connect(self: Any, req: Any, traces: Any, timeout: Any) -> Any:
        desk = None if of_vcrpy(session._request) else find()
        if desk is None:
            return await real(self, req, traces, timeout)
        asked = await adapter.request_of(req)
        answer = desk.answer(asked)
        if answer is not None:
            return adapter.connection(
                self,
                req,
                answer.interaction,
                answer.plan,
                timeout=timeout,
                clock=answer.clock,
                on_close=desk.opened(answer),
            )
        tape = desk.tape(asked)
        pairs = tuple([(name, value) for name, values in asked.headers.items() for value in values])
        tape.start(TapedRequest(asked.method, asked.uri, pairs, asked.body))
        connection = await real(self, req, traces, timeout)
        capture.follow(connection, tape)
        return connection

    return connect
