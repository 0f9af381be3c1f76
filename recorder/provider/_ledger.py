"""What passed over the provider's connections, readable from any thread while it is still going on.

Rule: a piece is noted before it is handed to the socket, so whoever holds a piece also finds it here. It does not
know scenarios.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import NoReturn

from recorder.provider._request import SeenRequest

MAX_NOTED = 10_000  # pieces of one answer; an endless answer must not fill the memory


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and how far its answer has come; a snapshot.

    Attributes:
        request: what the client sent.
        scenario: the scenario's name, or None when the provider refused the request itself (401, 404, ...).
        status: the HTTP status, or None when there is no head (yet).
        sent: body pieces handed to the socket so far, at most the first 10,000.
        sent_at: `time.monotonic()` of each, in seconds.
        ended: None while under way; then the kind of end performed, "client_left" when the client was first, or
            "stopped".
    """

    request: SeenRequest
    scenario: str | None = None
    status: int | None = None
    sent: tuple[bytes, ...] = field(default=(), repr=False)
    sent_at: tuple[float, ...] = field(default=(), repr=False)
    ended: str | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Exchange holds a credential and is never serialized")


class Entry:
    """The writing side of one exchange; used on the provider's thread only."""

    __slots__ = ("_exchange", "_ledger", "_sent", "_sent_at")

    def __init__(self, ledger: Ledger, exchange: Exchange) -> None:
        self._ledger = ledger
        self._exchange = exchange
        self._sent: list[bytes] = []
        self._sent_at: list[float] = []

    def head(self, status: int) -> None:
        """Note that the head is about to be sent."""
        with self._ledger.changed:
            self._exchange = replace(self._exchange, status=status)

    def piece(self, data: bytes, at: float) -> None:
        """Note a piece that is about to be sent, and the monotonic time in seconds."""
        with self._ledger.changed:
            if len(self._sent) < MAX_NOTED:
                self._sent.append(data)
                self._sent_at.append(at)

    def end(self, how: str) -> None:
        """Note the end; the first one counts."""
        with self._ledger.changed:
            if self._exchange.ended is None:
                self._exchange = replace(self._exchange, ended=how)
                self._ledger.changed.notify_all()

    def snapshot(self) -> Exchange:
        """The exchange as it stands; call with the ledger's lock held."""
        return replace(self._exchange, sent=tuple(self._sent), sent_at=tuple(self._sent_at))

    @property
    def under_way(self) -> bool:
        """Whether no end has been noted."""
        return self._exchange.ended is None


class Ledger:
    """Every exchange since the provider started, in the order of the requests."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._entries: list[Entry] = []

    def open(self, request: SeenRequest, scenario: str | None) -> Entry:
        """Begin an exchange."""
        entry = Entry(self, Exchange(request, scenario))
        with self.changed:
            self._entries.append(entry)
            self.changed.notify_all()
        return entry

    def unlisted(self, request: SeenRequest) -> Entry:
        """An exchange that is not kept, for what was no request."""
        return Entry(self, Exchange(request))

    def exchanges(self) -> tuple[Exchange, ...]:
        """Snapshots of all of them."""
        with self.changed:
            return tuple(entry.snapshot() for entry in self._entries)

    def wait_ended(self, count: int, timeout: float) -> bool:
        """Block until there are `count` exchanges and none is under way; False after `timeout` seconds without."""
        with self.changed:
            return self.changed.wait_for(lambda: self._ended(count), timeout)

    def _ended(self, count: int) -> bool:
        return len(self._entries) >= count and not any(entry.under_way for entry in self._entries)
