"""What a reader could make of a text by decoding: the scan's own way, which encodes nothing and needs no places.

Rule: each reading is a whole decoded text. A secret is there if any reading holds it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

_UNICODE = re.compile(rb"\\{1,16}u([0-9A-Fa-f]{4})")
_BYTE = re.compile(rb"\\{1,16}x([0-9A-Fa-f]{2})")
_QUOTED = re.compile(rb"\\([\"'\\/bfnrt])")
_CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LINES = re.compile(rb"(?<![ \t])[ \t]*[\r\n]+[ \t\r\n]*")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_LEVELS = 4


def readings(data: bytes, shortest: int, *, folded: bool = True) -> Iterator[bytes]:
    """The data itself, and everything that decodes from it.

    Args:
        data: a text in UTF-8.
        shortest: the length in bytes of the shortest value that is looked for.
        folded: also without its line breaks.
    """
    yield from _with_runs(data, shortest)
    for read in undone(data):
        data = read
        yield from _with_runs(data, shortest)
    if folded and (b"\n" in data or b"\r" in data):
        yield from _with_runs(b"".join(_LINES.split(data)), shortest)


def undone(data: bytes) -> Iterator[bytes]:
    """The data with escapes and percent signs undone, once, twice, until nothing changes any more."""
    for _ in range(_LEVELS):
        if b"\\" not in data and b"%" not in data:
            return
        read = _unescaped(unquote_to_bytes(data) if b"%" in data else data)
        if read == data:
            return
        data = read
        yield data


def _with_runs(data: bytes, shortest: int) -> Iterator[bytes]:
    yield data
    runs: list[bytes] = re.findall(rb"[A-Za-z0-9+/_-]{%d,}" % max(5, shortest * 4 // 3 - 1), data)
    if not runs:
        return
    for start in range(4):
        yield b"\x00".join([_from_base64(run[start:]) for run in runs])
    digits: list[bytes] = re.findall(rb"[0-9A-Fa-f]{%d,}" % max(8, 2 * shortest), b"\x00".join(runs))
    for start in range(2):
        yield b"\x00".join([_from_hex(run[start:]) for run in digits])


def _from_base64(run: bytes) -> bytes:
    """What the run decodes to (RFC 4648, either alphabet), as far as it goes."""
    run = run.translate(_STANDARD)
    if len(run) % 4 == 1:
        run = run[:-1]
    return base64.b64decode(run + b"=" * (-len(run) % 4))


def _from_hex(run: bytes) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2].decode())


def _unescaped(data: bytes) -> bytes:
    """With escapes of JSON (RFC 8259) undone once; lone surrogates as `surrogatepass` has them."""
    if b"\\" not in data:
        return data
    data = _UNICODE.sub(lambda match: chr(int(match[1], 16)).encode("utf-8", "surrogatepass"), data)
    data = _BYTE.sub(lambda match: chr(int(match[1], 16)).encode(), data)
    data = _QUOTED.sub(lambda match: _CONTROL.get(match[1], match[1]), data)
    return _paired(data) if b"\xed" in data else data


def _paired(data: bytes) -> bytes:
    """Halves of surrogate pairs that stand side by side, as the character they are."""
    text = data.decode("utf-8", "surrogatepass") if _is_wtf8(data) else ""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() if text else data


def _is_wtf8(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
