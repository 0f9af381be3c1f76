"""What the tests of the contracts share: reading one body in many partitions, which must agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from recorder.contracts import Accepted, Contract, Rejected, Verdict, aread, read

Judge = Callable[[bytes, Contract], Verdict]


@pytest.fixture
def judge() -> Judge:
    """Read a body whole, byte by byte, at every two-part cut and asynchronously; give the one verdict all agree on."""
    return judge_everywhere


def judge_everywhere(body: bytes, contract: Contract) -> Verdict:
    verdict = read([body], contract)
    for chunks in partitions(body):
        assert_same(read(chunks, contract), verdict)
    assert_same(asyncio.run(aread(slowly(body), contract)), verdict)
    return verdict


def partitions(body: bytes) -> Iterator[list[bytes]]:
    yield [body[at : at + 1] for at in range(len(body))]
    yield from ([body[:cut], body[cut:]] for cut in range(1, len(body)))


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
