"""What a string of a message carries in a coding of its own: JSON, or a text in base64; and the frames of AWS streams.

Rule: for the scan alone. The replacing code does not write into what is coded so, hence what must not be stored is
refused there.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_DEEPEST = 3


def frames(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The headers and the payload of each frame of `application/vnd.amazon.eventstream`, in order.

    A frame is its length, the length of its headers, a checksum of these, the headers, the payload, a checksum. Where
    no whole frame follows, the rest is one more: what is there of a frame that was cut, or just bytes.
    """
    at = 0
    while at < len(body):
        length, headers = int.from_bytes(body[at : at + 4], "big"), int.from_bytes(body[at + 4 : at + 8], "big")
        if length < 16 + headers:
            yield b"", body[at:]
            return
        yield body[at + 12 : at + 12 + headers], body[at + 12 + headers : at + length - 4]
        at += length


def carried(value: str, deepest: int = _DEEPEST) -> tuple[tuple[str, str], ...]:
    """The texts inside a string that is JSON or base64, each with a path; nothing for any other string.

    Args:
        value: the string.
        deepest: how often there may be such a string inside of one.
    """
    if deepest and (value[:1] in ("{", "[") or (value and len(value) % 4 == 0)):
        return _carried(value, deepest)
    return ()


@lru_cache(maxsize=1024)
def _carried(value: str, deepest: int) -> tuple[tuple[str, str], ...]:
    if value[:1] in ("{", "["):
        try:
            return tuple(_texts(json.loads(value, strict=False), "", deepest))
        except (ValueError, RecursionError):
            return ()
    try:
        text = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return ()
    return (("base64", text), *[(f"base64//{inner}", each) for inner, each in carried(text, deepest - 1)])


def _texts(value: Any, path: str, deepest: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
        yield from ((f"{path}//{inner}", text) for inner, text in carried(value, deepest - 1))
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _texts(member, f"{path}/{key}", deepest)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member, path, deepest)
