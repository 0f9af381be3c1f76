"""What a reader could make of a text by decoding: the scan's own way, which encodes nothing and needs no places.

Rule: each reading is a whole decoded text. A secret is there if any reading holds it. What decodes to a text, or to
something compressed, is read once more in the same way.
"""

from __future__ import annotations

import base64
import html
import re
import zlib
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

_UNICODE = re.compile(rb"(?<!\\)\\+(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2}))")
_QUOTED = re.compile(rb"\\([\"'\\/bfnrt]|[0-3][0-7]{2})")
_CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_REFERENCE = re.compile(rb"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);")
_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_LINES = re.compile(rb"(?<![ \t])[ \t]*[\r\n]+[ \t\r\n]*")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_BASE32 = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789abcdefghijklmnopqrstuv")
_BETWEEN = b" \t\r\n,:;|\"'()[]<>\x00"
_COMPRESSED = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_BEHIND_A_SLASH = re.compile(rb"(?<=/)(?:H4sI|e[AFJN])[A-Za-z0-9+/_-]+")
"""How something compressed begins in base64. A slash of a path before it is itself a digit of base64."""
_LEVELS = 12
_DEEPEST = 2
_LARGEST = 4 * 1024 * 1024


def readings(data: bytes, shortest: int, *, folded: bool = True, depth: int = _DEEPEST) -> Iterator[bytes]:
    """The data itself, and everything that decodes from it.

    Args:
        data: a text in UTF-8.
        shortest: the length in bytes of the shortest value that is looked for.
        folded: also without its line breaks.
        depth: how often what was decoded from base64 or hexadecimal digits is read anew.
    """
    data = _paired(data)
    yield data
    yield from _from_runs(data, shortest, depth)
    for read in undone(data):
        data = read
        yield data
        yield from _from_runs(data, shortest, depth)
    if folded:
        if b"\n" in data or b"\r" in data:
            yield b"".join(_LINES.split(data))
        if b"\x00" in data:
            yield data.replace(b"\x00", b"")
        yield from _from_runs(data.translate(None, _BETWEEN), shortest, depth)
        yield from _from_digits(data.replace(b"0x", b"").translate(None, _BETWEEN + b"-\\x"), shortest, depth)


def undone(data: bytes) -> Iterator[bytes]:
    """The data with escapes and percent signs undone, once, twice, until nothing changes any more."""
    for _ in range(_LEVELS):
        if b"\\" not in data and b"%" not in data and b"&" not in data:
            return
        read = _unescaped(unquote_to_bytes(data) if b"%" in data else data)
        if read == data:
            return
        data = read
        yield data


def _from_runs(data: bytes, shortest: int, depth: int) -> Iterator[bytes]:
    runs: list[bytes] = re.findall(rb"[A-Za-z0-9+/_-]{%d,}" % max(5, shortest * 4 // 3 - 1), data)
    if runs:
        behind: list[bytes] = _BEHIND_A_SLASH.findall(data)
        yield from _deeper([_from_base64(run) for run in behind if len(run) >= shortest], shortest, depth)
        for start in range(4):
            yield from _deeper([_from_base64(run[start:]) for run in runs], shortest, depth)
        yield from _from_digits(b"\x00".join(runs), shortest, depth)
        yield from _from_base32(b"\x00".join(runs), shortest, depth)


def _from_base32(data: bytes, shortest: int, depth: int) -> Iterator[bytes]:
    """Five bits a digit (RFC 4648, capital letters); a byte may begin with any of eight bits."""
    runs: list[bytes] = re.findall(rb"[A-Z2-7]{%d,}" % max(14, shortest * 8 // 5), data)
    numbers = [(int(run.translate(_BASE32), 32), 5 * len(run)) for run in runs]
    for shift in range(8 if runs else 0):
        yield from _deeper(
            [(each >> shift).to_bytes((bits - shift + 7) // 8) for each, bits in numbers], shortest, depth
        )


def _from_digits(data: bytes, shortest: int, depth: int) -> Iterator[bytes]:
    digits: list[bytes] = re.findall(rb"[0-9A-Fa-f]{%d,}" % max(8, 2 * shortest), data)
    if digits:
        for start in range(2):
            yield from _deeper([_from_hex(run[start:]) for run in digits], shortest, depth)


def _deeper(decoded: list[bytes], shortest: int, depth: int) -> Iterator[bytes]:
    """What was decoded, what it is in UTF-16, and what it decodes to if it is a text or something compressed."""
    together = b"\x00".join(decoded)
    yield together
    yield together.replace(b"\x00", b"")
    if depth:
        texts = [each for each in [*decoded, *_decompressed(decoded)] if len(each) >= shortest and _is_text(each)]
        if texts:
            yield from readings(b"\n".join(texts), shortest, depth=depth - 1)


def _decompressed(decoded: Iterable[bytes]) -> Iterator[bytes]:
    for each in decoded:
        if each.startswith(_COMPRESSED):
            try:
                yield zlib.decompressobj(47).decompress(each, _LARGEST)
            except zlib.error:
                continue


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _from_base64(run: bytes) -> bytes:
    """What the run decodes to (RFC 4648, either alphabet), as far as it goes."""
    run = run.translate(_STANDARD)
    if len(run) % 4 == 1:
        run = run[:-1]
    return base64.b64decode(run + b"=" * (-len(run) % 4))


def _from_hex(run: bytes) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2].decode())


def _unescaped(data: bytes) -> bytes:
    """With escapes of JSON (RFC 8259) and of HTML undone once; lone surrogates as `surrogatepass` has them."""
    if b"&" in data:
        data = _REFERENCE.sub(lambda match: html.unescape(match.group().decode()).encode(), data)
    if b"\\" not in data:
        return data
    data = _UNICODE.sub(lambda match: _character(match[1] or match[2] or match[3] or match[4]), data)
    data = _QUOTED.sub(lambda match: _one_byte(match[1]), data)
    return _paired(data)


def _one_byte(escape: bytes) -> bytes:
    """What stands for itself or for a control character, or the byte of an octal number."""
    return bytes([int(escape, 8)]) if len(escape) == 3 else _CONTROL.get(escape, escape)


def _character(digits: bytes) -> bytes:
    number = int(digits, 16)
    return chr(number).encode("utf-8", "surrogatepass") if number <= 0x10FFFF else b""


def _paired(data: bytes) -> bytes:
    """Halves of surrogate pairs that stand side by side, as the character they are."""
    return _PAIR.sub(_one_character, data) if b"\xed" in data else data


def _one_character(match: re.Match[bytes]) -> bytes:
    return match.group().decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()
