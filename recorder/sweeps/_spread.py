"""A sweep on many workers: ranges of plans are sent out, tallies come back, and are put together in order.

Rule: a range is counted when its tally has arrived, and at no other time, so a worker that dies costs time only. Few
ranges are under way at once: neither all plans nor all tallies are ever in memory.

It does not know what a worker is: threads, processes and machines of a cluster are executors alike.
"""

from __future__ import annotations

import pickle
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from recorder.sweeps._families import Family
from recorder.sweeps._job import Job, Progress, Sweeping
from recorder.sweeps._tally import Tally
from recorder.sweeps._watchdog import watching

SMALLEST, LARGEST, RANGES = 64, 20_000, 64
UNDER_WAY = 16  # ranges at once
ATTEMPTS = 3


def range_of(job: Job, kind: str, start: int, stop: int, hung_after: float | None) -> Tally:
    """What a worker does: the runs of one range."""
    with _sweeping(job, hung_after) as sweeping:
        family = job.family(kind)
        tally = job.tally(family)
        sweeping.sweep(family, tally, start, stop)
        return tally


def smaller_in(job: Job, tally: Tally, hung_after: float | None) -> Tally:
    """What a worker does when all is counted: minimize the first failure of each word."""
    with _sweeping(job, hung_after) as sweeping:
        sweeping.smaller(tally)
        return tally


class _Last(threading.local):
    """The job this worker was busy with last: the reader's result on the whole is asked for once."""

    token = ""
    sweeping: Sweeping


_last = _Last()


@contextmanager
def _sweeping(job: Job, hung_after: float | None) -> Iterator[Sweeping]:
    with watching(hung_after) as watchdog, ExitStack() as stack:
        if _last.token == job.token:
            sweeping = _last.sweeping
        else:
            sweeping = Sweeping(job, stack.enter_context(job.opened()))
            if not job.via.headers_travel:  # then nothing has to be closed, and it serves the next range too
                _last.token, _last.sweeping = job.token, sweeping
        sweeping.watchdog = watchdog
        yield sweeping


class Spread:
    """Workers for sweeps.

    Args:
        executor: any `concurrent.futures.Executor`, or what has a `get_executor`, as a `dask.distributed.Client`. A
            pool of processes that breaks is replaced by one like it.
        hung_after: seconds a run may take, where a worker can notice it.
    """

    def __init__(self, executor: Any, hung_after: float | None) -> None:
        cluster = getattr(executor, "get_executor", None)
        if cluster is None and not hasattr(executor, "submit"):
            raise TypeError(f"executor={executor!r}: use an executor, such as ProcessPoolExecutor(4), or a Dask client")
        self._executor: Executor = executor if cluster is None else cluster(pure=False, retries=ATTEMPTS)
        self._hung_after = hung_after
        self._own: Executor | None = None
        self._broken = 0

    def __enter__(self) -> Spread:
        return self

    def __exit__(self, *error: object) -> None:
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)

    def sweep(self, job: Job, family: Family, tally: Tally, progress: Progress | None) -> None:
        """Run a whole family into `tally`, which is right at every moment, an interrupt included.

        Raises:
            ValueError: something of the job cannot be sent to another process; says what.
        """
        if isinstance(self._executor, ProcessPoolExecutor):
            _check_sent(job)
        size = min(LARGEST, max(SMALLEST, -(-family.total // RANGES)))
        ranges = ((start, min(start + size, family.total)) for start in range(0, family.total, size))
        for part in self._in_order(
            lambda span: self._executor.submit(range_of, job, family.kind, span[0], span[1], self._hung_after), ranges
        ):
            tally.merge(part)
            if progress is not None:
                progress(part.row.total)
            if tally.stopped:
                return

    def smaller(self, job: Job, tally: Tally) -> None:
        """Minimize the first failure of each word in `tally`, on a worker."""
        if tally.failures:
            todo = iter([tally])
            for done in self._in_order(
                lambda each: self._executor.submit(smaller_in, job, each, self._hung_after), todo
            ):
                tally.failures, tally.smallest = done.failures, done.smallest

    def _in_order(self, submit: Callable[[Any], Future[Tally]], todo: Iterator[Any]) -> Iterator[Tally]:
        """The tallies of `todo` in their order, whatever order they are done in."""
        pending: deque[tuple[Any, Future[Tally]]] = deque()
        try:
            while True:
                while len(pending) < UNDER_WAY and (span := next(todo, None)) is not None:
                    pending.append((span, self._submitted(submit, span, pending)))
                if not pending:
                    return
                try:
                    result = pending[0][1].result()
                except BrokenExecutor:
                    self._mend(submit, pending)
                    continue
                pending.popleft()
                self._broken = 0
                yield result
        finally:
            for _, future in pending:
                future.cancel()

    def _submitted(
        self, submit: Callable[[Any], Future[Tally]], span: Any, pending: deque[tuple[Any, Future[Tally]]]
    ) -> Future[Tally]:
        try:
            return submit(span)
        except BrokenExecutor:
            self._mend(submit, pending)
            return submit(span)

    def _mend(self, submit: Callable[[Any], Future[Tally]], pending: deque[tuple[Any, Future[Tally]]]) -> None:
        """A new pool, and what had not come back is run again.

        Raises:
            RuntimeError: the same ranges broke one pool after the other.
        """
        self._broken += 1
        if self._broken > ATTEMPTS or not isinstance(self._executor, ProcessPoolExecutor):
            raise RuntimeError(
                f"workers died {self._broken} times on the same ranges of plans: the reader ends its process, "
                "or it cannot be imported there"
            )
        broken: Any = self._executor
        self._own = self._executor = ProcessPoolExecutor(
            broken._max_workers,  # what the pool was made with is written nowhere else
            broken._mp_context,
            broken._initializer,
            broken._initargs,
        )
        for number, (span, future) in enumerate(pending):
            if not _has_result(future):
                pending[number] = span, submit(span)


def _has_result(future: Future[Tally]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _check_sent(job: Job) -> None:
    """Raises:
    ValueError: something of the job cannot be sent to another process; says what.
    """
    for name in ("reader", "key", "finish", "accepts", "contract", "via"):
        try:
            pickle.dumps(getattr(job, name))
        except Exception:
            raise ValueError(
                f"{name}= cannot be sent to another process: define it at the top of a module, which a lambda and a "
                "function inside another one are not; or use threads"
            ) from None


def travels(job: Job) -> bool:
    """Whether a process started anew can run the job: it pickles, and this program can be imported there unharmed."""
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is None and not _guarded(getattr(main, "__file__", None)):
        return False  # a script would run again from its first line
    try:
        sent: Job = pickle.loads(pickle.dumps(job))
    except Exception:
        return False
    return bool(getattr(sent.reader, "__module__", "") != "__main__")


def _guarded(script: str | None) -> bool:
    """Whether a script (none: there is nothing to run again) does its work under `if __name__ == "__main__":`."""
    if script is None:
        return True
    try:
        text = Path(script).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return re.search(r"""^if __name__ == ["']__main__["']:""", text, re.MULTILINE) is not None
