"""One test's use of its cassette while it runs, and what may be wrong about it afterwards.

Rule: a test that passed fails when it left something behind: an interaction that nothing asked for, a response that was
not read to its end, a request that was refused and swallowed, a cassette that is not clean.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recorder.pytest_plugin._marks import CASSETTE, Use
from recorder.pytest_plugin._tally import TALLY

if TYPE_CHECKING:
    from recorder.adapters.server import Delivery, ReplayServer
    from recorder.cassette import Interaction
    from recorder.plans import Plan
    from recorder.sweeps import Report
    from recorder.vcr import Session

RUNNING = pytest.StashKey["Running"]()
_clean: dict[tuple[str, int, int], tuple[str, ...]] = {}  # what is wrong with files as they were


class Running:
    """A test in progress.

    Attributes:
        use: how it uses its cassette.
        plan: the plan of this item or of this run of it; None leaves the mark's.
        session: the cassette in force; None until it is opened.
        server: the replay server of the test; None where it has none.
        touched: the positions of interactions that were played otherwise than by a request.
        repeating: whether the test is being run for many plans; `done` of `total` have passed.
    """

    def __init__(self, item: pytest.Item, use: Use) -> None:
        self.use = use
        self.plan: Plan | None = None
        self.session: Session | None = None
        self.server: ReplayServer | None = None
        self.touched: set[int] = set()
        self.repeating = False
        self.done = self.total = 0
        self._played = 0  # before the last rewind
        self._item = item

    def open(self) -> Iterator[Session]:
        """The cassette in force, while a fixture stands."""
        from recorder.errors import CassetteError, CassetteWarning, PlanError
        from recorder.vcr import use_cassette

        use = self.use
        existed = use.path.is_file()
        if use.mode == "none" and not existed:
            pytest.fail(missing(self._item, use.path), pytrace=False)
        problem = ""
        with contextlib.ExitStack() as stack:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CassetteWarning)  # the file is looked at after the test
                try:
                    session = stack.enter_context(
                        use_cassette(use.path, mode=use.mode, plan=self.chosen(), **use.options)
                    )
                except (CassetteError, PlanError) as error:
                    problem = str(error)
            if problem:
                pytest.fail(problem, pytrace=False)
            self.session = session
            yield session
        tally = self._item.config.stash[TALLY]
        tally.add(self._played + session.played, session.recorded, rewritten=existed and session.recorded > 0)

    def chosen(self) -> Any:
        """The plan as `use_cassette` takes it. What is set for a run is asked for at each request."""
        from recorder.adapters import PlanChoice

        marked = PlanChoice.of(self.use.plan)

        def chosen(request: Any, index: int) -> Any:
            if self.plan is not None:
                return self.plan
            return marked.ask(request, index) if marked.ask else marked.plans[min(index, len(marked.plans) - 1)]

        return chosen

    def stream(self, position: int | None) -> Interaction:
        """The recorded interaction at `position`, or the first event stream; it counts as played.

        Raises:
            LookupError: there is none.
        """
        from recorder.sweeps import event_streams

        cassette = self._cassette()
        if position is None:
            first = event_streams(cassette)[0]
            position = next(at for at, each in enumerate(cassette.interactions) if each is first)
        self.touched.add(position)
        found: Interaction = cassette.interactions[position]
        return found

    def source(self, position: int | None) -> tuple[Any, dict[str, Any]]:
        """The same as what `sweep` takes, with its options: by its file where it is in one, which a story can name."""
        from recorder.sweeps import event_streams

        found, path = self.stream(position), self.use.path
        if path.is_file() and (self.session is None or not self.session.recorded):
            if path.is_relative_to(Path.cwd()):
                path = path.relative_to(Path.cwd())
            for number, each in enumerate(event_streams(path), 1):
                if each == found:
                    return path, {"interaction": number}
        return found, {}

    def touch_all(self) -> None:
        """Everything in the cassette is somebody else's to play."""
        self.touched.update(range(len(self._cassette().interactions)))

    def _cassette(self) -> Any:
        if self.session is not None:
            return self.session.cassette
        from recorder.cassette import load_cassette

        if not self.use.path.is_file():
            pytest.fail(missing(self._item, self.use.path), pytrace=False)
        return load_cassette(self.use.path)

    def each(self, plans: Sequence[Plan], call: Callable[[], object]) -> None:
        """Run the test for each plan, from the start of the cassette; the first failure passes."""
        self.repeating, self.total = True, len(plans)
        for self.done, plan in enumerate(plans):
            self.plan = plan
            if self.session is not None:
                self._played += self.session.played
                self.session.rewind()
            call()
        self.repeating = False

    def story(self, report: Report) -> str:
        """A failed sweep, and how to see it again."""
        return f"{report}\nagain: pytest {quoted(self._item.nodeid)}"

    def refused_by_server(self) -> list[Delivery]:
        """What the replay server was asked and had no recorded answer for."""
        return [] if self.server is None else [each for each in self.server.log if each.error is not None]

    def complaints(self) -> list[str]:
        """What a test that passed has left behind, each with what to do."""
        found = []
        session, use = self.session, self.use
        if session is not None:
            unplayed = sorted(set(session.unplayed) - self.touched)
            if unplayed and not session.recorded and not use.allow_unplayed:
                found.append(_unplayed(session, unplayed))
            if session.open_responses and not use.allow_open:
                found.append(
                    f"left open: {', '.join(session.open_responses)}: read the response to its end or close it "
                    "(or allow_open=True)"
                )
            if session.misses and not use.allow_misses:
                found.append(
                    f"a request was refused, and the test did not notice (or allow_misses=True):\n{session.misses[0]}"
                )
        if use.path.is_file() and (session is None or not session.recorded):
            found += unclean(use.path)
        return found


def _unplayed(session: Session, positions: list[int]) -> str:
    stored = session.cassette.interactions
    asked = [f"{at + 1}: {stored[at].request.method} {stored[at].request.uri.partition('?')[0]}" for at in positions]
    return (
        f"recorded but not played: {'; '.join(asked)} of {session.path}: take it out of the file, ask for it, or say "
        "allow_unplayed=True"
    )


def missing(item: pytest.Item, path: Path) -> str:
    """Why a test cannot run, and the command that changes it."""
    from recorder.cassette import shipped

    mark = item.get_closest_marker(CASSETTE)
    known = shipped(path.stem) if mark is not None and path.stem in mark.args else ""
    told = f"no cassette {_shown(item, path)}: record it with\n    pytest {quoted(item.nodeid)} --sse-record=once"
    return f"{told}\n{known}" if known else told


def quoted(text: str) -> str:
    """`text` as a shell's word."""
    import shlex

    return shlex.quote(text)


def _shown(item: pytest.Item, path: Path) -> str:
    root = item.config.rootpath
    return os.fspath(path.relative_to(root) if path.is_relative_to(root) else path)


def unclean(path: Path) -> tuple[str, ...]:
    """What `recorder verify` has against the file; looked at once as long as it stays as it is."""
    from recorder.inspect import verify

    state = path.stat()
    key = (os.fspath(path), state.st_mtime_ns, state.st_size)
    if key not in _clean:
        _clean[key] = tuple(f"not clean: {each.message}" for each in verify(path) if each.is_error)
    return _clean[key]
