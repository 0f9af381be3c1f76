"""From a failing delivery to the smallest one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import recorder

BODY = (
    b'data: {"choices":[{"index":0,"delta":{"content":"\xe4\xbd\xa0\xe5\xa5\xbd"},"finish_reason":null}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
CHARACTER = BODY.index(b"\xe4\xbd\xa0")


def decodes_each_chunk(chunks: Iterable[bytes]) -> str:
    return "".join(chunk.decode("utf-8", "replace") for chunk in chunks)


def decodes_each_chunk_after_a_mark(chunks: Iterable[bytes]) -> str:
    return decodes_each_chunk(chunks).removeprefix("\ufeff")


def needs_two_cuts(chunks: Iterable[bytes]) -> bytes:
    """Loses a chunk of one byte that has neighbours on both sides."""
    pieces = list(chunks)
    inner = [piece for piece in pieces[1:-1] if len(piece) > 1 or piece != b"i"]
    return b"".join([*pieces[:1], *inner, *pieces[1:][-1:]])


def never_content(chunks: Iterable[bytes]) -> None:
    list(chunks)
    raise ValueError


def content_at_the_end(chunks: Iterable[bytes]) -> str:
    try:
        return b"".join(chunks).decode("utf-8", "ignore")
    except ConnectionError:
        return "as if nothing had happened"


@pytest.mark.parametrize(
    ("reader", "found", "smallest"),
    [
        (decodes_each_chunk, "chunks=bytes:1", f"chunks=at:{CHARACTER + 1}"),
        (decodes_each_chunk, f"chunks=at:5,{CHARACTER + 2},90", f"chunks=at:{CHARACTER + 1}"),
        (decodes_each_chunk, "chunks=bytes:1; delay=fixed:5ms; edit=bom,crlf", f"chunks=at:{CHARACTER + 1}"),
        (decodes_each_chunk_after_a_mark, f"chunks=at:{CHARACTER + 7}; edit=bom", f"chunks=at:{CHARACTER + 1}"),
        (needs_two_cuts, "chunks=bytes:1", "chunks=at:11,12"),  # the first i stands in `choices`, at 11
        (never_content, "chunks=bytes:1; edit=comments", "chunks=whole"),
        (content_at_the_end, "chunks=bytes:1; delay=fixed:1ms; end=reset@100", "chunks=whole; end=eof@0"),
    ],
)
def test_the_smallest_failing_plan(reader: Any, found: str, smallest: str) -> None:
    """Fewest chunks, then the shortest prefix, then the simplest edit; what it was found with is kept."""
    failure = recorder.sweep(reader, BODY, plans=[found]).failures[0]
    assert str(failure.plan) == smallest
    assert str(failure.found) == found


def test_it_is_the_same_every_time() -> None:
    """No chance, no clock."""
    plans = [str(recorder.sweep(needs_two_cuts, BODY, kind="random").failures[0].plan) for _ in range(2)]
    assert plans[0] == plans[1]


def test_the_number_of_runs_is_bounded() -> None:
    """However many cuts there are to try."""
    runs = 0

    def counting(chunks: Iterable[bytes]) -> int:
        nonlocal runs
        runs += 1
        return len(list(chunks)) // 200  # fails only with very many cuts

    report = recorder.sweep(counting, b"data: " + b"x" * 3000 + b"\n\n", plans=["chunks=bytes:1"])
    assert not report.ok
    assert runs < 420


def test_a_reader_that_does_not_do_the_same_twice_keeps_its_plan() -> None:
    """Then there is nothing to search for."""
    seen = 0

    def moody(chunks: Iterable[bytes]) -> int:
        nonlocal seen
        seen += 1
        return 1 if seen == 2 else 0

    failure = recorder.sweep(moody, BODY, plans=["chunks=bytes:1"]).failures[0]
    assert (str(failure.plan), failure.found) == ("chunks=bytes:1", None)
