"""The commands, put together. One file a command; an error of ours is one line on standard error, never a traceback.

Rule: a command is imported when it is called. The list below is all that the help and shell completion need to know.

What a command's exit status means is one table for all of them, in `_status`.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

import recorder
from recorder.cli._status import MEANING, Status
from recorder.errors import PlanError, RecorderError


class Listed(NamedTuple):
    """A command by its name; `recorder.cli._NAME` holds it as a function, called `function` or as the command is."""

    name: str
    short: str
    function: str = ""


COMMANDS = (
    Listed("demo", "Record, replay and prove, on the loopback: no key needed."),
    Listed("record", "Make one request and keep its event stream, sanitized."),
    Listed("proxy", "Record what a client in any language asks and gets."),
    Listed("convert", "Make cassettes of recordings of other tools."),
    Listed("show", "Show what is in a cassette."),
    Listed("diff", "Compare two cassettes as transcripts."),
    Listed("drift", "Make a cassette's request once more, and compare."),
    Listed("replay", "Deliver a stream again, in any pieces, with any end."),
    Listed("serve", "Answer as recorded on 127.0.0.1, to any client."),
    Listed("sweep", "Prove a reader under every delivery of a stream.", "sweep_reader"),
    Listed("verify", "Check that cassettes are in order, and hold no secret."),
    Listed("sanitize", "Clean existing cassettes in place."),
    Listed("gallery", "List the cassettes that ship with the package."),
    Listed("rules", "List the rules by which cassettes are sanitized."),
    Listed("schema", "Print the JSON Schema of the cassette file."),
)


def load(listed: Listed) -> Any:
    """Import a command.

    Args:
        listed: which.

    Returns:
        What parses its arguments and runs it.
    """
    function = getattr(import_module(f"recorder.cli._{listed.name}"), listed.function or listed.name)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name=listed.name)(function)
    return get_command(alone)


class _Commands(TyperGroup):
    """Holds every command as its name and line of help, and loads the one that is called or completed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)  # an unknown name is refused here, with what is like it
        return name, load(next(listed for listed in COMMANDS if listed.name == name)), rest

    def invoke(self, ctx: Any) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                if sys.stdout is not None:  # it is None where it was closed from the start
                    sys.stdout.flush()
        except BrokenPipeError:
            let_go()
            raise typer.Exit(Status.UNREAD) from None


def let_go() -> None:
    """Throw away what cannot be printed any more, so that Python does not try again when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


app = typer.Typer(
    cls=_Commands,
    name="recorder",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a pretty traceback prints local variables: keys, prompts, answers
    rich_markup_mode=None,
    help="Record one LLM event stream once, sanitized; replay it offline, in any pieces, into your own reader.",
    epilog=f"Start with: recorder demo\n\n{MEANING}",
)


def _in_its_place() -> None:
    """What the group holds for a command that is not loaded."""


for each in COMMANDS:
    app.command(name=each.name, short_help=each.short)(_in_its_place)


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal's encoding lacks is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(Status.INTERRUPTED)
    except (RecorderError, PlanError, ValueError, OSError) as error:
        from recorder.cli._console import tell

        tell(f"recorder: {_told(error)}", "red")
        sys.exit(Status.CANNOT)


def _told(error: Exception) -> str:
    """The message; one of the system without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
