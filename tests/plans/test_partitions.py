"""Where each value of `chunks=` cuts."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from recorder.cassette import Interaction
from recorder.plans import Deliver, Plan, steps

Pieces = Callable[[str, bytes], list[bytes]]
Stream = Callable[..., Interaction]

BODY = b"data: 1\n\n: hi\n\ndata: 2\r\n\r\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("whole", [BODY]),
        ("bytes:13", [b"data: 1\n\n: hi", b"\n\ndata: 2\r\n\r\n"]),
        ("bytes:10", [b"data: 1\n\n:", b" hi\n\ndata:", b" 2\r\n\r\n"]),
        ("bytes:26", [BODY]),
        ("bytes:99", [BODY]),
        ("at:0", [BODY]),
        ("at:26", [BODY]),
        ("at:start,end", [BODY]),
        ("at:9", [b"data: 1\n\n", b": hi\n\ndata: 2\r\n\r\n"]),
        ("at:byte:9", [b"data: 1\n\n", b": hi\n\ndata: 2\r\n\r\n"]),
        ("at:event:1", [b"data: 1\n\n", b": hi\n\ndata: 2\r\n\r\n"]),
        ("at:9,3,9", [b"dat", b"a: 1\n\n", b": hi\n\ndata: 2\r\n\r\n"]),
        ("at:-1,line:1,0", [b"data: 1\n", b"\n: hi\n\ndata: 2\r\n\r", b"\n"]),
        ("at:mid:crlf", [b"data: 1\n\n: hi\n\ndata: 2\r", b"\n\r\n"]),
        ("events", [b"data: 1\n\n", b": hi\n\ndata: 2\r\n\r\n"]),
        ("events:2", [BODY]),
        ("events:3", [BODY]),
        ("lines", [b"data: 1\n", b"\n", b": hi\n", b"\n", b"data: 2\r\n", b"\r\n"]),
        ("lines:2", [b"data: 1\n\n", b": hi\n\n", b"data: 2\r\n\r\n"]),
        ("lines:4", [b"data: 1\n\n: hi\n\n", b"data: 2\r\n\r\n"]),
        ("random:1,1", [BODY]),
        # random.Random(7).random() gives 0.3238, 0.1508, 0.6509, 0.0724, of which 22 bytes are 5.9, 2.8, 11.9 and 1.3;
        # 5, 8 and 20 of them lie before the cuts, and one byte more for each chunk
        ("random:4,7", [b"data: ", b"1\n\n:", b" hi\n\ndata: 2\r", b"\n\r\n"]),
    ],
)
def test_chunks(pieces: Pieces, value: str, expected: list[bytes]) -> None:
    """The chunks, byte for byte."""
    assert pieces(f"chunks={value}", BODY) == expected


def test_bytes_one(pieces: Pieces) -> None:
    """Every byte alone."""
    assert pieces("chunks=bytes:1", b"a\r\n\xff") == [b"a", b"\r", b"\n", b"\xff"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # random.Random(1): 0.1344, 0.8474, 0.7638, 0.2551, 0.4954, 0.4495, 0.6516
        # the sum of three is 1.7456; of 6 bytes, 0.46 and 3.37 lie before the cuts
        ("random:3,1", [b"d", b"ata:", b" 1\n\n"]),
        # 2.0007; 5 bytes: 0.34, 2.45, 4.36
        ("random:4,1", [b"d", b"ata", b": 1", b"\n\n"]),
        # 2.4961; 4 bytes: 0.22, 1.57, 2.80, 3.21
        ("random:5,1", [b"d", b"at", b"a:", b" 1", b"\n\n"]),
        # 3.5972; 2 bytes: 0.07, 0.55, 0.97, 1.11, 1.39, 1.64
        ("random:7,1", [b"d", b"a", b"t", b"a:", b" ", b"1", b"\n\n"]),
        ("random:9,1", [b"d", b"a", b"t", b"a", b":", b" ", b"1", b"\n", b"\n"]),
        ("random:99,1", [b"d", b"a", b"t", b"a", b":", b" ", b"1", b"\n", b"\n"]),
    ],
)
def test_random_cuts_are_the_same_everywhere(pieces: Pieces, value: str, expected: list[bytes]) -> None:
    """Literal: they guard the generator, the shares, and the number of chunks."""
    assert pieces(f"chunks={value}", b"data: 1\n\n") == expected


def test_the_sequence_of_the_generator() -> None:
    """What Python promises to keep between its versions."""
    source = random.Random(7)
    assert [source.random() for _ in range(3)] == [0.32383276483316237, 0.15084917392450192, 0.6509344730398537]


def test_random_gives_as_many_chunks_as_it_says(pieces: Pieces) -> None:
    """For any seed, with as few bytes as there are."""
    for seed in range(40):
        for parts in (1, 2, 5, 17, 25, 26):
            assert len(pieces(f"chunks=random:{parts},{seed}", BODY)) == parts


def test_hostile_cuts_once_in_every_class(pieces: Pieces) -> None:
    """At the first offset of each: a field name, the colon, its space, JSON, a number, line ends."""
    assert pieces("chunks=hostile", b'data: {"a":12}\n\ndata: [DONE]\r\n\r\n') == [
        b"d", b"ata", b":", b" ", b"{", b'"', b'a":1', b"2}", b"\n", b"\n", b"data: [", b"DONE]\r", b"\n\r\n",
    ]  # fmt: skip
    assert pieces("chunks=hostile", "data: é\n\n".encode()) == [
        b"d",
        b"ata",
        b":",
        b" ",
        b"\xc3",
        b"\xa9",
        b"\n",
        b"\n",
    ]


def test_recorded_chunks_are_the_default_where_there_are_some(stream: Stream) -> None:
    """And the whole body where there are none."""

    def sizes(plan: str, interaction: Interaction) -> list[int]:
        made = steps(Plan.parse(plan), interaction)
        return [len(step.data) for step in made if isinstance(step, Deliver)]

    recorded = stream(BODY, [(0.5, 9), (0.25, 10), (0.125, 7)])
    assert sizes("", recorded) == [9, 10, 7]
    assert sizes("chunks=recorded", recorded) == [9, 10, 7]
    assert sizes("chunks=whole", recorded) == [26]
    assert sizes("", stream(BODY)) == [26]
    assert sizes("", stream(b"", [])) == []


def test_an_empty_chunk_is_never_delivered(pieces: Pieces) -> None:
    """An empty body delivers nothing, whatever the partition; a body of one byte, one chunk."""
    for value in ("whole", "bytes:1", "at:0,-0,end", "events", "lines:2", "random:3,1", "hostile"):
        assert pieces(f"chunks={value}", b"") == [], value
        assert pieces(f"chunks={value}", b"d") == [b"d"], value


def test_the_body_is_not_copied(pieces: Pieces) -> None:
    """The whole is the very object that was given."""
    body = b"data: 1\n\n" * 100
    (whole,) = pieces("chunks=whole", body)
    assert whole is body
