"""A contract from its name, and where a stream is complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recorder.contracts._chat import chat
from recorder.contracts._chat_text import chat_text
from recorder.contracts._detect import detect
from recorder.contracts._generation import generation
from recorder.contracts._protocol import Contract
from recorder.contracts._read import read
from recorder.contracts._verdict import Rejected

_MAKERS: dict[str, Callable[..., Any]] = {"chat": chat, "chat_text": chat_text, "generation": generation}
_SHOWN = 65536  # bytes of a body that are enough to show its dialect


def named(name: str) -> Contract:
    """The contract `name`, with a profile after a slash where it has one: "chat", "chat_text", "chat_text/flowbar".

    Raises:
        ValueError: there is none of that name.
    """
    maker, slash, profile = name.partition("/")
    if maker not in _MAKERS:
        raise ValueError(f"{name!r} is not a contract: use {', '.join(_MAKERS)}")
    contract: Contract = _MAKERS[maker](**({"profile": profile} if slash and maker == "chat_text" else {}))
    if contract.name != name and name != maker:
        raise ValueError(f"{name!r} is not a contract: {maker} has no profiles")
    return contract


def detected(body: bytes) -> Contract | None:
    """The contract that reads `body`, None when its dialect does not show."""
    name = detect({}, body[:_SHOWN])
    return None if name is None else named(name)


def terminal_offset(body: bytes, contract: Contract | None = None) -> int | None:
    """Where `body` is complete: the offset just after the byte that completes the terminal event.

    Args:
        body: a whole stream, content-decoded.
        contract: the judge; detected unless given.

    Returns:
        None when no contract fits, or the one that fits rejects the stream.
    """
    contract = contract or detected(body)
    verdict = None if contract is None else read([body], contract)
    return None if verdict is None or isinstance(verdict, Rejected) else verdict.bytes_read
