"""The replay server as its user holds it: started and stopped from any thread, also from inside a running loop.

Rule: 127.0.0.1 only; nothing is forwarded, and no request names a file. What can be wrong with the arguments is said at
the call.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from os import PathLike

from recorder.adapters import PlanChoice, PlanSource
from recorder.adapters.loopback import Listening, LoopbackServer, Peer
from recorder.adapters.server._app import Application
from recorder.adapters.server._http1 import Http1Sink, http1
from recorder.adapters.server._log import Delivery, Log
from recorder.adapters.server._replies import Replies
from recorder.cassette import Cassette, Interaction, load_cassette
from recorder.matching import DEFAULT_MATCH_ON, MatchOn, Playback
from recorder.plans import Contract

OneSource = Cassette | Interaction | bytes | str | PathLike[str]
SERVER_MATCH_ON = tuple(part for part in DEFAULT_MATCH_ON if part not in ("scheme", "host", "port"))
MOST_CONNECTIONS = 4096
_OTHER_FILES = 128  # what the process may need beside connections
_REFUSED = 64  # connections over the cap that are still told so
_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n"  # RFC 9113 section 3.4


class ReplayServer(LoopbackServer):
    """Serves recorded interactions over real sockets; made by `serve`. A context manager.

    Args:
        playback: what is served.
        choice: the plans of requests that ask for none.
        contract: says which event is the terminal one.
        port: to listen on; 0 lets the system choose.
        tls: HTTPS, with an authority made for this run.
        max_connections: further ones are answered with 503.
        exact: a chunk is sent when the client has taken the one before from its socket.
        on_delivery: called on the server's thread with each delivery that is over.
    """

    what = "server"
    made = "recorder.serve(...)"

    def __init__(
        self,
        playback: Playback,
        choice: PlanChoice,
        *,
        contract: Contract | None,
        port: int,
        tls: bool,
        max_connections: int | None,
        exact: bool,
        on_delivery: Callable[[Delivery], None] | None,
    ) -> None:
        if not 0 <= port <= 65535:
            raise ValueError(f"port={port}: 0 to 65535, 0 lets the system choose")
        if max_connections is not None and max_connections < 1:
            raise ValueError(f"max_connections={max_connections}: 1 or more")
        super().__init__(tls=tls, port=port)
        self._playback = playback
        self._cap = max_connections or _most_connections()
        self._exact = exact
        self._log = Log(on_delivery)
        self._replies = Replies(playback, choice, "https" if tls else "http", contract)
        self._http2 = find_spec("h2") is not None

    def _listening(self, tls: ssl.SSLContext | None) -> Listening:
        return _Connections(Application(self._replies, self._log), self._cap, tls, self._http2, self._exact)

    def _protocols(self) -> Sequence[str]:
        return ("h2", "http/1.1") if self._http2 else ("http/1.1",)

    @property
    def log(self) -> tuple[Delivery, ...]:
        """Every request so far, what was delivered, and how the client left; the newest 10,000."""
        return self._log.snapshot()

    @property
    def unplayed(self) -> tuple[int, ...]:
        """The positions of the interactions that have not been played, from 0."""
        return self._playback.unplayed

    @property
    def played(self) -> int:
        """How many requests were answered with an interaction since the start or the last rewind."""
        return self._playback.played

    def rewind(self) -> None:
        """Nothing has been played."""
        self._playback.rewind()

    def clear_log(self) -> None:
        """Forget the deliveries that are over."""
        self._log.clear()

    def wait_quiet(self, timeout: float = 10.0, *, count: int = 0) -> tuple[Delivery, ...]:
        """Block until at least `count` requests have come and nothing is being delivered, and return the log.

        Raises:
            TimeoutError: that was not so within `timeout` seconds.
        """
        if not self._log.wait_quiet(count, timeout):
            raise TimeoutError(
                f"after {timeout} s something is still being delivered, or fewer than {count} requests have come"
            )
        return self.log


class _Connections(Listening):
    """What happens on each connection: the version of HTTP is the client's choice."""

    def __init__(self, app: Application, cap: int, tls: ssl.SSLContext | None, http2: bool, exact: bool) -> None:
        super().__init__(self._http, tls, at_most=cap + _REFUSED)
        self._app, self._cap, self._http2, self._exact = app, cap, http2, exact
        app.failed = self.crashes.append

    async def _http(self, peer: Peer) -> None:
        if self.open > self._cap:
            sink = Http1Sink(peer, "1.1", keep_alive=False)
            await peer.take()  # the request, or a part of it: a close over unread bytes would be an RST
            if await self._app.refuse(sink, 503):
                await peer.linger()
            self._app.over(sink)
            return
        before = await _first_bytes(peer)
        if self._http2 and before.startswith(_HTTP2_PREFACE):
            from recorder.adapters.server._http2 import Http2

            await Http2(peer, self._app).serve(before)
        else:
            await http1(peer, before, self._app, self._exact)


