"""`recorder diff`: what is different between two recordings?"""

from __future__ import annotations

from typing import Annotated

import typer

from recorder.cli._cassettes import open_clean
from recorder.cli._console import out
from recorder.cli._status import Status


def diff(
    a: Annotated[str, typer.Argument(help="A cassette file, or the name of a shipped cassette.")],
    b: Annotated[str, typer.Argument(help="The other one.")],
    text: Annotated[bool, typer.Option("--text", help="Compare what was said, too.")] = False,
    loose: Annotated[
        bool,
        typer.Option("--loose", help="Let the number of like events and of tokens differ: two answers of a model."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Compare two cassettes as transcripts; exit 1 on a difference.

    Compared are heads, names and order of events, the shape of their payloads, how the stream ended, and the usage.
    Times, chunks and line ends are told as notes. Texts are compared on request only.

    \b
    Examples:
      recorder diff chat-lf chat-crlf
      recorder diff monday.yaml tuesday.yaml --loose --json
    """
    from recorder.inspect import diff as compare
    from recorder.inspect import json_text, told

    comparison = compare(open_clean(a), open_clean(b), text=text, loose=loose)
    if as_json:
        print(json_text(comparison.to_dict()))
    else:
        out.print(told(comparison))
    if not comparison.same:
        raise typer.Exit(Status.NO)
