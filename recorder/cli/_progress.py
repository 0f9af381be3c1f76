"""How far a long command is, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from recorder.cli._console import errors


class Tracker:
    """A progress display for a sweep."""

    def __init__(self, progress: Progress, label: str = "") -> None:
        self._progress, self._label = progress, label
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, done: int, total: int, what: str) -> None:
        label = self._label or what
        if label not in self._tasks:
            self._tasks[label] = self._progress.add_task(label, total=total)
        self._progress.update(self._tasks[label], completed=done)


class _RateColumn(ProgressColumn):
    """Runs a second."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f}/s")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error; nothing at all where that is not a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, disable=not errors.is_terminal, transient=True) as progress:
        yield progress
