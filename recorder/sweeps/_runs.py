"""One run: a reader, an interaction, a plan; and what came of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import AsyncGeneratorType, CoroutineType
from typing import Any

from recorder.cassette import Interaction
from recorder.plans import Plan
from recorder.sweeps._sources import Stream
from recorder.sweeps._watchdog import Hung

Reader = Callable[..., Any]
Accepts = Callable[[Any], bool]


@dataclass(slots=True)  # not frozen: there is one for every run, and that would cost more than the judgement
class Run:
    """What the reader returned or raised; the content stays out of `repr`. Nobody changes it.

    Attributes:
        value: what it returned; None when it raised. What an iterator yielded is a list.
        error: the name of the exception class, its `code`, and the name with its module; None when it returned.
        claims: whether the reader reports success.
        unfit: what `accepts=` raised about the value; None when it said whether that is a success.
        raised_at: the file and line of the reader at which it raised; "" and 0 when it returned, or never began.
    """

    value: Any = field(repr=False)
    error: tuple[str, str, str] | None
    claims: bool
    unfit: Exception | None = field(default=None, repr=False)
    raised_at: tuple[str, int] = field(default=("", 0), repr=False, compare=False)


HUNG = Run(None, ("hung", "", ""), False)
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
        try:
            found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        except Exception:  # it is worked out, and that fails
            found = None
        if found is not None:
            return found
    return None


def check_called(reader: Callable[..., Any], *given: str) -> None:
    """Look whether a reader can be called with so many arguments, each given by a word for it.

    Raises:
        TypeError: it cannot.
    """
    try:
        inspect.signature(reader).bind(*given)
    except TypeError as error:
        name = getattr(reader, "__name__", type(reader).__name__)
        raise TypeError(f"{name} cannot be called with {' and '.join(given) or 'nothing'}: {error}") from None
    except ValueError:  # one in C may have none to look at
        pass


def failed(error: BaseException) -> Run:
    """The run of a reader that raised, whatever it is: its class and `code` are kept, its message is not.

    Raises:
        KeyboardInterrupt, Hung: it is, or has in it, what ends the sweep or the run, and is no result of the reader.
    """
    for passing in (KeyboardInterrupt, Hung):
        if isinstance(error, passing) or (isinstance(error, BaseExceptionGroup) and error.subgroup(passing)):
            raise error if isinstance(error, passing) else passing from None
    try:
        code = str(getattr(error, "code", None) or "")
    except Exception:  # it is worked out, and that fails
        code = ""
    kind = type(error)
    run = Run(None, (kind.__name__, code, f"{kind.__module__}.{kind.__qualname__}"), False)
    ours = error.__traceback__
    if ours is not None and (its := ours.tb_next) is not None:
        run.raised_at = its.tb_frame.f_code.co_filename, its.tb_lineno
    return run


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
    try:
        return Run(value, None, bool(accepts(value)))
    except Exception as error:  # the value is not one that it can tell about, and so no success
        made = failed(error)
        made.unfit = error
        return made


def run(reader: Reader, interaction: Interaction, plan: Plan, accepts: Accepts = success) -> Run:
    """Deliver `interaction` to `reader` as `plan` says. What the reader raises is a result, whatever it is.

    So is `SystemExit`: a reader that ends its process must not end the sweep, with no report and the reader's status.
    Ctrl-C is none.
    """
    from recorder.sweeps._via import Chunks

    with Chunks().open(reader, Stream("stream", interaction), None, accepts) as perform:
        made = perform(plan)
        return made if isinstance(made, Run) else asyncio.run(made)
