"""Which cassette a request belongs to.

Rule: the innermost one of the request's own context that is still in force. A context that knows none (a worker thread)
uses the only one in force in the process; where there are several it is told to bring its context, and nothing goes to
the network unseen.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar, Token
from dataclasses import dataclass, field

from recorder.errors import RecorderError
from recorder.vcr._session import Session


class AmbiguousCassetteError(RecorderError, RuntimeError):
    """Several cassettes are in force, and the request's context knows none of them."""


@dataclass(eq=False)
class InForce:
    """A session that is in force, and the one around it in its context."""

    session: Session
    outer: InForce | None
    over: bool = False
    token: Token[InForce | None] | None = field(default=None, repr=False)


_context: ContextVar[InForce | None] = ContextVar("recorder_cassette", default=None)
_all: list[InForce] = []
_lock = threading.Lock()


def enter(session: Session) -> InForce:
    """From now on, requests of this context are the session's."""
    entered = InForce(session, _alive(_context.get()))
    with _lock:
        _all.append(entered)
    entered.token = _context.set(entered)
    return entered


def leave(entered: InForce) -> None:
    """No request is the session's any more."""
    entered.over = True
    with _lock:
        _all.remove(entered)
    try:
        if entered.token is not None:
            _context.reset(entered.token)
    except ValueError:  # left in another context than entered in: an async fixture, say
        if _context.get() is entered:
            _context.set(entered.outer)


def current() -> Session | None:
    """The session that a request made now belongs to; None when no cassette is in force.

    Raises:
        AmbiguousCassetteError: it cannot be told.
    """
    mine = _alive(_context.get())
    if mine is not None:
        return mine.session
    with _lock:
        everything = list(_all)
    if len(everything) > 1:
        raise AmbiguousCassetteError(
            f"{len(everything)} cassettes are in force, and this thread's context knows none of them: start its work "
            "with contextvars.copy_context().run(function, ...) where its cassette is in force"
        )
    return everything[0].session if everything else None


def _alive(entered: InForce | None) -> InForce | None:
    while entered is not None and entered.over:
        entered = entered.outer
    return entered
