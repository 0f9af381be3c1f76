"""Real connections on 127.0.0.1, with every way they can break: what the replay server and the provider stand on.

It knows sockets, TLS and how a request is read. What is answered is its user's business.
"""

from recorder.adapters.loopback._certificate import Certificate
from recorder.adapters.loopback._listen import Listening
from recorder.adapters.loopback._peer import Peer
from recorder.adapters.loopback._presence import ClientLeft, Leaving, Presence
from recorder.adapters.loopback._request import BadRequest, HttpRequest, Received, receive
from recorder.adapters.loopback._run import HOST, Run
from recorder.adapters.loopback._server import LoopbackServer
from recorder.adapters.loopback._wire import Wire

__all__ = [
    "HOST",
    "BadRequest",
    "Certificate",
    "ClientLeft",
    "HttpRequest",
    "Leaving",
    "Listening",
    "LoopbackServer",
    "Peer",
    "Presence",
    "Received",
    "Run",
    "Wire",
    "receive",
]
