"""How results and bytes are shown in a story: little of them, and safe on a terminal.

Rule: at most 16 bytes each side of a cut, and of two results the first difference with 16 characters around it. A name
is shown whole only where it is one: a key of a result, or the code of an error, may be a text out of the stream.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

AROUND = 16
MORE = 400
_BLOCK = 4096  # characters that are compared at once

_UNSAFE = re.compile(
    r"[^\x20-\x7e\u00a1-\U0010ffff]|[\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def printable(data: bytes) -> str:
    """Bytes as text that is safe on a terminal: whole characters as they are, everything else escaped."""
    return printable_text(data.decode("utf-8", "backslashreplace"))


def printable_text(text: str) -> str:
    """Text with everything escaped that steers a terminal or cannot be seen."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,64}|exit status -?[0-9]{1,10}")


def is_plain(name: str) -> bool:
    """Whether a name, of an error or a member, is one, and not a text that may tell of the stream."""
    return _PLAIN.fullmatch(name) is not None


def named(name: str) -> str:
    """A name, of an error or a member: whole if it is plain, else as little of it as of any text."""
    return name if is_plain(name) else printable_text(name[:AROUND]) + ("..." if len(name) > AROUND else "")


def difference(expected: Any, actual: Any, around: int = AROUND) -> tuple[str, str]:
    """Two results, each as a short text that shows where they first differ; alike when nothing that is shown does."""
    name, one, other = _first(expected, actual, "")
    texts = [_written(each) for each in (one, other)]
    at = _parting(*texts)
    return _window(name, one, texts[0], at, around), _window(name, other, texts[1], at, around)


def _parting(one: str, other: str) -> int:
    """Where two texts first differ; the end of the shorter one when that begins the other."""
    size = min(len(one), len(other))
    start = next((at for at in range(0, size, _BLOCK) if one[at : at + _BLOCK] != other[at : at + _BLOCK]), size)
    return next((at for at in range(start, min(start + _BLOCK, size)) if one[at] != other[at]), size)


def brief(value: Any, around: int = AROUND) -> str:
    """One result, short."""
    return _window("", value, _written(value), 0, around)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return repr(value)
    except Exception:  # it is somebody's own
        return f"<{type(value).__name__}>"


def _window(name: str, value: Any, text: str, at: int, around: int) -> str:
    start, stop = max(0, at - around), at + around
    shown = printable_text(text[start:stop])
    shown = f"{'...' if start else ''}{shown}{'...' if stop < len(text) else ''}"
    if isinstance(value, str):
        shown = f'"{shown}" ({len(text)} characters)'
    return f"{name}: {shown}" if name else shown


def _first(expected: Any, actual: Any, name: str) -> tuple[str, Any, Any]:
    """The first member in which two values differ, by name, and what each has there."""
    for member, one, other in _members(expected, actual):
        if one is not other and _differ(one, other):
            inner = named(str(member))
            inner = f"{name}[{inner}]" if isinstance(member, int) else f"{name}.{inner}" if name else inner
            return _first(one, other, inner)
    return name, expected, actual


def _differ(one: Any, other: Any) -> bool:
    try:
        return bool(one != other)
    except Exception:  # as with arrays, which compare element by element
        return True


def _members(one: Any, other: Any) -> Iterator[tuple[Any, Any, Any]]:
    if type(one) is not type(other):
        return
    if isinstance(one, Mapping):
        yield from ((key, one.get(key), other.get(key)) for key in (*one, *(key for key in other if key not in one)))
    elif isinstance(one, Sequence) and not isinstance(one, str | bytes | bytearray) and len(one) == len(other):
        yield from ((number, a, b) for number, (a, b) in enumerate(zip(one, other, strict=True)))
    elif dataclasses.is_dataclass(one):
        yield from ((each.name, getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
