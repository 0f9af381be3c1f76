"""A cassette as a transport, for a client of either package.

They are no subclasses of the packages' own transports: the clients do not ask for that, and so one class serves both,
and a cassette in force does not take it for a real one.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from recorder.adapters._choice import PlanChoice, PlanSource
from recorder.adapters._clock import Clock
from recorder.adapters._leaks import OpenResponses
from recorder.adapters.httpx._respond import arequest_of, arespond, request_of, respond
from recorder.cassette import Cassette, Interaction, Request, load_cassette
from recorder.matching import DEFAULT_MATCH_ON, MatchOn, Playback
from recorder.plans import Contract

_Transport: Any = object
if TYPE_CHECKING:
    _Transport = Any  # for a type checker it is what a client of either package takes


class _Replays(_Transport):  # type: ignore[misc]  # its base is Any to mypy
    """What both transports share: the cassette that is played, and the plans."""

    def __init__(
        self,
        source: Cassette | Interaction | bytes | str | PathLike[str],
        plan: PlanSource = None,
        *,
        match_on: MatchOn | None = None,
        ignore: tuple[str, ...] | list[str] = (),
        repeat: bool = False,
        clock: Clock | None = None,
        contract: Contract | None = None,
    ) -> None:
        if match_on is None:
            match_on = () if isinstance(source, bytes) else DEFAULT_MATCH_ON
        self._playback = Playback(_cassette(source), match_on=match_on, ignore=ignore, repeat=repeat)
        self._choice = PlanChoice.of(plan, contract)
        self._clock, self._contract = clock, contract
        self.open_responses = OpenResponses()

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of the interactions that have not been played."""
        return self._playback.unplayed

    def rewind(self) -> None:
        """Nothing has been played."""
        self._playback.rewind()

    def _answer(self, asked: Request) -> dict[str, Any]:
        played = self._playback.answer(asked)
        return {
            "interaction": played.interaction,
            "plan": self._choice.for_request(asked, played.attempt, played.interaction),
            "clock": self._clock,
            "contract": self._contract,
            "on_close": self.open_responses.opened(asked),
        }


def _cassette(source: Cassette | Interaction | bytes | str | PathLike[str]) -> Cassette:
    if isinstance(source, Cassette):
        return source
    if isinstance(source, bytes):
        source = Interaction.from_body(source)
    return Cassette((source,)) if isinstance(source, Interaction) else load_cassette(source)


class ReplayTransport(_Replays):
    """A transport that answers from a cassette: `httpx2.Client(transport=ReplayTransport("chat.yaml"))`.

    It serves clients of httpx and httpx2 alike, and threads may share it.

    Args:
        source: the path of a cassette, a cassette, an interaction, or the bytes of a body (then every request gets it).
        plan: how event streams are delivered: a plan or its text, a sequence (the n-th for the n-th such request), or a
            callable `(request, index) -> plan`.
        match_on, ignore: what must be the same in a request (method, address and body unless given), and which places
            of its body need not be.
        repeat: when all that match have been played, the last of them answers again.
        clock: virtual unless given.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Attributes:
        open_responses: those given out and not closed yet; `.names` says which.
        unplayed: the positions of the interactions that have not been played.

    Raises:
        CassetteError: the file is not a cassette.
        PlanError: a plan is not in the grammar; from a request, when it does not fit the interaction.
        NoMatch: from a request, when nothing answers it.
    """

    def handle_request(self, request: Any) -> Any:
        """The response, for the client."""
        return respond(request, **self._answer(request_of(request)))

    def close(self) -> None:
        """For the client; there is nothing to close."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class AsyncReplayTransport(_Replays):
    """`ReplayTransport` for `AsyncClient`; the same arguments, attributes and errors."""

    async def handle_async_request(self, request: Any) -> Any:
        """The response, for the client."""
        return await arespond(request, **self._answer(await arequest_of(request)))

    async def aclose(self) -> None:
        """For the client; there is nothing to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        pass
