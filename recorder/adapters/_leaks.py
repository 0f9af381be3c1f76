"""Responses that were given out and not closed: one small register, which every adapter reports to.

Rule: it holds a name for each, never the response, so that it keeps nothing alive. A response is closed when its
library has let go of the connection: read to its end, closed, or failed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import Lock


class OpenResponses:
    """The responses that are still open. Threads may share it."""

    def __init__(self) -> None:
        self._open: dict[int, str] = {}
        self._numbers = count()
        self._lock = Lock()

    def opened(self, name: str) -> Callable[[], None]:
        """Notes a response.

        Args:
            name: says which one, such as `POST https://api.example.com/v1/messages`; no secrets.

        Returns:
            What to call when it is closed; more than once does no harm. An adapter takes it as `on_close=`.
        """
        with self._lock:
            number = next(self._numbers)
            self._open[number] = name
        return lambda: self._closed(number)

    def _closed(self, number: int) -> None:
        with self._lock:
            self._open.pop(number, None)

    @property
    def names(self) -> tuple[str, ...]:
        """Those open now, in the order in which they were opened."""
        with self._lock:
            return tuple(self._open.values())

    def __len__(self) -> int:
        return len(self.names)
