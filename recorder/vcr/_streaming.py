"""`streaming`: somebody's own `vcr.VCR`, whose cassettes stream from now on.

Rule: its modes, matchers, hooks, paths and persister stay what they are. What changes: the libraries we stream are
recorded while they stream and replayed in the recorded pieces, and everything is sanitized before it is stored.
"""

from __future__ import annotations

import copy
import datetime
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from recorder.adapters import PlanChoice, PlanSource
from recorder.cassette import Cassette, Interaction, Request, dump_cassette, parse_cassette
from recorder.errors import CassetteWarning
from recorder.sanitize import Sanitizer, sanitized, save_cassette
from recorder.tape import Tape
from recorder.vcr._quiet import quiet
from recorder.vcr._recording import interaction_of
from recorder.vcr._session import Answer
from recorder.vcr._stand_ins import streamed
from recorder.vcr._vcrpy import streamed_names

V = TypeVar("V")


def streaming(vcr: V, *, plan: PlanSource = None, sanitizer: Sanitizer | None = None) -> V:
    """Make the cassettes of a `vcr.VCR` stream, pytest-recording's too.

    While one is in force, only warnings are left of vcrpy's log: the rest shows requests and responses as they are.

    Args:
        vcr: changed in place; cassettes that it opens from now on stream.
        plan: how event streams are delivered when they are replayed, as for `use_cassette`.
        sanitizer: cleans what is stored; `Sanitizer.default()` unless given.

    Returns:
        The same VCR.

    Raises:
        TypeError: it is no VCR of vcrpy 9.4 or newer.
        PlanError: the plan is not in the grammar.
    """
    inner: Any = vcr
    opened = getattr(inner, "_use_cassette", None)
    if opened is None or not hasattr(inner, "skip_patchers"):
        raise TypeError(f"streaming() takes a vcr.VCR of vcrpy 9.4 or newer, not {type(vcr).__name__}")
    context_class = _context_class()
    cassette_class = _class(PlanChoice.of(plan), sanitizer or Sanitizer.default())

    def use(*args: Any, **options: Any) -> Any:
        context = opened(*args, **options)
        context.cls, context.__class__ = cassette_class, context_class
        return context

    inner._use_cassette = use
    return vcr


def _class(choice: PlanChoice, sanitizer: Sanitizer) -> Any:
    from vcr.cassette import Cassette as Base  # type: ignore[import-untyped]  # vcrpy has no types
    from vcr.persisters.filesystem import FilesystemPersister  # type: ignore[import-untyped]  # vcrpy has no types
    from vcr.serializers import yamlserializer  # type: ignore[import-untyped]  # vcrpy has no types

    class StreamingCassette(Base):  # type: ignore[misc]  # its base is Any to mypy
        """A cassette of vcrpy, with our stand-ins in the place of its own."""

        def __init__(self, **arguments: Any) -> None:
            with quiet():
                super().__init__(**arguments)
            self._desk = _Desk(self, choice)
            mine: Any = self
            ours = [patch for patch in streamed(lambda: self._desk) if _group(patch.owner) not in mine.skip_patchers]
            mine.custom_patches = (*mine.custom_patches, *map(tuple, ours))
            mine.skip_patchers = (*mine.skip_patchers, *streamed_names())

        def _load(self) -> None:
            with quiet():
                super()._load()

        def _save(self, force: bool = False) -> None:
            self._desk.end()
            super()._save(force)

        def _persist(self, cassette_dict: dict[str, Any]) -> None:
            if self._serializer is yamlserializer and _saves_files(self._persister, FilesystemPersister):
                save_cassette(_to_model(cassette_dict), self._path, sanitizer)
            else:
                super()._persist(_to_vcrpy(sanitized(_to_model(cassette_dict), sanitizer)))

    return StreamingCassette


def _context_class() -> Any:
    from vcr.cassette import CassetteContextDecorator as Base

    class StreamingContext(Base):  # type: ignore[misc]  # its base is Any to mypy
        """What `use_cassette` of the VCR returns."""

        def _patch_generator(self, cassette: Any) -> Iterator[Any]:
            with quiet():
                yield from super()._patch_generator(cassette)

    return StreamingContext


