"""The grammar: what parses, what is written back, and what is refused in which words."""

from __future__ import annotations

import pickle

import pytest

from recorder.errors import PlanError
from recorder.plans import Plan


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("chunks=bytes:1", "chunks=bytes:1"),
        (" end = eof@event:3 ;chunks=at:1,2 ", "chunks=at:1,2; end=eof@event:3"),
        ("delay=recorded*0.5;;", "delay=recorded*0.5"),
        ("end=stall@event:1:30s", "end=stall@event:1:30s"),
    ],
)
def test_a_plan_is_written_back(text: str, written: str) -> None:
    """In the order of the grammar, and it parses to the same plan again."""
    plan = Plan.parse(text)
    assert str(plan) == written
    assert Plan.parse(written) == plan
    assert Plan.of(plan) is plan
    assert Plan.of(text) == plan


def test_a_plan_is_a_value() -> None:
    """Equal, hashable, and it pickles."""
    plan = Plan.parse("chunks=bytes:1; end=eof@3")
    assert plan == Plan(chunks="bytes:1", end="eof@3")
    assert {plan: 1}[Plan.parse(str(plan))] == 1
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert Plan.of(None) == Plan()


CHUNKS = "use whole, recorded, bytes:N, at:POS[,POS...], events[:N], lines[:N], random:PARTS,SEED"
ENDS = "use complete, recorded, eof[@POS], incomplete[@POS], reset[@POS], stall[@POS[:30s]]"
PLACE = "use N, byte:N, event:N, line:N (N may be negative: all but the last N), start, end, terminal"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bytes:1", "'bytes:1' is not a term: use chunks=, delay=, end="),
        ("speed=3", "'speed=3' is not a term: use chunks=, delay=, end="),
        ("chunks=whole; chunks=whole", "'chunks=whole': chunks= is there twice; each term at most once"),
        ("chunks=pieces", f"chunks=pieces: unknown; {CHUNKS}"),
        ("chunks=", f"chunks=: unknown; {CHUNKS}"),
        ("chunks=bytes", "chunks=bytes: needs a whole number of at least 1"),
        ("chunks=bytes:0", "chunks=bytes:0: needs a whole number of at least 1"),
        ("chunks=bytes:-1", "chunks=bytes:-1: needs a whole number of at least 1"),
        ("chunks=whole:1", "chunks=whole:1: takes nothing after it"),
        ("chunks=events:0", "chunks=events:0: needs a whole number of at least 1"),
        ("chunks=random:3", "chunks=random:3: needs PARTS,SEED: random:5,1"),
        ("chunks=random:0,1", "chunks=random:0,1: needs a whole number of at least 1"),
        ("chunks=at:x", f"chunks=at:x: 'x' is not a place: {PLACE}"),
        ("chunks=at:", f"chunks=at:: '' is not a place: {PLACE}"),
        ("chunks=at:event:", f"chunks=at:event:: 'event:' is not a place: {PLACE}"),
        ("delay=20ms", "delay=20ms: unknown; use none, recorded, recorded*X, fixed:20ms"),
        ("delay=fixed:20", "'20' is not a duration: write a number and its unit, 20ms or 1.5s"),
        ("delay=fixed:-1s", "'-1s' is not a duration: write a number and its unit, 20ms or 1.5s"),
        ("delay=recorded*x", "delay=recorded*x: unknown; use none, recorded, recorded*X, fixed:20ms"),
        (
            "end=abort",
            f"end=abort: unknown; {ENDS}",
        ),
        (
            "end=complete@3",
            f"end=complete@3: unknown; {ENDS}",
        ),
        ("end=eof@", f"'' is not a place: {PLACE}"),
        ("end=eof@x", f"'x' is not a place: {PLACE}"),
        ("end=reset@3:1s", f"'3:1s' is not a place: {PLACE}"),
        ("end=stall@3:1", f"'3:1' is not a place: {PLACE}"),
    ],
)
def test_what_is_not_in_the_grammar(text: str, message: str) -> None:
    """The error points at the term and lists what is allowed there; it is a ValueError."""
    with pytest.raises(PlanError) as caught:
        Plan.parse(text)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)
