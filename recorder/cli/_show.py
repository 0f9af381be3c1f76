"""`recorder show`: what is in a cassette."""

from __future__ import annotations

from typing import Annotated

import typer

from recorder.cassette import cut_off_message, is_cut_off
from recorder.cli._cassettes import located, open_clean
from recorder.cli._console import out, tell


def show(
    cassette: Annotated[str, typer.Argument(help="A cassette file, or the name of a shipped cassette.")],
    events: Annotated[bool, typer.Option("--events", help="List the events and their data.")] = False,
    chunk_bytes: Annotated[bool, typer.Option("--bytes", help="List the bytes, chunk by chunk.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON; without content unless asked for.")] = False,
) -> None:
    """Show what is in a cassette: requests, heads, timeline, events, ends.

    A cassette that is not sanitized is shown as sanitizing would leave it. Nothing in a stream reaches the terminal
    unescaped.

    \b
    Examples:
      recorder show chat-lf
      recorder show chat-crlf --events
      recorder show chat.yaml --bytes --json
    """
    from recorder.inspect import safe, show_json
    from recorder.inspect import show as render

    loaded, path = open_clean(cassette), located(cassette)
    if is_cut_off(path):
        tell(safe(f"recorder: {cut_off_message(str(path))}"))
    if as_json:
        print(show_json(loaded, events=events, chunk_bytes=chunk_bytes))
    else:
        out.print(render(loaded, events=events, chunk_bytes=chunk_bytes))
