"""What the tests of the contracts share: reading one body in many partitions, which must agree."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Protocol

import pytest

from recorder.contracts import Accepted, Contract, Rejected, Verdict, aread, read

collect_ignore = [
    *([] if os.environ.get("RECORDER_VECTORS") else ["test_shared_inputs.py", "test_shared_dialects.py"]),
    *([] if os.environ.get("RECORDER_CORPUS") else ["test_corpus.py"]),
]

Judge = Callable[[bytes, Contract], Verdict]


@pytest.fixture
def judge() -> Judge:
    """Read a body whole, byte by byte, at many two-part cuts and asynchronously; give the verdict all agree on."""
    return lambda body, contract: agreed(body, contract, cuts=50)


@pytest.fixture
def judge_at_every_cut() -> Judge:
    """`judge`, with every two-part cut there is."""
    return lambda body, contract: agreed(body, contract, cuts=len(body))


class Stream(Protocol):
    """A case of a dialect's table: a stream, and what is made of it; `at_event` for a rejection."""

    body: bytes
    code: str
    text: str
    at_event: int | None
    more: Mapping[str, Any]


@pytest.fixture
def holds(judge: Judge) -> Callable[[Stream, Contract], None]:
    """Asserts that the verdict on a case is the one it names; `more` is of the verdict, or of its only choice."""

    def check(case: Stream, contract: Contract) -> None:
        verdict = judge(case.body, contract)
        if isinstance(verdict, Accepted):
            assert ("accepted", verdict.text or "", None) == (case.code, case.text, case.at_event)
        else:
            assert (str(verdict.code), verdict.partial.text, verdict.at_event) == (case.code, case.text, case.at_event)
        for name, value in case.more.items():
            assert getattr(verdict if hasattr(verdict, name) else verdict.choices[0], name) == value

    return check


def agreed(body: bytes, contract: Contract, cuts: int) -> Verdict:
    verdict = read([body], contract)
    for chunks in partitions(body, cuts):
        assert_same(read(chunks, contract), verdict)
    assert_same(asyncio.run(aread(slowly(body), contract)), verdict)
    return verdict


def partitions(body: bytes, cuts: int) -> Iterator[list[bytes]]:
    """Byte by byte, and in two parts at so many places, evenly spread."""
    yield [body[at : at + 1] for at in range(len(body))]
    yield from ([body[:cut], body[cut:]] for cut in range(1, len(body), max(1, len(body) // max(1, cuts))))


async def slowly(body: bytes) -> AsyncIterator[bytes]:
    """Seven bytes at a time, other tasks in between."""
    for at in range(0, len(body), 7):
        await asyncio.sleep(0)
        yield body[at : at + 7]


def assert_same(verdict: Verdict, expected: Verdict) -> None:
    assert verdict == expected
    if isinstance(verdict, Accepted):
        assert verdict.text == expected.text
    elif isinstance(expected, Rejected):
        assert (verdict.partial, verdict.body) == (expected.partial, expected.body)
