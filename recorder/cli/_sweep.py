"""`recorder sweep`: one reader under families of deliveries of a recorded stream, and a report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table
from rich.text import Text

from recorder.cli._cassettes import located
from recorder.cli._console import out, say_table
from recorder.cli._files import check_place
from recorder.cli._progress import Tracker, progress_bar
from recorder.cli._replay import load_reader
from recorder.cli._status import Status
from recorder.contracts import named
from recorder.sweeps import (
    CLASS_HEAD,
    HUNG_AFTER,
    KINDS,
    PROVES,
    ROW_HEAD,
    SOONEST,
    Command,
    Reader,
    Report,
    Sample,
    absent,
    class_cells,
    row_cells,
    stories,
    summary,
    sweep,
)


def sweep_reader(
    cassettes: Annotated[list[str], typer.Argument(help="Cassette files, or names of shipped ones.")],
    reader: Annotated[str, typer.Option("--reader", help="The reader, package.module:function.")] = "",
    command: Annotated[
        str, typer.Option("--exec", help="Or a command in any language: 'node reader.mjs {url}' reads that address.")
    ] = "",
    batch: Annotated[
        bool, typer.Option("--batch", help="One process: an address a line on its input, a line of output for each.")
    ] = False,
    kind: Annotated[str, typer.Option("--kind", help=f"{', '.join(KINDS)}, or all; several with commas.")] = "cuts",
    plan: Annotated[list[str] | None, typer.Option("--plan", help="Just this delivery; may be repeated.")] = None,
    sample: Annotated[
        str, typer.Option("--sample", help="classes: a few of each boundary class; a number; all: all pairs too.")
    ] = "",
    interaction: Annotated[
        int | None, typer.Option("--interaction", min=1, help="Only this event stream of each cassette.")
    ] = None,
    contract: Annotated[str, typer.Option("--contract", help="The contract that says what is true.")] = "",
    via: Annotated[
        str,
        typer.Option("--via", help="chunks, or client: the reader makes its own request, answered by the file."),
    ] = "chunks",
    workers: Annotated[int, typer.Option("--workers", min=0, help="Run on so many processes.")] = 0,
    dask: Annotated[str, typer.Option("--dask", help="Run on the Dask cluster at this address.")] = "",
    hung_after: Annotated[
        float, typer.Option("--hung-after", min=SOONEST, help="Seconds a run may take.")
    ] = HUNG_AFTER,
    show_text: Annotated[bool, typer.Option("--show-text", help="Show more of results than their difference.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The report as JSON, without stream content.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with the picture to this file.")] = None,
) -> None:
    """Prove a reader: one result for every delivery of the same bytes, and the truth where a stream stops early.

    Exit status: 0 when every run was right, 1 when one was not, or after Ctrl-C.

    \b
    Examples:
      recorder sweep chat-lf --reader recorder.cli.naive_reader:read --kind all
      recorder sweep chat.yaml --exec 'node reader.mjs' --batch
      recorder sweep chat.yaml --reader my.client:read --sample classes --junit report.xml
    """
    check_place("--junit", junit, "a file to write")
    check_place("--html", html, "a file to write")
    with _executor(workers, dask) as executor, progress_bar() as progress:
        report = sweep(
            _reader(reader, command, batch, via),
            {name: located(name) for name in cassettes},
            kind=kind,
            plans=plan or None,
            sample=_sample(sample),
            contract=named(contract) if contract else None,
            interaction=interaction,
            via=via,
            executor=executor,
            hung_after=hung_after,
            show_text=show_text,
            progress=Tracker(progress),
        )
    if junit:
        junit.write_text(report.to_junit(), "utf-8")
    if html:
        html.write_text(report.to_html(), "utf-8")
    if json:
        print(report.to_json())
    else:
        _print(report)
    raise typer.Exit(Status.FINE if report.ok else Status.NO)


def _reader(name: str, command: str, batch: bool, via: str) -> Reader | Command:
    if bool(name) == bool(command):
        raise ValueError("give a reader: --reader MODULE:FUNCTION, or --exec COMMAND")
    if batch and not command:
        raise ValueError("--batch is for --exec")
    if command:
        try:
            return Command(command, batch)
        except ValueError as error:
            raise ValueError(f"--exec {command}: {error}") from None
    reader: Reader = load_reader(name, *(() if via == "client" else ("the chunks",)))
    return reader


@contextmanager
def _executor(workers: int, dask: str) -> Iterator[Any]:
    """The workers that were asked for; they find modules in the current folder, as this process does."""
    if workers and dask:
        raise ValueError("--workers and --dask: give one of them")
    if workers:
        with ProcessPoolExecutor(workers, get_context("spawn"), _find_modules, (str(Path.cwd()),)) as pool:
            yield pool
    elif dask:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("--dask needs dask: pip install 'sse-recorder[dask]'") from None
        try:
            connected = Client(dask)
        except (OSError, ValueError) as error:
            raise ValueError(f"--dask {dask}: {error}; it takes the address of a scheduler, tcp://HOST:PORT") from None
        with connected as client:
            client.run(_find_modules, str(Path.cwd()))
            yield client
    else:
        yield None


def _find_modules(folder: str) -> None:
    sys.path.insert(0, folder)


def _sample(text: str) -> Sample:
    if text == "":
        return None
    if text == "classes":
        return "classes"
    if text == "all":
        return "all"
    if text.isdecimal() and int(text):
        return int(text)
    raise ValueError(f"--sample {text}: write classes, all, or how many of each kind")


def _print(report: Report) -> None:
    _line(f"{report.kind}: {summary(report)}", "bold green" if report.ok else "bold red")
    _table(ROW_HEAD, row_cells(report))
    classes = class_cells(report)
    if classes:
        _table(CLASS_HEAD, classes)
        if report.absent:
            _line(absent(report))
    for note in report.notes:
        _line(f"note: {note}", "yellow")
    told, rest = stories(report)
    for story in told:
        first, *lines = story.splitlines()
        out.print()
        _line(first, "bold")
        _line("\n".join(lines))
    if rest:
        out.print()
        _line("\n".join(rest))
    if report.ok:
        _line(PROVES)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    table = Table(*(Column(each, no_wrap=True) for each in head), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    out.print()
    say_table(table)


def _line(text: str, style: str = "") -> None:
    out.print(Text(text, style=style))
