"""The replay server: recorded interactions over real sockets on 127.0.0.1, for a reader in any language."""

from recorder.adapters.server._log import Delivery
from recorder.adapters.server._server import SERVER_MATCH_ON, ReplayServer, serve

__all__ = ["SERVER_MATCH_ON", "Delivery", "ReplayServer", "serve"]