def _saves_files(persister: Any, plain: Any) -> bool:
    """Whether it writes a file and nothing else: then ours does, which is atomic."""
    return getattr(persister, "save_cassette", None) is plain.save_cassette


def _group(owner: Any) -> str:
    """vcrpy's name for the library of a class that we patch."""
    root = str(owner.__module__).partition(".")[0]
    return {"httpx2": "httpx2", "urllib3": "urllib3", "aiohttp": "aiohttp"}.get(root, "httpx")


class _Desk:
    """What our stand-ins ask, over a cassette of vcrpy."""

    def __init__(self, cassette: Any, choice: PlanChoice) -> None:
        self._cassette, self._choice = cassette, choice
        self._attempts: dict[int, int] = {}
        self._models: dict[int, Interaction] = {}
        self._tapes: list[tuple[Tape, Any]] = []

    def answer(self, request: Request) -> Answer | None:
        """As vcrpy decides.

        Raises:
            CannotOverwriteExistingCassetteException: nothing answers, and the mode makes no new requests.
        """
        # vcrpy has no types.
        from vcr.errors import CannotOverwriteExistingCassetteException  # type: ignore[import-untyped]

        asked = _vcr_request(request)
        if self._cassette.can_play_response_for(asked):
            response = self._cassette.play_response(asked)
            interaction = self._model(response)
            attempt = self._attempts[id(response)] = self._attempts.get(id(response), -1) + 1
            return Answer(interaction, self._choice.for_request(request, attempt, interaction), None)
        if self._cassette.write_protected and self._cassette.filter_request(asked):
            raise CannotOverwriteExistingCassetteException(cassette=self._cassette, failed_request=asked)
        return None

    def tape(self, request: Request) -> Tape:
        """A tape whose end is the moment when vcrpy gets the recording; one it ignores goes nowhere."""
        asked = _vcr_request(request)
        if not self._cassette.filter_request(asked):
            return Tape()
        at = datetime.datetime.now(datetime.UTC)
        tape = Tape(on_end=lambda tape: self._append(tape, asked, at))
        self._tapes.append((tape, asked))
        return tape

    def opened(self, answer: Answer) -> Callable[[], None]:
        """Nobody asks for open responses here."""
        return lambda: None

    def end(self) -> None:
        """Streams that are still open end here, for the recording."""
        for tape, _ in self._tapes:
            if tape.head is not None:
                tape.finish("client_closed")

    def _append(self, tape: Tape, asked: Any, at: datetime.datetime) -> None:
        interaction = interaction_of(tape, at) if tape.head is not None else None
        if interaction is not None:
            self._cassette.append(asked, _to_vcrpy(Cassette((interaction,)))["responses"][0])

    def _model(self, response: Any) -> Interaction:
        if id(response) not in self._models:
            bare = _vcr_request(Request("GET", "http://127.0.0.1/"))
            self._models[id(response)] = _to_model({"requests": [bare], "responses": [response]}).interactions[0]
        return self._models[id(response)]


def _vcr_request(request: Request) -> Any:
    from vcr.request import Request as VcrRequest  # type: ignore[import-untyped]  # vcrpy has no types

    return VcrRequest(request.method, request.uri, request.body, {n: v[0] for n, v in request.headers.items()})


def _to_model(cassette_dict: dict[str, Any]) -> Cassette:
    """vcrpy's cassette as ours: the file format is where both meet."""
    from vcr.serialize import serialize  # type: ignore[import-untyped]  # vcrpy has no types
    from vcr.serializers import yamlserializer

    text = serialize(copy.deepcopy(cassette_dict), yamlserializer)  # it changes what it is given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CassetteWarning)  # a hook that changes a body is no hand that edits a file
        return parse_cassette(text)


def _to_vcrpy(cassette: Cassette) -> dict[str, Any]:
    from vcr.serialize import deserialize
    from vcr.serializers import yamlserializer

    requests, responses, *_ = deserialize(dump_cassette(cassette), yamlserializer)
    return {"requests": requests, "responses": responses}
