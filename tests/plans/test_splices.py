"""What splices do to bytes, and to the chunks they were recorded in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.plans._splices import Splice, Timeline, spliced

BODY = b"abcdef"
RECORDED = Timeline((2, 4, 6), (1.0, 2.0, 4.0))


@pytest.mark.parametrize(
    ("splices", "body", "bounds", "delays"),
    [
        ([], b"abcdef", (2, 4, 6), (1.0, 2.0, 4.0)),
        # inserted: inside a chunk, at a boundary, at the start, at the end
        ([(1, 1, b"XY")], b"aXYbcdef", (4, 6, 8), (1.0, 2.0, 4.0)),
        ([(2, 2, b"XY")], b"abXYcdef", (4, 6, 8), (1.0, 2.0, 4.0)),
        ([(0, 0, b"XY")], b"XYabcdef", (4, 6, 8), (1.0, 2.0, 4.0)),
        ([(6, 6, b"XY")], b"abcdefXY", (2, 4, 8), (1.0, 2.0, 4.0)),
        # deleted: inside, across a boundary, a whole chunk, the first, the last, all
        ([(0, 1, b"")], b"bcdef", (1, 3, 5), (1.0, 2.0, 4.0)),
        ([(1, 3, b"")], b"adef", (1, 2, 4), (1.0, 2.0, 4.0)),
        ([(2, 4, b"")], b"abef", (2, 4), (1.0, 6.0)),
        ([(0, 2, b"")], b"cdef", (2, 4), (3.0, 4.0)),
        ([(4, 6, b"")], b"abcd", (2, 4), (1.0, 2.0)),
        ([(0, 6, b"")], b"", (), ()),
        ([(0, 5, b"")], b"f", (1,), (7.0,)),
        # replaced: shorter, longer, across a boundary
        ([(2, 4, b"X")], b"abXef", (2, 3, 5), (1.0, 2.0, 4.0)),
        ([(2, 3, b"XYZ")], b"abXYZdef", (2, 6, 8), (1.0, 2.0, 4.0)),
        ([(1, 3, b"XYZ")], b"aXYZdef", (2, 5, 7), (1.0, 2.0, 4.0)),
        ([(1, 5, b"X")], b"aXf", (2, 3), (1.0, 6.0)),
        # several
        ([(0, 0, b"X"), (2, 2, b"Y"), (4, 5, b""), (6, 6, b"Z")], b"XabYcdfZ", (4, 6, 8), (1.0, 2.0, 4.0)),
        ([(0, 2, b""), (4, 6, b"")], b"cd", (2,), (3.0,)),
    ],
)
def test_splices(
    splices: list[tuple[int, int, bytes]], body: bytes, bounds: tuple[int, ...], delays: tuple[float, ...]
) -> None:
    """Bytes, boundaries and delays after them; three recorded chunks of two bytes."""
    made = [Splice(*each) for each in splices]
    assert spliced(BODY, made) == body
    assert RECORDED.spliced(made, len(body)) == Timeline(bounds, delays)


def test_nothing_recorded_and_something_inserted() -> None:
    """Comes at once."""
    assert Timeline((), ()).spliced([Splice(0, 0, b"XY")], 2) == Timeline((2,), (0.0,))
    assert Timeline((), ()).spliced([], 0) == Timeline((), ())


def test_without_splices_the_body_is_the_same_object() -> None:
    """No copy."""
    assert spliced(BODY, []) is BODY


@st.composite
def recordings(draw: st.DrawFn) -> tuple[Timeline, list[Splice]]:
    """Chunks of some sizes, and splices of what they hold, no two of them touching."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    bounds = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    delays = [float(2**number) for number in range(len(sizes))]
    points = sorted(draw(st.sets(st.integers(0, bounds[-1]), max_size=8)))
    splices = []
    for start, end in zip(points[::2], points[1::2], strict=False):
        insertion = draw(st.booleans())
        splices.append(Splice(start, start if insertion else end, draw(st.binary(max_size=3))))
    return Timeline(tuple(bounds), tuple(delays)), splices


@settings(deadline=None)
@given(recordings())
def test_every_byte_keeps_its_time(case: tuple[Timeline, list[Splice]]) -> None:
    """Against a slow model that carries the arrival time with each byte."""
    recorded, splices = case
    before = _times(recorded)
    expected: list[float] = []
    at = 0
    for start, end, new in splices:
        expected += before[at:start]
        last = max(0, end - 1) if end > start else max(0, start - 1)
        expected += [before[min(start + number, last)] if end > start else before[last] for number in range(len(new))]
        at = end
    expected += before[at:]
    assert _times(recorded.spliced(splices, len(expected))) == expected


def _times(timeline: Timeline) -> list[float]:
    """When each byte arrived, in seconds after the head."""
    times: list[float] = []
    now = 0.0
    for bound, delay in zip(timeline.bounds, timeline.delays, strict=True):
        now += delay
        times += [now] * (bound - len(times))
    return times
