"""Who is right: the reader's own result on the whole body, held against what the contract says is true.

Two invariants, and the oracle. Partition invariance: every partition of the same bytes gives the result of the whole.
Truncation honesty: stopped before the terminal event is complete, the reader does not report success; after it, it
does not report failure. The oracle: where the contract accepts the whole, the reader does not fail on it; where it
rejects, the reader reports no success.

Rule: a judge asks for further runs by yielding a plan and is sent the run, so sync and async drivers share it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from itertools import chain
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
        base: what it was held against; None where only honesty counts.
        place: how many bytes were delivered when the plan stops early; None when it does not.
    """

    result: Result
    base: Base | None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """What runs with the same edits are held against.

    Attributes:
        truth: about the body after the edits.
        expected: the run that says what the reader makes of it.
        value: what of its result is compared, as it was then: the reader may use the object again.
        own: whether that was a run with the same edits, which change what the stream says.
    """

    truth: Truth
    expected: Run
    value: Any
    own: bool = False


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
        self._bases: dict[tuple[str, ...], Base] = {}
        self._known: dict[tuple[str, ...], Truth] = {}
        self._clean = ends_cleanly(interaction)
        self.truth = Truth.of(interaction, contract)
        self.expected = HUNG
        self.of_whole = Result.HUNG
        self._value: Any = None
        self._claim: list[str] = []
        self.of_all = Base(self.truth, HUNG, None)

    def body(self, edits: tuple[str, ...]) -> bytes:
        """The body after `edits`, of which something was judged already."""
        return self._bases[edits].truth.body if edits in self._bases else self.truth.body

    def knows(self, truths: Mapping[tuple[str, ...], Truth]) -> None:
        """Take what is true of the body after some edits from who found it out already."""
        self._known.update(truths)

    def begin(self) -> Asking:
        """Learn what the reader makes of the whole body; to be done before anything is judged.

        Raises:
            Exception: what `key=`, `finish=` or `accepts=` raises about this result.
        """
        run = self.expected = yield WHOLE
        if run.unfit is not None:
            raise run.unfit
        self.of_whole = self._whole(self.truth, run)
        self._value = _kept(run.value if self._key is None or run.error is not None else self._key(run.value))
        self._claim = list(_words(self._finish(run.value))) if run.claims else []
        self.of_all = self._bases[()] = Base(self.truth, run, self._value)

    def partition(self, actual: Run) -> Result:
        """A run of the whole body, unedited, in any pieces."""
        if actual.error is None:
            if self.expected.error is None:
                value = actual.value if self._key is None else self.keyed(actual)
                if self._equal(value, self._value):
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
        return self._stopped(self.of_all, len(self.truth.body), True, actual)

    def truncation(self, size: int, actual: Run, clean: bool) -> Result:
        """A run that was stopped after `size` bytes, by a clean HTTP end or otherwise."""
        if clean and size == len(self.truth.body):
            return self.completed(actual)
        return self._stopped(self.of_all, size, clean, actual)

    def any(self, plan: Plan, actual: Run) -> Generator[Plan, Run, Judged]:
        """A run under any plan at all."""
        base = self._bases.get(plan.edits)
        if base is None:
            base = self._bases[plan.edits] = yield from self._base(plan, actual)
        size, clean = self._delivered(plan)
        if size is not None and not (clean and self._clean and size == len(base.truth.body)):
            complete = base.truth.complete_at(size, clean)
            return Judged(self._stopped(base, size, clean, actual), base if complete else None, size)
        if actual is HUNG:
            return Judged(Result.HUNG, base)
        if base.truth.rejected and plan.edits and actual.claims:
            return Judged(Result.LIE, base)
        if self.same(actual, base, moved=bool(plan.edits)):
            return Judged(self._likewise(base.truth, actual, base.expected), base)
        return Judged(self._other(base.truth, actual, base.expected), base)

    def same(self, actual: Run, base: Base, moved: bool = False) -> bool:
        """Whether a run came to what it is held against; `moved`: byte positions in a verdict of ours do not count."""
        if actual.error is not None or base.expected.error is not None:
            return actual.error == base.expected.error
        values = (self.keyed(actual), base.value)
        return self._equal(*(map(_without_places, values) if moved else values))

    def _base(self, plan: Plan, actual: Run) -> Generator[Plan, Run, Base]:
        """What runs with the edits of `plan` are held against, where `actual` is the first of them."""
        truth = self._known.get(plan.edits) or Truth.of(self._interaction, self._contract, plan.edits)
        if says_the_same(self.truth, truth):
            return Base(truth, self.expected, self._value)
        whole = Plan(chunks="whole", edits=plan.edits)
        expected = actual if plan == whole else (yield whole)
        return Base(truth, expected, _kept(self.keyed(expected)), own=True)

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

    def _stopped(self, base: Base, size: int, clean: bool, actual: Run) -> Result:
        truth, expected = base.truth, base.expected
        if actual is HUNG:
            return Result.HUNG
        if not truth.complete_at(size, clean):
            return self._unfounded(truth, size, actual) if actual.claims else Result.RIGHT
        if not actual.claims:
            return Result.FALSE_ALARM
        moved = len(truth.body) != len(self.truth.body)
        unknown = not truth.decided_at(size) or not expected.claims  # what it should be
        return Result.RIGHT if unknown or self.same(actual, base, moved) else Result.DIFFERS

    def _unfounded(self, truth: Truth, size: int, actual: Run) -> Result:
        """The word for a success that is none: a lie when it names a finish that had not been sent."""
        try:
            claim = self._finish(actual.value)
        except Exception:  # the value is not one that it can tell about
            claim = None
        words, sent = list(_words(claim)), getattr(truth.verdict, "finish", None)
        if isinstance(sent, str) and words == self._claim and truth.has_sent(sent, size):
            return Result.SILENT  # the reader has its own word for it
        return Result.SILENT if all(truth.has_sent(word, size) for word in words) else Result.LIE

    def keyed(self, run: Run) -> Any:
        """What of a run is compared; something that equals no value where `key=` cannot take it."""
        if self._key is None or run.error is not None:
            return run.value
        try:
            return self._key(run.value)
        except Exception as error:
            return _Unfit(f"key= raised {type(error).__name__}")

    @staticmethod
    def _equal(actual: Any, expected: Any) -> bool:
        try:
            same = actual == expected
            return same is True or bool(same)
        except Exception:  # arrays raise, and tables, and tensors, each another one
            raise TypeError(
                f"two results of type {type(actual).__name__} cannot be compared with ==: pass key=, "
                "which takes from a result what counts"
            ) from None


@dataclass(frozen=True, slots=True)
class _Unfit:
    """Stands for what `key=` would have taken."""

    what: str

    def __repr__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True, eq=False)
class _Itself:
    """An object that is equal to nothing but itself, and what it had in it."""

    value: Any
    state: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        return other is self.value and vars(other) == self.state

    def __repr__(self) -> str:
        return repr(self.value)


def _kept(value: Any) -> Any:
    """A copy that stays as it is when the reader uses the object again; the object itself where no copy equals it."""
    try:
        copied = deepcopy(value)
        if bool(copied == value):
            return copied
        kind: Any = type(value)
        state = vars(copied)
        return _Itself(value, state) if kind.__eq__ is object.__eq__ and state == vars(value) else value
    except Exception:  # it cannot be copied, or cannot be compared, or has nothing in it
        return value


def _words(claim: Any) -> Iterator[str]:
    """The finishes that a reader claims: one, or one for each choice."""
    claim = claim.value if isinstance(claim, Enum) else claim
    if isinstance(claim, str):
        yield from [claim] if claim else []
    elif isinstance(claim, Mapping):
        yield from _words(list(claim.values()))
    elif isinstance(claim, list | tuple | set | frozenset):
        yield from chain.from_iterable(map(_words, claim))


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
