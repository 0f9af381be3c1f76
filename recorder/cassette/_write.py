"""A cassette as the text of its file: fixed key order, one layout, so that the same cassette is the same bytes.

Rule: what stock vcrpy knows stands where vcrpy puts it; everything of ours stands under `recorder:` inside the
response, the one place vcrpy carries through load and re-save. Not known here: reading, files, PyYAML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import accumulate
from typing import Any

from recorder.cassette._model import Cassette, Chunk, Headers, Interaction, Recording, Request, Response, StreamEnd
from recorder.cassette._scalars import body_scalar, request_body_scalar, text_scalar
from recorder.errors import CassetteError

FORMAT = 1
PAIRS_A_LINE = 5  # of a chunk list: stays within 120 columns up to 16 digits a pair


def write_cassette(cassette: Cassette, *, ascii: bool) -> str:
    """The text of the file, LF line ends.

    Raises:
        CassetteError: a header or a fact of the recording cannot be written as YAML.
    """
    parts = [cassette.preamble, "version: 1\n"]
    parts.append("interactions:\n" if cassette.interactions else "interactions: []\n")
    for number, interaction in enumerate(cassette.interactions):
        try:
            parts += _interaction(interaction, ascii)
        except ValueError as error:
            problem = f"interaction {number + 1} cannot be written: {error}"
        else:
            continue
        raise CassetteError(problem)
    return "".join(parts)


def _interaction(interaction: Interaction, ascii: bool) -> Iterator[str]:
    yield from _request(interaction.request, ascii)
    yield from _response(interaction.response, ascii)


def _request(request: Request, ascii: bool) -> Iterator[str]:
    yield "- request:\n"
    yield f"    method: {text_scalar(request.method, ascii=ascii)}\n"
    yield f"    uri: {text_scalar(request.uri, ascii=ascii)}\n"
    yield f"    body: {request_body_scalar(request.body, 6, ascii=ascii)}\n"
    yield from _headers(request.headers, ascii)


def _response(response: Response, ascii: bool) -> Iterator[str]:
    yield "  response:\n"
    yield f"    status: {{code: {response.status}, message: {text_scalar(_reason(response.reason))}}}\n"
    yield from _headers(response.headers, ascii)
    yield "    body:\n"
    yield f"      string: {body_scalar(response.body, 8, ascii=ascii)}\n"
    yield "    recorder:\n"
    for name, value in _facts(response, ascii):
        yield f"      {name}: {value}\n"


def _reason(reason: str) -> str:
    """vcrpy needs ASCII; a reason phrase carries no meaning (RFC 9112 section 4), so the rest is left out."""
    return "".join(character for character in reason if " " <= character <= "~")


def _headers(headers: Headers, ascii: bool) -> Iterator[str]:
    if not headers:
        yield "    headers: {}\n"
        return
    yield "    headers:\n"
    for name, values in headers.items():
        listed = ", ".join([text_scalar(value, ascii=ascii) for value in values])
        yield f"      {_key(name, ascii)}: [{listed}]\n"


def _key(name: str, ascii: bool) -> str:
    written = text_scalar(name, ascii=ascii)
    if len(written) > 1000:
        raise ValueError("a name has more than 1000 characters; YAML readers take shorter ones")
    return written


def _facts(response: Response, ascii: bool) -> Iterator[tuple[str, str]]:
    """The members under `recorder:`, in their order."""
    recording = response.recording or Recording()
    yield "format", str(FORMAT)
    yield "sha256", f"'{sha256(response.body).hexdigest()}'"
    if recording.head_s is not None:
        yield "head_ms", str(_ms(recording.head_s))
    if response.chunks is not None:
        yield "chunks", _chunks(response.chunks)
    if response.end is not None:
        yield "end", _flow(_end(response.end, response.chunks or ()), ascii)
    for name in ("wire", "recorded", "client", "tool", "outcome", "sanitizer"):
        value = getattr(recording, name)
        if value:
            yield name, _flow(value, ascii)
    for name, value in recording.extra.items():
        yield _key(name, ascii), _flow(value, ascii)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _cumulative_ms(chunks: Iterable[Chunk]) -> list[int]:
    """Rounded cumulative times: the sum of what is written never drifts from what was measured."""
    return [_ms(at) for at in accumulate(chunk.delay_s for chunk in chunks)]


def _chunks(chunks: tuple[Chunk, ...]) -> str:
    times = _cumulative_ms(chunks)
    delays = [now - before for now, before in zip(times, [0, *times], strict=False)]
    pairs = [f"[{delay}, {chunk.size}]" for delay, chunk in zip(delays, chunks, strict=True)]
    if len(pairs) <= PAIRS_A_LINE:
        return f"[{', '.join(pairs)}]"
    lines = [", ".join(pairs[start : start + PAIRS_A_LINE]) for start in range(0, len(pairs), PAIRS_A_LINE)]
    return "[\n        " + ",\n        ".join(lines) + "]"


def _end(end: StreamEnd, chunks: tuple[Chunk, ...]) -> dict[str, Any]:
    last = sum(chunk.delay_s for chunk in chunks)
    members: dict[str, Any] = {"kind": str(end.kind), "after_ms": _ms(last + end.after_s) - _ms(last)}
    if end.terminal_seen is not None:
        members["terminal_seen"] = end.terminal_seen
    return members


def _flow(value: Any, ascii: bool) -> str:
    """Plain data on one line; numbers and words so that YAML 1.1 reads them back as what they are."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return text_scalar(value, ascii=ascii)
        case Mapping():
            return "{" + ", ".join(f"{_key(name, ascii)}: {_flow(item, ascii)}" for name, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(_flow(item, ascii) for item in value) + "]"
    raise ValueError(f"a fact of type {type(value).__name__} has no place in a cassette; text, whole numbers, lists do")
