"""`recorder gallery`: the cassettes that ship with the package, and what each of them shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from recorder.cassette import gallery as shipped
from recorder.cassette import load_cassette
from recorder.cli._cassettes import unknown
from recorder.cli._console import say, say_table
from recorder.errors import CassetteError
from recorder.sse import iter_events

SHOWS = {
    "chat-lf": "a chat in several scripts, cut inside code points, escapes, lines, the marker; a heartbeat before it",
    "chat-crlf": "the same with CR LF, cut between CR and LF too",
    "chat-multilingual": (
        "combining marks, both writing directions, U+FEFF inside a text, an emoji as two \\u escapes with a "
        "cut between them"
    ),
    "chat-usage": "usage with details on a chunk without choices",
    "chat-tools": "two tool calls with their arguments in pieces",
    "chat-n2": "two choices, interleaved, finishing one after the other",
    "chat-refusal": "a refusal in place of a text",
    "chat-length": "an answer cut short by the token limit",
    "chat-gzip": "chat-lf compressed on the wire",
    "azure": "the head chunk without choices, and content filter results",
    "openrouter": "comments between events, and a choice repeated after its finish to bring the usage",
    "responses": "numbered typed events, the whole answer in the last",
    "anthropic": "named events, a ping, JSON padded with blanks",
    "gemini": "CR LF, usage on every chunk, no terminal event",
    "cohere": "named events, message-end, then [DONE]",
    "mcp": "a tool call over Streamable HTTP: a comment, notifications, the response",
    "generation-success": "a job that succeeds, told twice",
    "generation-failed": "a job that fails: an event error, read to the end",
    "generation-null-progress": "a job whose progress is not known, which is not 0",
    "error-in-stream": "an error after some text, then [DONE] all the same",
    "eof-mid": "the connection is closed in the middle of an event",
    "reset-mid": "the connection is reset there",
    "bad-utf8": "a byte that is not UTF-8, in a text",
    "json-then-utf8": (
        "broken JSON, and behind it in the same chunk bad UTF-8: who decodes chunk by chunk never reports the first"
    ),
    "marker-only": "nothing but [DONE]",
    "empty-200": "status 200, an event stream's head, no body",
    "html-200": "status 200 and a page to sign in",
    "json-200": "status 200 and the answer of a request that asked for no stream",
    "json-error-200": "status 200 and an error in JSON",
    "retry-429": "two exchanges: a rate limit, then the good stream",
}


def gallery(
    names: Annotated[list[str] | None, typer.Argument(help="Print where these are, a path a line.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the paths.")] = False,
) -> None:
    """List the cassettes that ship with the package: every command that reads a cassette takes their names too.

    The verdict is that of the contract; events, bytes and end are those of the last response.

    \b
    Examples:
      recorder gallery
      recorder gallery --json
      cp "$(recorder gallery chat-lf)" chat.yaml
    """
    found = shipped()
    for name in names or ():
        if name not in found:
            raise CassetteError(f"{name}: {unknown(name)}")
    chosen = {name: found[name] for name in names or (*(name for name in SHOWS if name in found),)}
    if as_json:
        print(json.dumps([_facts(name, path) for name, path in chosen.items()], indent=2))
    elif names:
        for path in chosen.values():
            say(str(path))
    else:
        _list([_facts(name, path) for name, path in chosen.items()])


def _facts(name: str, path: Path) -> dict[str, Any]:
    interactions = load_cassette(path).interactions
    outcomes = [each.response.recording.outcome for each in interactions if each.response.recording]
    last = interactions[-1].response
    return {
        "name": name,
        "path": str(path),
        "contract": outcomes[-1]["contract"],
        "verdicts": [outcome["code"] for outcome in outcomes],
        "events": sum(1 for _ in iter_events([last.body])),
        "bytes": len(last.body),
        "end": str(last.end.kind) if last.end else None,
        "shows": SHOWS[name],
    }


def _list(found: list[dict[str, Any]]) -> None:
    right = {"events", "bytes"}
    head = ("name", "contract", "verdict", "events", "bytes", "end", "shows")
    columns = (Column(each, no_wrap=True, justify="right" if each in right else "left") for each in head)
    table = Table(*columns, box=None, pad_edge=False)
    for each in found:
        cells = {**each, "verdict": ", ".join(each["verdicts"])}
        table.add_row(*(str(cells[name]) for name in head))
    say_table(table)
