"""A certificate authority made on the spot for one run, and the server certificate it vouches for (trustme).

Rule: nothing is installed anywhere and nothing outlives the run; a client trusts it only by being handed it.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Certificate:
    """Both sides of one run's trust.

    Attributes:
        ca_pem: the authority's certificate, without its key.
        server: the server side's context.
    """

    ca_pem: bytes
    server: ssl.SSLContext = field(repr=False)

    def client_context(self) -> ssl.SSLContext:
        """A new client context that trusts this authority and no other."""
        return ssl.create_default_context(cadata=self.ca_pem.decode("ascii"))


def make_certificate(host: str, protocols: Sequence[str] = ("http/1.1",)) -> Certificate:
    """Make an authority and a server certificate for `host` and "localhost".

    Args:
        protocols: what the server speaks, by preference (ALPN, RFC 7301).
    """
    import trustme  # here, because plain HTTP does not need it and it is slow to load

    authority = trustme.CA(organization_name="sse-recorder loopback")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.minimum_version = ssl.TLSVersion.TLSv1_2
    server.num_tickets = 0  # no records but the answer's
    server.set_alpn_protocols(list(protocols))
    authority.issue_cert(host, "localhost").configure_cert(server)
    return Certificate(authority.cert_pem.bytes(), server)
