"""Who is right: the reader's own result on the whole body, held against what the contract says is true.

Two invariants, and the oracle. Partition invariance: every partition of the same bytes gives the result of the whole.
Truncation honesty: stopped before the terminal event is complete, the reader does not report success; after it, it
does not report failure. The oracle: where the contract accepts the whole, the reader does not fail on it; where it
rejects, the reader reports no success.

Rule: a judge asks for further runs by yielding a plan and is sent the run, so sync and async drivers share it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from recorder.cassette import Interaction
from recorder.contracts import Accepted, Contract, Rejected
from recorder.plans import End, Ending, Plan, delivery
from recorder.sweeps._result import Result
from recorder.sweeps._runs import HUNG, Run
from recorder.sweeps._truth import Truth, ends_cleanly

Asking = Generator[Plan, Run, Any]
WHOLE = Plan(chunks="whole")


@dataclass(frozen=True, slots=True)
class Judged:
    """One run, judged.

    Attributes:
        result: the word.
        expected: the run it was held against; None where only honesty counts.
        place: how many bytes were delivered when the plan stops early; None when it does not.
    """

    result: Result
    expected: Run | None
    place: int | None = None


class Judge:
    """The judge for one stream and one reader.

    Args:
        key: what of a result is compared.
        finish: the finish that a result claims.
    """

    def __init__(
        self,
        interaction: Interaction,
        contract: Contract | None,
        key: Callable[[Any], Any] | None,
        finish: Callable[[Any], Any],
    ) -> None:
        self._interaction, self._contract, self._key, self._finish = interaction, contract, key, finish
        self._bases: dict[tuple[str, ...], _Base] = {}
        self._known: dict[tuple[str, ...], Truth] = {}
        self._clean = ends_cleanly(interaction)
        self.truth = Truth.of(interaction, contract)
        self.expected = HUNG
        self.of_whole = Result.HUNG
        self._value: Any = None

    def body(self, edits: tuple[str, ...]) -> bytes:
        """The body after `edits`, of which something was judged already."""
        return self._bases[edits].truth.body if edits in self._bases else self.truth.body

    def knows(self, truths: Mapping[tuple[str, ...], Truth]) -> None:
        """Take what is true of the body after some edits from who found it out already."""
        self._known.update(truths)

    def begin(self) -> Asking:
        """Learn what the reader makes of the whole body; to be done before anything is judged."""
        self.expected = yield WHOLE
        self.of_whole = self._whole(self.truth, self.expected)
        self._value = self.keyed(self.expected)

    def partition(self, actual: Run) -> Result:
        """A run of the whole body, unedited, in any pieces."""
        if actual.error is None:
            value = actual.value if self._key is None else self._key(actual.value)
            if self.expected.error is None and self._equal(value, self._value):
                if actual.claims == self.expected.claims:
                    return self.of_whole
                return self._likewise(self.truth, actual, self.expected)
        elif actual.error == self.expected.error:
            return self.of_whole
        return self._other(self.truth, actual, self.expected)

    def completed(self, actual: Run) -> Result:
        """A run of the whole body, unedited, to a clean end."""
        if self._clean:
            return self.partition(actual)
        return self._stopped(self.truth, self.expected, len(self.truth.body), True, actual)

    def truncation(self, size: int, actual: Run, clean: bool) -> Result:
        """A run that was stopped after `size` bytes, by a clean HTTP end or otherwise."""
        if clean and size == len(self.truth.body):
            return self.completed(actual)
        return self._stopped(self.truth, self.expected, size, clean, actual)

    def any(self, plan: Plan, actual: Run) -> Generator[Plan, Run, Judged]:
        """A run under any plan at all."""
        base = self._bases.get(plan.edits)
        if base is None:
            base = self._bases[plan.edits] = yield from self._base(plan.edits)
        size, clean = self._delivered(plan)
        if size is not None and not (clean and self._clean and size == len(base.truth.body)):
            complete = base.truth.complete_at(size, clean)
            return Judged(
                self._stopped(base.truth, base.expected, size, clean, actual), base.expected if complete else None, size
            )
        if actual is HUNG:
            return Judged(Result.HUNG, base.expected)
        if base.truth.rejected and plan.edits:
            return Judged(Result.LIE if actual.claims else Result.RIGHT, None)
        if self.same(actual, base.expected, moved=bool(plan.edits)):
            return Judged(self._likewise(base.truth, actual, base.expected), base.expected)
        return Judged(self._other(base.truth, actual, base.expected), base.expected)

    def same(self, actual: Run, expected: Run, moved: bool = False) -> bool:
        """Whether two runs came to the same; `moved`: byte positions in a verdict of ours do not count."""
        if actual.error is not None or expected.error is not None:
            return actual.error == expected.error
        values = [self.keyed(each) for each in (actual, expected)]
        return self._equal(*(map(_without_places, values) if moved else values))

    def _base(self, edits: tuple[str, ...]) -> Generator[Plan, Run, _Base]:
        if not edits:
            return _Base(self.truth, self.expected)
        truth = self._known.get(edits) or Truth.of(self._interaction, self._contract, edits)
        if truth.rejected or says_the_same(self.truth, truth):
            return _Base(truth, self.expected)
        expected = yield Plan(chunks="whole", edits=edits)
        return _Base(truth, expected)

    def _delivered(self, plan: Plan) -> tuple[int | None, bool]:
        """How many bytes a plan delivers, None: the recording as it is; and whether it ends cleanly there."""
        if plan.end in (None, "recorded"):
            return None, True
        made = delivery(plan, self._interaction, contract=self._contract)
        clean = made.at >= 0 and isinstance(made.last, End) and made.last.ending in (Ending.COMPLETE, Ending.EOF)
        return max(made.at, 0), clean

    def _whole(self, truth: Truth, run: Run) -> Result:
        """What the oracle says of a run that came to what the whole body comes to."""
        if run is HUNG:
            return Result.HUNG
        if truth.verdict is None or run.claims == truth.verdict.ok:
            return Result.RIGHT
        return Result.LIE if run.claims else Result.FALSE_ALARM

    def _likewise(self, truth: Truth, actual: Run, expected: Run) -> Result:
        """The word for the expected result, of which the reader may report another success than it did there."""
        word = self._whole(truth, actual)
        return Result.DIFFERS if word is Result.RIGHT and actual.claims != expected.claims else word

    def _other(self, truth: Truth, actual: Run, expected: Run) -> Result:
        """The word for another result than the expected one."""
        if actual is HUNG:
            return Result.HUNG
        if actual.claims and truth.rejected:
            return Result.LIE
        return Result.RAISED if actual.error is not None and expected.error is None else Result.DIFFERS

    def _stopped(self, truth: Truth, expected: Run, size: int, clean: bool, actual: Run) -> Result:
        if actual is HUNG:
            return Result.HUNG
        if not truth.complete_at(size, clean):
            return self._unfounded(truth, expected, size, actual) if actual.claims else Result.RIGHT
        if not actual.claims:
            return Result.FALSE_ALARM
        moved = len(truth.body) != len(self.truth.body)
        known = truth.open_end or not expected.claims or self.same(actual, expected, moved)
        return Result.RIGHT if known else Result.DIFFERS

    def _unfounded(self, truth: Truth, expected: Run, size: int, actual: Run) -> Result:
        """The word for a success that is none: a lie when it names a finish that had not been sent."""
        claim = self._finish(actual.value)
        if not isinstance(claim, str):
            return Result.SILENT
        words = {claim}
        sent = getattr(truth.verdict, "finish", None)
        if isinstance(sent, str) and expected.claims and claim == self._finish(expected.value):
            words.add(sent)  # the reader has its own word for it
        return Result.SILENT if any(truth.has_sent(word, size) for word in words) else Result.LIE

    def keyed(self, run: Run) -> Any:
        """What of a run is compared."""
        return run.value if self._key is None or run.error is not None else self._key(run.value)

    @staticmethod
    def _equal(actual: Any, expected: Any) -> bool:
        try:
            same = actual == expected
            return same is True or bool(same)
        except (ValueError, TypeError):
            raise TypeError(
                f"two results of type {type(actual).__name__} cannot be compared with ==: pass key=, "
                "which takes from a result what counts"
            ) from None


@dataclass(frozen=True, slots=True)
class _Base:
    """What runs with the same edits are held against."""

    truth: Truth
    expected: Run


def says_the_same(truth: Truth, edited: Truth) -> bool:
    """Whether an edit leaves everything as it was but the bytes: the same events, or the same verdict on them."""
    if truth.verdict is not None and edited.verdict is not None and truth.verdict.ok and edited.verdict.ok:
        return bool(_without_places(truth.verdict) == _without_places(edited.verdict))
    return _events(truth.body) == _events(edited.body)


def _events(body: bytes) -> list[Any]:
    from recorder.sse import iter_events

    return list(iter_events([body]))


def _without_places(value: Any) -> Any:
    if isinstance(value, Accepted):
        return dataclasses.replace(value, bytes_read=0)
    if isinstance(value, Rejected):
        return dataclasses.replace(value, bytes_read=0, offset=None)
    return value
