"""A run as code: a pytest test, and a command, that make the same delivery and expect the same verdict.

Rule: what is written here runs as it stands, or says in a comment what has to be filled in. It carries no content.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from recorder.contracts import Contract, named
from recorder.notebook._reader import Reader, is_async

if TYPE_CHECKING:
    from recorder.notebook._run import Run

_OWN_STREAM = "...  # the interaction or the bytes that explore() was given"
_WHOLE = 'recorder.replay(stream, "chunks=whole; end=complete")'
_OWN_CONTRACT = "...  # the contract that explore() was given"


def as_test(run: Run) -> str:
    """The run as a pytest test. It asks the user's own reader, if there is one, for what it makes of the whole body."""
    reader = run.own
    standard = ["import asyncio", ""] if reader is not None and is_async(reader) else []
    lines = [*standard, "import recorder", *_import_of(reader), "", "", f"def test_{_name(run)}():"]
    lines += [f"    stream = {run.stream.python or _OWN_STREAM}"]
    chunks = f"recorder.replay(stream, {_quoted(str(run.plan))}{_timeout(run)})"
    if run.verdict is not None and run.contract is not None:
        lines += [
            f"    contract = {_contract(run.contract)}",
            f"    verdict = recorder.read({chunks}, contract)",
            f'    assert (verdict.code, verdict.events) == ("{run.verdict.code}", {run.verdict.events})',
        ]
    if reader is not None:
        lines += [f"    expected = {_reader(reader, _WHOLE)}"]
        lines += [f"    assert {_reader(reader, chunks)} == expected"]
    if run.verdict is None and reader is None:
        lines += [f'    assert len(b"".join({chunks})) == {run.delivery.size}']
    return "\n".join(lines) + "\n"


def as_command(run: Run) -> str:
    """The run as a command line; a sentence where there is no file to name."""
    if run.stream.argument is None:
        return "# save the cassette to a file, then explore that file: a command needs a name"
    words = ["recorder", "replay", run.stream.argument]
    if str(run.plan):
        words += ["--plan", str(run.plan)]
    if run.contract is not None and _is_named(run.contract):
        words += ["--contract", run.contract.name]
    if run.stream.number > 1:
        words += ["--interaction", str(run.stream.number)]
    if _gave_up(run):
        words += ["--timeout", f"{run.timeout:g}"]
    return shlex.join(words)


def _name(run: Run) -> str:
    words = re.sub(r"[^0-9a-z]+", "_", f"{run.stream.name} {run.plan or 'as recorded'}".lower())
    return words.strip("_")[:60].rstrip("_")


def _timeout(run: Run) -> str:
    return f", timeout={run.timeout:g}" if _gave_up(run) else ""


def _gave_up(run: Run) -> bool:
    """Whether the reader's timeout has to do with the verdict."""
    return run.delivery.ending == "timeout"


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)


def _is_named(contract: Contract) -> bool:
    try:
        return bool(named(contract.name) == contract)
    except ValueError:
        return False


def _contract(contract: Contract) -> str:
    return f'recorder.contracts.named("{contract.name}")' if _is_named(contract) else _OWN_CONTRACT


def _import_of(reader: Reader | None) -> list[str]:
    if reader is None:
        return []
    name, module = getattr(reader, "__qualname__", ""), getattr(reader, "__module__", "__main__")
    if module == "__main__" or not name.isidentifier():
        return ["", f"# put {name or 'your reader'} of your notebook here, or import it"]
    return ["", f"from {module} import {name}"]


def _reader(reader: Reader, chunks: str) -> str:
    name = getattr(reader, "__qualname__", "reader")
    name = name if name.isidentifier() else "reader"
    if is_async(reader):
        return f"asyncio.run({name}({chunks.replace('recorder.replay', 'recorder.areplay')}))"
    return f"{name}({chunks})"
