"""A text as other readers see it: escapes undone, percent signs decoded, line breaks taken out. Every place leads back.

Rule: a view is made by C-speed substitution; the map from its characters back to the text is worked out only when
something was found in it. Views are for searching; nothing is stored in their form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

_ESC = r"(?<!\\)\\+"  # a run of backslashes: escaped as often as it was put inside of a string
_PAIR = rf"{_ESC}u[dD][89abAB][0-9a-fA-F]{{2}}\\+u[dD][c-fC-F][0-9a-fA-F]{{2}}"
_ESCAPES = re.compile(
    rf"{_PAIR}|{_ESC}(?:u[0-9a-fA-F]{{4}}|x[0-9a-fA-F]{{2}}|u\{{[0-9a-fA-F]{{1,6}}\}}|U[0-9a-fA-F]{{8}})"
    r"|\\(?:[\"'\\/bfnrt]|[0-3][0-7]{2})|(?:%[0-9a-fA-F]{2})+|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);"
    r"|[\ud800-\udbff][\udc00-\udfff]",
    re.DOTALL,
)
_MAY_HOLD = re.compile(r"[\\%&\ud800-\udbff]")
_FOLDS = re.compile(r"(?<![ \t])[ \t]*(?:\\?[\r\n])+[ \t]*")  # looked for at the start of a run of blanks only
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NAMED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
_LEVELS = 12

Span = tuple[int, int]


class View:
    """One way to read a text.

    Attributes:
        text: what is read.
    """

    __slots__ = ("_ends", "_parent", "_pattern", "_starts", "_undo", "text")

    def __init__(
        self,
        text: str,
        parent: View | None = None,
        pattern: re.Pattern[str] | None = None,
        undo: Callable[[str], str] | None = None,
    ) -> None:
        self.text, self._parent, self._pattern, self._undo = text, parent, pattern, undo
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def back(self, start: int, end: int) -> Span:
        """The part of the original text that is read as `text[start:end]`, which is not empty."""
        if self._parent is None:
            return start, end
        if self._starts is None:
            self._starts = self._map(self._parent.text)
        return self._parent.back(self._starts[start], self._ends[end - 1])

    def _map(self, text: str) -> list[int]:
        """For each character read, where it starts in the parent's text; and, in `_ends`, where it ends."""
        assert self._pattern is not None
        assert self._undo is not None
        starts: list[list[int] | range] = []
        ends: list[list[int] | range] = []
        position = 0
        for match in self._pattern.finditer(text):
            start, end = match.span()
            starts.append(range(position, start))
            ends.append(range(position + 1, start + 1))
            read = self._undo(match.group())
            cuts = _cuts(read, start, end)
            starts.append(cuts[:-1])
            ends.append(cuts[1:])
            position = end
        starts.append(range(position, len(text)))
        ends.append(range(position + 1, len(text) + 1))
        self._ends = list(chain.from_iterable(ends))
        return list(chain.from_iterable(starts))


def views(text: str) -> Iterator[View]:
    """The text itself, and every further reading of it that differs."""
    view = View(text)
    yield view
    for _ in range(_LEVELS):
        if _MAY_HOLD.search(view.text) is None:
            break
        read = _ESCAPES.sub(_undo_match, view.text)
        if read == view.text:
            break
        view = View(read, view, _ESCAPES, _undo)
        yield view
    if "\n" in view.text or "\r" in view.text:
        folded = _FOLDS.sub("", view.text)
        if folded != view.text:
            yield View(folded, view, _FOLDS, _nothing)


def unescaped(text: str) -> View | None:
    """The reading of a text with all escapes undone; None when there are none."""
    last = None
    for view in views(text):
        last = view if view._pattern is not _FOLDS else last
    return None if last is None or last._parent is None else last


def _nothing(_: str) -> str:
    return ""


def _undo_match(match: re.Match[str]) -> str:
    return _undo(match.group())


def _undo(escape: str) -> str:
    """What an escape stands for."""
    if escape[0] == "%":
        return bytes.fromhex(escape.replace("%", "")).decode("utf-8", "surrogateescape")
    if escape[0] == "&":
        return _NAMED.get(escape) or _character(escape[2:-1], 10)
    if escape[0] != "\\":
        return _joined(ord(escape[0]), ord(escape[1]))
    digits = escape.lstrip("\\")
    if digits[:1] in ("u", "x", "U") and len(digits) > 2:
        if "\\" in digits:
            return _joined(int(digits[1:5], 16), int(digits[-4:], 16))
        return _character(digits[1:].strip("{}"), 16)
    return _character(digits, 8) if digits.isdigit() else _SIMPLE.get(escape[1], escape[1])


def _joined(high: int, low: int) -> str:
    """The character that two surrogates stand for."""
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _character(digits: str, base: int) -> str:
    """The character of a number; hexadecimal ones may begin with an x."""
    number = int(digits[1:], 16) if digits[0] in "xX" else int(digits, base)
    return chr(number) if number <= 0x10FFFF else "\ufffd"


def _cuts(read: str, start: int, end: int) -> list[int]:
    """Where the characters of what an escape stands for begin and end; only a run of percent signs gives several."""
    if len(read) <= 1:
        return [start, end][: len(read) + 1]
    cuts = [start]
    for char in read:
        cuts.append(cuts[-1] + 3 * len(char.encode("utf-8", "surrogateescape")))
    return cuts
