"""The provider as its user holds it: started and stopped from any thread, serving on a loop of its own.

Rule: one object is one run, with its own port, authority and key; what went wrong on the server's thread surfaces here.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from recorder.adapters.loopback import HOST, Certificate, Run, make_certificate
from recorder.provider._catalog import CATALOG
from recorder.provider._gate import Gates, Hold
from recorder.provider._ledger import Exchange, Ledger
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import AnyScenario
from recorder.provider._server import Config, Server


class Provider:
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
        self._key = key if key is not None else f"sk-loopback-{secrets.token_hex(16)}"
        self._scenarios = {**CATALOG, **_by_name(tuple(scenarios))}
        self._pace = pace
        self._tls = tls
        self._max_body = max_body
        self._certificate: Certificate | None = None
        self._ledger = Ledger()
        self._gates = Gates()
        self._run: Run | None = None

    def start(self) -> Self:
        """Serve; returns when connections are accepted.

        Raises:
            RuntimeError: this object was started before.
            OSError: no socket could be had.
        """
        if self._run is not None:
            raise RuntimeError("this provider was started before; a run has its own key and authority: make a new one")
        self._certificate = make_certificate(HOST) if self._tls else None
        tls = self._certificate.server if self._certificate else None
        config = Config(self._key, self._scenarios, self._pace, self._max_body, tls)
        self._run = Run("provider", Server(config, self._ledger, self._gates))
        self._run.start()
        return self

    def stop(self) -> None:
        """End every connection and the thread; the second time does nothing.

        Raises:
            RuntimeError: the server failed while it ran, which is a fault of the provider.
        """
        if self._run is not None:
            self._run.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except RuntimeError as fault:
            if error is None:
                raise
            error.add_note(str(fault))

    @property
    def url(self) -> str:
        """ "https://127.0.0.1:PORT", without a path."""
        return f"{'https' if self._tls else 'http'}://{HOST}:{self._started().port}"

    @property
    def port(self) -> int:
        """The port."""
        return self._started().port

    @property
    def key(self) -> str:
        """The key every request has to carry."""
        return self._key

    @property
    def ca_pem(self) -> bytes:
        """The run's authority, for clients that take PEM.

        Raises:
            RuntimeError: not started, or plain HTTP.
        """
        return self._trust().ca_pem

    def ssl_context(self) -> ssl.SSLContext:
        """A new client context that trusts the run's authority and no other.

        Raises:
            RuntimeError: not started, or plain HTTP.
        """
        return self._trust().client_context()

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

    def __repr__(self) -> str:
        if self._run is None:
            return "<Provider, not started>"
        return f"<Provider {self.url}{'' if self._run.running else ', stopped'}>"

    def _started(self) -> Run:
        if self._run is None:
            raise RuntimeError("the provider is not started: use `with Provider() as provider:` or provider.start()")
        return self._run

    def _trust(self) -> Certificate:
        self._started()
        if self._certificate is None:
            raise RuntimeError("this provider speaks plain HTTP (tls=False): there is no authority to trust")
        return self._certificate


def _by_name(scenarios: tuple[AnyScenario, ...]) -> dict[str, AnyScenario]:
    named = {one.name: one for one in scenarios}
    if len(named) < len(scenarios):
        names = sorted(one.name for one in scenarios)
        raise ValueError(f"scenarios: a name stands twice in {', '.join(names)}")
    return named