async def _first_bytes(peer: Peer) -> bytes:
    """Enough to tell the versions of HTTP apart."""
    data = b""
    while len(data) < len(_HTTP2_PREFACE) and _HTTP2_PREFACE.startswith(data):
        more = await peer.take()
        if not more:
            break
        data += more
    return data


def _most_connections() -> int:
    """As many as the process may have files for, with some left for others."""
    try:
        import resource
    except ImportError:  # Windows, where a selector watches 512 sockets
        return 512 - _OTHER_FILES
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(16, min(MOST_CONNECTIONS, soft - _OTHER_FILES))


def serve(
    source: OneSource | Sequence[OneSource],
    plan: PlanSource = None,
    *,
    repeat: bool = False,
    match_on: MatchOn | None = None,
    ignore: tuple[str, ...] | list[str] = (),
    contract: Contract | None = None,
    port: int = 0,
    tls: bool = False,
    max_connections: int | None = None,
    exact: bool = False,
    on_delivery: Callable[[Delivery], None] | None = None,
) -> ReplayServer:
    """A server on 127.0.0.1 that answers as recorded, for a reader in any language.

    The client replaces the provider's scheme and host by `server.url` and is otherwise as in production. A request
    chooses its plan by a path in front, `/~end=eof@event:3/v1/chat/completions` (percent-encoded where a character
    needs it), or by the header `x-recorder-plan`; without either, `plan` holds. `GET /~recorder/log` tells what was
    asked, what was delivered and how the client left (`?wait=2`: when nothing is being delivered any more, at most 2 s
    from now), `POST /~recorder/rewind` starts again.

    Args:
        source: the path of a cassette, a cassette, an interaction, the bytes of a body (then every request gets it), or
            several of these.
        plan: how event streams are delivered: a plan or its text, a sequence (the n-th for the n-th such request), or a
            callable `(request, index) -> plan`, called on the server's thread.
        repeat: when all that match have been played, the last of them answers again.
        match_on: what must be the same in a request; method, path, query and body unless given.
        ignore: JSON paths of the request's body that may differ.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.
        port: to listen on; 0 lets the system choose.
        tls: HTTPS, with an authority made for this run: `server.ca_file`, `server.ssl_context()`.
        max_connections: further ones are answered with 503; as many as the process may open unless given, at most 4096.
        exact: each chunk is a read of its own: it is sent when the client has taken the one before from its socket (on
            Linux, over HTTP/1.1; elsewhere there are 5 ms between them). Otherwise a reader that is slower than the
            wire may find two in one read, as on any network.
        on_delivery: called on the server's thread with each delivery that is over.

    Returns:
        The server: use it in a `with`, or call `start()` and `stop()`.

    Raises:
        CassetteError: a file is not a cassette.
        PlanError: a plan is not in the grammar.
        ValueError: an argument is out of range, or there is nothing to serve.
    """
    sources = [source] if isinstance(source, str | bytes | PathLike | Cassette | Interaction) else list(source)
    interactions = tuple([each for one in sources for each in _interactions(one)])
    if not interactions:
        raise ValueError("there is nothing to serve: the source has no interaction")
    if match_on is None:
        match_on = () if all(isinstance(one, bytes) for one in sources) else SERVER_MATCH_ON
    return ReplayServer(
        Playback(Cassette(interactions), match_on=match_on, ignore=ignore, repeat=repeat),
        PlanChoice.of(plan, contract),
        contract=contract,
        port=port,
        tls=tls,
        max_connections=max_connections,
        exact=exact,
        on_delivery=on_delivery,
    )


def _interactions(source: OneSource) -> tuple[Interaction, ...]:
    if isinstance(source, bytes):
        return (Interaction.from_body(source),)
    if isinstance(source, Interaction):
        return (source,)
    return (source if isinstance(source, Cassette) else load_cassette(source)).interactions
