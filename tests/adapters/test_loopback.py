"""What the system tells about the other end of a connection."""

from __future__ import annotations

import socket
import sys

import pytest

from recorder.adapters.loopback._unread import Unread


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what the other end has not read")
def test_what_the_other_end_has_not_read() -> None:
    """To the byte, while it is there; nothing once it is gone."""
    unread = Unread()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        with client, server:
            assert unread.by_the_peer_of(server) == 0
            server.sendall(b"x" * 100)
            assert unread.by_the_peer_of(server) == 100
            client.recv(30)
            assert unread.by_the_peer_of(server) == 70
            client.recv(100)
            assert unread.by_the_peer_of(server) == 0
            client.close()
            assert not unread.by_the_peer_of(server)
    unread.close()


def test_where_it_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another system, a socket that is not connected, a question after the end: None, and no error."""
    with socket.socket() as sock:
        unread = Unread()
        assert unread.by_the_peer_of(sock) is None
        unread.close()
        unread.close()
        assert unread.by_the_peer_of(sock) is None
        monkeypatch.delattr(socket, "AF_NETLINK", raising=False)
        assert Unread().by_the_peer_of(sock) is None
