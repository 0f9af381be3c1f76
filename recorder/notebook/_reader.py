"""The user's own reader under a plan, and what came of it.

Rule: whatever it does is a result. It runs in this process, on a virtual clock; a coroutine where a loop is running
already (a notebook) runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from recorder.adapters import areplay, replay
from recorder.cassette import Interaction
from recorder.plans import Plan

Reader = Callable[[Any], Any]
SHOWN = 4_000


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader made of one delivery.

    Attributes:
        name: the reader's.
        value: what it returned; None when it raised.
        error: the exception's class and its `code`, None when it returned.
        same: whether that is what it makes of the whole body at once.
    """

    name: str
    value: Any = field(repr=False)
    error: tuple[str, str] | None
    same: bool = True

    @property
    def claims(self) -> bool:
        """Whether the reader reports success."""
        return self.error is None and bool(getattr(self.value, "ok", True))

    @property
    def said(self) -> str:
        """One line; no stream content."""
        if self.error is not None:
            return f"raised {self.error[0]}" + (f" ({self.error[1]})" if self.error[1] else "")
        return "reported success" if self.claims else f"rejected ({getattr(self.value, 'code', 'no code')})"

    @property
    def shown(self) -> str:
        """What it returned as text, at most 4,000 characters of it."""
        text = getattr(self.value, "text", self.value)
        shown = "" if text is None else text if isinstance(text, str) else repr(text)
        return shown[:SHOWN] + (" ..." if len(shown) > SHOWN else "")


def told(reader: Reader, interaction: Interaction, plan: Plan, timeout: float | None = None) -> Told:
    """Run `reader` under `plan`, and on the whole body for comparison.

    Raises:
        PlanError: the plan does not fit; an Exception of the reader is no exception here.
    """
    name = getattr(reader, "__qualname__", type(reader).__name__)
    whole, whole_error = _run(reader, interaction, Plan(chunks="whole", end="complete"), None)
    replay(interaction, plan, timeout=timeout)  # a plan that does not fit is no failure of the reader
    value, error = _run(reader, interaction, plan, timeout)
    return Told(name, value, error, error == whole_error and _equal(value, whole))


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # an array, say, whose comparison is no truth value
        return repr(one) == repr(other)


def _run(
    reader: Reader, interaction: Interaction, plan: Plan, timeout: float | None
) -> tuple[Any, tuple[str, str] | None]:
    try:
        if is_async(reader):
            return _await(lambda: reader(areplay(interaction, plan, timeout=timeout))), None
        return reader(replay(interaction, plan, timeout=timeout)), None
    except Exception as error:
        return None, (type(error).__name__, str(getattr(error, "code", "")))


def is_async(reader: Reader) -> bool:
    """Whether the reader is a coroutine function, or an object whose `__call__` is one."""
    # Asked for its kind, not whether it can be called.
    return inspect.iscoroutinefunction(reader) or inspect.iscoroutinefunction(getattr(reader, "__call__", None))  # noqa: B004


def _await(start: Callable[[], Any]) -> Any:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(start())).result()
