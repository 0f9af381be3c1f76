"""Stretches of a body are replaced, and chunk boundaries move along."""

from __future__ import annotations

import pytest

from recorder.cassette import Chunk
from recorder.sanitize._edits import Edit, rewritten


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([20], [18]),  # all at once
        ([5, 15], [5, 13]),  # a cut at the start of what is replaced stays there
        ([7, 13], [7, 11]),  # inside it: as far into the replacement
        ([15, 5], [13, 5]),  # at its end: at the end of the replacement
        ([14, 6], [13, 5]),  # further inside than the replacement is long: at its end
        ([18, 2], [16, 2]),  # behind it: moved by the difference
        ([1] * 20, [1] * 18),  # byte by byte: what became empty joins the next
    ],
)
def test_boundaries_move_with_the_text(sizes: list[int], expected: list[int]) -> None:
    """`aaaaa` + ten bytes to be replaced by eight + `zzzzz`."""
    chunks = tuple(Chunk(1.0, size) for size in sizes)
    text, moved = rewritten("aaaaa0123456789zzzzz", [Edit(5, 15, "REDACTED")], chunks)
    assert text == "aaaaaREDACTEDzzzzz"
    assert [chunk.size for chunk in moved or ()] == expected


def test_several_edits_in_any_order() -> None:
    """A longer replacement, an empty one, and one at the end."""
    chunks = tuple(Chunk(0.0, size) for size in (3, 3, 3, 3))
    text, moved = rewritten("abcdefghijkl", [Edit(10, 12, "!"), Edit(1, 2, "BBBB"), Edit(4, 8, "")], chunks)
    assert text == "aBBBBcdij!"
    assert [chunk.size for chunk in moved or ()] == [6, 1, 1, 2]


def test_sizes_are_bytes_and_places_are_characters() -> None:
    """`é` is two bytes, `€` three, a byte that is not UTF-8 one."""
    chunks = (Chunk(0.0, 4), Chunk(0.0, 5), Chunk(0.0, 2))
    text, moved = rewritten("aé€secret\udcff"[:9] + "\udcff", [Edit(3, 9, "x")], (*chunks, Chunk(0.0, 2)))
    assert text == "aé€x\udcff"
    assert sum(chunk.size for chunk in moved or ()) == 8
    assert [chunk.size for chunk in moved or ()] == [4, 3, 1]


def test_no_time_is_lost_when_a_chunk_becomes_empty() -> None:
    """Its delay goes to the next chunk."""
    chunks = tuple(Chunk(1.0, 1) for _ in range(20))
    _, moved = rewritten("aaaaa0123456789zzzzz", [Edit(5, 15, "REDACTED")], chunks)
    assert sum(chunk.delay_s for chunk in moved or ()) == 20.0


def test_nothing_to_do_changes_nothing() -> None:
    """The very same values come back."""
    chunks = (Chunk(0.5, 3),)
    assert rewritten("abc", [], chunks) == ("abc", chunks)
    assert rewritten("abc", [Edit(0, 1, "b")], None) == ("bbc", None)
