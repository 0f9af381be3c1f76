"""Sweeps on threads, processes and a cluster: the same report, byte for byte."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import readers

import recorder
from recorder.sweeps import Report

STREAM = recorder.gallery()["chat-usage"]
KINDS = "cuts,truncations,edits"


@pytest.fixture(scope="module")
def serial() -> Report:
    return recorder.sweep(readers.dispatches_at_the_end, STREAM, kind=KINDS)


@pytest.fixture
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, get_context("forkserver")) as pool:
        yield pool


def same(one: Report, other: Report) -> bool:
    """All that a report can be written as."""
    return all(
        write(one) == write(other) for write in (str, Report.to_json, Report.to_html, Report.to_junit, Report.to_svg)
    )


def test_two_processes_give_the_same_report(serial: Report, processes: Executor) -> None:
    """A broken reader's, with its stories."""
    assert not serial.ok
    assert same(recorder.sweep(readers.dispatches_at_the_end, STREAM, kind=KINDS, executor=processes), serial)


def test_threads_give_the_same_report(serial: Report) -> None:
    """What cannot be sent anywhere can still be run in a thread."""
    report = Report("")
    with ThreadPoolExecutor(2) as pool:
        report = recorder.sweep(lambda chunks: readers.dispatches_at_the_end(chunks), STREAM, kind=KINDS, executor=pool)
    assert report.counts == serial.counts
    assert [str(each.plan) for each in report.failures] == [str(each.plan) for each in serial.failures]


@pytest.mark.parametrize("name", ["reader", "key", "finish", "accepts"])
def test_what_cannot_be_sent_is_named(processes: Executor, name: str) -> None:
    """A lambda is of this process; the pool can be used again."""
    given: dict[str, Any] = {"reader": readers.right, name: lambda value: value}
    with pytest.raises(ValueError, match=f"^{name}= cannot be sent to another process: define it at the top of a mod"):
        recorder.sweep(source=STREAM, kind="bytewise", executor=processes, **given)
    assert recorder.sweep(readers.right, STREAM, kind="bytewise", executor=processes).ok


def test_a_dead_worker_changes_nothing(processes: Executor, tmp_path: Path) -> None:
    """Its range is run again, and nothing is counted twice."""
    marker = tmp_path / "died"
    reader = partial(readers.kills_its_process_once, marker=marker)
    marker.touch()
    expected = recorder.sweep(reader, STREAM, kind=KINDS)
    marker.unlink()
    report = recorder.sweep(reader, STREAM, kind=KINDS, executor=processes)
    assert marker.exists()
    assert same(report, expected)


def test_a_reader_that_always_kills_its_worker_is_an_error(processes: Executor) -> None:
    """After a few pools, not for ever."""
    with pytest.raises(RuntimeError, match="workers died 4 times on the same ranges of plans"):
        recorder.sweep(readers.kills_its_process, STREAM, plans=["chunks=at:100"], executor=processes)


def test_a_cluster_gives_the_same_report(serial: Report) -> None:
    """Of processes on this machine; also when one of them is killed while the sweep is going on."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="ERROR"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert same(recorder.sweep(readers.dispatches_at_the_end, STREAM, kind=KINDS, executor=client), serial)
        before = set(client.run(os.getpid).values())
        ranges = 0

        def kill(done: int, total: int, what: str) -> None:
            nonlocal ranges
            ranges += 1
            if ranges == 2:
                os.kill(min(before), signal.SIGKILL)

        slow = recorder.sweep(readers.right_slowly, STREAM, kind="cuts", executor=client, progress=kill)
        assert set(client.run(os.getpid).values()) != before
        assert (slow.ok, slow.total) == (True, 1144)


def test_ranges_are_sent_one_after_the_other() -> None:
    """All pairs of a stream of 50 KB are 1.25 billion: nothing is made for the ones that are not reached."""
    sent: list[Any] = []

    class Refusing(ThreadPoolExecutor):
        def submit(self, work: Any, /, *arguments: Any, **options: Any) -> Any:
            sent.append(arguments[1:4])
            if len(sent) > 20:
                raise KeyboardInterrupt
            return super().submit(int)

    body = b"data: " + b"x" * 50_000 + b"\n\n"
    with Refusing(1) as pool, pytest.raises(AttributeError):
        recorder.sweep(readers.right, body, kind="pairs", sample="all", executor=pool)
    assert sent[:2] == [("pairs", 0, 20_000), ("pairs", 20_000, 40_000)]
    assert len(sent) == 16
