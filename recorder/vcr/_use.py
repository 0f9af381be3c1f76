"""`use_cassette`: a cassette in force for a block, a function or a coroutine."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import Any, TypeVar, cast

from recorder.adapters import Clock, PlanSource
from recorder.matching import DEFAULT_MATCH_ON, MatchOn
from recorder.sanitize import Sanitizer
from recorder.vcr._force import InForce, enter, leave
from recorder.vcr._layers import Layer, hold, let_go
from recorder.vcr._mode import Mode
from recorder.vcr._session import Session, Settings, settings_of
from recorder.vcr._stand_ins import layer

F = TypeVar("F", bound=Callable[..., Any])


def use_cassette(
    path: str | os.PathLike[str],
    mode: Mode | str = "once",
    *,
    plan: PlanSource = None,
    match_on: MatchOn = DEFAULT_MATCH_ON,
    ignore: Iterable[str] = (),
    allow_playback_repeats: bool = False,
    sanitizer: Sanitizer | None = None,
    clock: Clock | None = None,
) -> CassetteUse:
    """Requests of httpx, httpx2, requests, urllib3 and aiohttp are answered from a cassette, or recorded into it.

    A context manager (`with` and `async with`, giving a `Session`) and a decorator for functions, coroutine functions
    and generators. While it records, the caller sees every piece as it comes, and the same exceptions as without us.

    Args:
        path: the file.
        mode: `none` answers only; `once` (the default) records where there is no file and only answers where there is
            one; `new_episodes` records what is not answered; `all` records everything anew in the place of what it
            matches; `rewrite` starts over.
        plan: how event streams are delivered when they are replayed, never while recording: a plan, its text, a
            sequence (the n-th for the n-th such request, the last repeats), or a callable `(request, index) -> plan`.
        match_on: what a request has to have in common with a stored one: vcrpy's names, or functions of two requests.
        ignore: JSON paths of the body that may differ, such as `$.seed`.
        allow_playback_repeats: each interaction answers as often as it is asked for.
        sanitizer: cleans what is stored; `Sanitizer.default()` unless given.
        clock: of the deliveries; virtual unless given.

    Returns:
        The context manager.

    Raises:
        ValueError: `mode`, `match_on`, `ignore` or `plan` is not known.
        CassetteError: on entering, the file cannot be read; on leaving, it cannot be written.
        ResidueError: on leaving, a secret was left after sanitizing; nothing was written.
        vcr.errors.CannotOverwriteExistingCassetteException: from a request that nothing answers, where the mode makes
            no new ones.
    """
    return CassetteUse(settings_of(path, mode, plan, match_on, ignore, allow_playback_repeats, sanitizer, clock))


class CassetteUse:
    """What `use_cassette` returns; each time it is entered, the cassette is opened anew."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._entered: tuple[InForce, Layer] | None = None

    def __enter__(self) -> Session:
        if self._entered is not None:
            raise RuntimeError(f"{self._settings.path} is in force already: call use_cassette again to nest it")
        session = Session(self._settings)
        held = hold(layer)
        self._entered = enter(session), held
        return session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._entered is not None
        (entered, held), self._entered = self._entered, None
        leave(entered)
        let_go(held)
        try:
            entered.session.save()
        except Exception as problem:
            if error is None:
                raise
            error.add_note(f"the cassette {self._settings.path} was not written: {problem}")

    async def __aenter__(self) -> Session:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, where)

    def __call__(self, function: F) -> F:
        """`function` with the cassette in force for each of its calls."""
        wrapper = _wrapper(function, lambda: CassetteUse(self._settings))
        return cast(F, functools.wraps(function)(wrapper))


def _wrapper(function: Callable[..., Any], fresh: Callable[[], CassetteUse]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with fresh():
                return await function(*args, **kwargs)

        return coroutine
    if inspect.isasyncgenfunction(function):

        async def async_generator(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            with fresh():
                async with aclosing(function(*args, **kwargs)) as inner:
                    async for each in inner:
                        yield each

        return async_generator
    if inspect.isgeneratorfunction(function):

        def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with fresh():
                return (yield from function(*args, **kwargs))

        return generator

    def plain(*args: Any, **kwargs: Any) -> Any:
        with fresh():
            return function(*args, **kwargs)

    return plain
