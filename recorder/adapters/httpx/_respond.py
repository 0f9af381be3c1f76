"""One request, one response: what a transport of either package returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recorder.adapters._clock import Clock
from recorder.adapters._line import Line
from recorder.adapters.httpx._library import call, library_of, package_of
from recorder.cassette import Headers, Interaction, Request
from recorder.plans import Contract, Plan


def request_of(request: Any) -> Request:
    """What this library is about to send; reads its body into memory, from where it is still sent.

    Args:
        request: a request of either package, of a sync client.
    """
    return _request(request, request.read())


async def arequest_of(request: Any) -> Request:
    """`request_of` for a request of an async client."""
    return _request(request, await request.aread())


def _request(request: Any, body: bytes) -> Request:
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
    return Request(request.method, str(request.url), Headers(pairs), body or None)


def respond(
    request: Any,
    interaction: Interaction,
    plan: Plan,
    *,
    package: str | None = None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
) -> Any:
    """The response of `interaction` under `plan`, as a transport's `handle_request` returns it.

    Args:
        request: the live one; its read timeout holds, on `clock`.
        package: "httpx" or "httpx2"; that of the request unless given.
        clock: virtual unless given.
        on_close: called once, when the response is read to its end, closed, or failed.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: the plan does not fit the interaction.
        httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError: the plan fails before the head is complete; later
            ones come from the response. Of the package in question.
        ReplayStalled: the plan stalls for ever and the client has no read timeout.
    """
    made = library_of(package or package_of(request))
    line = Line(interaction, plan, method=request.method, clock=clock, contract=contract)
    try:
        with made.mapped(plan):
            core = made.pool(line, request.url.scheme == "https").handle_request(made.asked(request))
    except BaseException:
        call(on_close)
        raise
    return made.response(core, made.Body(core.stream, line, on_close))


async def arespond(
    request: Any,
    interaction: Interaction,
    plan: Plan,
    *,
    package: str | None = None,
    clock: Clock | None = None,
    on_close: Callable[[], None] | None = None,
    contract: Contract | None = None,
) -> Any:
    """`respond` for an async transport's `handle_async_request`; the same arguments and errors."""
    made = library_of(package or package_of(request))
    line = Line(interaction, plan, method=request.method, clock=clock, contract=contract)
    try:
        with made.mapped(plan):
            core = await made.async_pool(line).handle_async_request(made.asked(request))
    except BaseException:
        call(on_close)
        raise
    return made.response(core, made.AsyncBody(core.stream, line, on_close))
