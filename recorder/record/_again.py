"""A stored request, to be made once more: what it said, with a fresh key in the header where the old one was.

Rule: a request that holds stand-ins is not the one that was made, so it is not repeated.
"""

from __future__ import annotations

import json
from typing import Any

from recorder.cassette import Request
from recorder.errors import ConfigurationError
from recorder.record._request import Outgoing, prepare
from recorder.sanitize import REDACTED, holds_stand_in

_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")


def request_again(request: Request, auth_env: str) -> Outgoing:
    """The request to make.

    Args:
        request: as it is stored, sanitized.
        auth_env: the environment variable with the key.

    Raises:
        ConfigurationError: it cannot be repeated, or not without the key.
    """
    told = [request.uri, (request.body or b"").decode("utf-8", "replace")]
    if any(map(holds_stand_in, told)):
        raise ConfigurationError("the stored request has stand-ins where values were: record it again instead")
    hidden = [name.lower() for name, values in request.headers.items() if REDACTED in values]
    auth_header = next((name for name in _KEY_HEADERS if name in hidden), "authorization")
    headers = {name: ", ".join(values) for name, values in request.headers.items() if name.lower() not in hidden}
    made = prepare(request.uri, _body(request), headers, auth_env=auth_env, auth_header=auth_header)
    if made.method != request.method:
        raise ConfigurationError(f"a {request.method} request is not repeated, only a POST with JSON or a GET without")
    return made


def _body(request: Request) -> Any:
    if not request.body:
        return None
    try:
        return json.loads(request.body)
    except ValueError:
        raise ConfigurationError("the stored request body is not JSON: it is not repeated") from None
