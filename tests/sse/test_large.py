"""Streams larger than a window: blocks near and above 64 KiB, many blocks in one chunk, every line end.

What is small is held to a slow reference parser elsewhere; here the events are built together with the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.sse import EventStreamParser, iter_events

KIB = 1024
LINE_ENDS = [b"\n", b"\r\n", b"\r"]


def pieces(stream: bytes, size: int) -> Iterator[bytes]:
    return (stream[at : at + size] for at in range(0, len(stream), size))


def parse(chunks: Iterator[bytes], **options: Any) -> list[tuple[str, str, str]]:
    parser = EventStreamParser(**options)
    events = [tuple(event) for chunk in chunks for event in parser.feed(chunk)]
    parser.close()
    return events  # type: ignore[return-value]


@pytest.mark.parametrize("utf8", ["replace", "strict"])
@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r", b"\r\n\r", b"\n\r\n"], ids=repr)
@pytest.mark.parametrize("near", [-3, -2, -1, 0, 1, 2, 3, 5000, 70_000])
def test_block_near_64_kib(utf8: Any, end: bytes, near: int) -> None:
    """An event whose block is about 64 KiB long is given, however the block ends, and so are those after it."""
    size = 64 * KIB + near - len(b"data: ") - len(end)
    stream = b"data: " + b"z" * size + end
    long, short = ("message", "z" * size, ""), ("message", "next", "")
    for after, expected in (
        (b"", [long]),
        (b"data: next\n\n", [long, short]),
        (b"data: next\r\n\r\n" * 2, [long, short, short]),
    ):
        for chunk_size in (10**9, 64 * KIB, len(stream) - 1, 5000):
            chunks = list(pieces(stream + after, chunk_size))
            assert parse(iter(chunks), utf8=utf8) == expected
            assert [tuple(event) for event in iter_events(chunks, utf8=utf8)] == expected


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CR LF", "CR"])
@pytest.mark.parametrize(
    ("block", "event"),
    [
        (["data: " + "a" * 70_000], ("message", "a" * 70_000, "")),
        (["event: big", "data: " + "a" * 70_000], ("big", "a" * 70_000, "")),
        (["data: " + "a" * 40_000, "data: " + "b" * 40_000], ("message", "a" * 40_000 + "\n" + "b" * 40_000, "")),
        ([":" + "c" * 70_000, "data: d"], ("message", "d", "")),
        (["unknown" + "u" * 70_000, "data: d"], ("message", "d", "")),
        (["data: d", "x" * 70_000], ("message", "d", "")),
        (["data: " + "中😀" * 20_000], ("message", "中😀" * 20_000, "")),
        (["event: " + "n" * 70_000, "data: d"], ("n" * 70_000, "d", "")),
    ],
    ids=["data", "named", "two lines", "comment", "unknown", "unknown last", "characters", "name"],
)
def test_large_block_between_small_ones(block: list[str], event: tuple[str, str, str], line_end: bytes) -> None:
    """Events before and after a large block are all given."""
    small = line_end.join([b"data: s", b"", b""])
    large = line_end.join([line.encode() for line in [*block, "", ""]])
    stream = small * 3 + large + small * 2 + large * 2 + small
    one = ("message", "s", "")
    expected = [one, one, one, event, one, one, event, event, one]
    for chunk_size in (10**9, 100_000, 64 * KIB, 4096):
        assert parse(pieces(stream, chunk_size)) == expected
        assert parse(pieces(b"\n" + stream, chunk_size), utf8="strict") == expected


def test_one_cr_far_from_a_large_block() -> None:
    """A single CR LF in a stream of LF does not change where large blocks end."""
    for stream in (
        b"data: a\r\n" + b"x" * 66_000 + b"\n\ndata: b\n\n",
        b"\r\ndata: a\n" + b"x" * 66_000 + b"\n\ndata: b\n\n",
        b"data: a\n" + b"x" * 66_000 + b"\n\ndata: b\r\n\n",
        b"data: a\n" + b"x" * 66_000 + b"\ry\n\ndata: b\n\n",
    ):
        for chunk_size in (10**9, 64 * KIB, 1000):
            assert parse(pieces(stream, chunk_size)) == [("message", "a", ""), ("message", "b", "")]


blocks = st.lists(
    st.sampled_from(
        [
            ([b"data: x"], 0),
            ([b"data:"], 0),
            ([b"event: e", b"data: y"], 0),
            ([b"data: a", b"data: b"], 0),
            ([b":c"], 0),
            ([b""], 0),
            ([b"id: 7", b"data: z"], 0),
            ([b"data: "], 66_000),
            ([b"event: e", b"data: "], 30_000),
            ([b":"], 66_000),
            ([b"foo"], 5_000),
            (["data: é中😀".encode()], 2_000),
            ([b"data: \xff"], 100),
        ]
    ),
    min_size=1,
    max_size=8,
)


@given(blocks=blocks, line_end=st.sampled_from(LINE_ENDS), odd=st.sampled_from([b"", b"\r", b"\r\n", b"x\n", b"\xc3"]),
       times=st.sampled_from([1, 2, 40]), data=st.data())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_large_streams_are_the_same_without_shortcuts(
    sse: Any, blocks: list[tuple[list[bytes], int]], line_end: bytes, odd: bytes, times: int, data: st.DataObject
) -> None:
    """Any mix of small and large blocks: in one chunk or several, with shortcuts, as the exact path gives them."""
    made = [line_end.join([*lines[:-1], lines[-1] + b"w" * extra, b"", b""]) for lines, extra in blocks]
    stream = b"".join(made) * (times if sum(map(len, made)) < 10_000 else 1)
    at = data.draw(st.integers(0, len(stream)))
    stream = stream[:at] + odd + stream[at:]
    size = data.draw(st.sampled_from([len(stream), 65_536, 65_537, 4096, 700]))
    utf8 = data.draw(st.sampled_from(["replace", "strict"]))
    exact = sse.run([stream], exact=True, listen=False, places=False, utf8=utf8)
    assert sse.run(pieces(stream, size), listen=False, places=False, utf8=utf8) == exact
    assert sse.run([stream], places=False, utf8=utf8)._replace(comments=None) == exact
    assert sse.iterate(pieces(stream, size), utf8=utf8) == (exact.events, exact.fault)
