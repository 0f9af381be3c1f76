"""What the server was asked, what it delivered, and how the client left: counts and codes, never content.

Rule: written on the server's thread, readable from any other while it is still going on. The newest entries are kept.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

KEPT = 10_000


@dataclass(slots=True)
class Delivery:
    """One request and how far its answer has come.

    Attributes:
        number: which request this is, from 1.
        at_s: when it came, in seconds since the server started.
        method, path: of the request; the path without the plan in front and without the query.
        http: the version, "1.1".
        body_bytes: the size of the request's body.
        status: the HTTP status, None when there is no head (yet).
        interaction: which recorded interaction answers, from 1; None when none does.
        attempt: how many requests like it came before.
        plan: the plan of the delivery; "" is as recorded, None when nothing recorded is delivered.
        error: why nothing recorded is delivered: "no_match", "method_not_recorded", "exhausted", "plan_error", ...
        chunks, bytes: what was handed to the socket so far; of the body as sent, in its content coding.
        end: None while under way; then the end that was performed, "client_left" when the client was first, "stopped"
            when the server was; "stall" as soon as nothing more will come.
        left: how the client left, "closed" or "reset"; None while it is connected, and when it asked again after this.
    """

    number: int
    at_s: float
    method: str
    path: str
    http: str
    body_bytes: int
    status: int | None = None
    interaction: int | None = None
    attempt: int | None = None
    plan: str | None = None
    error: str | None = None
    chunks: int = 0
    bytes: int = 0
    end: str | None = None
    left: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same with JSON types only."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return found | {"at_s": round(self.at_s, 6)}


class Log:
    """The deliveries of one server, the oldest first."""

    def __init__(self, on_end: Callable[[Delivery], None] | None = None) -> None:
        self._start = time.monotonic()
        self._changed = threading.Condition()
        self._entries: deque[Delivery] = deque(maxlen=KEPT)
        self._under_way: set[int] = set()
        self._count = 0
        self._on_end = on_end

    def open(self, method: str, path: str, http: str, body_bytes: int) -> Delivery:
        """Begin an entry."""
        with self._changed:
            self._count += 1
            at_s = time.monotonic() - self._start
            entry = Delivery(self._count, at_s, method, path, http, body_bytes)
            self._entries.append(entry)
            self._under_way.add(entry.number)
        return entry

    def end(self, entry: Delivery, how: str) -> None:
        """Note the end of a delivery; the first one counts."""
        if entry.end is None:
            entry.end = how
            if how == "stall":  # nobody waits for what never ends
                self.settle(entry, None)
            if self._on_end is not None:
                self._on_end(_copy(entry))

    def settle(self, entry: Delivery, left: str | None) -> None:
        """Note that nothing more happens to it, and how the client left if it did."""
        with self._changed:
            entry.left = left and str(left)
            self._under_way.discard(entry.number)
            self._changed.notify_all()

    def clear(self) -> None:
        """Forget what is over."""
        with self._changed:
            kept = [entry for entry in self._entries if entry.number in self._under_way]
            self._entries.clear()
            self._entries.extend(kept)

    def snapshot(self) -> tuple[Delivery, ...]:
        """Copies of all entries that are kept."""
        with self._changed:
            return tuple([_copy(entry) for entry in self._entries])

    @property
    def quiet(self) -> bool:
        """Whether nothing is being delivered, and nobody is just about to leave."""
        return not self._under_way

    def wait_quiet(self, count: int, timeout: float) -> bool:
        """Block until `count` requests have come and nothing is being delivered; False after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count >= count and not self._under_way, timeout)


def _copy(entry: Delivery) -> Delivery:
    return Delivery(*[getattr(entry, each.name) for each in fields(Delivery)])
