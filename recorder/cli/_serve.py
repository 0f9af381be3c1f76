"""`recorder serve`: recorded interactions over real sockets, for a reader in any language."""

from __future__ import annotations

import json as json_text
import signal
import threading
from typing import Annotated

import typer

from recorder.adapters.server import Delivery, ReplayServer
from recorder.adapters.server import serve as make_server
from recorder.cli._cassettes import open_cassette
from recorder.cli._console import out, say, tell
from recorder.cli._options import listening


def serve(
    files: Annotated[list[str], typer.Argument(help="Cassette files, or names of shipped cassettes.")],
    plan: Annotated[
        str,
        typer.Option("--plan", help="How to deliver: chunks=bytes:1; delay=recorded; end=reset@event:3"),
    ] = "",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: the system chooses.")] = 0,
    tls: Annotated[bool, typer.Option("--tls", help="HTTPS, with an authority made for this run.")] = False,
    repeat: Annotated[bool, typer.Option("--repeat", help="Answer again when all that match were played.")] = False,
    match_on: Annotated[
        str, typer.Option("--match-on", help="What must be the same in a request.")
    ] = "method,path,query,body",
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="A JSON path of the request's body that may differ.")
    ] = None,
    max_connections: Annotated[
        int | None, typer.Option("--max-connections", min=1, help="Answer further connections with 503.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Each chunk is a read of its own: wait until the one before was taken.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no line for each delivery.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Address and deliveries as lines of JSON.")] = False,
) -> None:
    """Answer as recorded on 127.0.0.1 until interrupted. Put the printed URL where the provider's host was.

    A request chooses its own plan by a path in front, /~end=eof@event:3/v1/chat/completions, or by the header
    x-recorder-plan. GET /~recorder/log tells what was asked, delivered and how the client left.

    \b
    Examples:
      recorder serve chat.yaml --repeat --plan "chunks=bytes:1; delay=fixed:2ms"
    """
    asked_to_stop = threading.Event()

    def told(delivery: Delivery) -> None:
        try:
            (_delivered_json if json else _delivered)(delivery)
        except BrokenPipeError:  # nobody reads the lines any more
            asked_to_stop.set()

    server = make_server(
        [open_cassette(name) for name in files],
        plan or None,
        repeat=repeat,
        match_on=[part.strip() for part in match_on.split(",") if part.strip()],
        ignore=ignore or [],
        port=port,
        tls=tls,
        max_connections=max_connections,
        exact=exact,
        on_delivery=None if quiet else told,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked_to_stop.set())
    with listening(server, port):
        _announce(server, tls, json)
        asked_to_stop.wait()


def _announce(server: ReplayServer, tls: bool, json: bool) -> None:
    authority = str(server.ca_file) if tls else None
    if json:
        print(json_text.dumps({"url": server.url, "ca_file": authority}), flush=True)
        return
    say(server.url)
    if authority:
        told = f"trust: {authority}  (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, curl --cacert)"
        say(told)
    out.file.flush()


def _delivered(delivery: Delivery) -> None:
    what = f"interaction {delivery.interaction}" if delivery.interaction else delivery.error or "ours"
    plan = f', plan "{delivery.plan}"' if delivery.plan else ""
    chunks = "1 chunk" if delivery.chunks == 1 else f"{delivery.chunks} chunks"
    sent = f"{delivery.status or 'no head'}, {chunks}, {delivery.bytes} bytes, {delivery.end}"
    tell(f"{delivery.method} {delivery.path}: {what}{plan}: {sent}")


def _delivered_json(delivery: Delivery) -> None:
    print(json_text.dumps(delivery.to_dict()), flush=True)
