"""From what a format holds to an interaction as we store it: heads that do not lie, and the list of what is not known.

Rule: bytes are never changed. What a header says of a body that is stored otherwise is left out, and said under `wire`.
Not known here: formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Cassette, Headers, Interaction, Recording, Request, Response

NO_HOST = "https://host.invalid"
EVENT_STREAM = "text/event-stream"
_AWS = "application/vnd.amazon.eventstream"
_ABOUT_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")
_BEYOND_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_ENDS_AN_EVENT = re.compile(rb"(?:\n\n|\r\r|\n\r|\r\n\r\n?)\Z|\A\Z")
_FIELD = re.compile(rb"(?:\xef\xbb\xbf)?(?:data|event|id|retry)?:")
_REPLACEMENT = "\ufffd".encode()


@dataclass(slots=True)
class Draft:
    """An interaction before it is finished.

    Attributes:
        request, response: as the file has them.
        unknown: what the format knows it does not tell.
        head_s, recorded, http: when the head came, when it was recorded, and the HTTP version, if the file tells.
        recording: the facts it has already, when it is a cassette of ours.
    """

    request: Request
    response: Response
    unknown: set[Unknown] = field(default_factory=set)
    head_s: float | None = None
    recorded: str | None = None
    http: str = ""
    recording: Recording | None = None


def converted(name: str, drafts: Iterable[Draft], preamble: str = "", not_kept: tuple[str, ...] = ()) -> Converted:
    """The drafts as a cassette, finished.

    Args:
        name: the format they come from.
        drafts: in order.
        preamble: comment lines to be kept.
        not_kept: what the file held beyond our model.
    """
    finished = [_finished(name, draft) for draft in drafts]
    unknowns = {code for _, codes in finished for code in codes}
    cassette = Cassette(tuple([interaction for interaction, _ in finished]), preamble, not_kept=not_kept)
    return Converted(cassette, name, tuple([code for code in Unknown if code in unknowns]))


def _finished(name: str, draft: Draft) -> tuple[Interaction, tuple[Unknown, ...]]:
    unknown = set(draft.unknown)
    response = draft.response
    headers = _honest(response, unknown)
    if response.chunks is None:
        unknown.add(Unknown.CHUNKS)
    if response.end is None:
        unknown.add(Unknown.END)
    unknown |= _doubts(response.body, headers)
    codes = tuple([code for code in Unknown if code in unknown])
    imported = {"format": name, "unknown": [code.value for code in codes]}
    recording = draft.recording or Recording(draft.head_s, _wire(draft), draft.recorded, imported=imported)
    response = replace(response, headers=headers, recording=recording)
    return Interaction(draft.request, response), codes


def _wire(draft: Draft) -> dict[str, str]:
    headers = draft.response.headers
    wire = {"http": draft.http} if draft.http else {}
    if "chunked" in headers.first("transfer-encoding").lower():
        wire["framing"] = "chunked"
    elif "content-length" in headers:
        wire["framing"] = "length"
    return wire


def _honest(response: Response, unknown: set[Unknown]) -> Headers:
    """The headers without those that would not be true of the stored body."""
    coding, body = ", ".join(response.headers.get("content-encoding", ())).strip().lower(), response.body
    still_coded = bool(coding) and _is_coded(coding, body)
    if coding not in ("", "identity") and not still_coded and body:
        unknown.add(Unknown.CODING)
    length = response.headers.first("content-length")
    if length.isascii() and length.isdigit() and not coding and length.lstrip("0") != str(len(body)).lstrip("0"):
        unknown.add(Unknown.LENGTH)
    gone = _ABOUT_THE_WIRE[1:] if still_coded else _ABOUT_THE_WIRE
    kept = [(name, values) for name, values in response.headers.items() if name.lower() not in gone]
    if "/" not in response.headers.first("content-type") and (told := _told(body)):
        unknown.add(Unknown.HEADERS)
        kept = [*[(name, values) for name, values in kept if name.lower() != "content-type"], ("content-type", (told,))]
    return Headers(kept)


def _is_coded(coding: str, body: bytes) -> bool:
    """Whether the body really is in the coding its header names: a magic number tells, or that it is no text."""
    magic = _MAGIC.get(coding.rpartition(",")[2].strip())
    if magic is not None:
        return body.startswith(magic)
    try:
        body.decode()
    except UnicodeDecodeError:
        return True
    return bool(_BEYOND_TEXT.search(body))


def _told(body: bytes) -> str:
    """The content type that the body shows, or ""."""
    if _FIELD.match(body):
        return EVENT_STREAM
    if body[:1] in (b"{", b"["):
        return "application/json"
    return _AWS if body[13:24] == b":event-type" or body[13:26] == b":message-type" else ""


def _doubts(body: bytes, headers: Headers) -> set[Unknown]:
    doubts = set()
    if headers.first("content-type").lower().startswith(EVENT_STREAM) and "content-encoding" not in headers:
        if not body:
            doubts.add(Unknown.BODY)
        elif not _ENDS_AN_EVENT.search(body[-4:]):
            doubts.add(Unknown.LAST_EVENT)
        if _REPLACEMENT in body:
            doubts.add(Unknown.CHARACTERS)
    return doubts


# -- pieces several formats need --------------------------------------------------------------------------------------


def uri(base: str, query: Iterable[tuple[str, str]] = ()) -> str:
    """A URI with further query parameters."""
    added = urlencode(list(query))
    return f"{base}{'&' if '?' in base else '?'}{added}" if added else base


def path_uri(pattern: str) -> str:
    """A URI for a path or a pattern of one, on no host."""
    return f"{NO_HOST}/{quote(pattern.lstrip('/'), safe='/?&=:@+,;~!$()*%-._')}"


def http_version(protocol: str) -> str:
    """`1.1` or `2` out of what files write: `HTTP/1.1`, `HTTP/2.0`, `h2`, `http/3`."""
    number = protocol.lower().removeprefix("http/").removeprefix("h").removesuffix(".0")
    return number if number in ("1", "1.1", "2", "3") else ""
