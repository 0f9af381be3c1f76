"""The server's application: a request in, a reply performed and noted; the server's own paths under `/~recorder/`.

Rule: what a client asks for never raises. What the owner's own plan function raises is answered with 500, and surfaces
when the server stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import parse_qs

from recorder.adapters.loopback import HttpRequest
from recorder.adapters.server._log import Log
from recorder.adapters.server._perform import Sink, perform
from recorder.adapters.server._replies import Asked, Replies, Reply, document, refusal

OWN = "/~recorder/"
WAIT_AT_MOST_S = 60.0
_POLL_S = 0.02


class Application:
    """Answers requests.

    Args:
        replies: what is served.
        log: where it is noted.

    Attributes:
        failed: told what a plan function raised.
    """

    def __init__(self, replies: Replies, log: Log) -> None:
        self._replies, self._log = replies, log
        self.failed: Callable[[Exception], None] = _ignored

    async def respond(self, sink: Sink, request: HttpRequest) -> bool:
        """Answer a request; whether the client is still there."""
        asked = Asked.of(request)
        if asked.path.startswith(OWN) and request.method != "OPTIONS":
            return await self._own(sink, asked)
        return await self._send(sink, asked, self._reply(asked))

    async def refuse(self, sink: Sink, status: int) -> bool:
        """Answer what is no request, or one that is too large."""
        told = {413: "the request's body is too large", 503: "too many connections are open: raise max_connections"}
        message = told.get(status, "this is not an HTTP/1.1 request")
        return await self._send(sink, None, refusal(status, "bad_request", message))

    def over(self, sink: Sink) -> None:
        """Nothing more happens to this exchange, or its client has left afterwards."""
        if sink.entry is not None:
            self._log.settle(sink.entry, sink.presence.left)

    def _reply(self, asked: Asked) -> Reply:
        try:
            return self._replies.reply(asked)
        except Exception as error:
            self.failed(error)
            told = f"the server could not answer ({type(error).__name__}): its owner is told why when it stops"
            return refusal(500, "server_failed", told, asked)

    async def _send(self, sink: Sink, asked: Asked | None, reply: Reply) -> bool:
        request = asked.request if asked is not None else HttpRequest("", "", "1.1", (), b"")
        path = asked.path if asked is not None else ""
        entry = self._log.open(request.method, path, request.http_version, len(request.body))
        entry.interaction, entry.attempt, entry.plan = reply.interaction, reply.attempt, reply.plan
        entry.error = reply.error
        sink.entry = entry
        return await perform(reply.message, sink, entry, self._log)

    async def _own(self, sink: Sink, asked: Asked) -> bool:
        """The log and the rewinding; these are not noted."""
        what = asked.request.method, asked.path.removeprefix(OWN)
        if what == ("GET", "log"):
            await self._quiet(sink, _seconds(asked.target))
            content: object = {"entries": [entry.to_dict() for entry in self._log.snapshot()]}
        elif what == ("DELETE", "log"):
            self._log.clear()
            content = {"entries": []}
        elif what == ("POST", "rewind"):
            self._replies.playback.rewind()
            content = {"unplayed": [position + 1 for position in self._replies.playback.unplayed]}
        else:
            return await self._send(sink, asked, self._unknown(asked))
        unnoted = Log().open("", "", "", 0)
        return await perform(document(200, content, asked), sink, unnoted, Log())

    def _unknown(self, asked: Asked) -> Reply:
        known = "GET /~recorder/log, DELETE /~recorder/log, POST /~recorder/rewind"
        return refusal(404, "unknown_path", f"{asked.request.method} {asked.path} is nothing here: use {known}", asked)

    async def _quiet(self, sink: Sink, seconds: float) -> None:
        """Wait until nothing is being delivered, at most so long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + min(seconds, WAIT_AT_MOST_S)
        while not self._log.quiet and loop.time() < until:
            await sink.presence.pause(_POLL_S)


def _ignored(error: Exception) -> None:
    pass


def _seconds(target: str) -> float:
    """`?wait=2` of the log."""
    text = parse_qs(target.partition("?")[2]).get("wait", ["0"])[0]
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
