"""A contract from its name, and where a stream is complete.

Rule: a name is what a contract calls itself in a cassette; `named(contract.name)` has the default limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from recorder.contracts._chat import chat
from recorder.contracts._chat_text import chat_text
from recorder.contracts._detect import detect
from recorder.contracts._generation import generation
from recorder.contracts._profiles import PROFILES
from recorder.contracts._protocol import Contract
from recorder.contracts._read import read
from recorder.errors import FaultCode

_DIALECTS: dict[str, Callable[[], Contract]] = {"chat": chat, "chat_text": chat_text, "generation": generation}
_MAKERS: Mapping[str, Callable[[], Contract]] = MappingProxyType(
    {
        **_DIALECTS,
        "chat/finish": partial(chat, "finish"),
        **{f"chat_text/{profile}": partial(chat_text, profile) for profile in PROFILES},
    }
)
_SHOWN = 65_536  # bytes of a body that are enough to show its dialect
_AT_TERMINAL = (FaultCode.MISSING_FINISH, FaultCode.EMPTY_OUTPUT)


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

    Args:
        body: a whole stream, content-decoded.
        contract: the judge; detected unless given.

    Returns:
        None when no contract fits, or the one that does gets to no terminal event.
    """
    contract = contract or detected(body)
    verdict = None if contract is None else read([body], contract)
    return verdict.bytes_read if verdict is not None and (verdict.ok or verdict.code in _AT_TERMINAL) else None
