"""How a failing delivery is run again: as a command in a shell, and as a line in a test.

Rule: what is printed does the same run and judges it the same way. Where a command cannot say all that this takes,
there is no command; a line names what it cannot write out.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import MethodType

from recorder.contracts import Contract, named
from recorder.plans import Plan
from recorder.sweeps._sources import Stream

HUNG_AFTER = 10.0  # seconds
SOONEST = 0.1  # that a command takes
_SCRIPT = ("__main__", "__mp_main__")  # that is running; the second, in a process it has started
_WAYS = {"chunks": "", "client": "client", "command": ""}  # what `via=` has to say of each


@dataclass(frozen=True, slots=True)
class Options:
    """What else a sweep was told about how runs are judged.

    Attributes:
        words: for a command; None where a command cannot say it.
        text: for a line of Python, each with a comma before it.
    """

    words: tuple[str, ...] | None = ()
    text: str = ""


GIVEN_NONE = Options()


def options(contract: Contract | None, hung_after: float | None, **functions: object) -> Options:
    """The options that were given; None was not.

    Args:
        hung_after: seconds a run may take, None for ever.
        functions: arguments of `sweep` by name, which a command does not have.
    """
    words: tuple[str, ...] | None = ()
    text = ""
    if contract is not None:
        known = _is_known(contract)
        words = ("--contract", contract.name) if known else None
        text = f", contract=recorder.contracts.named({contract.name!r})" if known else ", contract=contract"
    if hung_after != HUNG_AFTER:
        text += f", hung_after={hung_after!r}"
        if words is not None and hung_after is not None:  # a command always has a limit
            words += ("--hung-after", f"{max(hung_after, SOONEST):g}")
    for name, function in functions.items():
        if function is not None:
            words = None
            text += f", {name}={reader_name(function).rpartition(':')[2] or name}"
    return Options(words, text)


def _is_known(contract: Contract) -> bool:
    try:
        return named(contract.name) == contract
    except ValueError:
        return False


def reader_name(reader: object) -> str:
    """`package.module:function` of a reader that can be imported by that name, else "".

    The name is that of the function, of a method of a class or of an object at the top of its module, or of whatever
    else stands there and is the reader.
    """
    inner = reader.func if isinstance(reader, partial) else reader
    module = getattr(inner, "__module__", None) or type(inner).__module__
    loaded = sys.modules.get(str(module))
    if module in _SCRIPT or loaded is None:
        return ""
    owner, method = getattr(inner, "__self__", None), getattr(inner, "__name__", "")
    there = dict(getattr(loaded, "__dict__", {}))
    names = [str(getattr(inner, "__qualname__", ""))]
    names += [name for name, value in there.items() if value is reader]
    names += [f"{name}.{method}" for name, value in there.items() if owner is not None and value is owner]
    return next((f"{module}:{name}" for name in names if name and _stands(loaded, name, reader)), "")


def _stands(module: object, name: str, reader: object) -> bool:
    """Whether that is what a module has under a dotted name; a method is made anew each time it is asked for."""
    try:
        found = attrgetter(name)(module)
    except Exception:  # there is no such thing, or it is worked out, and that fails
        return False
    if isinstance(found, MethodType) and isinstance(reader, MethodType):
        return found.__self__ is reader.__self__ and found.__func__ is reader.__func__
    return found is reader


def again(plan: Plan, stream: Stream, words: Sequence[str], reader: str, via: str, more: Options) -> tuple[str, str]:
    """The command and the line of a test that run one delivery again; no command where none can.

    Args:
        words: how a command names the reader.
        reader: how Python does.
        via: the name of the way to the reader.
    """
    text = f"recorder.check_reader({reader}, {stream.expression}, plans=[{str(plan)!r}]"
    path = f"./{stream.path}" if stream.path.startswith("-") else stream.path  # else it is an option
    words = ["recorder", "sweep", path or "CASSETTE", "--plan", str(plan), *words]
    if not stream.alone:
        words += ["--interaction", str(stream.number)]
        text += f", interaction={stream.number}"
    way = _WAYS.get(via)
    if way:
        words += ["--via", way]
        text += f", via={way!r}"
    elif way is None:
        text += ", via=via"
    command = "" if way is None or more.words is None else shlex.join([*words, *more.words])
    return command, f"{text}{more.text})"
