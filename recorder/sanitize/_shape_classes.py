"""The character that stands for another one of its class: same UTF-8 length, same kind, no content.

Rule: white space, punctuation, symbols, controls and joiners stand for themselves, since they are the shape; letters,
digits, marks and emoji are replaced. Each stand-in stands for itself, so shaping twice changes nothing.
"""

from __future__ import annotations

import unicodedata

_BY_CATEGORY = {
    (1, "Ll"): "x", (1, "Lu"): "X", (1, "Nd"): "1",
    (2, "Ll"): "\u00f8", (2, "Lu"): "\u00d8", (2, "Lt"): "\u01c5", (2, "Lm"): "\u02b0", (2, "Lo"): "\u01bb",
    (2, "Mn"): "\u0301", (2, "Nd"): "\u0661", (2, "No"): "\u00b9",
    (3, "Ll"): "\u1e01", (3, "Lu"): "\u1e00", (3, "Lt"): "\u1f88", (3, "Lm"): "\u30fc", (3, "Lo"): "\u0e01",
    (3, "Mn"): "\u20d0", (3, "Mc"): "\u0903", (3, "Nd"): "\u0967", (3, "Nl"): "\u2160", (3, "No"): "\u2460",
    (4, "Ll"): "\U0001d41a", (4, "Lu"): "\U0001d400", (4, "Lo"): "\U00020000", (4, "Nd"): "\U0001d7cf",
    (4, "Lm"): "\U00016b40", (4, "Mn"): "\U000101fd", (4, "Mc"): "\U00011182",
}  # fmt: skip
_RANGES = (
    (0x2600, 0x27BF, "\u2600"),  # symbols and dingbats
    (0x2B50, 0x2B55, "\u2b50"),
    (0x3041, 0x3096, "\u306e"),  # hiragana
    (0x30A1, 0x30FA, "\u30ce"),  # katakana
    (0x3400, 0x4DBF, "\u6587"),  # CJK
    (0x4E00, 0x9FFF, "\u6587"),
    (0xAC00, 0xD7A3, "\uac00"),  # hangul
    (0xD800, 0xDBFF, "\ud83d"),  # half a surrogate pair in a JSON escape; the other half may be in the next event
    (0xDC80, 0xDCFF, "\udc80"),  # a byte that is not UTF-8
    (0xDC00, 0xDFFF, "\ude00"),
    (0xF900, 0xFAFF, "\u6587"),
    (0xFE00, 0xFE0F, ""),  # variation selectors stay
    (0x1F1E6, 0x1F1FF, "\U0001f1fd"),  # regional indicators, in pairs a flag
    (0x1F3FB, 0x1F3FF, ""),  # skin tones stay
    (0x1F000, 0x1FAFF, "\U0001f600"),  # emoji
    (0xE0000, 0xE0FFF, ""),  # tags and selectors stay
)


def stand_in_for(char: str) -> str:
    """The character that stands for `char`."""
    point = ord(char)
    if point > 127:
        for first, last, stand_in in _RANGES:
            if first <= point <= last:
                return stand_in or char
    width = 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
    return _BY_CATEGORY.get((width, unicodedata.category(char)), char)


_STAND_INS = frozenset({*_BY_CATEGORY.values(), *[stand_in for _, _, stand_in in _RANGES if stand_in]})


class _Table(dict[int, str]):
    """For `str.translate`; fills itself."""

    def __missing__(self, point: int) -> str:
        stand_in = self[point] = stand_in_for(chr(point))
        return stand_in


_TABLE = _Table()


def translated(text: str) -> str:
    """The text with each character replaced by the one that stands for it; as many code points, as many bytes."""
    return text.translate(_TABLE)


def is_shape(text: str) -> bool:
    """Whether a text is the shape of others too: it stands for itself, and not by its white space and symbols alone."""
    return translated(text) == text and not _STAND_INS.isdisjoint(text)


def byte_for(value: int) -> int:
    """The byte that stands for a byte of a text that is given as a list of numbers: as many decimal digits."""
    if 0xC0 <= value <= 0xDF:
        return 0xC3
    if 0x80 <= value <= 0xFF:
        return 0xB8 if value <= 0xBF else 0xE6 if value <= 0xEF else 0xF0
    if 97 <= value <= 99:  # a, b and c have two digits, x has three
        return 97
    return ord(stand_in_for(chr(value))) if 0 <= value < 0x80 else value
