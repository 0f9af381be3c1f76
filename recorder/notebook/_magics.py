"""`%load_ext recorder`: record, replay and sweep from a cell.

Rule: a magic is one call of the public interface. Its output is a verdict, a run or a report: no key, no prompt, no
answer. The key comes from an environment variable, never from the cell.
"""

from __future__ import annotations

import argparse
import ast
import json
import shlex
import ssl
from typing import Any, NoReturn

from recorder.cassette import gallery
from recorder.contracts import Accepted, Rejected, named
from recorder.errors import CassetteError, FaultCode, ResidueError
from recorder.notebook._run import make_run
from recorder.notebook._source import event_streams
from recorder.plans import Plan

Verdict = Accepted | Rejected


class _Arguments(argparse.ArgumentParser):
    """Arguments of a magic: what is wrong with them is a `UsageError`, which a notebook shows as one line."""

    def parse(self, line: str) -> argparse.Namespace:
        return self.parse_args(shlex.split(line))

    def error(self, message: str) -> NoReturn:
        raise _usage_error(f"{message}\n{self.format_usage()}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise _usage_error(message or "")


def _usage_error(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)


def register(shell: Any) -> None:
    """Give an IPython shell the magics."""
    shell.register_magic_function(_sse_record, "line_cell", "sse_record")
    shell.register_magic_function(_sse_replay, "line", "sse_replay")

    def sse_reader(line: str, cell: str) -> Any:
        return _sse_reader(shell, line, cell)

    sse_reader.__doc__ = _sse_reader.__doc__
    shell.register_magic_function(sse_reader, "cell", "sse_reader")


def _sse_record(line: str, cell: str = "") -> Verdict:
    """Make one authorized request and keep its event stream, sanitized.

    The cell is the JSON request body; `%sse_record` on a line of its own makes a GET.

        %%sse_record chat.yaml --url https://api.example.com/v1/chat/completions --auth-env API_KEY
        {"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}

    A file that exists is not written again, and no request is made, without --overwrite.
    """
    from recorder.record import record_stream

    arguments = _Arguments(prog="%%sse_record", add_help=False)
    arguments.add_argument("file")
    arguments.add_argument("--url", required=True)
    arguments.add_argument("--auth-env", help="the environment variable with the bearer key")
    arguments.add_argument("--header", "-H", action="append", default=[])
    arguments.add_argument("--contract", default="chat")
    arguments.add_argument("--deadline", type=float, default=30.0)
    arguments.add_argument("--cacert", help="a PEM file of authorities to trust")
    arguments.add_argument("--overwrite", action="store_true")
    given = arguments.parse(line)
    headers = dict(_header(each) for each in given.header)
    try:
        body = json.loads(cell) if cell.strip() else None
    except ValueError:
        raise _usage_error("%%sse_record: the cell must be the request body as JSON (not shown here)") from None
    try:
        verdict = record_stream(
            given.url,
            path=given.file,
            json=body,
            headers=headers,
            auth_env=given.auth_env,
            contract=_named(given.contract),
            deadline=given.deadline,
            overwrite=given.overwrite,
            verify=True if given.cacert is None else ssl.create_default_context(cafile=given.cacert),
        )
    except (CassetteError, ResidueError, OSError) as error:
        raise _usage_error(f"%%sse_record: {error}") from None
    if isinstance(verdict, Rejected) and verdict.code is FaultCode.INVALID_CONFIGURATION:
        raise _usage_error(f"%%sse_record: {verdict.cause}")
    return verdict


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise _usage_error("--header must be written as 'name: value'")
    return name.strip(), value.strip()


def _named(name: str) -> Any:
    try:
        return named(name)
    except ValueError as error:
        raise _usage_error(f"--contract {error}") from None


def _sse_replay(line: str) -> Any:
    """Deliver a recorded stream as a plan says, and judge it.

        %sse_replay chat.yaml --plan "chunks=bytes:1; end=eof@event:3"

    The result is a run: `.verdict`, `.outcome`, and a picture of its own.
    """
    arguments = _Arguments(prog="%sse_replay", add_help=False)
    arguments.add_argument("source")
    arguments.add_argument("--plan", default="")
    arguments.add_argument("--contract")
    arguments.add_argument("--interaction", type=int, default=1)
    arguments.add_argument("--timeout", type=float)
    given = arguments.parse(line)
    contract = None if given.contract is None else _named(given.contract)
    try:
        streams = event_streams(given.source)
        if not 1 <= given.interaction <= len(streams):
            raise _usage_error(f"--interaction {given.interaction}: the cassette has {len(streams)} event stream(s)")
        stream = streams[given.interaction - 1]
        return make_run(stream, Plan.parse(given.plan), contract=contract, timeout=given.timeout)
    except ValueError as error:
        raise _usage_error(f"%sse_replay: {error}") from None


def _sse_reader(shell: Any, line: str, cell: str) -> Any:
    """Run the cell, then sweep the last function it defines.

    %%sse_reader chat.yaml --kind all
    def my_reader(chunks):
        ...
    """
    from recorder.sweeps import sweep

    arguments = _Arguments(prog="%%sse_reader", add_help=False)
    arguments.add_argument("source")
    arguments.add_argument("--kind", default="all")
    given = arguments.parse(line)
    defined = _last_function(cell)
    shell.run_cell(cell).raise_error()
    try:
        return sweep(shell.user_ns[defined], gallery().get(given.source, given.source), kind=given.kind)
    except ValueError as error:
        raise _usage_error(f"%%sse_reader: {error}") from None


def _last_function(cell: str) -> str:
    try:
        tree = ast.parse(cell)
    except SyntaxError as error:
        raise _usage_error(f"%%sse_reader: line {error.lineno} of the cell: {error.msg}") from None
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not names:
        raise _usage_error("%%sse_reader: the cell must define the reader as a function")
    return names[-1]
