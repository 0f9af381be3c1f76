"""Reading the values of a term: the table of an axis gives the class, the class reads what follows its name.

Rule: a message names the term as it was written, what is wrong with it, and what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Protocol, Self, TypeVar

from recorder.errors import PlanError


class Value(Protocol):
    """What the values of every axis have."""

    form: ClassVar[str]  # how the grammar writes it, for messages

    @classmethod
    def parse(cls, rest: str) -> Self:
        """The value, from what follows its name.

        Raises:
            PlanError: says what this value needs.
        """
        ...


class Bare:
    """A value that is only a name."""

    __slots__ = ()

    form: ClassVar[str]

    @classmethod
    def parse(cls, rest: str) -> Self:
        no_more(rest)
        return cls()


Kind = TypeVar("Kind", bound=Value)

REMEMBERED = 4096  # values that are not read again: a sweep goes through the same ones for each reader
_NAME = re.compile(r"[a-z0-9]*")
MOST_DIGITS = 18  # nobody needs more, and Python stops reading numbers at some length
_DIGITS = 9  # on each side of the point
_NUMBER = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")
_DECIMAL = rf"[0-9]{{1,{_DIGITS}}}(?:\.[0-9]{{1,{_DIGITS}}})?"
_DURATION = re.compile(rf"({_DECIMAL})(ms|s)")
_FACTOR = re.compile(_DECIMAL)


def parsed(term: str, text: str, table: Mapping[str, type[Kind]]) -> Kind:
    """The value of `term=` that `text` writes.

    Raises:
        PlanError: it is not in the table, or not complete.
    """
    if not isinstance(text, str):
        raise TypeError(f"{term}={text!r}: a value of a plan is a str")
    name = text.partition(":")[0].partition("@")[0]  # the quick way to most names
    kind = table.get(name)
    if kind is None:
        name = _NAME.match(text)[0]  # type: ignore[index]  # it matches anything
        kind = table.get(name)
    if kind is None:
        raise PlanError(f"{term}={text}: unknown; use {', '.join(each.form for each in table.values())}")
    try:
        return kind.parse(text[len(name) :])
    except PlanError as error:
        raise PlanError(f"{term}={text}: {error}") from None


def no_more(rest: str) -> None:
    """Raises:
    PlanError: there is something after the name.
    """
    if rest:
        raise PlanError("takes nothing after it")


def after(sign: str, rest: str, needs: str) -> str:
    """What follows `sign`.

    Raises:
        PlanError: the name is not followed by it; says what it `needs`.
    """
    if not rest.startswith(sign):
        raise PlanError(f"needs {needs}")
    return rest[len(sign) :]


def too_long(text: str, most: int = MOST_DIGITS) -> str:
    """What a message adds where a number is right but for its length."""
    return f"; a number has at most {most} digits" if re.search(rf"[0-9]{{{most + 1}}}", text) else ""


def number(text: str, needs: str, least: int = 0) -> int:
    """A whole number of at most `MOST_DIGITS` digits.

    Raises:
        PlanError: it is not one, or less than `least`; says what is needed.
    """
    if _NUMBER.fullmatch(text) is None or int(text) < least:
        raise PlanError(f"needs {needs}{too_long(text)}")
    return int(text)


def factor(text: str, needs: str) -> float:
    """A decimal number such as 2 or 0.5.

    Raises:
        PlanError: it is not one; says what is needed.
    """
    if _FACTOR.fullmatch(text) is None:
        raise PlanError(f"needs {needs}{too_long(text, _DIGITS)}")
    return float(text)


def seconds(text: str) -> float:
    """`20ms` or `1.5s` in seconds.

    Raises:
        PlanError: not a number with a unit.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        right = f"write a number and its unit, 20ms or 1.5s{too_long(text, _DIGITS)}"
        raise PlanError(f"{text!r} is not a duration: {right}")
    return float(match[1]) / (1000 if match[2] == "ms" else 1)
