"""UTF-8 as far as it has come: text, and the beginning of a code point whose rest is still to come.

Rule: what can no longer become a code point is ill-formed at once, as in the decoder of the WHATWG Encoding standard.
"""

from __future__ import annotations

from codecs import utf_8_decode

FIRST_OF_SURROGATE, LAST_CONTINUATION = 0xED, 0x9F

# The states of strict reading: complete, ill-formed, so many continuation bytes still to come, and four in which the
# next byte is confined (Unicode table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
COMPLETE, ILL_FORMED = 0, 8
_ONE, _TWO, _THREE, _AFTER_E0, _AFTER_ED, _AFTER_F0, _AFTER_F4 = range(1, 8)
# From each state: ranges of bytes and the state they lead to; every other byte is ill-formed.
_RANGES: dict[int, tuple[tuple[int, int, int], ...]] = {
    COMPLETE: (
        (0x00, 0x7F, COMPLETE),
        (0xC2, 0xDF, _ONE),
        (0xE0, 0xE0, _AFTER_E0),
        (0xE1, 0xEF, _TWO),
        (0xED, 0xED, _AFTER_ED),
        (0xF0, 0xF0, _AFTER_F0),
        (0xF1, 0xF3, _THREE),
        (0xF4, 0xF4, _AFTER_F4),
    ),
    _ONE: ((0x80, 0xBF, COMPLETE),),
    _TWO: ((0x80, 0xBF, _ONE),),
    _THREE: ((0x80, 0xBF, _TWO),),
    _AFTER_E0: ((0xA0, 0xBF, _ONE),),
    _AFTER_ED: ((0x80, 0x9F, _ONE),),
    _AFTER_F0: ((0x90, 0xBF, _TWO),),
    _AFTER_F4: ((0x80, 0x8F, _TWO),),
}


def _table(ranges: tuple[tuple[int, int, int], ...]) -> bytes:
    states = bytearray([ILL_FORMED]) * 256
    for first, last, state in ranges:
        states[first : last + 1] = bytes([state]) * (last + 1 - first)
    return bytes(states)


_NEXT = tuple(_table(_RANGES.get(state, ())) for state in range(ILL_FORMED + 1))


def follow(state: int, part: bytes) -> int:
    """The state of strict reading after `part`; ILL_FORMED, for good, if it cannot be UTF-8."""
    begun = 0
    if state:  # a code point begun: at most three bytes to its end
        for byte in part:
            state = _NEXT[state][byte]
            begun += 1
            if not state:
                break
        if state:
            return state
    try:
        used = utf_8_decode(part[begun:] if begun else part, "strict", False)[1]
    except UnicodeDecodeError:
        return ILL_FORMED
    for byte in part[begun + used :]:  # what is unfinished
        state = _NEXT[state][byte]
    return state


def decode_so_far(data: bytes, errors: str) -> tuple[str, bytes]:
    """The text that `data` certainly is, and the unfinished code point at its end.

    Args:
        data: bytes that begin with a code point.
        errors: "strict" or "replace".

    Raises:
        UnicodeDecodeError: (strict) an ill-formed sequence; `start` and `end` are the maximal subpart's.
    """
    text, used = utf_8_decode(data, errors, False)
    rest = data[used:]
    # ED A0 to ED BF would begin a surrogate, which UTF-8 has not (Unicode table 3-7). CPython's incremental decoder
    # waits for a third byte all the same.
    if len(rest) == 2 and rest[0] == FIRST_OF_SURROGATE and rest[1] > LAST_CONTINUATION:
        try:
            return text + rest.decode("utf-8", errors), b""
        except UnicodeDecodeError as error:
            start, end = used + error.start, used + error.end
            raise UnicodeDecodeError(error.encoding, data, start, end, error.reason) from None
    return text, rest


def completed(sequence: bytes, byte: int, at: int) -> tuple[list[tuple[int, str]], int | None]:
    """What one byte completes after the unfinished `sequence` before it.

    The maximal subpart of an ill-formed sequence ends at the byte before the one that cannot continue it (Unicode
    chapter 3, "U+FFFD Substitution of Maximal Subparts"; the WHATWG decoder does the same).

    Args:
        sequence: the bytes of an unfinished, so far well-formed code point; may be empty.
        byte: the byte after it.
        at: the byte's absolute offset.

    Returns:
        the characters now certain, each with the offset it begins at, U+FFFD for what is ill-formed; and where the
        first ill-formed sequence begins, or None.
    """
    pending = sequence + bytes((byte,))
    start = at - len(sequence)
    done: list[tuple[int, str]] = []
    bad: int | None = None
    while pending:
        try:
            text, unfinished = decode_so_far(pending, "strict")
            size = len(pending) - len(unfinished)
        except UnicodeDecodeError as error:
            text, size = "\ufffd", error.end
            bad = start if bad is None else bad
        if not size:
            break
        done.append((start, text))
        start += size
        pending = pending[size:]
    return done, bad
