"""What a client sent, as a value.

Rule: a request holds a credential and a prompt, so its repr shows neither and it has no serializer. It does not know
routes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self
from urllib.parse import parse_qs

from recorder.adapters.loopback import HttpRequest


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as the provider received it.

    Attributes:
        method, target, http_version: of the request line; the version is "1.1" or "1.0".
        headers: pairs in order, names in lower case.
        body: content without transfer framing; cut short when it was over the provider's limit.
        authorized: whether it carried this run's key.
    """

    method: str
    target: str = field(repr=False)
    http_version: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    authorized: bool = False

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """`request`, not yet looked at for its key."""
        return cls(request.method, request.target, request.http_version, request.headers, request.body)

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next((value for key, value in self.headers if key == name.lower()), None)

    def query(self, name: str) -> str | None:
        """The first value of a query parameter, decoded, or None."""
        return parse_qs(self.target.partition("?")[2]).get(name, [None])[0]

    @property
    def bearer(self) -> str | None:
        """The credential of `Authorization: Bearer ...` (RFC 6750, 2.1), or None."""
        scheme, _, credential = (self.header("authorization") or "").partition(" ")
        return credential.strip() if scheme.lower() == "bearer" and credential.strip() else None

    @property
    def credential(self) -> str | None:
        """What the client sent as its key, wherever providers look for one, or None."""
        return self.bearer or self.header("x-api-key") or self.header("x-goog-api-key") or self.query("key")

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ValueError: it is not JSON.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise ValueError("the request body is not JSON") from None

    def __repr__(self) -> str:
        return (
            f"SeenRequest({self.method} {self.path}, HTTP/{self.http_version}, {len(self.headers)} headers, "
            f"{len(self.body)} bytes, authorized={self.authorized})"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SeenRequest holds a credential and is never serialized")
