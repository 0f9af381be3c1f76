"""The provider as its user holds it: started and stopped from any thread, serving on a loop of its own.

Rule: one object is one run, with its own port, authority and key; what went wrong on the server's thread surfaces here.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Iterable

from recorder.adapters.loopback import Listening, LoopbackServer
from recorder.provider._catalog import CATALOG
from recorder.provider._gate import Gates, Hold
from recorder.provider._ledger import Exchange, Ledger
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import AnyScenario
from recorder.provider._server import Config, Server


class Provider(LoopbackServer):
    """A provider of synthetic event streams on 127.0.0.1.

    Args:
        scenarios: served beside the shipped ones; one with a shipped name takes its place.
        pace: factor on every delay; 0 waits nowhere (but for the settling time of an RST).
        tls: False serves plain HTTP, for clients that cannot be handed an authority.
        key: the key to demand; random for each run unless given.
        max_body: bytes of a request body that still pass.

    Raises:
        ValueError: an argument that cannot be served.
    """

    what = "provider"
    made = "Provider()"

    def __init__(
        self,
        *,
        scenarios: Iterable[AnyScenario] = (),
        pace: float = 1.0,
        tls: bool = True,
        key: str | None = None,
        max_body: int = 8 * 1024 * 1024,
    ) -> None:
        if not 0 <= pace < float("inf"):
            raise ValueError(f"pace is {pace!r}: a factor on every delay, zero or more")
        if key is not None and not (key and key.isascii() and key.isprintable() and key == key.strip()):
            raise ValueError("key: printable ASCII without blanks at the ends (not shown here)")
        super().__init__(tls=tls)
        self._key = key if key is not None else f"sk-loopback-{secrets.token_hex(16)}"
        self._scenarios = {**CATALOG, **_by_name(tuple(scenarios))}
        self._pace = pace
        self._max_body = max_body
        self._ledger = Ledger()
        self._gates = Gates()

    def _listening(self, tls: ssl.SSLContext | None) -> Listening:
        return Server(Config(self._key, self._scenarios, self._pace, self._max_body, tls), self._ledger, self._gates)

    @property
    def key(self) -> str:
        """The key every request has to carry."""
        return self._key

    @property
    def requests(self) -> tuple[SeenRequest, ...]:
        """Every request so far, refused ones too."""
        return tuple(exchange.request for exchange in self.exchanges)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every request so far with how far its answer has come."""
        return self._ledger.exchanges()

    @property
    def sent(self) -> tuple[bytes, ...]:
        """Body pieces handed to the socket so far for the latest scenario asked for; refusals do not count."""
        return next((one.sent for one in reversed(self.exchanges) if one.scenario is not None), ())

    def hold(self, after: int) -> Hold:
        """Let the next scenario's answer wait after `after` pieces (0: after the head) until `release()`.

        Raises:
            RuntimeError: a hold already waits for the next answer.
            ValueError: a negative number.
        """
        return self._gates.hold(after)

    def release(self) -> None:
        """Open the hold."""
        self._gates.release()

    def wait_ended(self, timeout: float = 10.0, *, count: int = 0) -> tuple[Exchange, ...]:
        """Block until at least `count` requests have come and no answer is under way, and return the exchanges.

        Raises:
            TimeoutError: that was not so within `timeout` seconds.
        """
        if not self._ledger.wait_ended(count, timeout):
            raise TimeoutError(
                f"after {timeout} s an answer is still under way, or fewer than {count} requests have come"
            )
        return self.exchanges


def _by_name(scenarios: tuple[AnyScenario, ...]) -> dict[str, AnyScenario]:
    named = {one.name: one for one in scenarios}
    if len(named) < len(scenarios):
        names = sorted(one.name for one in scenarios)
        raise ValueError(f"scenarios: a name stands twice in {', '.join(names)}")
    return named
