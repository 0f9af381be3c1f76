"""A cassette as the text of its file: fixed key order, one layout, so that the same cassette is the same bytes.

Rule: what stock vcrpy knows stands where vcrpy puts it; everything of ours stands under `recorder:` inside the
response, the one place vcrpy carries through load and re-save. Not known here: reading, files, PyYAML.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import accumulate, chain, pairwise
from math import isfinite
from types import MappingProxyType
from typing import Any

from recorder.cassette._model import Cassette, Chunk, EndKind, Headers, Interaction, Recording, Response, StreamEnd
from recorder.cassette._scalars import body_scalar, is_utf8, request_body_scalar, text_scalar
from recorder.errors import CassetteError

FORMAT = 1
"""The version of what stands under `recorder:`."""

_MEMBERS: dict[str, tuple[str, ...]] = {
    "wire": ("http", "content_encoding", "framing"),
    "recorded": (),
    "client": ("name", "version"),
    "tool": (),
    "outcome": ("contract", "code"),
    "sanitizer": ("rules", "replacements"),
    "imported": ("format", "body", "unknown"),
}

FACTS = frozenset(("format", "sha256", "head_ms", "chunks", "end", *_MEMBERS))
"""The members of `recorder:` that this version knows."""

BODY_INDENT = 8
"""Columns before the lines of a response body."""

NO_SCALARS: Mapping[int, memoryview] = MappingProxyType({})

PAIRS_A_LINE = 5
"""Of a chunk list: stays within 120 columns up to 16 digits a pair."""

MAX_NAME = 1000
"""Characters a key may have; YAML 1.1 readers look at most 1024 ahead for its colon."""

_COMMENT = "#[\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
_COMMENTS = re.compile(rf"(?:[ \t]*(?:{_COMMENT})?\n)*")


Texts = dict[tuple[int, bool], tuple[Interaction, bytes]]
"""How interactions are written, by their `id` (and whether in ASCII); they are kept so that no other has it."""


def write_cassette(
    cassette: Cassette, *, ascii: bool, scalars: Mapping[int, memoryview] = NO_SCALARS, texts: Texts | None = None
) -> bytes:
    """The file of a cassette: UTF-8, LF line ends.

    Args:
        cassette: what to write.
        ascii: escape everything beyond ASCII.
        scalars: what response bodies are known to be written as, by the `id` of the body.
        texts: how interactions were written before; receives how those of this cassette are.

    Raises:
        CassetteError: a header, a comment or a fact of the recording cannot be written as YAML.
    """
    parts: list[bytes | memoryview] = [_preamble(cassette.preamble, ascii), b"version: 1\n"]
    parts.append(b"interactions:\n" if cassette.interactions else b"interactions: []\n")
    problem = ""
    for number, interaction in enumerate(cassette.interactions, 1):
        try:
            if texts is None:
                parts += _interaction(interaction, ascii, scalars)
            else:
                parts.append(_remembered(interaction, ascii, texts))
        except ValueError as error:
            problem = f"interaction {number} cannot be written: {error}"
            break
    if problem:
        raise CassetteError(problem)
    return b"".join(parts)


def _remembered(interaction: Interaction, ascii: bool, texts: Texts) -> bytes:
    key = (id(interaction), ascii)
    if key not in texts:
        texts[key] = (interaction, b"".join(_interaction(interaction, ascii, NO_SCALARS)))
    return texts[key][1]


def holds_beyond_ascii(cassette: Cassette) -> bool:
    """Whether the file of this cassette has characters beyond ASCII, or escapes for them."""
    return any(_beyond_ascii(interaction) for interaction in cassette.interactions)


def _beyond_ascii(interaction: Interaction) -> bool:
    request, response = interaction.request, interaction.response
    for body in (request.body or b"", response.body):
        if not body.isascii() and is_utf8(body):
            return True
    texts = [request.method, request.uri]
    for headers in (request.headers, response.headers):
        texts += headers
        texts += chain.from_iterable(headers.values())
    if response.recording is not None:
        texts.append(_flow(_named(response.recording), False))
    return not "".join(texts).isascii()


def _preamble(comments: str, ascii: bool) -> bytes:
    if "#" not in comments:
        return b""
    lines = comments if comments.endswith("\n") else comments + "\n"
    if not _COMMENTS.fullmatch(lines):
        raise CassetteError("the preamble cannot be written; it may hold comment lines (# ...) and empty lines only")
    return lines.encode("ascii", "backslashreplace") if ascii else lines.encode()


def _interaction(
    interaction: Interaction, ascii: bool, scalars: Mapping[int, memoryview]
) -> Iterator[bytes | memoryview]:
    request, response = interaction.request, interaction.response
    yield f"- request:\n    method: {text_scalar(request.method, ascii=ascii, flow=False)}\n".encode()
    yield f"    uri: {text_scalar(request.uri, ascii=ascii, flow=False)}\n    body: ".encode()
    yield request_body_scalar(request.body, 6, ascii=ascii)
    yield f"\n{_headers(request.headers, ascii)}  response:\n{_status(response)}".encode()
    yield f"{_headers(response.headers, ascii)}    body:\n      string: ".encode()
    yield scalars.get(id(response.body)) or body_scalar(response.body, BODY_INDENT, ascii=ascii)
    facts = "".join([f"      {name}: {value}\n" for name, value in _facts(response, ascii)])
    yield f"\n    recorder:\n{facts}".encode()


def _status(response: Response) -> str:
    """vcrpy needs an ASCII reason; it carries no meaning (RFC 9112 section 4), so whatever else it has is left out."""
    if not 100 <= response.status <= 999:
        raise ValueError(f"the status {response.status:d} does not have three digits")
    reason = "".join([character for character in response.reason if " " <= character <= "~"])
    return f"    status: {{code: {response.status:d}, message: {text_scalar(reason)}}}\n"


def _headers(headers: Headers, ascii: bool) -> str:
    if not headers:
        return "    headers: {}\n"
    lines = ["    headers:\n"]
    for name, values in headers.items():
        listed = ", ".join([text_scalar(value, ascii=ascii) for value in values])
        lines.append(f"      {_key(name, ascii)}: [{listed}]\n")
    return "".join(lines)


def _key(name: object, ascii: bool) -> str:
    if not isinstance(name, str):
        raise ValueError(f"a name is of type {type(name).__name__}; it must be a text")
    written = text_scalar(name, ascii=ascii)
    if len(written) > MAX_NAME:
        raise ValueError(f"a name has more than {MAX_NAME} characters; YAML readers take shorter ones")
    return written


# -- the key of ours --------------------------------------------------------------------------------------------------


def _facts(response: Response, ascii: bool) -> Iterator[tuple[str, str]]:
    """The members under `recorder:`, in their order."""
    recording = response.recording or Recording()
    arrivals = list(accumulate([chunk.delay_s for chunk in response.chunks or ()]))
    yield "format", str(FORMAT)
    yield "sha256", f"'{sha256(response.body).hexdigest()}'"
    if recording.head_s is not None:
        yield "head_ms", str(_ms(recording.head_s))
    if response.chunks is not None:
        yield "chunks", _chunks(response.chunks, arrivals)
    if response.end is not None:
        yield "end", _flow(_end(response.end, arrivals[-1] if arrivals else 0.0), ascii)
    for name, value in _named(recording).items():
        yield _key(name, ascii), _flow(value, ascii)


def _named(recording: Recording | None) -> dict[str, Any]:
    """The facts that are plain data, in their order; what is empty is left out."""
    if recording is None:
        return {}
    facts = {name: _ordered(getattr(recording, name), members) for name, members in _MEMBERS.items()}
    _check_texts(facts)
    if not FACTS.isdisjoint(recording.extra):
        raise ValueError("recording.extra has a member with a place of its own; set that one instead")
    return {name: value for name, value in facts.items() if value} | dict(recording.extra)


def _ordered(value: Any, members: tuple[str, ...]) -> Any:
    """A mapping with the members we know first: vcrpy, when it saves our file again, sorts them all."""
    if not members:
        return value
    return {name: value[name] for name in members if name in value} | dict(value)


def _check_texts(facts: Mapping[str, Any]) -> None:
    """What would be read back as another type, or not at all, is not written."""
    for name in ("wire", "client", "outcome"):
        if not all(isinstance(value, str) for value in facts[name].values()):
            raise ValueError(f"recording.{name} has a value that is not a text; write it as one")


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _chunks(chunks: tuple[Chunk, ...], arrivals: list[float]) -> str:
    """`[[milliseconds, bytes], ...]`; arrival times are rounded, not delays, so that their sum does not drift."""
    times = pairwise([0, *map(_ms, arrivals)])
    pairs = [f"[{now - before}, {chunk.size:d}]" for (before, now), chunk in zip(times, chunks, strict=True)]
    if len(pairs) <= PAIRS_A_LINE:
        return f"[{', '.join(pairs)}]"
    lines = [", ".join(pairs[start : start + PAIRS_A_LINE]) for start in range(0, len(pairs), PAIRS_A_LINE)]
    return "[\n        " + ",\n        ".join(lines) + "]"


def _end(end: StreamEnd, last_arrival: float) -> dict[str, Any]:
    after = _ms(last_arrival + end.after_s) - _ms(last_arrival)
    members: dict[str, Any] = {"kind": EndKind(end.kind).value, "after_ms": after}
    if end.terminal_seen is not None:
        members["terminal_seen"] = end.terminal_seen
    return members


def _flow(value: Any, ascii: bool) -> str:
    """Plain data on one line, so that YAML 1.1 reads each value back as what it is."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() if isfinite(value):
            return _float(value)
        case str():
            return text_scalar(value, ascii=ascii)
        case bytes():
            return f"!!binary '{b64encode(value).decode()}'"
        case Mapping():
            return "{" + ", ".join([f"{_key(name, ascii)}: {_flow(item, ascii)}" for name, item in value.items()]) + "}"
        case list() | tuple():
            return "[" + ", ".join([_flow(item, ascii) for item in value]) + "]"
    raise ValueError(f"a fact of type {type(value).__name__} has no place in a cassette; plain data does")


def _float(value: float) -> str:
    """YAML 1.1 wants a point in front of an exponent."""
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}.0{exponent}{power}" if exponent and "." not in digits else digits + exponent + power
