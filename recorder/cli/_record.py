"""`recorder record`: the one authorized request."""

from __future__ import annotations

import json
import socket
import ssl
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.cli._ask import confirm_request
from recorder.cli._console import errors, say, tell
from recorder.cli._files import trusted
from recorder.cli._options import CaCert, Idle, SecretEnv, TextOrShape
from recorder.cli._request_of import Asked, request_of
from recorder.cli._sanitizer import sanitizer_of
from recorder.cli._signals import Heard
from recorder.cli._status import Status
from recorder.contracts import Rejected, explain, named, names
from recorder.errors import CassetteError, FaultCode, ResidueError
from recorder.record import (
    MAX_BYTES,
    MAX_EVENTS,
    SERVICES,
    ConfigurationError,
    Outcome,
    Outgoing,
    Progress,
    Settings,
    check_target,
    contract_for,
    new_attempt,
    not_made,
    store,
    take,
)
from recorder.sanitize import Cleaned, Sanitizer, sanitized

_SAYS_NOTHING = "this says nothing about what the provider did or charged; nothing was sent twice"
_NOT_MADE = (FaultCode.INVALID_CONFIGURATION, FaultCode.INVALID_PROMPT)


def record(
    url: Annotated[str, typer.Argument(help="The endpoint, such as https://api.example.com/v1/chat/completions")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The cassette to write.")] = None,
    auth_env: Annotated[
        str, typer.Option("--auth-env", help="The environment variable that holds the bearer key.")
    ] = "",
    auth_stdin: Annotated[
        bool, typer.Option("--auth-stdin", help="Read the key from standard input, one line.")
    ] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="A file with the JSON request body.")] = None,
    curl: Annotated[str, typer.Option("--curl", help="A curl line from a provider's documentation.")] = "",
    provider: Annotated[str, typer.Option("--provider", help=f"A known service: {', '.join(SERVICES)}.")] = "",
    model: Annotated[str, typer.Option("--model", help="With --provider: the model.")] = "",
    prompt: Annotated[str, typer.Option("--prompt", help="With --provider: the prompt; - reads a line.")] = "",
    header: Annotated[
        list[str] | None, typer.Option("--header", "-H", help="A further header, name: value; '$NAME' is filled in.")
    ] = None,
    contract: Annotated[
        str,
        typer.Option("--contract", help=f"What completion means, told by the path unless given: {', '.join(names())}."),
    ] = "",
    deadline: Annotated[float, typer.Option("--deadline", min=0, help="Seconds for everything.")] = 30.0,
    idle: Idle = None,
    max_bytes: Annotated[int, typer.Option("--max-bytes", min=1, help="The most bytes of the body.")] = MAX_BYTES,
    max_events: Annotated[int, typer.Option("--max-events", min=1, help="The most events.")] = MAX_EVENTS,
    usage: Annotated[bool, typer.Option("--usage", help="Ask for usage in the stream.")] = False,
    secret_env: SecretEnv = None,
    text: TextOrShape = None,
    cacert: CaCert = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing cassette.")] = False,
    only_accepted: Annotated[
        bool, typer.Option("--only-accepted", help="Write nothing unless the stream was accepted.")
    ] = False,
    review: Annotated[bool, typer.Option("--review", help="Show what would be written, and ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the sanitized request, and send nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before sending.")] = False,
    outcome_json: Annotated[bool, typer.Option("--outcome-json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Make exactly one authorized request and keep its event stream, sanitized.

    There is no retry and no redirect. The key comes from an environment variable or standard input, never from the
    command line, and is nowhere in the file. A failure here says nothing about what the provider did or charged.
    What had come when Ctrl-C or SIGTERM breaks it off is kept, as a stream whose client left.

    \b
    Examples:
      recorder record https://api.example.com/v1/chat/completions -o a.yaml --auth-env API_KEY --json body.json
      recorder record --provider openai --model gpt-4o-mini --prompt 'Say hello.' -o hello.yaml
      recorder record -o a.yaml --curl 'curl https://a.example/chat -H "Authorization: Bearer $API_KEY" -d @body.json'
    """
    asked = Asked(
        url=url,
        curl=curl,
        provider=provider,
        model=model,
        prompt=prompt,
        json_file=json_file,
        headers=tuple(header or ()),
        auth_env=auth_env,
        auth_stdin=auth_stdin,
        usage=usage,
    )
    sanitizer = sanitizer_of(secret_env, text)
    if output is None and not dry_run:
        raise ValueError("name the cassette to write: -o FILE")
    if output is not None:
        check_target(output, overwrite=overwrite or dry_run)
    try:
        outgoing = request_of(asked, needs_key=not dry_run)
    except ConfigurationError as error:
        report(not_made(error), outcome_json)
        return
    if dry_run or output is None:
        _show_request(outgoing, sanitizer)
        return
    settings = Settings(
        contract=named(contract or contract_for(outgoing.url)),
        deadline=deadline,
        idle=idle,
        max_bytes=max_bytes,
        max_events=max_events,
        verify=trusted(cacert),
        progress=_progress,
    )
    attempt = new_attempt()
    confirm_request(outgoing.method, outgoing.url, attempt, yes=yes)
    storing = partial(
        store,
        path=output,
        secrets=outgoing.secrets,
        sanitizer=sanitizer,
        only_accepted=only_accepted,
        review=_review if review else None,
        attempt=attempt,
    )
    with Heard() as heard:
        taken = heard.run(take(outgoing, settings))
        before = _state(output)
        outcome = Outcome(taken.verdict, taken.status, taken.seconds, None, attempt)
        try:
            outcome = storing(taken)
        except (ResidueError, CassetteError) as error:
            tell(f"recorder: {error}", "red")
            _say(outcome, outcome_json)
            status = Status.NO if isinstance(error, ResidueError) else Status.CANNOT
            raise typer.Exit(heard.status or status) from None
        except (KeyboardInterrupt, typer.Abort):
            if heard.status is None:
                raise
            # the file is written whole or not at all, so there is the old one or the new one
            outcome = replace(outcome, path=output if _state(output) != before else None)
    report(outcome, outcome_json, heard.status)


def _state(path: Path) -> tuple[int, int] | None:
    """What tells a file from the one that takes its place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def report(outcome: Outcome, as_json: bool, interrupted: Status | None = None) -> None:
    """Print the outcome; exit with 1 unless the stream was accepted, with 2 when no request was made.

    Args:
        outcome: of the attempt.
        as_json: print it as JSON.
        interrupted: the status of the signal that broke it off, if one did; exit with that then.
    """
    verdict = outcome.verdict
    if isinstance(verdict, Rejected) and verdict.code in _NOT_MADE:
        if as_json:
            _say(outcome, as_json)
        tell(f"recorder: {verdict.cause}", "red")
        raise typer.Exit(Status.CANNOT)
    _say(outcome, as_json)
    if isinstance(verdict, Rejected):
        tell(f"recorder: {explain(verdict.code)}")
        if why := _why(verdict.cause):
            tell(f"recorder: {why}")
        tell(f"recorder: {_SAYS_NOTHING}")
    if interrupted is not None and outcome.status is None:
        tell("recorder: interrupted before an answer had begun: there is nothing to keep")
    if interrupted is not None or isinstance(verdict, Rejected):
        raise typer.Exit(interrupted or Status.NO)


def _why(error: BaseException | None) -> str:
    """What the system says of a connection that failed, where that is one of the usual things; no text of a library."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate was not accepted ({error.verify_message}); --cacert FILE names its authority"
        if isinstance(error, socket.gaierror):
            return "the name of the host was not found"
        if isinstance(error, ConnectionRefusedError):
            return "nothing listens at this address"
        error = error.__cause__ or error.__context__
    return ""


def _say(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.facts))
        return
    say(outcome.line())
    say(f"wrote {outcome.path}" if outcome.path else "nothing was written")


def _show_request(outgoing: Outgoing, sanitizer: Sanitizer) -> None:
    """The request as it would be stored: it is made into a cassette, cleaned and scanned."""
    asked = Request(outgoing.method, outgoing.url, Headers(outgoing.headers), outgoing.body)
    cassette = Cassette((Interaction(asked, Response(200)),))
    request = sanitized(cassette, sanitizer.with_secrets(outgoing.secrets)).interactions[0].request
    lines = [f"{request.method} {request.uri}"]
    lines += [f"{name}: {value}" for name, values in request.headers.items() for value in values]
    lines += ["", (request.body or b"").decode("utf-8", "replace")]
    say("\n".join(lines))
    tell("nothing was sent; headers that are not stored are not shown")


def _review(cleaned: Cleaned) -> bool:
    """Show the head, the events and the replacements, and ask."""
    from recorder.inspect import show

    errors.print(show(cleaned.cassette, events=True))
    counts = ", ".join(f"{name} {count}" for name, count in cleaned.counts.items()) or "none"
    tell(f"replaced or left out: {counts}")
    return typer.confirm("Write it?", err=True)


def _progress(state: Progress) -> None:
    if errors.is_terminal:
        errors.print(f"{state.events} events  {state.bytes} bytes  {state.seconds:.1f} s", end="\r", highlight=False)
