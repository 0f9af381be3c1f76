"""Stand-ins for the connection pools of urllib3, which requests and botocore use too.

Rule: a connection that is asked for is not opened before the cassette has been asked: also not one to a proxy.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from recorder.adapters import urllib3 as adapter
from recorder.capture import urllib3 as capture
from recorder.cassette import Headers, Request
from recorder.vcr._layers import Find, Patch, unwrapped

_TUNNEL = "_recorder_tunnel"
_PORTS = {"http": 80, "https": 443}


def patches(find: Find) -> Iterator[Patch]:
    """For the pools of urllib3, if it is installed."""
    if not streams():
        return
    pools = import_module("urllib3.connectionpool")
    http, https = pools.HTTPConnectionPool, pools.HTTPSConnectionPool
    yield Patch(http, "_make_request", _request(unwrapped(http._make_request), find))
    yield Patch(http, "ConnectionCls", _original(http.ConnectionCls))
    yield Patch(https, "ConnectionCls", _original(https.ConnectionCls))
    for pool in (http, https):
        yield Patch(pool, "_prepare_proxy", _later(unwrapped(pool._prepare_proxy), find))


def streams() -> bool:
    """Whether the installed urllib3 is one whose responses we follow: 2 or newer; older ones are left to vcrpy."""
    try:
        return int(version("urllib3").partition(".")[0]) >= 2
    except PackageNotFoundError:
        return False


def _request(real: Any, find: Find) -> Any:
    @functools.wraps(real)
    def _make_request(self: Any, conn: Any, method: str, url: str, **given: Any) -> Any:
        tunnel = conn.__dict__.pop(_TUNNEL, None)
        desk = None if _of_vcrpy(type(self).ConnectionCls) else find()
        if desk is None:
            _open(self, conn, tunnel)
            return real(self, conn, method, url, **given)
        conn = getattr(conn, "real_connection", conn)  # a pool may still have a connection of a vcrpy cassette's
        given["body"] = capture.whole_body(given.get("body"))
        sent = capture.taped(method, _absolute(self, url), given.get("headers") or {}, given["body"])
        asked = Request(sent.method, sent.url, Headers(sent.headers), sent.body)
        answer = desk.answer(asked)
        if answer is not None:
            return _replayed(self, method, url, answer, desk.opened(answer), given)

        def call() -> Any:
            _open(self, conn, tunnel)
            return real(self, conn, method, url, **given | {"preload_content": False})

        response = capture.send(call, sent, desk.tape(asked))
        if given.get("preload_content", True):
            response._body = response.read(decode_content=given.get("decode_content", True))
        return response

    return _make_request


def _of_vcrpy(connection_class: Any) -> bool:
    """Whether somebody's vcrpy cassette is in force, inside of ours when ours is below it."""
    return str(connection_class.__module__).startswith("vcr.")


def _original(connection_class: Any) -> Any:
    """What a connection class of vcrpy stands for: inside of somebody's vcrpy cassette, ours is the innermost."""
    return connection_class._baseclass if _of_vcrpy(connection_class) else connection_class


def _later(real: Any, find: Find) -> Any:
    """To a proxy the connection is opened first, when it is not known yet whether the cassette answers."""

    @functools.wraps(real)
    def _prepare_proxy(self: Any, conn: Any) -> None:
        if _of_vcrpy(type(self).ConnectionCls) or find() is None:
            real(self, conn)
        else:
            conn.__dict__[_TUNNEL] = real

    return _prepare_proxy


def _open(pool: Any, conn: Any, tunnel: Any) -> None:
    """What `urlopen` does around it."""
    if tunnel is None:
        return
    try:
        tunnel(pool, conn)
    except OSError as error:
        pool._raise_timeout(err=error, url=pool.proxy.url, timeout_value=conn.timeout)
        raise


def _replayed(pool: Any, method: str, url: str, answer: Any, closed: Any, given: dict[str, Any]) -> Any:
    """The response as `_make_request` returns it, with its exceptions before the head."""
    pool.num_requests += 1
    timeout = pool._get_timeout(given.get("timeout"))
    timeout.start_connect()
    read_timeout = timeout.resolve_default_timeout(timeout.read_timeout)
    options = ("preload_content", "decode_content", "enforce_content_length")
    try:
        response = adapter.respond(
            method,
            url,
            answer.interaction,
            answer.plan,
            timeout=read_timeout,
            clock=answer.clock,
            on_close=closed,
            **{name: given.get(name, True) for name in options},
        )
    except OSError as error:
        pool._raise_timeout(err=error, url=url, timeout_value=read_timeout)
        raise
    response.retries, response._connection, response._pool = given.get("retries"), given.get("response_conn"), pool
    return response


def _absolute(pool: Any, url: str) -> str:
    """The URL of a request; a proxy that is not tunnelled through is asked with all of it."""
    if not url.startswith("/"):
        return url
    host = f"[{pool.host}]" if ":" in pool.host else pool.host
    port = "" if pool.port in (None, _PORTS.get(pool.scheme)) else f":{pool.port}"
    return f"{pool.scheme}://{host}{port}{url}"
