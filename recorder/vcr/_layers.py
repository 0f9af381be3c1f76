"""The libraries' methods that we stand in for, and when.

Rule: in force while a cassette is, and on top: a cassette that is entered inside somebody else's gets a layer of its
own. Our stand-ins find their cassette at each request, so all cassettes share one layer, and leave in any order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple

Find = Callable[[], Any]


class Patch(NamedTuple):
    """An attribute of a class of a library, and what stands in for it."""

    owner: Any
    name: str
    replacement: Any

    @property
    def on_top(self) -> bool:
        """Whether it is what the library finds."""
        return getattr(self.owner, self.name) is self.replacement


class Layer:
    """A set of stand-ins that is in force as long as somebody uses it."""

    def __init__(self, patches: Iterable[Patch], others: Iterable[Any]) -> None:
        self.users = 0
        self._patches = tuple(patches)
        with ExitStack() as stack:
            for patch in self._patches:
                stack.callback(self._undo, patch, getattr(patch.owner, patch.name))
                setattr(patch.owner, patch.name, patch.replacement)
            for other in others:
                stack.enter_context(other)
            self._stack = stack.pop_all()

    @staticmethod
    def _undo(patch: Patch, original: Any) -> None:
        if patch.on_top:  # else somebody came later; below theirs, ours lets everything pass
            setattr(patch.owner, patch.name, original)

    @property
    def on_top(self) -> bool:
        """Whether all of it is what the libraries find."""
        return all(patch.on_top for patch in self._patches)

    def close(self) -> None:
        """Put back what was there."""
        self._stack.close()


_layers: list[Layer] = []
_lock = threading.Lock()


def hold(make: Callable[[], Layer]) -> Layer:
    """A layer that is on top, made if there is none; to be let go of."""
    with _lock:
        if not _layers or not _layers[-1].on_top:
            _layers.append(make())
        layer = _layers[-1]
        layer.users += 1
        return layer


def let_go(layer: Layer) -> None:
    """The last who does this takes the layer away."""
    with _lock:
        layer.users -= 1
        if layer.users == 0:
            _layers.remove(layer)
            layer.close()


def of_vcrpy(function: Any) -> bool:
    """Whether it is a stand-in of vcrpy: somebody's cassette is in force, and inside of ours when ours is below it."""
    return _home(function).startswith("vcr.stubs.")


def unwrapped(function: Any) -> Any:
    """What a stand-in of vcrpy, or one of ours in a layer below, stands for: the innermost one is alone."""
    while _home(function).startswith(("vcr.stubs.", "recorder.vcr.")):
        function = function.__wrapped__
    return function


def _home(function: Any) -> str:
    return str(getattr(function, "__globals__", {}).get("__name__", ""))
