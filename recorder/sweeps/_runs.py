"""One run: a reader, an interaction, a plan; and what came of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from recorder.adapters import areplay, replay
from recorder.cassette import Interaction
from recorder.plans import Plan

Reader = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Run:
    """What the reader returned or raised; the content stays out of `repr`.

    Attributes:
        value: what it returned, after `key`; None when it raised.
        error: the exception class and its `code`, None when it returned.
        claims: whether the reader reports success.
    """

    value: Any = field(repr=False)
    error: tuple[str, str] | None
    claims: bool


def is_async(reader: Reader) -> bool:
    """Whether the reader is a coroutine function (or an object whose `__call__` is one)."""
    return inspect.iscoroutinefunction(reader) or inspect.iscoroutinefunction(getattr(reader, "__call__", None))  # noqa: B004


def success(value: Any) -> bool:
    """Returned without raising, and, when the value is a verdict, accepted."""
    return bool(getattr(value, "ok", True))


def run(
    reader: Reader,
    interaction: Interaction,
    plan: Plan,
    key: Callable[[Any], Any] | None = None,
    accepts: Callable[[Any], bool] = success,
) -> Run:
    """Deliver `interaction` to `reader` as `plan` says. An Exception of the reader is a result, whatever it is."""
    try:
        if is_async(reader):
            value = asyncio.run(reader(areplay(interaction, plan)))
        else:
            value = reader(replay(interaction, plan))
    except Exception as error:
        return Run(None, (type(error).__name__, str(getattr(error, "code", ""))), False)
    return Run(value if key is None else key(value), None, accepts(value))
