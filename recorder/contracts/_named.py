"""A contract from its name, and where a stream is complete.

Rule: a name is what a contract calls itself in a cassette; `named(contract.name)` has the default limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from recorder.contracts._chat import chat
from recorder.contracts._chat_text import chat_text
from recorder.contracts._cohere import cohere
from recorder.contracts._completions import completions
from recorder.contracts._detect import detect
from recorder.contracts._gemini import gemini
from recorder.contracts._generation import generation
from recorder.contracts._jsonrpc import jsonrpc
from recorder.contracts._messages import messages
from recorder.contracts._profiles import PROFILES
from recorder.contracts._protocol import Contract
from recorder.contracts._read import read
from recorder.contracts._responses import responses
from recorder.contracts._verdict import Verdict
from recorder.errors import FaultCode

_DIALECTS: dict[str, Callable[[], Contract]] = {
    "chat": chat,
    "chat_text": chat_text,
    "completions": completions,
    "responses": responses,
    "messages": messages,
    "gemini": gemini,
    "cohere": cohere,
    "generation": generation,
    "jsonrpc": jsonrpc,
}
_MAKERS: Mapping[str, Callable[[], Contract]] = MappingProxyType(
    {
        **_DIALECTS,
        "chat/finish": partial(chat, "finish"),
        **{f"chat_text/{profile}": partial(chat_text, profile) for profile in PROFILES},
    }
)
_SHOWN = 65_536  # bytes of a body that are enough to show its dialect
_AT_TERMINAL = (FaultCode.MISSING_FINISH, FaultCode.EMPTY_OUTPUT, FaultCode.UPSTREAM_ERROR)


def names() -> tuple[str, ...]:
    """The dialects there are contracts for: functions of `recorder.contracts`."""
    return tuple(_DIALECTS)


def named(name: str) -> Contract:
    """The contract `name`, with what follows a slash where it has such forms: "chat", "chat_text/flowbar".

    Raises:
        ValueError: there is none of that name.
    """
    maker = _MAKERS.get(name)
    if maker is None:
        raise ValueError(f"{name!r} is not a contract: one of {', '.join(map(repr, sorted(_MAKERS)))} would be right")
    return maker()


def detected(body: bytes) -> Contract | None:
    """The contract that reads `body`, None when its dialect does not show."""
    name = detect({}, body[:_SHOWN])
    return None if name is None else named(name)


def terminal_offset(body: bytes, contract: Contract | None = None) -> int | None:
    """Where the terminal event of `body` is complete: the offset just after the byte that completes it.

    The terminal event is the one that decides. A provider's error event does: whatever follows it, even a `[DONE]`, a
    reader that goes on from it to report success is wrong.

    Args:
        body: a whole stream, content-decoded.
        contract: the judge; detected unless given.

    Returns:
        None when no contract fits, or the one that does gets to no terminal event. In a dialect that is over with the
        stream itself: where the stream could first have ended and been complete.
    """
    contract = contract or detected(body)
    if contract is None:
        return None
    verdict = read([body], contract)
    if verdict.ok and verdict.bytes_read == len(body) and hasattr(contract.start(), "complete"):
        return _first_complete(body, contract)
    return verdict.bytes_read if saw_terminal(verdict) else None


def saw_terminal(verdict: Verdict) -> bool:
    """Whether the terminal event had arrived, which is not the same as that the stream was accepted.

    Args:
        verdict: of a stream, however it ended.
    """
    return verdict.ok or verdict.code in _AT_TERMINAL


def _first_complete(body: bytes, contract: Contract) -> int | None:
    parser, run = contract.parser(), contract.start()
    for index, event in enumerate(parser.feed(body)):
        run.event(event)
        if getattr(run, "complete", False):
            return parser.event_end(index)
    return None
