"""Values known in advance, and where they are in a text, in whatever encoding.

Rule: escapes and percent signs are undone and the value is searched for; base64, base32 and hexadecimal digits are
searched for as they would be written, at each alignment. What this code misses, the scan, which decodes, has to refuse.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import NamedTuple

from recorder.sanitize._json_text import NUMBER
from recorder.sanitize._rule import KNOWN_SECRET, is_escaped
from recorder.sanitize._stand_ins import stand_in_spans
from recorder.sanitize._views import views

SHORTEST = 4
_URL_SAFE = str.maketrans("-_", "+/")
_SHORTEST_RUN = 5
_SHORTEST_IN_BASE32 = 9  # bytes; its digits are capital letters, as many a word is


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """A value that must not be stored, what its stand-in is called, and the rule that knows it."""

    value: str = field(repr=False)
    kind: str = "secret"
    rule: str = KNOWN_SECRET


def check_secrets(secrets: Iterable[str]) -> tuple[Known, ...]:
    """The secrets, longest first, without repetition, and without the blanks and line breaks around them.

    Raises:
        ValueError: one is so short that it would be found by accident.
    """
    unique = sorted({secret.strip() for secret in secrets}, key=lambda secret: (-len(secret), secret))
    if any(len(secret) < SHORTEST for secret in unique):
        raise ValueError(
            f"a known secret has fewer than {SHORTEST} characters and would be found everywhere: pass the whole value"
        )
    return tuple([Known(secret) for secret in unique])


class Found(NamedTuple):
    """A known value at `start` to `end` of a text."""

    start: int
    end: int
    known: Known


class _Form(NamedTuple):
    """How a value is written inside a run of digits.

    Attributes:
        text: what surely stands there.
        before, after: how many characters more hold a part of it.
    """

    text: str
    before: int
    after: int
    known: Known


class Finder:
    """Finds known values.

    Args:
        known: what to find; of two at the same place the earlier one counts.

    Attributes:
        numbers: those that may stand as JSON numbers.
    """

    def __init__(self, known: Iterable[Known]) -> None:
        self._known = tuple(known)
        self._written = [(each, each.value) for each in self._known]
        # in a form, a plus sign stands for a blank
        self._written += [(each, each.value.replace(" ", "+")) for each in self._known if " " in each.value]
        # in the numbers of a list of bytes, each byte is a character
        self._written += [
            (each, _bytes(each.value).decode("latin-1")) for each in self._known if not each.value.isascii()
        ]
        # over data lines, which are put together without line breaks
        self._written += [(each, "".join(each.value.splitlines())) for each in self._known if "\n" in each.value]
        long = [each for each in self._known if len(_bytes(each.value)) >= _SHORTEST_IN_BASE32]
        self._digits = (
            ([form for each in self._known for form in _forms(each, 6, base64.b64encode)], _standard),
            ([form for each in long for form in _forms(each, 5, base64.b32encode)], str),
            ([form for each in self._known for form in _forms(each, 4, binascii.hexlify)], str.lower),
        )
        shortest = min([len(form.text) for forms, _ in self._digits for form in forms], default=0)
        self.numbers = [each for each in self._known if NUMBER.fullmatch(each.value)]
        self._run = re.compile(rf"[A-Za-z0-9+/_-]{{{max(_SHORTEST_RUN, shortest)},}}")

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str) -> list[Found]:
        """Where the values are in the text, in no particular order; one place may be named twice."""
        if not self._known:
            return []
        found: list[Found] = []
        for view in views(text):
            hits = [*self._plain(view.text), *self._encoded(view.text)]
            found += [Found(*view.back(hit.start, hit.end), hit.known) for hit in hits]
        if found and (ours := stand_in_spans(text)):
            return [hit for hit in found if not _is_inside(hit, ours)]
        return found

    def within(self, value: str) -> Known | None:
        """The longest known value that is a part of this one."""
        return next((each for each in self._known if each.value in value), None)

    def _plain(self, text: str) -> Iterator[Found]:
        for known, written in self._written:
            start = text.find(written)
            while start >= 0:
                end = start + len(written)
                # an escape that begins with the value's first character goes as a whole, lest half of one is left
                yield Found(start - (start > 0 and is_escaped(text, start)), end, known)
                start = text.find(written, end)

    def _encoded(self, text: str) -> Iterator[Found]:
        runs = list(self._run.finditer(text))
        if not runs:
            return
        joined = "\n".join([run.group() for run in runs])
        for forms, one in self._digits:
            together = one(joined)
            for form in forms:
                if form.text in together:
                    for run in runs:
                        yield from _in_run(form, one(run.group()), run.start(), text)


def _is_inside(hit: Found, spans: Sequence[tuple[int, int]]) -> bool:
    number = bisect_right(spans, (hit.start, hit.start)) - 1
    candidates = spans[max(0, number) : number + 2]
    return any(low <= hit.start and hit.end <= high for low, high in candidates)


def _in_run(form: _Form, run: str, shift: int, text: str) -> Iterator[Found]:
    start = run.find(form.text)
    while start >= 0:
        end = start + len(form.text)
        low, high = max(0, start - form.before), min(len(run), end + form.after)
        if high == len(run):
            while text[shift + high : shift + high + 1] == "=" and form.after:
                high += 1
        yield Found(shift + low, shift + high, form.known)
        start = run.find(form.text, end)


def _standard(run: str) -> str:
    return run.translate(_URL_SAFE)


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _forms(known: Known, bits: int, encode: Callable[[bytes], bytes]) -> Iterator[_Form]:
    """A value in digits of so many bits, behind any number of bytes of a longer text: what holds nothing of neighbours.

    Args:
        known: the value.
        bits: of each digit.
        encode: writes such digits; padding does not count.
    """
    raw = _bytes(known.value)
    for before in range(lcm(8, bits) // 8):
        text = encode(b"\0" * before + raw).decode().rstrip("=")
        first, last = -(-8 * before // bits), 8 * (before + len(raw)) // bits
        if last - first >= SHORTEST:
            yield _Form(text[first:last], int(8 * before % bits > 0), len(text) - last, known)
