"""The Hypothesis strategies: they give what they say, find the broken readers, and shrink to small plans."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import recorder
from recorder.plans import steps
from recorder.sse import iter_events
from recorder.strategies import event_streams, partitions, plans

sys.path.insert(0, str(Path(__file__).parent / "sweeps"))

import readers

LF = recorder.load_cassette(recorder.gallery()["chat-lf"]).interactions[0]
CRLF = recorder.load_cassette(recorder.gallery()["chat-crlf"]).interactions[0]


@given(st.integers(0, 30).flatmap(lambda n: st.tuples(st.just(n), partitions(n))))
def test_partitions_are_cuts_inside(drawn: tuple[int, tuple[int, ...]]) -> None:
    """Strictly increasing, from 1 to n-1."""
    n, cuts = drawn
    assert list(cuts) == sorted(set(cuts))
    assert all(0 < cut < n for cut in cuts)


def test_a_partition_needs_a_size() -> None:
    """A negative number of bytes is a mistake."""
    with pytest.raises(ValueError, match="n=-1"):
        partitions(-1)


@given(plans(LF))
def test_plans_fit_and_can_be_written(plan: recorder.Plan) -> None:
    """Each is the plan that its text writes, and has steps for the interaction."""
    assert recorder.Plan.parse(str(plan)) == plan
    assert list(steps(plan, LF))
    assert plan.delay is None


@given(plans(LF, ends=False, edits=False))
def test_plans_without_ends_and_edits_deliver_the_body(plan: recorder.Plan) -> None:
    """In pieces."""
    assert b"".join(recorder.replay(LF, plan)) == LF.response.body


@pytest.mark.parametrize("reader", readers.BROKEN, ids=lambda reader: reader.__name__)
def test_each_broken_reader_is_found(reader: Any) -> None:
    """Within 500 examples, and what is found shrinks to at most two cuts, one end or one edit."""
    interaction = CRLF if reader is readers.forgets_a_cr_at_the_end_of_a_chunk else LF
    plan = find(
        plans(interaction),
        lambda plan: not recorder.sweep(reader, interaction, plans=[plan], hung_after=None).ok,
        settings=settings(
            max_examples=500,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        ),
    )
    cuts = (plan.chunks or "").removeprefix("at:")
    assert len(plan.edits) + (plan.end is not None) <= 1
    if plan.edits or plan.end is not None:
        assert plan.chunks == "whole"
    else:
        assert plan.chunks == "whole" or cuts.count(",") <= 1


@given(event_streams(hostile=False))
def test_well_formed_streams_are_utf8_and_end_their_blocks(body: bytes) -> None:
    """Nothing is pending at the end."""
    body.decode()
    assert not body or body in (b"\xef\xbb\xbf",) or body.endswith((b"\n\n", b"\r\n\r\n"))
    list(iter_events([body], utf8="strict"))


def test_hostile_streams_are_hostile() -> None:
    """Among them are broken UTF-8, a CR alone, and an end inside a block."""
    quick = settings(max_examples=2000, database=None, derandomize=True, phases=[Phase.generate])
    find(event_streams(), lambda body: b"\xff" in body.replace(b"\xef\xbb\xbf", b""), settings=quick)
    find(event_streams(), lambda body: b"\r\r" in body, settings=quick)
    find(event_streams(), lambda body: len(body) > 4 and not body.endswith((b"\n", b"\r")), settings=quick)


@given(event_streams(max_blocks=3))
def test_no_cut_of_a_generated_stream_matters_to_our_parser(body: bytes) -> None:
    """What the strategies are for: every cut gives the events of the whole."""
    whole = list(iter_events([body]))
    assert all(list(iter_events([body[:cut], body[cut:]])) == whole for cut in range(len(body) + 1))


def test_the_strategies_are_found_by_name() -> None:
    """Without an import of their own, and not by a star import: they need Hypothesis."""
    assert recorder.strategies.plans is plans
    assert "strategies" not in recorder.__all__
