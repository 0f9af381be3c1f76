"""The request that is about to leave: checked before anything is sent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from recorder.errors import ConfigurationError, PromptError

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_LONGEST_MODEL = 200
_LONGEST_PROMPT = 8000
_CHAT_MEMBERS = ("messages", "input", "prompt")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Method, URL, headers and body of the one request, and the credential in it."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def prepare(
    url: str,
    body: Any | None,
    headers: Mapping[str, str] | None = None,
    *,
    auth_env: str | None = None,
    key: str | None = None,
    auth_header: str = "authorization",
    usage: bool = False,
) -> Outgoing:
    """The request to make.

    Args:
        url: https, or http on a loopback address.
        body: a JSON value; None makes it a GET.
        headers: further headers.
        auth_env: the name of an environment variable that holds the key.
        key: the key itself, where it came from elsewhere.
        auth_header: the header it travels in: as a bearer token in "authorization", as it is in any other.
        usage: ask for usage in the stream (`stream_options.include_usage`), which is left unset otherwise.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    _check_url(url)
    _check_body(url, body)
    sent = {"accept": "text/event-stream", "accept-encoding": "identity", "user-agent": "sse-recorder"}
    if body is not None:
        sent["content-type"] = "application/json"
    sent |= {name.lower(): value for name, value in (headers or {}).items()}
    secret = _key(auth_env) if auth_env is not None else _checked(key, "the key") if key is not None else ""
    if secret:
        sent[auth_header] = f"Bearer {secret}" if auth_header == "authorization" else secret
    if any("\r" in value or "\n" in value for value in sent.values()):
        raise ConfigurationError("a header value has a line break in it: pass it on one line")
    if "cookie" in sent:
        raise ConfigurationError("a cookie is not sent: leave the header out")
    if usage and isinstance(body, dict):
        body = body | {"stream_options": {**body.get("stream_options", {}), "include_usage": True}}
    data = None if body is None else _json_bytes(body)
    return Outgoing("GET" if data is None else "POST", url, sent, data, (secret,) if len(secret) >= 4 else ())


def _json_bytes(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise ConfigurationError("the body cannot be written as JSON: pass plain values") from None


def check_prompt(model: str, prompt: str) -> None:
    """Look at what a body is going to be made of.

    Raises:
        ConfigurationError: the model's name is blank or too long.
        PromptError: the prompt is blank or too long.
    """
    if not model.strip() or len(model) > _LONGEST_MODEL:
        raise ConfigurationError(f"the model's name is blank or has more than {_LONGEST_MODEL} characters")
    if not prompt.strip() or len(prompt.encode()) > _LONGEST_PROMPT:
        raise PromptError(f"the prompt is blank or has more than {_LONGEST_PROMPT} bytes: send a short synthetic one")


def address(url: str, what: str, form: str) -> SplitResult:
    """The parts of a URL that a credential may travel to.

    Args:
        url: https, or http on a loopback address.
        what: what it is called in a message.
        form: how it is written.

    Raises:
        ConfigurationError: it is none.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ConfigurationError(f"the {what} cannot be read: write {form}") from None
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ConfigurationError(f"the {what} must be absolute: {form}")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise ConfigurationError("a credential travels over https only: use https:// (http is for loopback addresses)")
    return parts


def _check_url(url: str) -> None:
    parts = address(url, "URL", "https://host/path")
    if parts.username or parts.password:
        raise ConfigurationError(
            "the URL holds a user name or password: pass the key through an environment variable instead"
        )


def _check_body(url: str, body: Any) -> None:
    """A body that asks for an answer asks for a stream; Gemini says so in its path."""
    if isinstance(body, str | bytes):
        raise ConfigurationError("the body is text already: pass the JSON value, such as a dict")
    if not isinstance(body, dict) or "streamgeneratecontent" in url.lower():
        return
    if any(name in body for name in _CHAT_MEMBERS) and body.get("stream") is not True:
        raise ConfigurationError('the body does not ask for a stream: add "stream": true')
    model = body.get("model")
    if isinstance(model, str) and (not model.strip() or len(model) > _LONGEST_MODEL):
        raise ConfigurationError(f"the model's name is blank or has more than {_LONGEST_MODEL} characters")


def _key(name: str) -> str:
    key = os.environ.get(name, "")
    if not key.strip():
        raise ConfigurationError(f"the environment variable {name} is not set: export {name}=... with the key")
    return _checked(key, f"the key in {name}")


def _checked(key: str, what: str) -> str:
    key = key.strip()
    if not key or "\r" in key or "\n" in key:
        raise ConfigurationError(f"{what} is empty or has a line break in it: pass it on one line")
    if not key.isascii() or not key.isprintable():
        raise ConfigurationError(f"{what} holds characters that no header can: pass the key as it was given out")
    return key
