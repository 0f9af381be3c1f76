"""`recorder show`: what is in a cassette."""

from __future__ import annotations

from typing import Annotated

import typer

from recorder.cli._console import open_cassette, out


def show(
    cassette: Annotated[str, typer.Argument(help="A cassette file, or the name of a shipped cassette.")],
    events: Annotated[bool, typer.Option("--events", help="List the events and their data.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Facts as JSON, without content.")] = False,
) -> None:
    """Show what is in a cassette: requests, heads, timeline, events, ends.

    Example: recorder show chat-lf --events
    """
    from recorder.inspect import show as render
    from recorder.inspect import show_json

    loaded = open_cassette(cassette)
    if json:
        print(show_json(loaded))
    else:
        out.print(render(loaded, events=events))
