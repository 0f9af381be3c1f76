"""What a plan delivers: a body after the plan's edits, with what was recorded about it.

Rule: edits first, then places, cuts, times and ends mean the edited body. What was recorded is carried over only for a
plan that asks for it.
"""

from __future__ import annotations

from functools import lru_cache

from recorder.cassette import Chunk, Response
from recorder.contracts import Contract
from recorder.errors import PlanError
from recorder.plans._splices import Splices, Timeline, spliced
from recorder.plans._structure import KEPT
from recorder.plans.edits import edit

Done = tuple[tuple[Splices, int], ...]  # the splices of each edit, and the size of the body after it
_NOTHING_DONE: Done = ()


class Edited:
    """A body to deliver.

    Attributes:
        body: after the edits.
        response: as recorded.
        contract: says which event is the terminal one; None: detected.
    """

    __slots__ = ("_done", "_timeline", "body", "contract", "response")

    def __init__(self, response: Response, edits: tuple[str, ...] = (), contract: Contract | None = None) -> None:
        self.response, self.contract = response, contract
        self.body, self._done = response.body, _NOTHING_DONE
        if edits:
            self.body, self._done = _rewritten(response.body, edits, contract)  # type: ignore[arg-type]  # it hashes
        self._timeline: Timeline | None = None

    def timeline(self) -> Timeline | None:
        """The recorded chunks, carried over to the edited body; None where none were recorded."""
        chunks = self.response.chunks
        if self._timeline is None and chunks is not None:
            timeline = _recorded(_These(chunks))
            for splices, size in self._done:
                timeline = timeline.spliced(splices, size)
            self._timeline = timeline
        return self._timeline


class _These:
    """A key for the very same chunks: comparing all of them would cost more than it saves."""

    __slots__ = ("chunks",)

    def __init__(self, chunks: tuple[Chunk, ...]) -> None:
        self.chunks = chunks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _These) and other.chunks is self.chunks

    def __hash__(self) -> int:
        return id(self.chunks)


@lru_cache(maxsize=KEPT)
def _recorded(key: _These) -> Timeline:
    return Timeline.of(key.chunks)


@lru_cache(maxsize=KEPT)
def _rewritten(body: bytes, edits: tuple[str, ...], contract: Contract | None) -> tuple[bytes, Done]:
    done = []
    for text in edits:
        try:
            splices = edit(text).splices(body, contract)
        except PlanError as error:
            raise PlanError(f"edit={text}: {error}") from None
        body = spliced(body, splices)
        done.append((splices, len(body)))
    return body, tuple(done)
