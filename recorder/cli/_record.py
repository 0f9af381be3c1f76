"""`recorder record`: the one authorized request."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path
from typing import Annotated, Any

import typer

from recorder.cli._console import errors, out
from recorder.contracts import Rejected, named, names
from recorder.errors import FaultCode
from recorder.record import Outcome, Progress, record_once
from recorder.sanitize import Sanitizer


def record(
    url: Annotated[str, typer.Argument(help="The endpoint, such as https://api.example.com/v1/chat/completions")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The cassette to write.")],
    auth_env: Annotated[
        str, typer.Option("--auth-env", help="The environment variable that holds the bearer key.")
    ] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="A file with the JSON request body.")] = None,
    header: Annotated[list[str] | None, typer.Option("--header", "-H", help="A further header, name: value.")] = None,
    contract: Annotated[str, typer.Option("--contract", help=f"What completion means: {', '.join(names())}.")] = "chat",
    deadline: Annotated[float, typer.Option("--deadline", min=0, help="Seconds for everything.")] = 30.0,
    idle: Annotated[
        float | None, typer.Option("--idle", min=0, help="Seconds without a byte before giving up.")
    ] = None,
    secret_env: Annotated[
        list[str] | None, typer.Option("--secret-env", help="An environment variable whose value must not be stored.")
    ] = None,
    cacert: Annotated[
        Path | None, typer.Option("--cacert", help="A PEM file of certificate authorities to trust.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cassette.")] = False,
    outcome_json: Annotated[bool, typer.Option("--outcome-json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Make exactly one authorized request and keep its event stream, sanitized.

    There is no retry and no redirect. The key comes from an environment variable and is nowhere in the file. A failure
    here says nothing about what the provider did or charged.

    Example: recorder record https://api.example.com/v1/chat/completions -o a.yaml --auth-env API_KEY --json body.json
    """
    body = None if json_file is None else _body(json_file)
    attempt = record_once(
        url,
        path=output,
        json=body,
        headers=dict(map(_header, header or [])),
        auth_env=auth_env or None,
        contract=named(contract),
        deadline=deadline,
        idle=idle,
        overwrite=overwrite,
        sanitizer=Sanitizer.configured().with_secrets((), secret_env or ()),
        verify=True if cacert is None else ssl.create_default_context(cafile=str(cacert)),
        progress=_progress,
    )
    report(asyncio.run(attempt), outcome_json)


def report(outcome: Outcome, as_json: bool) -> None:
    """Print the outcome; exit with 1 unless the stream was accepted."""
    if as_json:
        print(json.dumps(outcome.facts))
    else:
        out.print(outcome.line(), highlight=False, markup=False)
        out.print(f"wrote {outcome.path}" if outcome.path else "nothing was written", highlight=False, markup=False)
    if isinstance(outcome.verdict, Rejected) and outcome.verdict.code is FaultCode.INVALID_CONFIGURATION:
        errors.print(f"recorder: {outcome.verdict.cause}", style="red", markup=False, highlight=False)
    if not outcome.verdict.ok:
        raise typer.Exit(1)


def _body(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise ValueError(f"{path}{f':{line}' if line else ''}: not JSON; the request body must be") from None


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise ValueError("--header must be written as name: value")
    return name.strip(), value.strip()


def _progress(state: Progress) -> None:
    if errors.is_terminal:
        errors.print(f"{state.events} events  {state.bytes} bytes  {state.seconds:.1f} s", end="\r", highlight=False)
