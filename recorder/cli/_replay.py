"""`recorder replay`: deliver a cassette's stream under a plan: to standard output, to a contract, or to a reader."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from recorder.adapters import RealClock, VirtualClock
from recorder.adapters import replay as deliver
from recorder.cassette import Interaction
from recorder.cli._console import open_cassette, out
from recorder.contracts import Accepted, Contract, Rejected, explain, named, read
from recorder.errors import ReplayIncomplete, ReplayReset, ReplayStalled
from recorder.plans import Plan
from recorder.sweeps import Run, event_streams, is_async, run


def replay(
    cassette: Annotated[str, typer.Argument(help="A cassette file, or the name of a shipped cassette.")],
    plan: Annotated[
        str, typer.Option("--plan", help="How to deliver: chunks=at:137; delay=fixed:20ms; end=eof@event:3")
    ] = "",
    contract: Annotated[str, typer.Option("--contract", help="Judge the delivery by this contract.")] = "",
    reader: Annotated[str, typer.Option("--reader", help="Run this reader, package.module:function.")] = "",
    interaction: Annotated[int, typer.Option("--interaction", min=1, help="Which event stream of the cassette.")] = 1,
    pace: Annotated[bool, typer.Option("--pace", help="Wait in real time instead of on a virtual clock.")] = False,
) -> None:
    """Deliver a recorded stream again, in any pieces and with any end.

    Without --contract or --reader the bytes go to standard output.

    Example: recorder replay chat-lf --plan "chunks=at:137" --reader recorder.cli.naive_reader:read

    Example: recorder replay chat-lf --plan "end=eof@event:3" --contract chat_text
    """
    parsed = Plan.parse(plan)
    streams = event_streams(open_cassette(cassette))
    if interaction > len(streams):
        raise ValueError(f"--interaction {interaction}: the cassette has {len(streams)} event stream(s)")
    stream = streams[interaction - 1]
    if reader:
        ok = _to_reader(stream, parsed, reader)
    elif contract:
        ok = _to_contract(stream, parsed, named(contract), pace)
    else:
        ok = _to_output(stream, parsed, pace)
    raise typer.Exit(0 if ok else 1)


def _chunks(stream: Interaction, plan: Plan, pace: bool) -> Any:
    return deliver(stream, plan, RealClock() if pace else VirtualClock())


def _to_output(stream: Interaction, plan: Plan, pace: bool) -> bool:
    try:
        for chunk in _chunks(stream, plan, pace):
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    except (ReplayReset, ReplayIncomplete, ReplayStalled) as error:
        print(f"recorder: {error}", file=sys.stderr)
        return False
    return True


def _to_contract(stream: Interaction, plan: Plan, contract: Contract, pace: bool) -> bool:
    verdict: Accepted | Rejected = read(_chunks(stream, plan, pace), contract)
    out.print(
        f"{contract.name}: {verdict.code} after {verdict.events} events, {verdict.bytes_read} bytes", highlight=False
    )
    out.print(explain(verdict.code), highlight=False, markup=False)
    return verdict.ok


def load_reader(name: str) -> Any:
    """The function that `package.module:function` names; modules in the current folder count.

    Raises:
        ValueError: there is no such function.
    """
    module, colon, function = name.partition(":")
    if not colon or not module or not function:
        raise ValueError(f"--reader {name}: write it as package.module:function")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--reader {name}: {error}") from None
    finally:
        sys.path.pop(0)


def _to_reader(stream: Interaction, plan: Plan, name: str) -> bool:
    reader = load_reader(name)
    whole, actual = run(reader, stream, Plan(chunks="whole")), run(reader, stream, plan)
    kind = "async " if is_async(reader) else ""
    out.print(f"{kind}reader {name} under: {plan}", highlight=False, markup=False)
    out.print(f"  whole body: {_said(whole)}", highlight=False, markup=False)
    same = "the same result" if actual == whole else "another result"
    out.print(f"  this plan:  {_said(actual)}; {same}", highlight=False, markup=False)
    return actual == whole


def _said(outcome: Run) -> str:
    if outcome.error:
        return f"raised {outcome.error[0]}" + (f" ({outcome.error[1]})" if outcome.error[1] else "")
    return "reported success" if outcome.claims else f"rejected ({getattr(outcome.value, 'code', 'no code')})"
