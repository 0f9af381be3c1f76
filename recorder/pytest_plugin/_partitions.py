"""`@pytest.mark.sse_partitions`: the same test under many deliveries.

Rule: few deliveries are an item each, with an id that says where the cut is; many are one item, which runs the test
under each of them and tells the first that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from recorder.pytest_plugin._marks import PARTITIONS, Use, use_of

if TYPE_CHECKING:
    from recorder.plans import Plan

FEW = 64
FIXTURE = "sse_plan"
KINDS = ("cuts", "bytewise", "classes")


@dataclass(frozen=True, slots=True)
class Many:
    """Plans for one item."""

    kind: str
    plans: Sequence[Any]


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a marked test its items.

    A mark that says what is not known fails the collection of its module.
    """
    node: Any = metafunc.definition
    mark = node.get_closest_marker(PARTITIONS)
    if mark is None or node.config.getoption("--sse-plan"):
        return
    what, few = _read(node, mark)
    use = use_of(node)
    if isinstance(what, str) and not use.path.is_file():
        return  # there is nothing to cut yet: the test runs once, and says so or records
    plans, ids = _told(node, what, few, use)
    metafunc.parametrize(FIXTURE, plans, indirect=True, ids=ids)


def _told(node: Any, what: str | Sequence[Any], few: int, use: Use) -> tuple[Sequence[Any], list[str]]:
    """What the test is given, item by item, and how the items are called."""
    from recorder.errors import CassetteError

    try:
        plans = _plans(what, use)
        if len(plans) <= few:
            return plans, list(_ids(plans, use))
    except (CassetteError, ValueError, TypeError) as error:  # a plan, or the file, or nothing in it to cut
        where = "" if str(error).startswith(str(use.path)) else f"{use.path}: "
        problem = f"{node.nodeid}: @pytest.mark.{PARTITIONS} with {where}{error}"
    else:
        kind = what if isinstance(what, str) else "plans"
        return [Many(kind, plans)], [f"{len(plans)}-{kind}"]
    pytest.fail(problem, pytrace=False)


def _read(node: Any, mark: pytest.Mark) -> tuple[str | Sequence[Any], int]:
    unknown = sorted(set(mark.kwargs) - {"few"})
    what = mark.args[0] if len(mark.args) == 1 else None
    if unknown or what is None or (isinstance(what, str) and what not in KINDS) or not isinstance(what, Iterable):
        pytest.fail(
            f"{node.nodeid}: @pytest.mark.{PARTITIONS} takes one of {', '.join(map(repr, KINDS))} or a list of plans, "
            "and few=N, how many of them may be items of their own",
            pytrace=False,
        )
    return what if isinstance(what, str) else list(what), int(mark.kwargs.get("few", FEW))


def _plans(what: str | Sequence[Any], use: Use) -> Sequence[Plan]:
    from recorder.plans import Plan

    if not isinstance(what, str):
        return [Plan.of(each) for each in what]
    if what == "bytewise":
        return [Plan.parse("chunks=bytes:1")]
    body = _body(use)
    cuts = range(len(body) + 1) if what == "cuts" else _of_each_class(body)
    return [Plan(chunks=f"at:{cut}") for cut in cuts]


def _of_each_class(body: bytes) -> Sequence[int]:
    from recorder.plans import boundary_classes

    return boundary_classes(body).firsts


def _ids(plans: Sequence[Plan], use: Use) -> Iterator[str]:
    from recorder.plans import boundary_classes

    body = _body(use) if use.path.is_file() else b""
    classes = boundary_classes(body)
    for plan in plans:
        cut = str(plan.chunks).removeprefix("at:")
        if str(plan) == f"chunks=at:{cut}" and cut.isdigit() and int(cut) <= len(body) and body:
            yield f"at:{cut}-{classes.at(int(cut)).replace(', ', '-').replace(' ', '-')}"
        else:
            yield str(plan).replace(" ", "") or "as-recorded"


def _body(use: Use) -> bytes:
    from recorder.cassette import load_cassette
    from recorder.sweeps import event_streams

    return event_streams(load_cassette(use.path))[0].response.body
