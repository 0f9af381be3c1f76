"""`recorder demo`: the whole job on real sockets, without a key and without a network.

A loopback provider streams an answer over TLS; one authorized request records it; the provider stops; and two readers
are run on the recording at every cut. The one fails because of the bytes, not because it is told to.
"""

from __future__ import annotations

import asyncio
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from recorder.cassette import Cassette, gallery, load_cassette
from recorder.cli import naive_reader
from recorder.cli._console import errors, out, say, say_table
from recorder.cli._files import at_hand
from recorder.cli._progress import Tracker, progress_bar
from recorder.cli._status import Status
from recorder.contracts import chat_text, read
from recorder.record import Outcome, record_once
from recorder.sweeps import Failure, Reader, Report, Result, sweep

PROMPT = "Say hello in five languages."


class Variant(StrEnum):
    """The line ends of the stream."""

    LF = "lf"
    CRLF = "crlf"


def demo(
    keep: Annotated[
        Path | None, typer.Option("-o", "--keep", help="Keep the recorded cassette in this folder.")
    ] = None,
    lines: Annotated[Variant, typer.Option("--lines", help="The line ends the provider sends.")] = Variant.LF,
) -> None:
    """Record a stream from a loopback provider, then replay it offline at every cut. Needs no key and no network.

    \b
    Examples:
      recorder demo
      recorder demo --lines crlf --keep recordings
    """
    scenario = f"chat-{lines}"
    with tempfile.TemporaryDirectory() as folder:
        target = (keep or Path(folder)) / f"{scenario}.yaml"
        with at_hand("--keep", target.parent, "a folder"):
            target.parent.mkdir(parents=True, exist_ok=True)
        outcome = _record(scenario, target, overwrite=keep is not None)
        say(f"recorded  {outcome.line()}")
        if not outcome.verdict.ok:
            raise typer.Exit(Status.NO)
        cassette = load_cassette(target)
    if keep:
        say(f"kept      {target}")
    say("replayed  offline: the provider has stopped")
    passed = _replay(cassette, str(target) if keep else _shipped(scenario, cassette))
    raise typer.Exit(Status.FINE if passed else Status.NO)


def _record(scenario: str, target: Path, overwrite: bool) -> Outcome:
    from recorder.provider import Provider

    with Provider() as provider, errors.status("one authorized request"):
        return asyncio.run(
            record_once(
                f"{provider.url}/v1/chat/completions",
                path=target,
                json={"model": scenario, "stream": True, "messages": [{"role": "user", "content": PROMPT}]},
                headers={"authorization": f"Bearer {provider.key}"},
                contract=chat_text(),
                overwrite=overwrite,
                verify=provider.ssl_context(),
            )
        )


def _shipped(scenario: str, cassette: Cassette) -> str:
    """What to call the cassette in a command: the shipped one when it holds the same bytes."""
    shipped = gallery().get(scenario)
    same = shipped and load_cassette(shipped).interactions[0].response.body == cassette.interactions[0].response.body
    return scenario if same else "CASSETTE (run the demo with --keep to have it)"


def _ours(chunks: Any) -> object:
    return read(chunks, chat_text())


SHOWN = ("cuts", "bytewise", "random", "truncations")
READERS: dict[str, tuple[str, Reader]] = {
    "recorder.read with chat_text": ("--contract chat_text", _ours),
    "a naive reader": (f"--reader {naive_reader.__name__}:{naive_reader.read.__name__}", naive_reader.read),
}


def _replay(cassette: Cassette, name: str) -> bool:
    table = Table(
        Column("reader", no_wrap=True),
        "cuts right",
        "bytewise",
        "random",
        "truncations told",
        box=None,
        pad_edge=False,
    )
    stories: list[tuple[str, str, Failure]] = []
    with progress_bar() as progress:
        for label, (option, reader) in READERS.items():
            reports = {
                kind: sweep(reader, cassette, kind=kind, progress=Tracker(progress, f"{label}, {kind}"))
                for kind in SHOWN
            }
            table.add_row(label, *(_cell(reports[kind]) for kind in SHOWN))
            stories += [
                (label, option, reports[kind].failures[0]) for kind in ("cuts", "truncations") if reports[kind].failures
            ]
            if reader is _ours:
                passed = all(report.ok for report in reports.values())
    out.print()
    say_table(table)
    for label, option, failure in stories:
        _story(label, option, failure, name)
    return passed


def _cell(report: Report) -> str:
    return f"{report.counts[Result.RIGHT]}/{report.total}"


def _story(label: str, option: str, failure: Failure, name: str) -> None:
    out.print(
        f"\n{label}, first failure: {failure.result}, cut at byte {failure.offset}", style="bold", highlight=False
    )
    say(f"  {failure.picture()}")
    say(f"  {failure.reason}")
    say(f'  recorder replay {name} --plan "{failure.plan}" {option}')
