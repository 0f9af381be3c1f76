"""What one run amounts to, in one word.

Rule: the words are the same in every report, and every word but `right` is a failure.
"""

from __future__ import annotations

from enum import StrEnum


class Result(StrEnum):
    """The verdict on one run."""

    RIGHT = "right"
    DIFFERS = "differs"  # another result than for the whole body
    RAISED = "raised"  # an error where the whole body gives none
    SILENT = "silent"  # stopped before the end, and reported as finished
    LIE = "lie"  # success where there is none to report: a finish that was never sent, a stream that is refused
    FALSE_ALARM = "false alarm"  # an error although the stream is complete
    HUNG = "hung"  # no result at all


REASONS = {
    Result.RIGHT: "the result is the one it should be",
    Result.DIFFERS: "the same bytes, delivered in other pieces, gave another result",
    Result.RAISED: "the same bytes, delivered in other pieces, raised an error",
    Result.SILENT: "the stream stopped before its terminal event, and the reader reported success",
    Result.LIE: "the reader reported a success that the stream does not have",
    Result.FALSE_ALARM: "the stream is complete, and the reader reported a failure",
    Result.HUNG: "the reader gave no result in time",
}
EDIT_REASONS = REASONS | {
    Result.DIFFERS: "an edit that leaves the meaning of the stream as it was gave another result",
    Result.RAISED: "an edit that leaves the meaning of the stream as it was raised an error",
    Result.LIE: "the edited stream is one to be rejected, and the reader reported success",
}
TWICE_REASONS = REASONS | {  # for the whole body in one piece, as it was delivered at the beginning
    Result.DIFFERS: "the same delivery once more gave another result: the reader keeps something from run to run, "
    "or == says nothing about its results (then pass key=)",
    Result.RAISED: "the same delivery once more raised an error: the reader keeps something from run to run",
}
FAILING = tuple(result for result in Result if result is not Result.RIGHT)


def alike(one: Result, other: Result) -> bool:
    """Whether two words are about the same kind of fault: another result and an error in its place are."""
    unequal = (Result.DIFFERS, Result.RAISED)
    return one is other or (one in unequal and other in unequal)
