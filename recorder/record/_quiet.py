"""Nothing of a recording in the HTTP library's logs: at DEBUG it writes response headers, whatever they hold.

Rule: only records made inside the recording are dropped, wherever else the library is in use in the process.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LOGGERS = (
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
    "httpx2",
)
_quiet: ContextVar[bool] = ContextVar("recorder_quiet", default=False)


def _passes(_: logging.LogRecord) -> bool:
    return not _quiet.get()


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what the HTTP library would log in this context."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_passes)  # adding it again changes nothing
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)
