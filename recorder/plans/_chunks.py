"""`chunks=`: where the bytes are cut. Each value gives the cuts: increasing offsets inside the body."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import accumulate

from recorder.cassette import Interaction
from recorder.errors import PlanError
from recorder.plans._places import check_place, event_ends, line_ends, resolve_place

Cuts = Iterable[int]


def _whole(_: str, interaction: Interaction) -> Cuts:
    return ()


def _recorded(_: str, interaction: Interaction) -> Cuts:
    chunks = interaction.response.chunks
    if chunks is None:
        raise PlanError("chunks=recorded: no chunks were recorded for this body; use whole, bytes:N, events or another")
    return accumulate(chunk.size for chunk in chunks)


def _bytes(argument: str, interaction: Interaction) -> Cuts:
    size = int(argument)
    return range(size, len(interaction.response.body), size)


def _at(argument: str, interaction: Interaction) -> Cuts:
    return sorted({resolve_place(place, interaction.response.body) for place in argument.split(",")})


def _events(argument: str, interaction: Interaction) -> Cuts:
    every = int(argument or 1)
    return event_ends(interaction.response.body)[every - 1 :: every]


def _lines(argument: str, interaction: Interaction) -> Cuts:
    every = int(argument or 1)
    return line_ends(interaction.response.body)[every - 1 :: every]


def _random(argument: str, interaction: Interaction) -> Cuts:
    """PARTS - 1 cuts, drawn with `random.Random(seed).random()` alone: Python keeps its sequence between versions."""
    parts, seed = map(int, argument.split(","))
    draw = random.Random(seed).random
    size = len(interaction.response.body)
    return sorted({1 + int(draw() * (size - 1)) for _ in range(parts - 1)}) if size > 1 else ()


def _check_nothing(argument: str) -> None:
    if argument:
        raise PlanError("takes nothing after it")


def _check_count(argument: str) -> None:
    if not argument.isdecimal() or int(argument) < 1:
        raise PlanError("needs a whole number of at least 1")


def _check_optional_count(argument: str) -> None:
    if argument:
        _check_count(argument)


def _check_places(argument: str) -> None:
    for place in argument.split(","):
        check_place(place)


def _check_random(argument: str) -> None:
    parts, comma, seed = argument.partition(",")
    if not comma or not seed.isdecimal():
        raise PlanError("needs PARTS,SEED: random:5,1")
    _check_count(parts)


_VALUES: dict[str, tuple[Callable[[str], None], Callable[[str, Interaction], Cuts]]] = {
    "whole": (_check_nothing, _whole),
    "recorded": (_check_nothing, _recorded),
    "bytes": (_check_count, _bytes),
    "at": (_check_places, _at),
    "events": (_check_optional_count, _events),
    "lines": (_check_optional_count, _lines),
    "random": (_check_random, _random),
}
ALLOWED = "whole, recorded, bytes:N, at:POS[,POS...], events[:N], lines[:N], random:PARTS,SEED"


def check_chunks(value: str) -> None:
    """Raises:
    PlanError: `value` is not a value of `chunks=`.
    """
    name, _, argument = value.partition(":")
    if name not in _VALUES:
        raise PlanError(f"chunks={value}: unknown; use {ALLOWED}")
    try:
        _VALUES[name][0](argument)
    except PlanError as error:
        raise PlanError(f"chunks={value}: {error}") from None


def cuts(value: str | None, interaction: Interaction) -> list[int]:
    """The cuts under `chunks=value`, strictly increasing, none at 0 or the end. None: recorded if known, else whole."""
    if value is None:
        value = "whole" if interaction.response.chunks is None else "recorded"
    name, _, argument = value.partition(":")
    size = len(interaction.response.body)
    return [cut for cut in _VALUES[name][1](argument, interaction) if 0 < cut < size]
