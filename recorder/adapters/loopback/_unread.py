"""What the other end of a connection has not read yet, asked of the system: on Linux both ends are its own.

Rule: an answer or None, never an error. It is what makes a chunk one read: TCP keeps no boundaries, so a chunk that is
sent while the one before still waits in the reader's socket becomes one with it.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress

# The Linux kernel's sock_diag(7) and netlink(7): a header, `struct inet_diag_req_v2`, and its answer.
_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST = 1
_HEADER = struct.Struct("=IHHII")
_ASKED = struct.Struct("=BBBBI")
_PORTS = struct.Struct("!HH")
_QUEUES = struct.Struct("=II")  # what waits to be read, what waits to be sent
_QUEUES_AT = _HEADER.size + 4 + 48 + 4
_ANY_STATE = 0xFFFFFFFF
_NO_COOKIE = b"\xff" * 8


class Unread:
    """Asks the system; used on one thread."""

    def __init__(self) -> None:
        self._netlink: socket.socket | None = None
        with suppress(AttributeError, OSError):  # not Linux, or not allowed
            self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG)
            self._netlink.setblocking(False)

    def by_the_peer_of(self, sock: socket.socket) -> int | None:
        """Bytes that wait in the socket at the other end; None where that cannot be told."""
        if self._netlink is None:
            return None
        try:
            self._netlink.send(_question(sock))
            answer = self._netlink.recv(4096)
        except OSError:
            return None
        if _HEADER.unpack_from(answer)[1] != _BY_FAMILY or len(answer) < _QUEUES_AT + _QUEUES.size:
            return None
        waiting: int = _QUEUES.unpack_from(answer, _QUEUES_AT)[0]
        return waiting

    def close(self) -> None:
        """Ask no more."""
        if self._netlink is not None:
            self._netlink.close()
            self._netlink = None


def _question(sock: socket.socket) -> bytes:
    (here, port), (there, peer_port) = sock.getsockname()[:2], sock.getpeername()[:2]
    body = _ASKED.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ANY_STATE)
    body += _PORTS.pack(peer_port, port)
    body += socket.inet_aton(there).ljust(16, b"\0") + socket.inet_aton(here).ljust(16, b"\0")
    body += struct.pack("=I", 0) + _NO_COOKIE
    return _HEADER.pack(_HEADER.size + len(body), _BY_FAMILY, _REQUEST, 0, 0) + body
