"""A curl command line, as the documentation of providers prints it, taken for the request it makes.

Rule: what would change the request and is not understood is refused by its name, never passed over. References to
environment variables stay as they are written; whoever sends the request puts the values in.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder.errors import ConfigurationError

_DATA = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json")
_HEADER = ("-H", "--header")
_METHOD = ("-X", "--request")
_WITHOUT_MEANING = frozenset(
    {
        "--no-buffer", "--silent", "--show-error", "--include", "--verbose", "--compressed", "--fail",
        "--fail-with-body", "--http1.1", "--http2", "--progress-bar", "--globoff", "--location",
    }
)  # fmt: skip
"""What changes nothing about the request; a redirect is refused whatever the line says."""

_LETTERS_WITHOUT_MEANING = frozenset("NsSivf#gL")  # the same, and they may stand together: -sSN

_ONE_MORE = (*_DATA, *_HEADER, *_METHOD, "--url")


@dataclass(frozen=True, slots=True)
class CurlRequest:
    """What the command line says: header values and the URL may hold references such as `$API_KEY`."""

    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: Any | None = field(repr=False)


def parse_curl(line: str) -> CurlRequest:
    """The request of a curl command line.

    Args:
        line: with its continuation lines, as copied.

    Raises:
        ConfigurationError: it is no curl command, or holds what is not understood.
    """
    try:
        words = shlex.split(line.replace("\\\r\n", " ").replace("\\\n", " "))
    except ValueError:
        raise ConfigurationError("the curl line has a quotation mark too many or too few") from None
    if not words or words[0] != "curl":
        raise ConfigurationError("the line does not begin with curl: paste the whole command")
    urls: list[str] = []
    headers: list[tuple[str, str]] = []
    data: list[str] = []
    method = ""
    rest = iter(_separated(words[1:]))
    for word in rest:
        value = next(rest, None) if word in _ONE_MORE else ""
        if value is None:
            raise ConfigurationError(f"the curl line ends after {word}")
        if word in _HEADER:
            headers.append(_header(value))
        elif word in _DATA:
            data.append(_read(value))
        elif word in _METHOD:
            method = value.upper()
        elif word in ("--url", "-") or not word.startswith("-"):
            urls.append(value or word)
        elif (name := _not_understood(word)) is not None:
            raise ConfigurationError(f"the curl option {name} is not understood: leave it out")
    if len(urls) != 1:
        raise ConfigurationError(f"the curl line names {len(urls)} URLs: it must be one")
    if method not in ("", "POST" if data else "GET"):
        raise ConfigurationError("only a POST with a JSON body or a GET without one is recorded")
    return CurlRequest(urls[0], tuple(headers), _json("&".join(data)) if data else None)


def _separated(words: list[str]) -> list[str]:
    """`--header=x` as two words, and `-XPOST` too."""
    separated: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals and name in _ONE_MORE:
            separated += (name, value)
        elif word[:2] in ("-H", "-d", "-X") and len(word) > 2:
            separated += (word[:2], word[2:])
        else:
            separated.append(word)
    return separated


def _not_understood(word: str) -> str | None:
    """The option in `word` that is not passed over, without the value that may follow it: `-ume:key` holds a key."""
    name = word.partition("=")[0]
    if name.startswith("--"):
        return None if word in _WITHOUT_MEANING else name
    return next((f"-{letter}" for letter in word[1:] if letter not in _LETTERS_WITHOUT_MEANING), None)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise ConfigurationError("a header of the curl line is not written as name: value")
    return name.strip(), value.strip()


def _read(value: str) -> str:
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text("utf-8")
    except OSError as error:
        raise ConfigurationError(f"the curl line reads {value[1:]}: {error.strerror}") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigurationError("the data of the curl line is not JSON: only a JSON body is sent") from None
