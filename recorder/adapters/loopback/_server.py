"""What is held of a server on the loopback: started and stopped from any thread, with an authority of its own.

Rule: one object is one run; what went wrong on the server's thread surfaces in `stop`.
"""

from __future__ import annotations

import ssl
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from recorder.adapters.loopback._certificate import Certificate, make_certificate
from recorder.adapters.loopback._listen import Listening
from recorder.adapters.loopback._run import HOST, Run


class LoopbackServer(ABC):
    """A server on 127.0.0.1. A context manager.

    Args:
        tls: HTTPS, with an authority made for this run.
        port: to listen on; 0 lets the system choose.

    Attributes:
        what: the server's name in errors.
        made: how one is made, as in a `with` statement.
    """

    what: ClassVar[str]
    made: ClassVar[str]

    def __init__(self, *, tls: bool, port: int = 0) -> None:
        self._tls, self._port = tls, port
        self._certificate: Certificate | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._run: Run | None = None

    @abstractmethod
    def _listening(self, tls: ssl.SSLContext | None) -> Listening:
        """What happens on the connections; called once, by `start`."""

    def _protocols(self) -> Sequence[str]:
        """What is spoken, by preference (ALPN)."""
        return ("http/1.1",)

    def start(self) -> Self:
        """Serve; returns when connections are accepted.

        Raises:
            RuntimeError: this object was started before.
            OSError: the port cannot be had.
        """
        if self._run is not None:
            raise RuntimeError(
                f"this {self.what} was started before, and a run has its own port and authority: "
                f"make another with {self.made}"
            )
        if self._tls:
            self._certificate = make_certificate(HOST, self._protocols())
        listening = self._listening(self._certificate.server if self._certificate else None)
        self._run = Run(self.what, listening, self._port)
        self._run.start()
        return self

    def stop(self) -> None:
        """End every connection and the thread; the second time does nothing.

        Raises:
            RuntimeError: the server, or a function of yours that it called, failed while it ran; with the cause.
        """
        if self._folder is not None:
            self._folder.cleanup()
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
        """ "https://127.0.0.1:PORT", or http, without a path: what takes the place of a provider's scheme and host."""
        return f"{'https' if self._tls else 'http'}://{HOST}:{self.port}"

    @property
    def port(self) -> int:
        """The port."""
        return self._started().port

    @property
    def ca_pem(self) -> bytes:
        """The run's authority, for clients that take PEM.

        Raises:
            RuntimeError: not started, or plain HTTP.
        """
        return self._trust().ca_pem

    @property
    def ca_file(self) -> Path:
        """The same in a file, for `SSL_CERT_FILE`, `NODE_EXTRA_CA_CERTS` or `curl --cacert`; gone after the stop.

        Raises:
            RuntimeError: not started, or plain HTTP.
        """
        pem = self._trust().ca_pem
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="recorder-")
            (Path(self._folder.name) / "ca.pem").write_bytes(pem)
        return Path(self._folder.name) / "ca.pem"

    def ssl_context(self) -> ssl.SSLContext:
        """A new client context that trusts the run's authority and no other.

        Raises:
            RuntimeError: not started, or plain HTTP.
        """
        return self._trust().client_context()

    def __repr__(self) -> str:
        name = type(self).__name__
        if self._run is None:
            return f"<{name}, not started>"
        return f"<{name} {self.url}{'' if self._run.running else ', stopped'}>"

    def _started(self) -> Run:
        if self._run is None:
            raise RuntimeError(
                f"the {self.what} is not started: use `with {self.made} as {self.what}:`, or its start()"
            )
        return self._run

    def _trust(self) -> Certificate:
        self._started()
        if self._certificate is None:
            raise RuntimeError(f"this {self.what} speaks plain HTTP: pass tls=True for an authority to trust")
        return self._certificate
