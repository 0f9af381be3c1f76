"""Hypothesis strategies: partitions, plans and event streams, for property tests of readers.

    from hypothesis import given
    from recorder.strategies import plans

    @given(plans(interaction))
    def test_my_reader(plan):
        recorder.check_reader(my_reader, interaction, plans=[plan])

Rule: what fails shrinks to what a person would have written: few cuts at early offsets, one end or one edit, the
whole body where that fails already. The places that matter are tried far more often than chance would.

It needs the extra `hypothesis`, and knows no reader and no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

try:
    from hypothesis import strategies as st
except ImportError:
    raise ImportError("recorder.strategies needs Hypothesis: pip install 'sse-recorder[hypothesis]'") from None

from recorder.cassette import Interaction
from recorder.errors import PlanError
from recorder.plans import Plan, boundary_classes, edited_body, event_ends

__all__ = ["event_streams", "partitions", "plans"]

_FEW, _MANY = 3, 40
_REWRITES = ("lf", "crlf", "cr", "bom", "nospace", "multiline", "comments")
_LAST_EVENTS = 6
_TAIL = 4  # bytes
_KINDS = ("eof", "incomplete", "reset", "stall")


def partitions(n: int, *, at: Sequence[int] = ()) -> st.SearchStrategy[tuple[int, ...]]:
    """Lists of cuts of `n` bytes, strictly increasing and inside; mostly few of them.

    Args:
        at: offsets to prefer.

    Raises:
        ValueError: `n` is negative.
    """
    if n < 0:
        raise ValueError(f"n={n}: a number of bytes")
    if n < 2:
        return st.just(())
    offset = _offsets(1, n - 1, at)
    few = st.lists(offset, max_size=_FEW, unique=True)
    many = st.lists(offset, max_size=min(_MANY, n - 1), unique=True)
    return st.one_of(few, many).map(lambda cuts: tuple(sorted(cuts)))


def plans(interaction: Interaction, *, ends: bool = True, edits: bool = True) -> st.SearchStrategy[Plan]:
    """Plans that fit an interaction, without waiting.

    Args:
        ends: some stop the stream, at any byte and in any of the four ways.
        edits: some change the bytes: line ends, a byte order mark, comments, one event missing or there twice.
    """
    body = interaction.response.body
    cuts = partitions(len(body), at=_places(body))
    extras: list[st.SearchStrategy[_Extra]] = [st.just(_Extra())]
    if ends:
        at = _offsets(0, len(body), (*_places(body), *event_ends(body)))
        at = st.one_of(at, st.integers(max(0, len(body) - _TAIL), len(body)))  # there the terminal event mostly ends
        extras.append(st.builds(lambda kind, at: _Extra(f"{kind}@{at}"), st.sampled_from(_KINDS), at))
    if edits:
        extras.append(st.sampled_from(_edits(interaction)))
    return st.builds(_plan, cuts, st.one_of(extras))


class _Extra(NamedTuple):
    """What a plan does besides cutting: nothing, an end, or an edit that leaves so many bytes."""

    end: str | None = None
    edit: str | None = None
    size: int = 0


def _plan(cuts: tuple[int, ...], extra: _Extra) -> Plan:
    """The cuts come first, so that what fails without the extra shrinks to the cuts alone."""
    if extra.edit is not None:
        return Plan(chunks=_written(tuple(cut for cut in cuts if cut < extra.size)), edits=(extra.edit,))
    return Plan(chunks=_written(cuts), end=extra.end)


def event_streams(*, hostile: bool = True, max_blocks: int = 6) -> st.SearchStrategy[bytes]:
    """Bodies of event streams, as the standard allows them.

    Args:
        hostile: also what a parser has to survive: broken UTF-8, byte order marks in wrong places, NUL, CR alone, lines
            without a colon, an end anywhere.
        max_blocks: how many blocks at most.
    """
    line_end = st.sampled_from((b"\n", b"\r\n", b"\r") if hostile else (b"\n", b"\r\n"))
    text = st.text(st.sampled_from('a:{}" 0é你\u2028\U0001f44b\\' + ("\0\ufeff" if hostile else "")), max_size=8)
    value = text.map(lambda written: written.encode())
    if hostile:
        value = st.one_of(value, st.binary(max_size=4).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b"")))
    names = (b"data: ", b"data:", b"event: ", b"id: ", b": ", b":", b"retry: 1", b"unknown: ")
    name = st.sampled_from((*names, b"data", b"id", b"", b"dat", b"\xef\xbb\xbfdata: ") if hostile else names)
    block = st.builds(_block, line_end, st.lists(st.tuples(name, value), min_size=1, max_size=3))
    start = st.sampled_from((b"", b"\xef\xbb\xbf"))
    whole = st.builds(lambda first, blocks: first + b"".join(blocks), start, st.lists(block, max_size=max_blocks))
    if not hostile:
        return whole
    return st.builds(lambda body, lost: body[: len(body) - lost] if lost else body, whole, st.integers(0, 4))


def _offsets(first: int, last: int, at: Sequence[int]) -> st.SearchStrategy[int]:
    """Offsets of a range, every other one from `at`."""
    anywhere = st.integers(first, last)
    preferred = sorted({each for each in at if first <= each <= last})
    return st.one_of(st.sampled_from(preferred), anywhere) if preferred else anywhere


def _places(body: bytes) -> list[int]:
    """The first, the middle and the last offset of each boundary class."""
    return [
        offsets[number * (len(offsets) - 1) // 2] for offsets in boundary_classes(body).values() for number in range(3)
    ]


def _written(cuts: tuple[int, ...]) -> str:
    return f"at:{','.join(map(str, cuts))}" if cuts else "whole"


def _edits(interaction: Interaction) -> list[_Extra]:
    last = range(1, _LAST_EVENTS + 1)
    written = [*_REWRITES, *(f"drop@event:-{number}" for number in last), *(f"dup@event:-{number}" for number in last)]
    return [extra for edit in written if (extra := _edit(edit, interaction)) is not None]


def _edit(edit: str, interaction: Interaction) -> _Extra | None:
    try:
        return _Extra(edit=edit, size=len(edited_body(Plan(edits=(edit,)), interaction)))
    except PlanError:
        return None  # it has not so many events


def _block(line_end: bytes, lines: list[tuple[bytes, bytes]]) -> bytes:
    return line_end.join([name + value for name, value in lines]) + line_end * 2
