"""A request as it is compared: its parts, each worked out once and only when asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from recorder.cassette import Request

NOT_JSON = object()
_DEFAULT_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Side:
    """One of two requests that are compared.

    Attributes:
        request: what is compared.
        before: the same before it was sanitized; tells which numbers the sanitizer replaced.
    """

    request: Request = field(repr=False)
    before: Side | None = field(default=None, repr=False)

    @cached_property
    def url(self) -> SplitResult:
        return urlsplit(self.request.uri)

    @cached_property
    def port(self) -> int | None:
        return self.url.port or _DEFAULT_PORTS.get(self.url.scheme)

    @cached_property
    def query(self) -> list[tuple[str, str]]:
        """Sorted, without parameters that have no value: as vcrpy compares it."""
        return sorted(parse_qsl(self.url.query))

    @property
    def body(self) -> bytes:
        """No body and an empty one are the same."""
        return self.request.body or b""

    @cached_property
    def content_type(self) -> str:
        return self.request.headers.first("content-type")

    @cached_property
    def json(self) -> Any:
        """The body's object or list; NOT_JSON where it is something else."""
        if self.body.lstrip()[:1] not in (b"{", b"["):
            return NOT_JSON
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return NOT_JSON
