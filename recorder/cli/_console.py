"""Where commands print: results to standard output, everything else to standard error. rich decides on colour."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


class _Console(Console):
    """One that leaves it to the command line what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        raise  # the error that rich is handling


out = _Console(soft_wrap=True)
errors = _Console(stderr=True, soft_wrap=True)
_WIDEST = 10_000  # columns


def say(text: str, style: str = "") -> None:
    """Print what was found to standard output; nothing in it steers the terminal, as the name of a file could."""
    _print(out, text, style)


def tell(text: str, style: str = "") -> None:
    """The same to standard error, for everything that is no result."""
    _print(errors, text, style)


def _print(console: Console, text: str, style: str) -> None:
    lines = [line if line.isprintable() else _safe(line) for line in text.split("\n")]
    console.print("\n".join(lines), style=style, markup=False, highlight=False)


def _safe(text: str) -> str:
    from recorder.inspect import safe  # looking at cassettes takes long to import, and few lines need it

    return safe(text)


def say_table(table: Table) -> None:
    """Print a table as wide as it needs to be: in a narrower terminal its lines wrap, and no figure is lost."""
    table.width = Measurement.get(out, out.options.update(width=_WIDEST), table).maximum
    out.print(table)
