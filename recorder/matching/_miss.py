"""No stored request answers the live one: which came nearest, told without content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recorder.cassette import Request
from recorder.errors import RecorderError

_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Near:
    """A stored request that came near: where it is, and in what it differs, each as a line."""

    position: int
    differences: tuple[str, ...]


class NoMatch(RecorderError):
    """No stored request answers this one, or all that would have been played.

    Attributes:
        method, uri: of the sanitized request.
        exhausted: some would answer it, and all were played.
        matching: the positions of those.
        nearest: the stored requests that differ least, the first of them first.
        methods: with which ones the path was recorded, if not with this one; else none.
    """

    def __init__(
        self,
        request: Request,
        matching: Sequence[int],
        nearest: Sequence[Near],
        stored: int,
        methods: Sequence[str] = (),
    ) -> None:
        self.method, self.uri = request.method, request.uri
        self.matching, self.nearest, self._stored = tuple(matching), tuple(nearest), stored
        self.methods = tuple(methods)
        self.exhausted = bool(matching)
        super().__init__(self._told())

    @property
    def near(self) -> str:
        """What came nearest, in lines for people."""
        return "\n".join(self._near_lines())

    def to_dict(self) -> dict[str, Any]:
        """The same for a machine: only JSON types."""
        return {
            "error": "exhausted" if self.exhausted else "no_match",
            "request": {"method": self.method, "uri": self.uri},
            "matching": list(self.matching),
            "methods": list(self.methods),
            "nearest": [
                {"interaction": near.position + 1, "differences": list(near.differences)} for near in self.nearest
            ],
        }

    def _told(self) -> str:
        recorded = f": the path was recorded with {' and '.join(self.methods)} only" if self.methods else ""
        return "\n".join([f"no recorded answer for {self.method} {self.uri}{recorded}", *self._near_lines()])

    def _near_lines(self) -> list[str]:
        if self.exhausted:
            which = ", ".join(str(position + 1) for position in self.matching[:_MOST_SHOWN])
            which += ", ..." if len(self.matching) > _MOST_SHOWN else ""
            return [f"interaction {which} would answer it, and was played already: each plays once unless repeated"]
        if not self._stored:
            return ["the cassette is empty"]
        if not self.nearest:
            return [f"none of the {self._stored} recorded requests is similar"]
        lines = []
        for near in self.nearest:
            lines.append(f"interaction {near.position + 1} comes nearest, it differs in")
            lines += [f"  {line}" for line in near.differences[:_MOST_SHOWN]]
            if len(near.differences) > _MOST_SHOWN:
                lines.append(f"  and {len(near.differences) - _MOST_SHOWN} more places")
        return lines

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            Request(self.method, self.uri),
            self.matching,
            self.nearest,
            self._stored,
            self.methods,
        )
