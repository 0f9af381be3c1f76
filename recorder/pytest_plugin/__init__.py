"""The pytest plugin: cassettes as fixtures, deliveries as parameters, and tests that fail for what they leave behind.

Rule: loading it imports pytest and nothing else; every room waits for the test that needs it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from recorder.pytest_plugin._adopt import adopt, both_marks
from recorder.pytest_plugin._fixtures import (
    _sse_in_force,
    sse_cassette,
    sse_plan,
    sse_provider,
    sse_replay,
    sse_server,
    sse_sweep,
)
from recorder.pytest_plugin._marks import CASSETTE, PARTITIONS, use_of
from recorder.pytest_plugin._options import add_options, check_plan, setting
from recorder.pytest_plugin._partitions import FIXTURE, Many, parametrize
from recorder.pytest_plugin._report import tell
from recorder.pytest_plugin._running import RUNNING, Running
from recorder.pytest_plugin._tally import TALLY, Tally

__all__ = ["_sse_in_force", "sse_cassette", "sse_plan", "sse_provider", "sse_replay", "sse_server", "sse_sweep"]

_MARKS = (
    f"{CASSETTE}(name=None, *, plan, mode, match_on, ignore, allow_unplayed, allow_open, allow_misses, ...): "
    "run the test with a recorded cassette in force; without a name it is cassettes/<module>/<test>.yaml",
    f'{PARTITIONS}("cuts" | "bytewise" | "classes" | [plans], few=64): run the test under each of these deliveries',
)


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    for line in _MARKS:
        config.addinivalue_line("markers", line)
    config.stash[TALLY] = Tally()
    check_plan(config)
    if config.getoption("--sse-block-network") or setting(config, "sse_block_network", False):
        from recorder.pytest_plugin._network import block

        config.add_cleanup(block())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function):
            if setting(config, "sse_adopt_vcr", False):
                adopt(item)
            both_marks(item)
            item.stash[RUNNING] = Running(item, use_of(item))
    config.stash[TALLY].collected(items, config)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    """Run a test once for each plan of an item that stands for many."""
    callspec = getattr(pyfuncitem, "callspec", None)
    many = callspec.params.get(FIXTURE) if callspec else None
    running = pyfuncitem.stash.get(RUNNING, None)
    if not isinstance(many, Many) or running is None or running.repeating:
        return None
    running.each(many.plans, lambda: pyfuncitem.ihook.pytest_pyfunc_call(pyfuncitem=pyfuncitem))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    result = yield
    running = item.stash.get(RUNNING, None)
    complaints = running.complaints() if running is not None else []
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        tell(item, report)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker of pytest-xdist is done."""
    node.config.stash[TALLY].take(getattr(node, "workeroutput", {}))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    session.config.stash[TALLY].hand_over(session.config)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    config.stash[TALLY].write(terminalreporter, config.rootpath, config.getoption("--sse-unused"))
