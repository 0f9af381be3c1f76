"""Where commands print: results to standard output, everything else to standard error. rich decides on colour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.measure import Measurement
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
from rich.table import Table
from rich.text import Text

from recorder.cassette import Cassette, gallery, load_cassette
from recorder.errors import CassetteError
from recorder.sanitize import Sanitizer

out = Console(soft_wrap=True)
errors = Console(stderr=True, soft_wrap=True)
_WIDEST = 10_000  # columns


def say(text: str, style: str = "") -> None:
    """Print what was found to standard output; nothing in it steers the terminal, as the name of a file could."""
    _print(out, text, style)


def tell(text: str, style: str = "") -> None:
    """The same to standard error, for everything that is no result."""
    _print(errors, text, style)


def _print(console: Console, text: str, style: str) -> None:
    from recorder.inspect import safe

    lines = [safe(line) for line in text.split("\n")]
    console.print("\n".join(lines), style=style, markup=False, highlight=False)


def say_table(table: Table) -> None:
    """Print a table as wide as it needs to be: in a narrower terminal its lines wrap, and no figure is lost."""
    table.width = Measurement.get(out, out.options.update(width=_WIDEST), table).maximum
    out.print(table)


def open_cassette(name: str) -> Cassette:
    """The cassette in the file `name`, or the shipped one of that name.

    Raises:
        CassetteError: the file cannot be read, or there is neither a file nor a shipped cassette of that name.
    """
    shipped = gallery() if not Path(name).exists() else {}
    if shipped and name not in shipped and Path(name).name == Path(name).stem == name:
        raise CassetteError(f"{name}: there is no such file, and the shipped cassettes are {', '.join(shipped)}")
    return load_cassette(shipped.get(name, name))


def open_clean(name: str) -> Cassette:
    """The same as it may be shown: sanitized, by the rules of the project; says so where that changes it.

    Raises:
        CassetteError: as `open_cassette`.
    """
    loaded = open_cassette(name)
    clean = Sanitizer.configured().apply(loaded)
    if clean != loaded:
        tell(f"recorder: {name} is not sanitized; this is what sanitizing leaves")
    return clean


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
