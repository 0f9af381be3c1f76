"""The commands, put together. One file a command; an error of ours is one line on standard error, never a traceback.

Exit status: 0 when all is well, 1 when a stream was rejected or a reader failed, 2 when a command could not be run.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import recorder
from recorder.cli._console import tell
from recorder.cli._convert import convert
from recorder.cli._demo import demo
from recorder.cli._diff import diff
from recorder.cli._drift import drift
from recorder.cli._proxy import proxy
from recorder.cli._record import record
from recorder.cli._replay import replay
from recorder.cli._rules import rules
from recorder.cli._sanitize import sanitize
from recorder.cli._schema import schema
from recorder.cli._serve import serve
from recorder.cli._show import show
from recorder.cli._sweep import sweep_reader
from recorder.cli._verify import verify
from recorder.errors import PlanError, RecorderError

app = typer.Typer(
    name="recorder",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a pretty traceback prints local variables: keys, prompts, answers
    rich_markup_mode=None,
    help="Record one LLM event stream once, sanitized; replay it offline, in any pieces, into your own reader.",
    epilog="Start with: recorder demo",
)
for name, command, short in (
    ("demo", demo, "Record, replay and prove, on the loopback: no key needed."),
    ("record", record, "Make one request and keep its event stream, sanitized."),
    ("proxy", proxy, "Record what a client in any language asks and gets."),
    ("convert", convert, "Make cassettes of recordings of other tools."),
    ("show", show, "Show what is in a cassette."),
    ("diff", diff, "Compare two cassettes as transcripts."),
    ("drift", drift, "Make a cassette's request once more, and compare."),
    ("replay", replay, "Deliver a stream again, in any pieces, with any end."),
    ("serve", serve, "Answer as recorded on 127.0.0.1, to any client."),
    ("sweep", sweep_reader, "Prove a reader under every delivery of a stream."),
    ("verify", verify, "Check that cassettes are in order, and hold no secret."),
    ("sanitize", sanitize, "Clean existing cassettes in place."),
    ("rules", rules, "List the rules by which cassettes are sanitized."),
    ("schema", schema, "Print the JSON Schema of the cassette file."),
):
    app.command(name=name, short_help=short)(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"recorder {recorder.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Nothing of its own: the commands have their options."""


def main() -> None:
    """Run the command line."""
    try:
        app()
    except (RecorderError, PlanError, ValueError, OSError) as error:
        tell(f"recorder: {error}", "red")
        sys.exit(2)
