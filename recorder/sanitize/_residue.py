"""The second look: is a known secret still in what is about to be stored?

Rule: other code than the replacing one. The replacer encodes the secret and searches the bytes; this decodes the bytes
and searches for the secret. It also puts text together again over the events it was spread over, at every JSON path.
It names the rule and the place, never the value.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from recorder.cassette import Cassette, Interaction
from recorder.sse import EventStreamParser

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{6,}")
_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}){4,}")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")


@dataclass(frozen=True, slots=True)
class Residue:
    """One secret that is still there: the rule that knows it, and where it is."""

    rule: str
    place: str

    def __str__(self) -> str:
        return f"{self.rule} in {self.place}"


def scan(cassette: Cassette, secrets: Sequence[str]) -> tuple[Residue, ...]:
    """Every place of the cassette in which one of the secrets can still be read."""
    wanted = [secret.encode() for secret in secrets]
    if not wanted:
        return ()
    found = []
    for number, interaction in enumerate(cassette.interactions, 1):
        for place, data in _places(interaction):
            if any(_readable(data, secret) for secret in wanted):
                found.append(Residue("known-secret", f"interaction {number}, {place}"))
    return tuple(found)


def _places(interaction: Interaction) -> Iterator[tuple[str, bytes]]:
    request, response = interaction.request, interaction.response
    yield "request uri", request.uri.encode()
    yield "request body", request.body or b""
    yield from _json_texts("request body", [request.body or b""])
    for which, headers in (("request", request.headers), ("response", response.headers)):
        for name, values in headers.items():
            yield f"a {which} header name", name.encode()
            yield f"{which} header {name}", "\n".join(values).encode()
    yield "response reason", response.reason.encode()
    yield "response body", response.body
    parser = EventStreamParser(max_line=None, max_event=None)
    events = [event.data.encode("utf-8", "surrogatepass") for event in parser.feed(response.body)]
    yield "response event data", b"\n".join(events)
    yield "response event data, joined", b"".join(events)
    yield from _json_texts("response text", events)
    if response.recording:
        yield "recording facts", repr(response.recording).encode()


def _json_texts(what: str, documents: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """The strings of all documents, put together for each JSON path in order of appearance."""
    texts: dict[str, list[str]] = {}
    for document in documents:
        try:
            value = json.loads(document)
        except (ValueError, RecursionError):
            continue
        for path, text in _strings(value, "$", depth=100):
            texts.setdefault(path, []).append(text)
    for path, parts in texts.items():
        yield f"{what} at {path}", "".join(parts).encode("utf-8", "surrogatepass")


def _strings(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif depth and isinstance(value, dict):
        for position, (key, member) in enumerate(value.items()):
            yield f"{path}.(name {position})", key
            yield from _strings(member, f"{path}.{key}" if key.isidentifier() else f"{path}.[{position}]", depth - 1)
    elif depth and isinstance(value, list):
        for position, member in enumerate(value):
            yield from _strings(member, f"{path}[{position}]", depth - 1)


def _readable(data: bytes, secret: bytes) -> bool:
    return any(secret in view for view in _views(data))


def _views(data: bytes) -> Iterator[bytes]:
    """What a reader could make of these bytes by one decoding."""
    yield data
    yield unquote_to_bytes(data)
    text = data.decode("utf-8", "surrogateescape").replace("\\/", "/")
    yield _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text).encode(
        "utf-8", "surrogatepass" if "\\u" in text else "surrogateescape"
    )
    for match in _HEX.finditer(data):
        yield binascii.unhexlify(match.group())
    for match in _BASE64.finditer(data):
        run = match.group().translate(bytes.maketrans(b"-_", b"+/"))
        for start in range(4):
            part = run[start:]
            yield base64.b64decode(
                part[: len(part) // 4 * 4] + (part[len(part) // 4 * 4 :] + b"==" if len(part) % 4 > 1 else b"")
            )
