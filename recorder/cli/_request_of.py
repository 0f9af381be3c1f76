"""The request that the options of `recorder record` describe: URL and body, a curl line, or a service and a prompt.

Rule: no key comes from the command line. What is written out there is refused before anything else happens.
"""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorder.cli._files import read_file
from recorder.record import (
    SERVICES,
    ConfigurationError,
    Outgoing,
    check_no_literals,
    check_prompt,
    filled_in,
    parse_curl,
    prepare,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options, as given."""

    url: str = ""
    curl: str = ""
    provider: str = ""
    model: str = ""
    prompt: str = ""
    json_file: Path | None = None
    headers: tuple[str, ...] = ()
    auth_env: str = ""
    auth_stdin: bool = False
    usage: bool = False


def request_of(asked: Asked, *, needs_key: bool = True) -> Outgoing:
    """The request to make.

    Args:
        asked: the options.
        needs_key: False leaves the key out, to show the request without having one.

    Raises:
        ConfigurationError: the options do not describe one.
        ValueError: the body's file cannot be read or is no JSON.
    """
    headers = tuple(map(_header, asked.headers))
    check_no_literals([asked.url, asked.curl, *asked.headers], headers)
    if sum(map(bool, (asked.curl, asked.provider))) + bool(asked.url and not asked.provider) != 1:
        raise ConfigurationError("name one of: a URL, --curl with a curl line, --provider with --model and --prompt")
    if asked.curl:
        return _from_curl(asked, headers, needs_key)
    if asked.provider:
        return _from_service(asked, headers, needs_key)
    body = None if asked.json_file is None else _body(asked.json_file)
    return _made(asked, asked.url, body, headers, "authorization", asked.auth_env, needs_key)


def _from_curl(asked: Asked, more: tuple[tuple[str, str], ...], needs_key: bool) -> Outgoing:
    parsed = parse_curl(asked.curl)
    check_no_literals([parsed.url, *(value for _, value in parsed.headers)], parsed.headers)
    if asked.json_file is not None:
        raise ConfigurationError("the body is in the curl line: leave --json out")
    headers = (*parsed.headers, *more)
    return _made(asked, parsed.url, parsed.body, headers, "authorization", asked.auth_env, needs_key)


def _from_service(asked: Asked, more: tuple[tuple[str, str], ...], needs_key: bool) -> Outgoing:
    service = SERVICES.get(asked.provider)
    if service is None:
        raise ConfigurationError(f"{asked.provider!r} is not a known provider: one of {', '.join(SERVICES)}")
    for option, given in (("--model", asked.model), ("--prompt", asked.prompt)):
        if not given:
            raise ConfigurationError(f"--provider {asked.provider} needs {option} too")
    prompt = sys.stdin.readline().strip() if asked.prompt == "-" else asked.prompt
    check_prompt(asked.model, prompt)
    url = asked.url or service.url.format(model=asked.model)
    headers = (*service.headers.items(), *more)
    key_env = asked.auth_env or ("" if asked.auth_stdin else service.key_env)
    return _made(asked, url, service.body(asked.model, prompt), headers, service.auth_header, key_env, needs_key)


def _made(
    asked: Asked,
    url: str,
    body: Any,
    headers: tuple[tuple[str, str], ...],
    auth_header: str,
    key_env: str,
    needs_key: bool,
) -> Outgoing:
    """With the variables filled in; what they held are secrets too."""
    if not needs_key:
        kept = {name: value for name, value in headers if "$" not in value}
        return prepare(url, body, kept, usage=asked.usage)
    key = _from_stdin() if asked.auth_stdin else None
    there, in_url = filled_in(url, in_url=True)
    values = {name: filled_in(value) for name, value in headers}
    prepared = prepare(
        there,
        body,
        {name: value for name, (value, _) in values.items()},
        auth_env=key_env or None,
        key=key,
        auth_header=auth_header,
        usage=asked.usage,
    )
    more = [*in_url, *(secret for _, found in values.values() for secret in found)]
    return Outgoing(
        prepared.method,
        prepared.url,
        prepared.headers,
        prepared.body,
        (*prepared.secrets, *(secret for secret in more if len(secret) >= 4)),
    )


def _from_stdin() -> str:
    return getpass.getpass("key: ") if sys.stdin.isatty() else sys.stdin.readline()


def _body(path: Path) -> Any:
    read = read_file("--json", path, "a file with the JSON request body")
    try:
        return json.loads(read.decode("utf-8"))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        where = f"--json {path}{f':{line}' if line else ''}"
        raise ValueError(f"{where}: not JSON; it takes a file with the JSON request body") from None


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise ValueError("--header must be written as name: value")
    return name.strip(), value.strip()
