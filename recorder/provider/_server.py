"""The life of one connection: read a request, choose the answer, send it, again. It does not know threads."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recorder.adapters.loopback import BadRequest, Listening, Peer, Received, receive
from recorder.provider._answer import Answer
from recorder.provider._gate import Gates
from recorder.provider._ledger import Ledger
from recorder.provider._request import SeenRequest
from recorder.provider._routes import authorized, choose, refusal
from recorder.provider._scenario import AnyScenario


@dataclass(frozen=True, slots=True)
class Config:
    """What the server serves with.

    Args:
        key: the key that opens every path.
        scenarios: by name.
        pace: factor on every delay.
        max_body: bytes of a request body that still pass.
        tls: the server side's context, or None for plain HTTP.
    """

    key: str = field(repr=False)
    scenarios: Mapping[str, AnyScenario] = field(repr=False)
    pace: float
    max_body: int
    tls: ssl.SSLContext | None


class Server(Listening):
    """Answers the requests of every connection."""

    def __init__(self, config: Config, ledger: Ledger, gates: Gates) -> None:
        super().__init__(self._requests, config.tls)
        self._config = config
        self._ledger = ledger
        self._gates = gates

    async def _requests(self, peer: Peer) -> None:
        """Read a request, choose the answer, send it, again."""
        rest = b""
        while True:
            try:
                received = await receive(rest, peer.take, peer.send, self._config.max_body)
            except BadRequest as error:
                await self._not_http(peer, error.status).send()
                return
            if received is None or not await self._answer(peer, received).send():
                return
            rest = received.rest

    def _not_http(self, peer: Peer, status: int) -> Answer:
        request = SeenRequest("", "", "1.1", (), b"")
        answer = refusal(status, "This is not an HTTP/1.1 request.", "bad_request").answer
        return Answer(peer, request, answer, self._ledger.unlisted(request), keep_alive=False, pace=0.0)

    def _answer(self, peer: Peer, received: Received) -> Answer:
        request = SeenRequest.of(received.request)
        request = replace(request, authorized=authorized(request, self._config.key))
        choice = choose(request, received.too_large, self._config.scenarios)
        entry = self._ledger.open(request, choice.name)
        gate = self._gates.take() if choice.name is not None else None
        return Answer(peer, request, choice.answer, entry, received.keep_alive, self._config.pace, gate)
