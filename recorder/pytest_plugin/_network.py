"""`--sse-block-network`: no socket leaves this machine.

Rule: loopback addresses and Unix domain sockets are free; everything else is refused before a byte is sent, name
look-ups included.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

_NAMES = frozenset({"", "localhost", "localhost.localdomain", "ip6-localhost"})
_METHODS = ("connect", "connect_ex", "sendto")  # the address is their last argument


class NetworkBlocked(RuntimeError):
    """A test wanted to reach another machine under `--sse-block-network`."""


def block() -> Callable[[], None]:
    """Refuse from now on; returns what undoes it."""
    before: dict[str, Any] = {name: getattr(socket.socket, name) for name in _METHODS}
    own = {name: method for name, method in vars(socket.socket).items() if name in _METHODS}
    resolve = socket.getaddrinfo

    def guarded(name: str) -> Callable[..., Any]:
        call = before[name]

        def method(self: socket.socket, *arguments: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                _allow(arguments[-1][0] if arguments else "")
            return call(self, *arguments)

        return method

    def guarded_resolve(host: Any, *arguments: Any, **named: Any) -> Any:
        _allow(host)
        return resolve(host, *arguments, **named)

    for name in before:
        setattr(socket.socket, name, guarded(name))
    socket.getaddrinfo = guarded_resolve

    def undo() -> None:
        for name in before:
            delattr(socket.socket, name)  # the one of the C type below shows again
        for name, method in own.items():
            setattr(socket.socket, name, method)
        socket.getaddrinfo = resolve

    return undo


def _allow(host: Any) -> None:
    """Raises:
    NetworkBlocked: `host` is on another machine.
    """
    name = host.decode("idna") if isinstance(host, bytes) else str(host or "")
    if name.lower().rstrip(".") in _NAMES:
        return
    try:
        free = ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        free = False
    if not free:
        raise NetworkBlocked(
            f"a test wanted to connect to {name}, and --sse-block-network allows this machine only: "
            "replay a cassette, or record one without the option"
        )
