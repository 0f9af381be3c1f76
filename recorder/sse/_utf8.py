"""UTF-8 as far as it has come: text, and the beginning of a code point whose rest is still to come.

Rule: what can no longer become a code point is ill-formed at once, as in the decoder of the WHATWG Encoding standard.
"""

from __future__ import annotations

from codecs import utf_8_decode

FIRST_OF_SURROGATE, LAST_CONTINUATION = 0xED, 0x9F


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
