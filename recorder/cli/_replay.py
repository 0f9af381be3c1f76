"""`recorder replay`: deliver a cassette's stream under a plan: to standard output, to a contract, or to a reader."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from traceback import extract_tb
from typing import Annotated, Any

import typer

from recorder.adapters import RealClock, areplay
from recorder.adapters import replay as deliver
from recorder.cassette import Interaction
from recorder.cli._cassettes import open_cassette
from recorder.cli._console import say
from recorder.cli._status import Status
from recorder.contracts import Accepted, Contract, Rejected, explain, named, read
from recorder.errors import FaultCode, ReplayIncomplete, ReplayReset, ReplayStalled, ReplayTimeout
from recorder.plans import Deliver, Plan, Step, Wait, steps
from recorder.sweeps import Run, check_called, event_streams, is_async, run


def replay(
    cassette: Annotated[str, typer.Argument(help="A cassette file, or the name of a shipped cassette.")],
    plan: Annotated[
        str, typer.Option("--plan", help="How to deliver: chunks=at:137; delay=fixed:20ms; end=eof@event:3; edit=crlf")
    ] = "",
    contract: Annotated[str, typer.Option("--contract", help="Judge the delivery by this contract.")] = "",
    reader: Annotated[str, typer.Option("--reader", help="Run this reader, package.module:function.")] = "",
    interaction: Annotated[int, typer.Option("--interaction", min=1, help="Which event stream of the cassette.")] = 1,
    pace: Annotated[bool, typer.Option("--pace", help="Wait in real time instead of on a virtual clock.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="The reader gives up after so many idle seconds.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The outcome, or the steps, as JSON without content.")] = False,
) -> None:
    """Deliver a recorded stream again, in any pieces and with any end.

    Without --contract or --reader the bytes go to standard output.

    Exit status: 0 when the contract accepts, or the reader gives the result it gives for the whole body.

    \b
    Examples:
      recorder replay chat-lf --plan "chunks=at:137" --reader recorder.cli.naive_reader:read
      recorder replay chat-lf --plan "end=eof@event:3" --contract chat_text
    """
    if contract and reader:
        raise ValueError("--contract and --reader: give one of them")
    streams = event_streams(open_cassette(cassette))
    if interaction > len(streams):
        raise ValueError(f"--interaction {interaction}: the cassette has {len(streams)} event stream(s)")
    judge = named(contract) if contract else None
    delivery = _Delivery(streams[interaction - 1], Plan.parse(plan), pace, timeout, judge)
    delivery.chunks()  # a plan that does not fit the stream is a mistake of the command, not a failure of the reader
    if reader:
        ok = _to_reader(delivery, reader, json)
    elif judge:
        ok = _to_contract(delivery, judge, json)
    else:
        ok = _steps_as_json(delivery) if json else _to_output(delivery)
    raise typer.Exit(Status.FINE if ok else Status.NO)


@dataclass(frozen=True, slots=True)
class _Delivery:
    """One stream under one plan; `contract` says which event is the terminal one."""

    stream: Interaction
    plan: Plan
    pace: bool
    timeout: float | None
    contract: Contract | None

    def chunks(self) -> Iterator[bytes]:
        clock = RealClock() if self.pace else None
        return deliver(self.stream, self.plan, clock, timeout=self.timeout, contract=self.contract)

    def into(self, reader: Any) -> Any:
        """`reader`, sync or async, given this delivery instead of what it is called with."""
        if not is_async(reader):
            return lambda _: reader(self.chunks())

        async def given(_: Any) -> Any:
            clock = RealClock() if self.pace else None
            value = reader(areplay(self.stream, self.plan, clock, timeout=self.timeout, contract=self.contract))
            return [each async for each in value] if isinstance(value, AsyncIterator) else await value

        return given


def _as_json(found: dict[str, Any]) -> None:
    print(json_text.dumps(found, indent=2))


def _steps_as_json(delivery: _Delivery) -> bool:
    """What would be delivered, without doing it: sizes, waits in seconds (null: for ever), the end."""
    made = [_step(step) for step in steps(delivery.plan, delivery.stream, contract=delivery.contract)]
    _as_json({"plan": str(delivery.plan), "steps": made})
    return True


def _step(step: Step) -> dict[str, Any]:
    if isinstance(step, Deliver):
        return {"deliver": len(step.data)}
    found: dict[str, Any] = {"wait_s": step.seconds} if isinstance(step, Wait) else {"end": str(step.ending)}
    return found | ({"before_head": True} if step.before_head else {})


def _to_output(delivery: _Delivery) -> bool:
    try:
        for chunk in delivery.chunks():
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    except (ReplayReset, ReplayIncomplete, ReplayStalled, ReplayTimeout) as error:
        print(f"recorder: {error}", file=sys.stderr)
        return False
    return True


def _to_contract(delivery: _Delivery, contract: Contract, json: bool) -> bool:
    verdict: Accepted | Rejected = read(delivery.chunks(), contract)
    if json:
        found = {"plan": str(delivery.plan), "contract": contract.name, "ok": verdict.ok, "code": str(verdict.code)}
        found |= {"events": verdict.events, "bytes_read": verdict.bytes_read}
        found |= {"at_event": getattr(verdict, "at_event", None), "offset": getattr(verdict, "offset", None)}
        _as_json(found | {"explanation": _explained(verdict)})
    else:
        say(f"{contract.name}: {verdict.code} after {verdict.events} events, {verdict.bytes_read} bytes")
        say(_explained(verdict))
    return verdict.ok


def _explained(verdict: Accepted | Rejected) -> str:
    return explain(verdict.code) if isinstance(verdict, Accepted) else verdict.explain()


def load_reader(name: str, *given: str) -> Any:
    """The function that `package.module:function`, or `package.module:Class.method`, names; the current folder counts.

    Args:
        name: that.
        given: what it is called with, in a word each.

    Raises:
        ValueError: there is no such function, it is not called so, or its module fails.
    """
    module, colon, function = name.partition(":")
    if not colon or not module or not function or "/" in module or module.endswith(".py"):
        raise ValueError(f"--reader {name}: write it as package.module:function")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = attrgetter(function)(import_module(module))
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--reader {name}: {error} (looked for here, then among what is installed)") from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"--reader {name}: {module} cannot be imported: {_raised(error)}") from None
    finally:
        sys.path.pop(0)
    if not callable(found):
        raise ValueError(f"--reader {name}: {function} is no function: a reader is called with the chunks")
    try:
        check_called(found, *given)
    except TypeError as error:
        raise ValueError(f"--reader {name}: {error}") from None
    return found


def _raised(error: BaseException) -> str:
    """Which exception and where, without its message: that is for the module's own log."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__} in {error.filename}, line {error.lineno}"
    *_, last = extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {last.filename}, line {last.lineno}"


