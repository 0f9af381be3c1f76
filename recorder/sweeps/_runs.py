"""One run: a reader, an interaction, a plan; and what came of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import AsyncGeneratorType, CoroutineType
from typing import Any

from recorder.cassette import Interaction
from recorder.plans import Plan
from recorder.sweeps._sources import Stream

Reader = Callable[..., Any]
Accepts = Callable[[Any], bool]


@dataclass(slots=True)  # not frozen: there is one for every run, and that would cost more than the judgement
class Run:
    """What the reader returned or raised; the content stays out of `repr`. Nobody changes it.

    Attributes:
        value: what it returned; None when it raised. What an iterator yielded is a list.
        error: the exception class and its `code`, None when it returned.
        claims: whether the reader reports success.
    """

    value: Any = field(repr=False)
    error: tuple[str, str] | None
    claims: bool


HUNG = Run(None, ("hung", ""), False)
"""What is known of a run that gave no result in time."""


def is_async(reader: object) -> bool:
    """Whether the reader is a coroutine function or an asynchronous generator, or an object whose call is one."""
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each)
        for each in (reader, getattr(reader, "__call__", None))  # noqa: B004  # asked for its kind, not whether it can be called
    )


def success(value: Any) -> bool:
    """Returned without raising, and, when the value is a verdict, accepted."""
    return bool(getattr(value, "ok", True))


def finish_of(value: Any) -> Any:
    """The finish a result claims: its attribute or key `finish` or `finish_reason`; None when it has neither."""
    for name in ("finish", "finish_reason"):
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def failed(error: BaseException) -> Run:
    """The run of a reader that raised: its class and `code` are kept, its message is not."""
    try:
        code = str(getattr(error, "code", None) or "")
    except Exception:  # it is worked out, and that fails
        code = ""
    return Run(None, (type(error).__name__, code), False)


def returned(value: Any, accepts: Accepts) -> Run:
    """The run of a reader that returned.

    Raises:
        TypeError: it is a coroutine or an asynchronous generator: the reader is asynchronous, and does not say so.
    """
    if isinstance(value, CoroutineType | AsyncGeneratorType):
        if isinstance(value, CoroutineType):
            value.close()
        kind = "a coroutine" if isinstance(value, CoroutineType) else "an asynchronous generator"
        raise TypeError(f"the reader returned {kind}: define it with `async def`, so that it is awaited")
    return Run(value, None, bool(accepts(value)))


def run(reader: Reader, interaction: Interaction, plan: Plan, accepts: Accepts = success) -> Run:
    """Deliver `interaction` to `reader` as `plan` says. An Exception of the reader is a result, whatever it is.

    So is `SystemExit`: a reader that ends its process must not end the sweep, with no report and the reader's status.
    """
    from recorder.sweeps._via import Chunks

    with Chunks().open(reader, Stream("stream", interaction), None, accepts) as perform:
        made = perform(plan)
        return made if isinstance(made, Run) else asyncio.run(made)
