"""Stand-ins for the transports of httpx and httpx2."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from recorder.adapters import httpx as adapter
from recorder.capture import httpx as capture
from recorder.vcr._layers import Find, Patch, unwrapped

_TRANSPORTS = ("HTTPTransport", "WSGITransport", "MockTransport")
_ASYNC_TRANSPORTS = ("AsyncHTTPTransport", "ASGITransport", "MockTransport")
_FURTHER = (  # transports of httpx that others wrote, which vcrpy knows: module, class, method
    ("httpx_curl_cffi", "CurlTransport", "handle_request"),
    ("httpx_curl_cffi", "AsyncCurlTransport", "handle_async_request"),
    ("pyreqwest.compatibility.httpx", "SyncHttpxTransport", "handle_request"),
    ("pyreqwest.compatibility.httpx", "HttpxTransport", "handle_async_request"),
)


def patches(find: Find) -> Iterator[Patch]:
    """For every transport of every package that is installed."""
    for package in ("httpx", "httpx2"):
        try:
            library = import_module(package)
        except ImportError:
            continue
        for name in _TRANSPORTS:
            yield _patch(getattr(library, name), "handle_request", find)
        for name in _ASYNC_TRANSPORTS:
            yield _patch(getattr(library, name), "handle_async_request", find)
    for module, name, method in _FURTHER:
        if module in sys.modules:  # vcrpy has imported it, if it is installed
            yield _patch(getattr(sys.modules[module], name), method, find)


def _patch(owner: Any, method: str, find: Find) -> Patch:
    make = _sync if method == "handle_request" else _async
    return Patch(owner, method, make(unwrapped(getattr(owner, method)), find))


def _sync(real: Any, find: Find) -> Any:
    @functools.wraps(real)
    def handle_request(self: Any, request: Any) -> Any:
        desk = find()
        if desk is None:
            return real(self, request)
        asked = adapter.request_of(request)
        answer = desk.answer(asked)
        if answer is None:
            return capture.send(functools.partial(real, self), request, desk.tape(asked))
        closed = desk.opened(answer)
        return adapter.respond(request, answer.interaction, answer.plan, clock=answer.clock, on_close=closed)

    return handle_request


def _async(real: Any, find: Find) -> Any:
    @functools.wraps(real)
    async def handle_async_request(self: Any, request: Any) -> Any:
        desk = find()
        if desk is None:
            return await real(self, request)
        asked = await adapter.arequest_of(request)
        answer = desk.answer(asked)
        if answer is None:
            return await capture.asend(functools.partial(real, self), request, desk.tape(asked))
        closed = desk.opened(answer)
        return await adapter.arespond(request, answer.interaction, answer.plan, clock=answer.clock, on_close=closed)

    return handle_async_request
