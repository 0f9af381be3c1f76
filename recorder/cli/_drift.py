"""`recorder drift`: does the provider still answer as it did when this was recorded?"""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from recorder.cassette import Cassette, Interaction
from recorder.cli._ask import confirm_request
from recorder.cli._cassettes import open_clean
from recorder.cli._console import errors, out
from recorder.cli._files import trusted
from recorder.cli._options import CaCert, Idle
from recorder.cli._status import Status
from recorder.contracts import Contract, detect, named, names
from recorder.record import Outcome, Settings, new_attempt, request_again, take
from recorder.sanitize import Sanitizer


def drift(
    file: Annotated[str, typer.Argument(help="A cassette file.")],
    auth_env: Annotated[str, typer.Option("--auth-env", help="The environment variable that holds the key.")],
    interaction: Annotated[int, typer.Option("--interaction", min=1, help="Which one of the file, from 1.")] = 1,
    text: Annotated[bool, typer.Option("--text", help="Compare what was said, too.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="The number of like events and of tokens must be the same too.")
    ] = False,
    deadline: Annotated[float, typer.Option("--deadline", min=0, help="Seconds for everything.")] = 30.0,
    idle: Idle = None,
    cacert: CaCert = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before sending.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The comparison as JSON.")] = False,
) -> None:
    """Make the stored request once more and compare the two answers; exit 1 on a difference.

    The fresh answer stays in memory and is sanitized before it is compared; the file is not touched. Two answers of a
    model differ in their words and their number of events, so these are compared on request only.

    \b
    Examples:
      recorder drift chat.yaml --auth-env API_KEY
      recorder drift chat.yaml --auth-env API_KEY --yes --json
    """
    stored = open_clean(file).interactions
    if interaction > len(stored):
        raise ValueError(f"{file} has {len(stored)} interactions, there is no interaction {interaction}")
    before = stored[interaction - 1]
    outgoing = request_again(before.request, auth_env)
    settings = Settings(
        contract=_contract(before),
        deadline=deadline,
        idle=idle,
        verify=trusted(cacert),
    )
    attempt = new_attempt()
    confirm_request(outgoing.method, outgoing.url, attempt, yes=yes)
    taken = asyncio.run(take(outgoing, settings))
    outcome = Outcome(taken.verdict, taken.status, taken.seconds, None, attempt)
    errors.print(outcome.line(), markup=False, highlight=False)
    if taken.cancelled is not None:
        raise typer.Exit(Status.INTERRUPTED)
    if taken.interaction is None:
        raise typer.Exit(Status.NO)
    sanitizer = Sanitizer.configured().with_secrets(outgoing.secrets)
    after = sanitizer.apply(Cassette((taken.interaction,))).interactions[0]
    if not _same(before, after, text, not exact, as_json):
        raise typer.Exit(Status.NO)


def _same(before: Interaction, after: Interaction, text: bool, loose: bool, as_json: bool) -> bool:
    from recorder.inspect import diff, json_text, told

    comparison = diff(before, after, text=text, loose=loose)
    if as_json:
        print(json_text(comparison.to_dict()))
    else:
        out.print(told(comparison))
    return comparison.same


def _contract(stored: Interaction) -> Contract:
    """The one it was recorded with, else the one that its stream shows."""
    response = stored.response
    noted = (response.recording.outcome.get("contract", "") if response.recording else "").partition("/")[0]
    shown = detect(response.headers, response.body[:65536])
    return named(noted if noted in names() else shown or "chat")
