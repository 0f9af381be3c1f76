"""Before a request that may cost money: where it goes is shown and confirmed; continuous integration is kept out."""

from __future__ import annotations

import os
import sys
from urllib.parse import urlsplit

import typer

from recorder.cli._console import tell
from recorder.cli._status import Status


def confirm_request(method: str, url: str, attempt: str, *, yes: bool) -> None:
    """Show the attempt, the host and the path, and ask.

    Args:
        method, url: of the request.
        attempt: what the attempt is called.
        yes: the answer was given on the command line.

    Raises:
        ValueError: nobody is there to answer, or this is continuous integration, without `yes`.
        typer.Exit: the answer was no.
    """
    parts = urlsplit(url)
    where = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
    tell(f"attempt {attempt}: one {method} to {where}, no retry")
    if yes:
        return
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise ValueError("no request is made under CI, where it would repeat itself unseen: pass --yes if it is meant")
    if not sys.stdin.isatty():
        raise ValueError("nobody is there to confirm the request: pass --yes")
    if not typer.confirm(f"Send it to {parts.hostname}?", err=True):
        tell("nothing was sent")
        raise typer.Exit(Status.CANNOT)
