"""What a failure report says beside the assertion: the delivery, the bytes at its cuts, and how to see it again.

Rule: what may be shown of a stream is at most 16 bytes on either side of a cut; more only with `--sse-show-text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from recorder.pytest_plugin._running import RUNNING, Running, quoted

if TYPE_CHECKING:
    from recorder.adapters.server import Delivery
    from recorder.matching import NoMatch

AROUND, MORE = 16, 120
_TITLE = "sse-recorder"
_MOST_REFUSED = 3


def tell(item: pytest.Item, report: pytest.TestReport) -> None:
    """Add a section to a failed test's report."""
    running = item.stash.get(RUNNING, None)
    if running is None or report.when != "call":
        return
    lines = [] if running.plan is None else _delivery(item, running)
    if running.session is not None and running.session.misses and not _only_the_port(running.session.misses[0]):
        command = f"pytest {quoted(item.nodeid)} --sse-record=new_episodes"
        lines.append(f"a request that the cassette does not know; to record it too: {command}")
    lines += [_refused(each) for each in running.refused_by_server()[:_MOST_REFUSED]]
    if lines:
        report.sections.append((_TITLE, "\n".join(lines)))


def _refused(entry: Delivery) -> str:
    where = f"{entry.method} {entry.path} ({entry.error}, status {entry.status})"
    return f"the replay server did not answer {where}: the body of its response says why, and what comes nearest"


def _only_the_port(miss: NoMatch) -> bool:
    """Then recording more would not help: the message says how to match."""
    return bool(miss.nearest) and all(each.startswith("port:") for each in miss.nearest[0].differences)


def _delivery(item: pytest.Item, running: Running) -> list[str]:
    plan = str(running.plan) or "as recorded"
    lines = [f"delivered by the plan: {plan}"]
    if running.repeating:
        lines[0] += f" (the first of {running.total} that fails, after {running.done} that do not)"
    lines += _cuts(item, running)
    command = f"pytest {quoted(item.nodeid)}"
    if running.repeating or item.config.getoption("--sse-plan"):
        command = f"pytest {quoted(item.nodeid.partition('[')[0])} --sse-plan={quoted(plan)}"
    return [*lines, f"again: {command}"]


def _cuts(item: pytest.Item, running: Running) -> list[str]:
    from recorder.errors import CassetteError

    try:
        return _told_cuts(item, running)
    except (CassetteError, ValueError):  # no such place in this body, no event stream, a file that is in no order:
        return []  # what failed the test says so


def _told_cuts(item: pytest.Item, running: Running) -> list[str]:
    from recorder.plans import Deliver, boundary_classes, steps
    from recorder.sweeps import event_streams, printable

    if not running.use.path.is_file() or running.plan is None:
        return []
    stored: Any = running.session.cassette if running.session is not None else running.use.path
    interaction = event_streams(stored)[0]
    sizes = [len(step.data) for step in steps(running.plan, interaction) if isinstance(step, Deliver)]
    body = interaction.response.body
    around = MORE if item.config.getoption("--sse-show-text") else AROUND
    if running.plan.edits or not 2 <= len(sizes) <= 4:
        return [f"{len(sizes)} chunks"]
    classes, at, found = boundary_classes(body), 0, []
    for size in sizes[:-1]:
        at += size
        before, after = body[max(0, at - around) : at], body[at : at + around]
        found.append(f"cut at byte {at}, {classes.at(at)}: {printable(before)} | {printable(after)}")
    return found
