"""Responses that were given out and not closed: one small register, which every adapter reports to.

Rule: it holds a name for each, never the response, so that it keeps nothing alive. A response is closed when its
library has let go of the connection: read to its end, closed, or failed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import Lock
from urllib.parse import urlsplit

from recorder.cassette import Request


class OpenResponses:
    """The responses that are still open. Threads may share it."""

    def __init__(self) -> None:
        self._open: dict[int, str] = {}
        self._numbers = count()
        self._lock = Lock()

    def opened(self, request: Request) -> Callable[[], None]:
        """Notes a response.

        Args:
            request: what it answers; named by its method and URL, without the query.

        Returns:
            What to call when it is closed; more than once does no harm. An adapter takes it as `on_close=`.
        """
        with self._lock:
            number = next(self._numbers)
            self._open[number] = _name(request)
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
        return len(self._open)


def _name(request: Request) -> str:
    try:
        url = urlsplit(request.uri)
        return f"{request.method} {url.scheme}://{url.hostname or ''}{url.path}"
    except ValueError:
        return f"{request.method} (not a URI)"
