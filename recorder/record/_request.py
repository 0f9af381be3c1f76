"""The request that is about to leave: checked before anything is sent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


class ConfigurationError(ValueError):
    """The request cannot be made as configured; the message says what to change and holds no secret."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Method, URL, headers and body of the one request."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


def prepare(url: str, body: Any | None, headers: Mapping[str, str] | None, auth_env: str | None) -> Outgoing:
    """The request to make.

    Args:
        url: https, or http on a loopback address.
        body: a JSON value; None makes it a GET.
        headers: further headers.
        auth_env: the name of an environment variable that holds the bearer key.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    _check_url(url)
    sent = {"accept": "text/event-stream", "accept-encoding": "identity", "user-agent": "sse-recorder"}
    if body is not None:
        sent["content-type"] = "application/json"
    sent |= {name.lower(): value for name, value in (headers or {}).items()}
    if auth_env is not None:
        sent["authorization"] = f"Bearer {_key(auth_env)}"
    if any("\r" in value or "\n" in value for value in sent.values()):
        raise ConfigurationError("a header value has a line break in it: pass it on one line")
    data = None if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Outgoing("GET" if data is None else "POST", url, sent, data)


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ConfigurationError("the URL must be absolute: https://host/path")
    if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise ConfigurationError("a credential travels over https only: use https:// (http is for loopback addresses)")
    if parts.username or parts.password:
        raise ConfigurationError(
            "the URL holds a user name or password: pass the key through an environment variable instead"
        )


def _key(name: str) -> str:
    key = os.environ.get(name, "").strip()
    if not key:
        raise ConfigurationError(f"the environment variable {name} is not set: export {name}=... with the key")
    return key
