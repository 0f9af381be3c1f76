"""A reader that does not come back is broken off, counted, and said so."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import readers

import recorder
from recorder.sweeps import Report, Result

STREAM = recorder.gallery()["chat-usage"]
AROUND = ["chunks=at:99", "chunks=at:100", "chunks=at:101"]


@pytest.mark.parametrize("reader", [readers.hangs_at_a_cut, readers.hangs_at_a_cut_too])
def test_a_run_that_hangs_is_broken_off(reader: Any) -> None:
    """The others go on; the timer that was there before is put back."""
    before = signal.getsignal(signal.SIGALRM)
    report = recorder.sweep(reader, STREAM, plans=AROUND, hung_after=0.4)
    assert report.counts == {Result.RIGHT: 2, Result.HUNG: 1}
    failure = report.failures[0]
    assert (str(failure.plan), failure.result, failure.expected, failure.actual) == (
        "chunks=at:100",
        "hung",
        "a result",
        "none in time",
    )
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_reader_that_always_hangs_is_given_up() -> None:
    """Not one time-out for every plan."""
    report = recorder.sweep(readers.hangs, STREAM, hung_after=0.1)
    assert report.counts == {Result.HUNG: 3}
    assert not report.ok
    assert "broken off after 3 runs that hung" in str(report)


def test_a_reader_without_a_timeout_is_tried_with_the_other_kinds() -> None:
    """As a real one is: it hangs where the stream stalls, and there alone."""

    def reader(chunks: Any) -> Any:
        try:
            return readers.right(chunks)
        except recorder.errors.ReplayStalled:
            readers.hangs(chunks)

    report = recorder.sweep(reader, STREAM, kind="stall,ends,edits", hung_after=0.05)
    assert [(row.kind, row.counts[Result.HUNG]) for row in report.rows] == [("stall", 3), ("ends", 3), ("edits", 0)]
    assert report.rows[2].counts[Result.RIGHT] == report.rows[2].total > 10
    assert "chat-usage, stall: broken off after 3 runs that hung" in str(report)


def in_a_thread(call: Any) -> Report:
    found: list[Report] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def test_off_the_main_thread_a_process_notices() -> None:
    """There is no timer here; the process has one."""
    report = in_a_thread(lambda: recorder.sweep(readers.hangs_at_a_cut, STREAM, plans=AROUND, hung_after=0.4))
    assert report.counts == {Result.RIGHT: 2, Result.HUNG: 1}
    assert "run in a process of its own" in str(report)


def test_where_nothing_can_notice_it_is_said() -> None:
    """A reader that only exists here, off the main thread."""
    report = in_a_thread(lambda: recorder.sweep(lambda chunks: readers.right(chunks), STREAM, plans=AROUND))
    assert report.ok
    assert "readers that hang are not noticed" in str(report)


@pytest.mark.parametrize("reader", [readers.hangs_at_a_cut, readers.hangs_at_a_cut_too])
def test_inside_a_running_loop(reader: Any) -> None:
    """As in a notebook: an asynchronous reader gets a loop of its own, and hangs are noticed all the same."""

    async def cell() -> Report:
        return recorder.sweep(reader, STREAM, plans=AROUND, hung_after=0.4)

    assert asyncio.run(cell()).counts == {Result.RIGHT: 2, Result.HUNG: 1}


def test_a_reader_that_cancels_itself_raised() -> None:
    """It does not end the sweep."""

    async def cancelled(chunks: Any) -> None:
        raise asyncio.CancelledError

    report = recorder.sweep(cancelled, STREAM, plans=AROUND)
    assert report.counts == {Result.FALSE_ALARM: 3}
    assert report.failures[0].error == "CancelledError"


SCRIPT = """
import sys, threading
sys.path.insert(0, {folder!r})
import readers, recorder
def work():
    print(recorder.sweep(readers.right, recorder.gallery()["chat-usage"], plans=["chunks=at:99"]))
def main():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
{call}
"""


@pytest.mark.parametrize(
    ("call", "note"),
    [
        ("if __name__ == '__main__':\n    main()", "run in a process of its own"),  # as the command `pytest` is
        ("main()", "readers that hang are not noticed"),  # its work would be done again in the process
    ],
)
def test_a_script_that_guards_its_work_may_have_a_process(call: str, note: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(SCRIPT.format(folder=str(Path(__file__).parent), call=call), encoding="utf-8")
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True).stdout
    assert note in printed
    assert printed.count("1 of 1 right") == 1


def swallows(chunks: Any) -> Any:
    """Takes what it is broken off with for its own trouble, once, and then waits again."""
    for _ in range(2):
        try:
            readers.hangs(chunks)
        except BaseException:
            continue


def swallows_and_answers(chunks: Any) -> Any:
    """Has the right result, after it was broken off."""
    with suppress(BaseException):
        readers.hangs(chunks)
    return readers.right(chunks)


def swallows_and_raises(chunks: Any) -> Any:
    """Has an error of its own to tell."""
    try:
        readers.hangs(chunks)
    except BaseException as error:
        raise ValueError from error


async def swallows_too(chunks: Any) -> Any:
    """The first, as a coroutine."""
    for _ in range(2):
        with suppress(BaseException):
            await asyncio.Event().wait()


@pytest.mark.parametrize("reader", [swallows, swallows_and_answers, swallows_and_raises, swallows_too])
def test_a_reader_that_does_not_let_go_is_broken_off_again(reader: Any) -> None:
    """What it makes of being broken off is no result."""
    assert recorder.sweep(reader, STREAM, hung_after=0.05).counts == {Result.HUNG: 3}


def test_many_short_runs_of_the_very_same_plan_are_not_one_long_run() -> None:
    """The plan is one object, as in `[plan] * 100`; each run begins anew."""

    def slow(chunks: Any) -> Any:
        time.sleep(0.01)
        return readers.right(chunks)

    report = recorder.sweep(slow, STREAM, plans=[recorder.Plan.parse("chunks=bytes:7")] * 40, hung_after=0.1)
    assert report.counts == {Result.RIGHT: 40}


def test_ctrl_c_breaks_off_an_asynchronous_reader_that_never_waits() -> None:
    """asyncio takes the interrupt for itself, and only acts on it when the loop has a turn."""
    runs = 0

    async def reader(chunks: Any) -> Any:
        nonlocal runs
        runs += 1
        if runs == 5:
            signal.raise_signal(signal.SIGINT)
        time.sleep(0.001)
        return [chunk async for chunk in chunks]

    report = recorder.sweep(reader, STREAM)
    assert report.interrupted
    assert 5 <= runs < report.rows[0].size / 2


def test_asynchronous_readers_that_leave_early_leave_nothing_behind() -> None:
    """The body is closed with each run, not left to the loop, which gets to it when all runs are over."""
    left: list[Any] = []

    async def reader(chunks: Any) -> Any:
        sys.set_asyncgen_hooks(finalizer=left.append)
        async for _ in chunks:
            break

    recorder.sweep(reader, STREAM, sample=50)
    assert left == []
