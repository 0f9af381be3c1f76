"""How a failing delivery is run again: as a command in a shell, and as a line in a test.

Rule: what is printed does the same run and judges it the same way. Where a command cannot say all that this takes,
there is no command; a line names what it cannot write out.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from recorder.contracts import Contract, named
from recorder.plans import Plan
from recorder.sweeps._sources import Stream

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


def options(contract: Contract | None, **functions: object) -> Options:
    """The options that were given; None was not.

    Args:
        functions: arguments of `sweep` by name, which a command does not have.
    """
    words: tuple[str, ...] | None = ()
    text = ""
    if contract is not None:
        known = _is_known(contract)
        words = ("--contract", contract.name) if known else None
        text = f", contract=recorder.contracts.named({contract.name!r})" if known else ", contract=contract"
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
    """`package.module:function` of a reader that can be imported by that name, else ""."""
    module, name = getattr(reader, "__module__", ""), getattr(reader, "__qualname__", "")
    importable = module and module != "__main__" and name.isidentifier()
    return f"{module}:{name}" if importable else ""


def again(plan: Plan, stream: Stream, words: Sequence[str], reader: str, via: str, more: Options) -> tuple[str, str]:
    """The command and the line of a test that run one delivery again; no command where none can.

    Args:
        words: how a command names the reader.
        reader: how Python does.
        via: the name of the way to the reader.
    """
    text = f"recorder.check_reader({reader}, {stream.expression}, plans=[{str(plan)!r}]"
    words = ["recorder", "sweep", stream.path or "CASSETTE", "--plan", str(plan), *words]
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
