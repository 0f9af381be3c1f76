"""Where commands print: results to standard output, everything else to standard error. rich decides on colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recorder.cassette import Cassette, gallery, load_cassette
from recorder.plans import Plan

out = Console(soft_wrap=True)
errors = Console(stderr=True, soft_wrap=True)


def open_cassette(name: str) -> Cassette:
    """The cassette in the file `name`, or the shipped one of that name.

    Raises:
        CassetteError: the file cannot be read, or there is neither a file nor a shipped cassette of that name.
    """
    shipped = gallery() if not Path(name).exists() else {}
    return load_cassette(shipped.get(name, name))


class Tracker:
    """A progress display for the plans of a sweep."""

    def __init__(self, progress: Progress, label: str) -> None:
        self._progress, self._label = progress, label

    def __call__(self, plans: Iterable[Plan], total: int) -> Iterator[Plan]:
        task = self._progress.add_task(self._label, total=total)
        for number, plan in enumerate(plans, 1):
            yield plan
            if number % 50 == 0 or number == total:
                self._progress.update(task, completed=number)
        self._progress.update(task, completed=total)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error; nothing at all where that is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal, transient=True) as progress:
        yield progress
