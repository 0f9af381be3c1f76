"""`recorder proxy`: record a client in any language by changing its base URL."""

from __future__ import annotations

import json as json_text
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from recorder.cli._console import errors, out
from recorder.cli._files import trusted
from recorder.cli._options import CaCert, Idle, SecretEnv, TextOrShape, listening
from recorder.cli._sanitizer import sanitizer_of
from recorder.cli._status import Status
from recorder.contracts import named
from recorder.record import Exchanged, RecordingProxy


def proxy(
    upstream: Annotated[str, typer.Option("--upstream", help="The one upstream, such as https://api.example.com")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The cassette to write.")],
    once: Annotated[bool, typer.Option("--once", help="End after one exchange.")] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: the system chooses.")] = 0,
    contract: Annotated[str, typer.Option("--contract", help="What completion means; detected unless given.")] = "",
    deadline: Annotated[float, typer.Option("--deadline", min=0, help="Seconds for each exchange.")] = 300.0,
    idle: Idle = None,
    max_concurrent: Annotated[
        int, typer.Option("--max-concurrent", min=1, help="Answer further requests with 503.")
    ] = 16,
    secret_env: SecretEnv = None,
    text: TextOrShape = None,
    cacert: CaCert = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cassette.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Address and exchanges as lines of JSON.")] = False,
) -> None:
    """Forward what comes to a port on 127.0.0.1 to one upstream, and record each exchange, until interrupted.

    Pieces are handed on when they arrive. The client's credentials pass through and are never stored. Any other host,
    CONNECT and absolute URLs are refused.

    \b
    Examples:
      recorder proxy --upstream https://api.example.com -o chat.yaml --once
    """
    asked_to_stop = threading.Event()

    def told(exchanged: Exchanged) -> None:
        with suppress(OSError):  # nobody reads it any more
            _tell(exchanged, json)
        if once:
            asked_to_stop.set()

    server = RecordingProxy(
        upstream,
        output,
        once=once,
        contract=named(contract) if contract else None,
        deadline=deadline,
        idle=idle,
        max_concurrent=max_concurrent,
        overwrite=overwrite,
        sanitizer=sanitizer_of(secret_env, text),
        verify=trusted(cacert),
        port=port,
        on_exchange=told,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked_to_stop.set())
    with listening(server, port):
        _announce(server.url, upstream, json)
        asked_to_stop.wait()
    if any(each.problem for each in server.exchanges) or (once and not all(each.ok for each in server.exchanges)):
        raise typer.Exit(Status.NO)


def _announce(url: str, upstream: str, json: bool) -> None:
    if json:
        print(json_text.dumps({"url": url, "upstream": upstream}), flush=True)
        return
    out.print(url, highlight=False, markup=False)
    errors.print(f"recorder: forwards to {upstream} and to nothing else", highlight=False, markup=False)
    out.file.flush()


def _tell(exchanged: Exchanged, json: bool) -> None:
    if json:
        print(json_text.dumps(exchanged.facts), flush=True)
        return
    errors.print(exchanged.line(), highlight=False, markup=False)
    if exchanged.problem:
        errors.print(f"recorder: {exchanged.problem}", style="red", highlight=False, markup=False)
