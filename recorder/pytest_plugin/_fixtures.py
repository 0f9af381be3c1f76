"""The fixtures. Rooms are imported when a fixture is used, so that a suite without any pays nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from recorder.pytest_plugin._adopt import with_their_configuration
from recorder.pytest_plugin._marks import is_marked
from recorder.pytest_plugin._partitions import Many
from recorder.pytest_plugin._running import RUNNING, Running

if TYPE_CHECKING:
    from recorder.plans import Plan
    from recorder.provider import Provider
    from recorder.sweeps import Report
    from recorder.vcr import Session


@pytest.fixture
def sse_provider() -> Iterator[Provider]:
    """The loopback provider, running for one test: `url`, `key`, `ssl_context()`, and what it was asked and sent."""
    from recorder.provider import Provider

    with Provider() as provider:
        yield provider


@pytest.fixture
def sse_plan(request: pytest.FixtureRequest) -> Plan | None:
    """The plan of this item; None when it has none of its own."""
    given: Plan | Many | None = getattr(request, "param", None)
    override = request.config.getoption("--sse-plan")
    if override:
        from recorder.plans import Plan

        given = Plan.parse(override)
    running: Running = request.node.stash[RUNNING]
    running.plan = None if isinstance(given, Many) else given
    return running.plan


@pytest.fixture(autouse=True)
def _sse_in_force(request: pytest.FixtureRequest, sse_plan: Plan | None) -> None:
    """A marked test runs with its cassette in force, whether it asks for a fixture or not.

    Where it asks for a server, that plays the cassette, and requests to it are real.
    """
    if is_marked(request.node) and "sse_server" not in request.fixturenames:
        request.getfixturevalue("sse_cassette")


@pytest.fixture
def sse_cassette(request: pytest.FixtureRequest, sse_plan: Plan | None) -> Iterator[Session]:
    """The test's cassette, in force: `cassette` is what is stored, `played`, `recorded`, `unplayed`, `open_responses`.

    The file is the one that `@pytest.mark.sse_cassette` names, else `cassettes/<module>/<test>.yaml`.
    """
    running: Running = request.node.stash[RUNNING]
    running.use = with_their_configuration(running.use, request)
    yield from running.open()


class Delivery:
    """Chunks of a replay, for `for` and for `async for`; each of them starts at the beginning."""

    def __init__(self, interaction: Any, plan: Any, options: dict[str, Any]) -> None:
        self._given = (interaction, plan)
        self._options = options

    def __iter__(self) -> Iterator[bytes]:
        from recorder.adapters import replay

        return replay(*self._given, **self._options)

    def __aiter__(self) -> AsyncIterator[bytes]:
        from recorder.adapters import areplay

        return areplay(*self._given, **self._options)


@pytest.fixture
def sse_replay(request: pytest.FixtureRequest, sse_plan: Plan | None) -> Callable[..., Delivery]:
    """Call it with a plan: the chunks of the test's recorded stream, delivered so, to iterate over (sync or async).

    `sse_replay(plan=None, *, interaction=None, clock=None, timeout=None)`: without a plan it is the one of the mark or
    of the partition; `interaction` is the position in the cassette, the first event stream unless given.
    """
    running: Running = request.node.stash[RUNNING]

    def replay(plan: Any = None, *, interaction: int | None = None, **options: Any) -> Delivery:
        if plan is None:
            plan = running.plan if running.plan is not None else running.use.plan
        return Delivery(running.stream(interaction), plan, options)

    return replay


class ServerURL(str):
    """The URL of a replay server, and the server behind it."""

    __slots__ = ("server",)

    server: Any


@pytest.fixture
def sse_server(request: pytest.FixtureRequest, sse_plan: Plan | None) -> Iterator[ServerURL]:
    """A replay server for the test's cassette: its URL, for a client in any language; `.server` is the server."""
    from recorder.adapters.server import serve

    running: Running = request.node.stash[RUNNING]
    running.touch_all()
    with serve(running.use.path, running.chosen(), repeat=True) as server:
        url = ServerURL(server.url)
        url.server = running.server = server
        yield url


@pytest.fixture
def sse_sweep(request: pytest.FixtureRequest, sse_plan: Plan | None) -> Callable[..., Report]:
    """Call it with a reader: run under every plan of a family; the test fails with the smallest story of a failure.

    `sse_sweep(reader, kind="all", *, interaction=None, **options)`: options as `recorder.sweep` takes them.
    """
    running: Running = request.node.stash[RUNNING]

    def swept(reader: Any, kind: str = "all", *, interaction: int | None = None, **options: Any) -> Report:
        from recorder.sweeps import sweep

        source, which = running.source(interaction)
        report = sweep(reader, source, kind=kind, **which, **options)
        if not report.ok:
            pytest.fail(running.story(report), pytrace=False)
        return report

    return swept
