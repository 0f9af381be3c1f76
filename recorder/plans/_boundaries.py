"""Boundary classes: what a cut at each offset of a body divides.

Rule: every offset from 0 to the length has exactly one class, the first of `Boundary` that fits it. The classes are
about the text of an event stream and the JSON in it; what a contract makes of it is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from recorder.plans._boundary import CLASSES, NUMBERS, Boundary
from recorder.plans._labels import labels
from recorder.plans._structure import KEPT


class Boundaries(Mapping[Boundary, tuple[int, ...]]):
    """The classes a body has, in the order of `Boundary`, each with its offsets, increasing.

    Args:
        labels: for each offset, the place of its class in `CLASSES`.

    Attributes:
        firsts: the first offset of each class inside the body, increasing; the start and the end are not inside.
    """

    __slots__ = ("_labels", "firsts")

    firsts: tuple[int, ...]

    def __init__(self, labels: bytes) -> None:
        self._labels = labels
        inside = (number for name, number in NUMBERS.items() if name not in (Boundary.START, Boundary.END))
        self.firsts = tuple(sorted(at for number in inside if (at := labels.find(number)) >= 0))

    def __getitem__(self, boundary: Boundary) -> tuple[int, ...]:
        number = NUMBERS.get(boundary)
        if number is None or number not in self._labels:
            raise KeyError(boundary)
        return tuple([found.start() for found in re.finditer(re.escape(bytes([number])), self._labels)])

    def __contains__(self, boundary: object) -> bool:
        return NUMBERS.get(boundary, 255) in self._labels  # type: ignore[call-overload]  # any object may be asked for

    def __iter__(self) -> Iterator[Boundary]:
        return (name for number, name in enumerate(CLASSES) if number in self._labels)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def at(self, offset: int) -> Boundary:
        """The class of one offset.

        Raises:
            IndexError: it is not an offset of the body.
        """
        if offset < 0:
            raise IndexError(f"offset {offset}: the first is 0")
        return CLASSES[self._labels[offset]]

    def __repr__(self) -> str:
        return f"<Boundaries of {len(self._labels)} offsets, {len(self)} classes>"


@lru_cache(maxsize=KEPT)
def boundary_classes(body: bytes) -> Boundaries:
    """The boundary classes of `body`.

    Args:
        body: a whole stream, content-decoded; it may be cut short or broken.

    Returns:
        A mapping from each class the body has to its offsets; `.at(offset)` gives the class of one.
    """
    return Boundaries(labels(body))
