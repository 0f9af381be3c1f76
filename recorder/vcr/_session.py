"""One use of one cassette: what its requests get, and what becomes of what they recorded.

Rule: a stored answer or a live one that is recorded, never both, and nothing goes to the network that the mode does not
allow. Safe to use from any thread and task.
"""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorder.adapters import Clock, OpenResponses, PlanChoice
from recorder.cassette import Cassette, Interaction, Request, load_cassette
from recorder.matching import MatchOn, NoMatch, Playback
from recorder.plans import Plan
from recorder.sanitize import Sanitizer, check_place
from recorder.tape import Tape
from recorder.vcr._miss import unmatched
from recorder.vcr._mode import Mode
from recorder.vcr._recording import interaction_of, store


@dataclass(frozen=True, slots=True)
class Settings:
    """How a cassette is used; checked when it is made.

    Attributes:
        path: the file.
        mode: when requests are recorded.
        choice: which plan an answer is delivered by.
        match_on, ignore, repeat: what a request has to have in common with a stored one, and whether one answers again.
        sanitizer: cleans what is stored, and both sides of a comparison.
        clock: of the deliveries.
    """

    path: Path
    mode: Mode
    choice: PlanChoice
    match_on: tuple[Any, ...]
    ignore: tuple[str, ...]
    repeat: bool
    sanitizer: Sanitizer
    clock: Clock | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gets from the cassette."""

    interaction: Interaction
    plan: Plan
    clock: Clock | None


class Session:
    """A cassette in force. What `use_cassette` gives to its block.

    Attributes:
        misses: the requests that were refused, also those whose exception the caller swallowed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file = settings.path.absolute()  # the block may go to another folder
        self._found, self._loaded = _load(settings.path)
        self._playback = Playback(
            self._loaded,
            match_on=settings.match_on,
            ignore=settings.ignore,
            repeat=settings.repeat,
            sanitizer=settings.sanitizer,
        )
        self._made: list[tuple[Tape | Interaction, datetime.datetime]] = []  # unsanitized; let go of when it is stored
        self._stored: int | None = None
        self._lock = threading.Lock()
        self._open = OpenResponses()
        self._writable = False  # whether it has been looked at
        self.misses: list[NoMatch] = []

    # -- for its user -------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The file."""
        return self._settings.path

    @property
    def cassette(self) -> Cassette:
        """What is stored: as it was opened, and once the block is left, with what was recorded."""
        return _load(self._place())[1] if self._stored else self._loaded

    @property
    def played(self) -> int:
        """How many requests were answered from the cassette since the start or the last rewind."""
        return self._playback.played

    @property
    def recorded(self) -> int:
        """How many requests were made and got an answer."""
        return len(self._answered()) if self._stored is None else self._stored

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of the stored interactions that answered no request."""
        return self._playback.unplayed

    @property
    def open_responses(self) -> tuple[str, ...]:
        """The replayed responses that were not read to their end and not closed, by method and stored address."""
        return self._open.names

    def rewind(self) -> None:
        """Answer from the start again."""
        self._playback.rewind()

    # -- for the libraries' stubs -------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Answer | None:
        """What the cassette answers; None where the request is to be made, and recorded.

        Raises:
            CannotOverwriteExistingCassetteException: nothing does, and the mode makes no new requests.
            PlanError: the plan does not fit the answer.
            CassetteError: it is to be made and recorded, and the file cannot be written.
        """
        mode, choice = self._settings.mode, self._settings.choice
        if not mode.plays(self._found):
            self._look_at_the_place()
            return None
        problem = None
        try:
            played = self._playback.answer(request)
        except NoMatch as miss:
            if not mode.records(self._found):
                self.misses.append(miss)
                problem = unmatched(self.path, mode, self._found, miss)
        else:
            plan = choice.for_request(request, played.attempt, played.interaction)
            return Answer(played.interaction, plan, self._settings.clock)
        if problem is not None:
            raise problem
        self._look_at_the_place()
        return None

    def _look_at_the_place(self) -> None:
        """Before the first request is made: one that cannot be stored is not."""
        if not self._writable:
            check_place(self._file)
            self._writable = True

    def opened(self, answer: Answer) -> Callable[[], None]:
        """Note a response that is given out; what is returned is called when it is closed."""
        return self._open.opened(answer.interaction.request)

    def tape(self, request: Request) -> Tape:
        """A fresh tape for a request that is made."""
        tape = Tape()
        with self._lock:
            self._made.append((tape, datetime.datetime.now(datetime.UTC)))
        return tape

    def keep(self, interaction: Interaction) -> None:
        """Record what a stub of vcrpy has read whole."""
        with self._lock:
            self._made.append((interaction, datetime.datetime.now(datetime.UTC)))

    # -- the end ------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Store what was recorded; streams that are still open end here, for the recording.

        Raises:
            ResidueError, CassetteError: nothing was written.
        """
        with self._lock:
            answered, self._made = self._answered(), []
            self._stored = len(answered)
        new = [made for each, at in answered if (made := _interaction(each, at)) is not None]
        if new:
            store(self._place(), new, loaded=self._loaded, keeps=self._keeps(new), sanitizer=self._settings.sanitizer)

    def _place(self) -> Path:
        """The file as it was given, which messages show, as long as that leads there."""
        return self.path if self.path.absolute() == self._file else self._file

    def _answered(self) -> list[tuple[Tape | Interaction, datetime.datetime]]:
        """What got as far as a head, in the order of the requests."""
        return [(each, at) for each, at in self._made if isinstance(each, Interaction) or each.head is not None]

    def _keeps(self, new: list[Interaction]) -> Any:
        """Which loaded interactions stay: in `all`, those that nothing recorded now matches; in `rewrite`, none."""
        gone = set(range(len(self._loaded.interactions))) if self._settings.mode is Mode.REWRITE else set()
        if self._settings.mode is Mode.ALL:
            gone = {position for each in new for position in self._playback.matches(each.request)}
        return lambda position: position not in gone

    def __repr__(self) -> str:
        return f"<cassette {self.path}, {self.played} played, {self.recorded} recorded>"


def _interaction(made: Tape | Interaction, at: datetime.datetime) -> Interaction | None:
    return made if isinstance(made, Interaction) else interaction_of(made, at)


def _load(path: Path) -> tuple[bool, Cassette]:
    """Whether there is a cassette, and its content; an empty file is none, as for vcrpy."""
    if not path.exists() or path.stat().st_size == 0:
        return False, Cassette(())
    return True, load_cassette(path)


def settings_of(
    path: Any,
    mode: Any,
    plan: Any,
    match_on: MatchOn,
    ignore: Any,
    repeat: bool,
    sanitizer: Sanitizer | None,
    clock: Any,
) -> Settings:
    """The settings from what a user gives.

    Raises:
        ValueError, TypeError: something is not known; says what would be right.
    """
    # once, since each may be an iterator; a text is none of them, and Playback says so
    match_on, ignore = (each if isinstance(each, str) else tuple(each) for each in (match_on, ignore))
    checked = Playback(Cassette(()), match_on=match_on, ignore=ignore)  # names what it does not know
    del checked
    return Settings(
        Path(path), Mode.of(mode), PlanChoice.of(plan), tuple(match_on), tuple(ignore), repeat,
        sanitizer or Sanitizer.default(), clock,
    )  # fmt: skip
