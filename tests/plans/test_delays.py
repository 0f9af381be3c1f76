"""How long each value of `delay=` waits, and that recorded times travel with the bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorder.cassette import EndKind, Interaction, StreamEnd
from recorder.plans import End, Ending, Plan, Wait, steps

Brief = Callable[[str, Interaction], list[object]]
Stream = Callable[..., Interaction]

A, B, C = b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"
DONE = End(Ending.COMPLETE)


@pytest.mark.parametrize(
    ("delay", "expected"),
    [
        ("none", [A, B, C, DONE]),
        ("fixed:20ms", [Wait(0.02), A, Wait(0.02), B, Wait(0.02), C, DONE]),
        ("fixed:1.5s", [Wait(1.5), A, Wait(1.5), B, Wait(1.5), C, DONE]),
        ("fixed:0ms", [A, B, C, DONE]),
        ("rate:8/s", [Wait(0.125), A, Wait(0.125), B, Wait(0.125), C, DONE]),
        ("rate:0.5/s", [Wait(2.0), A, Wait(2.0), B, Wait(2.0), C, DONE]),
        ("ttft:200ms", [Wait(0.2), A, B, C, DONE]),
        ("ttft:200ms+none", [Wait(0.2), A, B, C, DONE]),
        ("ttft:200ms+fixed:20ms", [Wait(0.2), A, Wait(0.02), B, Wait(0.02), C, DONE]),
        ("ttft:0ms+fixed:20ms", [A, Wait(0.02), B, Wait(0.02), C, DONE]),
        ("ttft:1s+rate:4/s", [Wait(1.0), A, Wait(0.25), B, Wait(0.25), C, DONE]),
        # random.Random(7).random() gives 0.3238, 0.1508, 0.6509
        (
            "uniform:0ms,1s,7",
            [Wait(0.32383276483316237), A, Wait(0.15084917392450192), B, Wait(0.6509344730398537), C, DONE],
        ),
        ("uniform:1s,1s,3", [Wait(1.0), A, Wait(1.0), B, Wait(1.0), C, DONE]),
        # the later chunks have the waits they would have without ttft
        ("ttft:1s+uniform:0ms,1s,7", [Wait(1.0), A, Wait(0.15084917392450192), B, Wait(0.6509344730398537), C, DONE]),
    ],
)
def test_delay(brief: Brief, stream: Stream, delay: str, expected: list[object]) -> None:
    """Before each chunk, as steps; no time is no step."""
    assert brief(f"chunks=events; delay={delay}", stream(A + B + C)) == expected


def test_uniform_lies_between(brief: Brief, stream: Stream) -> None:
    """LO + r * (HI - LO): 0.1 + 0.3238 * 0.2 and so on."""
    made = brief("chunks=events; delay=uniform:100ms,300ms,7", stream(A + B))
    assert [step.seconds for step in made if isinstance(step, Wait)] == pytest.approx([0.164766553, 0.130169835])


RECORDED = [(0.5, 9), (0.25, 9), (0.125, 9)]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("delay=recorded", [Wait(0.5), A, Wait(0.25), B, Wait(0.125), C, DONE]),
        ("delay=recorded*2", [Wait(1.0), A, Wait(0.5), B, Wait(0.25), C, DONE]),
        ("delay=recorded*0", [A, B, C, DONE]),
        ("delay=ttft:3s+recorded", [Wait(3.0), A, Wait(0.25), B, Wait(0.125), C, DONE]),
        ("delay=ttft:3s+recorded*2", [Wait(3.0), A, Wait(0.5), B, Wait(0.25), C, DONE]),
        # a chunk is due when its last byte is: 12 ends in the second recorded chunk, 27 in the third
        ("chunks=at:12; delay=recorded*0.5", [Wait(0.375), A + B[:3], Wait(0.0625), B[3:] + C, DONE]),
        ("chunks=whole; delay=recorded", [Wait(0.875), A + B + C, DONE]),
        # several chunks of one recorded chunk come together, the first waits for all of it
        ("chunks=at:3,9; delay=recorded", [Wait(0.5), A[:3], A[3:], Wait(0.375), B + C, DONE]),
        # what comes after the end of the delivery is not waited for
        ("delay=recorded; end=eof@12", [Wait(0.5), A, Wait(0.25), B[:3], End(Ending.EOF)]),
        ("delay=recorded; end=eof@0", [End(Ending.EOF)]),
    ],
)
def test_recorded_times_travel_with_the_bytes(brief: Brief, stream: Stream, plan: str, expected: list[object]) -> None:
    """Whatever the partition."""
    assert brief(plan, stream(A + B + C, RECORDED)) == expected


def test_the_grammar_s_own_example(brief: Brief, stream: Stream) -> None:
    """One byte at a time, twice as fast: each byte is due at half its recorded time."""
    made = brief("chunks=bytes:1; delay=recorded*0.5", stream(b"ab" + b"c" + b"de", [(0.5, 2), (0.25, 1), (1.0, 2)]))
    assert made == [Wait(0.25), b"a", b"b", Wait(0.125), b"c", Wait(0.5), b"d", b"e", DONE]


def test_a_recorded_end_comes_when_it_came(brief: Brief, stream: Stream) -> None:
    """As long after the last chunk as then, when recorded times are asked for; at once otherwise."""
    broken = stream(A, [(0.5, 9)], StreamEnd(EndKind.RESET, 3.0))
    assert brief("", broken) == [A, End(Ending.RESET)]
    assert brief("delay=fixed:1s", broken) == [Wait(1.0), A, End(Ending.RESET)]
    assert brief("delay=recorded*2", broken) == [Wait(1.0), A, Wait(6.0), End(Ending.RESET)]
    assert brief("delay=ttft:1s+recorded", broken) == [Wait(1.0), A, Wait(3.0), End(Ending.RESET)]
    assert brief("delay=recorded; end=recorded", broken) == [Wait(0.5), A, Wait(3.0), End(Ending.RESET)]
    assert brief("delay=recorded; end=complete", broken) == [Wait(0.5), A, DONE]


def test_a_recorded_stall_goes_on_for_ever(brief: Brief, stream: Stream) -> None:
    """How long the client waited before it gave up says nothing about the provider."""
    stalled = stream(A, [(0.5, 9)], StreamEnd(EndKind.TIMEOUT, 30.0))
    assert brief("delay=recorded", stalled) == [Wait(0.5), A, Wait(None)]
    left = stream(A, [(0.5, 9)], StreamEnd(EndKind.CLIENT_CLOSED, 30.0, True))
    assert brief("delay=recorded", left) == [Wait(0.5), A, DONE]


def test_a_wait_is_the_same_value_each_time(stream: Stream) -> None:
    """Steps are plain values, so plans can be compared by them."""
    plan, interaction = Plan.parse("chunks=bytes:2; delay=uniform:1ms,9ms,4"), stream(A + B)
    assert list(steps(plan, interaction)) == list(steps(plan, interaction))
