"""Steps: what kinds there are, and what holds for every plan and every body."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recorder.cassette import Chunk, EndKind, Headers, Interaction, Request, Response, StreamEnd
from recorder.errors import PlanError
from recorder.plans import Deliver, End, Ending, Plan, Step, Wait, edited_body, percent_encoded, steps

Brief = Callable[[str, Interaction], list[object]]


def test_a_delivery_shows_no_content() -> None:
    """Its repr is a count; it compares by its bytes."""
    assert repr(Deliver(b"PLANTED")) == str(Deliver(b"PLANTED")) == "Deliver(7 bytes)"
    assert Deliver(b"a") == Deliver(b"a") != Deliver(b"b")
    assert Deliver(b"a") != (b"a",)
    assert len({Deliver(b"a"), Deliver(b"a"), Deliver(b"b")}) == 2


def test_steps_are_matched_by_kind() -> None:
    """As adapters do."""
    seen: list[object] = []
    plan = Plan.parse("chunks=at:4; delay=fixed:1s; end=reset@6")
    for step in steps(plan, Interaction.from_body(b"data: 1\n\n")):
        match step:
            case Deliver(data):
                seen.append(data)
            case Wait(seconds, before_head):
                seen.append((seconds, before_head))
            case End(ending, before_head):
                seen.append((ending, before_head))
    assert seen == [(1.0, False), b"data", (1.0, False), b": ", (Ending.RESET, False)]


counts = st.integers(1, 30).map(str)
offsets = st.integers(0, 60).map(str)
durations = st.one_of(st.integers(0, 5000).map("{}ms".format), st.sampled_from(["1.5s", "0s", "0.25s", "30s"]))
seeds = st.integers(0, 10**18 - 1).map(str)
places = st.one_of(
    offsets,
    offsets.map("-{}".format),
    st.tuples(st.sampled_from(["byte", "event", "line"]), st.integers(-3, 3)).map(lambda each: f"{each[0]}:{each[1]}"),
    st.sampled_from(["start", "end", "terminal", "mid:codepoint", "mid:crlf", "mid:event"]),
)
partitions = st.one_of(
    st.sampled_from(["whole", "recorded", "events", "lines", "hostile", "bytes:1"]),
    counts.map("bytes:{}".format),
    counts.map("events:{}".format),
    counts.map("lines:{}".format),
    st.lists(places, min_size=1, max_size=4).map(lambda each: f"at:{','.join(each)}"),
    st.tuples(counts, seeds).map(lambda each: f"random:{each[0]},{each[1]}"),
)
simple_delays = st.one_of(
    st.sampled_from(["none", "recorded", "recorded*0.5", "recorded*3"]),
    durations.map("fixed:{}".format),
    counts.map("rate:{}/s".format),
    st.tuples(durations, seeds).map(lambda each: f"uniform:0ms,{each[0]},{each[1]}"),
)
delays = st.one_of(
    simple_delays,
    durations.map("ttft:{}".format),
    st.tuples(durations, simple_delays).map(lambda each: f"ttft:{each[0]}+{each[1]}"),
)
stopping = st.one_of(places, st.just("head"))
ends = st.one_of(
    st.sampled_from(["complete", "recorded", "eof", "incomplete", "reset", "stall"]),
    st.tuples(st.sampled_from(["eof", "incomplete", "reset", "stall"]), stopping).map("@".join),
    st.tuples(stopping, durations).map(lambda each: f"stall@{each[0]}:{each[1]}"),
)
numbers = st.integers(-3, 3).filter(bool).map(str)
edits = st.one_of(
    st.sampled_from(["lf", "crlf", "cr", "bom", "nospace", "multiline", "comments"]),
    counts.map("comments:{}".format),
    numbers.map("drop@event:{}".format),
    numbers.map("dup@event:{}".format),
    places.map("flip@{}".format),
    places.map("utf8@{}".format),
    st.tuples(places, st.binary(min_size=1, max_size=6)).map(
        lambda each: f"insert@{each[0]}:{percent_encoded(each[1])}"
    ),
)
plans = st.builds(
    Plan,
    chunks=st.none() | partitions,
    delay=st.none() | delays,
    end=st.none() | ends,
    framing=st.sampled_from([None, "chunked", "length", "close"]),
    edits=st.tuples(
        st.lists(edits, max_size=3), st.sampled_from([[], [], [], ["gzip"], ["br"], ["zstd"], ["deflate"]])
    ).map(lambda each: tuple(each[0] + each[1])),
)

EVENTS = [
    b"data: 1", b'data: {"a":1,"b":[true,2]}', "data: 你好😀".encode(), b": note", b"event: x", b"id:7",
    b"data: [DONE]",
    b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}', b"data:  a", b"\xff\xfe",
    b"data: \\ud83d\\ude00",
]  # fmt: skip
bodies = st.one_of(
    st.lists(
        st.tuples(st.sampled_from(EVENTS), st.sampled_from([b"\n\n", b"\n", b"\r\n\r\n", b"\r\r", b"\r\n", b""])).map(
            b"".join
        ),
        max_size=8,
    ).map(b"".join),
    st.binary(max_size=40),
)


@st.composite
def interactions(draw: st.DrawFn) -> Interaction:
    """A body, perhaps with recorded chunks and a recorded end."""
    body = draw(bodies)
    chunks = None
    if draw(st.booleans()):
        cuts = sorted(draw(st.sets(st.integers(1, max(1, len(body) - 1)), max_size=5))) if len(body) > 1 else []
        bounds = [*cuts, len(body)] if body else []
        pairs = zip([0, *bounds], bounds, strict=False)
        chunks = tuple(Chunk(draw(st.integers(0, 900)) / 1000, stop - start) for start, stop in pairs)
    end = draw(st.none() | st.sampled_from([StreamEnd(kind, 0.5) for kind in EndKind]))
    return Interaction(Request("POST", "https://api.example.com/"), Response(200, Headers(), body, chunks, end))


def made(plan: Plan, interaction: Interaction) -> list[Step] | str:
    """The steps, or what is wrong."""
    try:
        return list(steps(plan, interaction))
    except PlanError as error:
        return str(error)


@settings(deadline=None)
@given(plans, interactions())
@example(Plan.parse("end=stall@0:1s; delay=ttft:0s"), Interaction.from_body(b"data: 1\n\n"))
def test_a_plan_survives_being_written(plan: Plan, interaction: Interaction) -> None:
    """As text and as a pickle: an equal plan, the same text, the same steps, the same complaint."""
    again = Plan.parse(str(plan))
    assert again == plan
    assert hash(again) == hash(plan)
    assert str(again) == str(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert made(again, interaction) == made(plan, interaction)


@settings(deadline=None)
@given(plans, interactions())
@example(Plan.parse("edit=bom"), Interaction.from_body(b""))
def test_joined_chunks_are_the_edited_body(plan: Plan, interaction: Interaction) -> None:
    """Or its beginning where the plan ends sooner; no chunk is empty, and the last step is the only end."""
    found = made(plan, interaction)
    if isinstance(found, str):
        return
    body = edited_body(plan, interaction)
    chunks = [step.data for step in found if isinstance(step, Deliver)]
    joined = b"".join(chunks)
    assert all(chunks)
    assert body.startswith(joined)
    *before, last = found
    assert isinstance(last, End) or last in (Wait(None), Wait(None, before_head=True))
    assert not any(isinstance(step, End) or step in (Wait(None), Wait(None, before_head=True)) for step in before)


@settings(deadline=None)
@given(plans, interactions(), st.sampled_from([None, "complete", "recorded", "eof", "incomplete", "reset", "stall"]))
def test_without_a_place_everything_is_delivered(plan: Plan, interaction: Interaction, end: str | None) -> None:
    """However it ends; a stall that is over delivers everything too."""
    for each in (end, "stall@start:1s", "stall@mid:event:20ms", "stall@head:1s", "stall@-1:0s"):
        found = made(dataclasses.replace(plan, end=each), interaction)
        if not isinstance(found, str):
            joined = b"".join([step.data for step in found if isinstance(step, Deliver)])
            assert joined == edited_body(plan, interaction)


@settings(deadline=None)
@given(plans, interactions(), st.sampled_from(["eof", "incomplete", "reset", "stall"]), st.data())
def test_an_end_stands_where_it_says(plan: Plan, interaction: Interaction, kind: str, data: st.DataObject) -> None:
    """Exactly the bytes before it are delivered, and no cut of the partition is lost."""
    if isinstance(made(dataclasses.replace(plan, end=None), interaction), str):
        return
    body = edited_body(plan, interaction)
    at = data.draw(st.integers(0, len(body)))
    found = made(dataclasses.replace(plan, end=f"{kind}@{at}"), interaction)
    whole = made(dataclasses.replace(plan, end="complete"), interaction)
    cuts = _cuts(whole)
    assert b"".join([step.data for step in found if isinstance(step, Deliver)]) == body[:at]
    assert _cuts(found) == [cut for cut in cuts if cut < at] + [at] * (at > 0)


def _cuts(found: list[Step] | str) -> list[int]:
    """Where each chunk ends."""
    return list(accumulate(len(step.data) for step in found if isinstance(step, Deliver)))


@settings(deadline=None)
@given(plans, interactions())
def test_silence_is_one_wait(plan: Plan, interaction: Interaction) -> None:
    """Waits are positive, never two in a row but for one before the head, which comes first."""
    found = made(plan, interaction)
    if isinstance(found, str):
        return
    waits = [isinstance(step, Wait) and not step.before_head for step in found]
    assert not any(first and second for first, second in pairwise(waits))
    assert not any(isinstance(step, Wait) and step.before_head for step in found[1:])
    assert all(step.seconds is None or step.seconds > 0 for step in found if isinstance(step, Wait))


@settings(deadline=None)
@given(
    interactions(), partitions, st.sampled_from(["", "edit=crlf,comments", "edit=dup@event:1", "edit=bom,multiline"])
)
def test_recorded_time_does_not_depend_on_the_partition(interaction: Interaction, chunks: str, edit: str) -> None:
    """Under any cuts each byte comes when its own recorded chunk is complete, or later, with the bytes after it."""
    recorded = made(Plan.parse(f"chunks=recorded; delay=recorded; end=complete; {edit}"), interaction)
    other = made(Plan.parse(f"chunks={chunks}; delay=recorded; end=complete; {edit}"), interaction)
    if isinstance(recorded, str) or isinstance(other, str):
        return
    assert all(late >= due - 1e-9 for due, late in zip(_arrivals(recorded), _arrivals(other), strict=True))
    assert _total(recorded) == pytest.approx(_total(other))


def _arrivals(found: list[Step]) -> list[float]:
    """When each byte comes."""
    now, times = 0.0, []
    for step in found:
        if isinstance(step, Wait):
            now += step.seconds or 0.0
        elif isinstance(step, Deliver):
            times += [now] * len(step.data)
    return times


def _total(found: list[Step]) -> float:
    return sum(step.seconds or 0.0 for step in found if isinstance(step, Wait))