def _to_reader(delivery: _Delivery, name: str, json: bool) -> bool:
    reader = load_reader(name, "the chunks")
    whole = run(reader, delivery.stream, Plan(chunks="whole"))
    actual = run(delivery.into(reader), delivery.stream, Plan(chunks="whole"))
    same = actual == whole
    kind = "async " if is_async(reader) else ""
    if json:
        found = {"plan": str(delivery.plan), "reader": name, "async": bool(kind), "same": same}
        _as_json(found | {"whole": _outcome(whole), "this_plan": _outcome(actual)})
        return same
    say(f"{kind}reader {name} under: {str(delivery.plan) or 'no plan, as recorded'}")
    say(f"  whole body: {_said(whole)}")
    say(f"  this plan:  {_said(actual)}; {'the same result' if same else 'another result'}")
    if code := _code(actual):
        say(f"  {code}: {explain(code)}")
    return same


def _code(outcome: Run) -> FaultCode | None:
    """The fault code of a rejection, returned or raised, if it is one of ours."""
    code = outcome.error[1] if outcome.error else "" if outcome.claims else str(getattr(outcome.value, "code", ""))
    return FaultCode(code) if code in set(FaultCode) else None


def _outcome(outcome: Run) -> dict[str, Any]:
    code = _code(outcome)
    return {
        "ok": outcome.claims,
        "raised": outcome.error[0] if outcome.error else None,
        "code": code and str(code),
        "explanation": code and explain(code),
    }


def _said(outcome: Run) -> str:
    if outcome.error:
        return f"raised {outcome.error[0]}" + (f" ({outcome.error[1]})" if outcome.error[1] else "")
    return "reported success" if outcome.claims else f"rejected ({getattr(outcome.value, 'code', 'no code')})"
