"""vcrpy's log lines below a warning show requests and responses as they are, secrets and all: none of them gets out."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


def _only_warnings(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


def _loggers() -> list[logging.Logger]:
    """A filter holds for what is logged to a logger itself, not to those below it."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "vcr"]
    return list(map(logging.getLogger, names))


@contextmanager
def quiet() -> Iterator[None]:
    """In the block, whoever else asks for the same, and in whatever order they leave."""
    loggers = _loggers()
    added = [lambda record: _only_warnings(record) for _ in loggers]
    for logger, each in zip(loggers, added, strict=True):
        logger.addFilter(each)
    try:
        yield
    finally:
        for logger, each in zip(loggers, added, strict=True):
            logger.removeFilter(each)
