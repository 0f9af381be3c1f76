"""The families of plans: indexed, of a known size, and never made whole."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import recorder
from recorder.adapters import deliver
from recorder.cassette import EndKind, Interaction
from recorder.plans import delivery
from recorder.sweeps._families import KINDS, Subject, pair, spread
from recorder.sweeps._oracle import Judge
from recorder.sweeps._runs import HUNG, Run, finish_of
from recorder.sweeps._variants import Variant, plan_of

CHAT = recorder.contracts.chat()
STREAM = recorder.load_cassette(recorder.gallery()["chat-usage"]).interactions[0]
SUBJECT = Subject(STREAM, CHAT)


def test_pairs_are_numbered() -> None:
    """Every pair once, by the larger of the two."""
    assert [pair(number) for number in range(6)] == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    assert {pair(number) for number in range(45)} == set(combinations(range(10), 2))
    assert pair(1_249_975_000 - 1) == (49_998, 49_999)  # the last of 50,000 places


def test_a_spread_is_even() -> None:
    """One of each part, increasing, none twice, always the same."""
    drawn = list(spread(10, 1000))
    assert [number // 100 for number in drawn] == list(range(10))
    assert drawn == list(spread(10, 1000))
    assert [each for at in (0, 4, 8) for each in spread(10, 1000, at, at + 4)] == drawn
    assert next(spread(10**15, 10**18, 10**14)) // 10**3 == 10**14  # at once: what is before is not gone through
    assert list(spread(5, 5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", [None, "classes", 7])
def test_ranges_of_a_family_make_the_family(kind: str, sample: object) -> None:
    """In order, whatever the ranges; every plan fits the stream and is written as it parses."""
    family = KINDS[kind](SUBJECT, sample)  # type: ignore[arg-type]
    whole = [(str(asked), at) for asked, at in family.cases(0, family.total)]
    assert len(whole) == family.total
    middle = family.total // 3
    parts = [*family.cases(0, middle), *family.cases(middle, family.total)]
    assert [(str(asked), at) for asked, at in parts] == whole
    for plan, _ in whole[:: max(1, family.total // 20)]:
        assert str(recorder.Plan.parse(plan)) == plan
        recorder.replay(STREAM, plan)
    if family.offsets:
        assert [at for _, at in whole] == list(family.offsets)


WITH_VARIANTS = {"cuts", "pairs", "random", "truncations", "incomplete", "reset", "stall", "ends"}
RECORDED = ["chat-usage", "chat-crlf", "chat-multilingual", "eof-mid", "reset-mid", "stalled"]


def _recorded(name: str) -> Interaction:
    if name == "stalled":
        return replace(STREAM, response=replace(STREAM.response, end=recorder.StreamEnd(EndKind.TIMEOUT, 1.5)))
    return recorder.load_cassette(recorder.gallery()[name]).interactions[0]


def _variants(kind: str, interaction: Interaction) -> list[Variant]:
    """The variants of a family, of each part of the stream some."""
    family = KINDS[kind](Subject(interaction, CHAT), 400)
    cases = [asked for asked, _ in (*family.cases(0, 3), *family.cases(3, family.total))]
    assert len(cases) == 400 or kind == "ends"
    variants = [asked for asked in cases if not isinstance(asked, recorder.Plan)]
    assert len(variants) == len(cases)
    return variants


@pytest.mark.parametrize("kind", sorted(WITH_VARIANTS))
@pytest.mark.parametrize("name", RECORDED)
def test_a_variant_delivers_what_its_plan_does(kind: str, name: str) -> None:
    """The same chunks and the same end, whatever was recorded: written down and replayed, or delivered as it is."""
    interaction = _recorded(name)
    whole = delivery(recorder.Plan(chunks="whole"), interaction)
    for asked in _variants(kind, interaction):
        assert _told(deliver(asked.of(whole), asked)) == _told(recorder.replay(interaction, str(asked))), str(asked)
        assert asked.waits == ("delay=" in str(asked) or str(asked).endswith(":1s"))


@pytest.mark.parametrize("kind", sorted(WITH_VARIANTS))
@pytest.mark.parametrize("name", RECORDED)
def test_a_variant_is_judged_as_its_plan_is(kind: str, name: str) -> None:
    """Whatever the reader makes of it: what it should, nothing, an error, or a success without a ground."""
    interaction = _recorded(name)
    accepted = Run("answer", None, claims=True)
    runs = [accepted, Run("another", None, claims=True), Run("answer", None, claims=False), HUNG]
    runs += [Run(None, ("ValueError", "", ""), claims=False), Run({"finish": "stop"}, None, claims=True)]
    seen = set()
    for expected in runs[:1] + runs[4:]:
        judge = Judge(interaction, CHAT, None, finish_of)
        _answered(judge.begin(), expected)
        for asked in _variants(kind, interaction)[::7]:
            for actual in runs:
                word = asked.judged(judge, actual)
                assert word is _answered(judge.any(plan_of(asked), actual), expected).result, (str(asked), actual)
                seen.add(word)
    assert len(seen) > 3


def _answered(asking: Generator[recorder.Plan, Run, Any], run: Run) -> Any:
    """What a judge comes to when every run it asks for is this one."""
    try:
        next(asking)
        while True:
            asking.send(run)
    except StopIteration as done:
        return done.value


def test_a_seed_is_cut_in_eight_numbers_of_parts() -> None:
    """From 2 to 33 over four seeds, each number once; half of them wait. A range may begin anywhere."""
    family = KINDS["random"](SUBJECT, 64)
    plans = [plan_of(asked) for asked, _ in family.cases(0, 64)]
    parts = [int(str(plan.chunks).removeprefix("random:").split(",")[0]) for plan in plans]
    seeds = [int(str(plan.chunks).split(",")[1]) for plan in plans]
    assert sorted(parts) == sorted([*range(2, 34), *range(2, 34)])
    assert seeds == [number // 8 for number in range(64)]
    assert sum(plan.delay is not None for plan in plans) == 32
    assert {plan.delay for plan in plans if plan.delay} == {f"uniform:0ms,50ms,{seed}" for seed in range(8)}
    whole = delivery(recorder.Plan(chunks="whole"), STREAM)
    for start in (0, 1, 7, 8, 13):
        asked, _ = next(family.cases(start, 64))
        assert not isinstance(asked, recorder.Plan)
        assert list(deliver(asked.of(whole), asked)) == list(recorder.replay(STREAM, plans[start]))


def _told(chunks: Iterator[bytes]) -> tuple[list[bytes], str, list[str]]:
    """The chunks, and how they ended."""
    got: list[bytes] = []
    try:
        got.extend(chunks)  # `extend` keeps what came before the error
    except Exception as error:
        return got, repr(error), error.__notes__
    return got, "", []


def _edits(subject: Subject) -> list[recorder.Plan]:
    return [plan_of(asked) for asked, _ in KINDS["edits"](subject, None).cases(0, 1000)]


def test_all_pairs_on_request() -> None:
    """1,143 bytes have 1,142 places inside: 651,511 pairs; 2,000 of them unless all are asked for."""
    assert KINDS["pairs"](SUBJECT, "all").total == 1142 * 1141 // 2 == 651_511
    assert KINDS["pairs"](SUBJECT, None).total == 2000


def test_the_edits_are_of_both_sorts() -> None:
    """What must not matter, and what must be rejected; encodings only where headers travel."""
    edits = {",".join(plan.edits) for plan in _edits(SUBJECT)}
    assert {"crlf", "cr", "bom", "nospace", "multiline", "comments", "dup@event:-1"} <= edits
    assert {"drop@event:-1", "drop@event:-3"} <= edits  # [DONE], and the finish before the usage
    assert any(edit.startswith("flip@") for edit in edits)
    assert any(edit.startswith("utf8@") for edit in edits)
    assert "gzip" not in edits
    travelling = Subject(STREAM, recorder.contracts.chat(), headers_travel=True)
    assert ("gzip",) in {plan.edits for plan in _edits(travelling)}


def test_without_a_contract_only_what_the_events_tell() -> None:
    """Nothing must be rejected then."""
    plans = _edits(Subject(STREAM, None))
    assert plans
    assert not any(edit.startswith(("drop", "flip", "utf8")) for plan in plans for edit in plan.edits)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="every client reads zstd there")
def test_a_coding_that_not_every_client_reads_is_left_out() -> None:
    """Below Python 3.14 requests and aiohttp hand zstd on as it is: no fault of the reader."""
    travelling = Subject(STREAM, recorder.contracts.chat(), headers_travel=True)
    assert ("zstd",) not in {plan.edits for plan in _edits(travelling)}
