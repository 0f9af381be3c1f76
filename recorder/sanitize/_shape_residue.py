"""Whether content is left in what should be shape: letters but x, digits but 1, in what is not structure.

Rule: asks the decoded texts of the scan, not the code that shapes; knows the structure by the same allowlist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

from recorder.contracts import BodyKind, body_kind
from recorder.sanitize._residue_texts import Member, Texts
from recorder.sanitize._shape_names import is_content_number, is_field_name, is_marker, is_structure
from recorder.sanitize._stand_ins import STAND_IN

_CONTENT = re.compile(r"[A-WYZa-wyz02-9\u00c0-\u00d6\u00d9-\u00f6\u00f9-\u017f\u4e00-\u6586\u6588-\u9fff]")
_BOUNDARY = re.compile(r";[ \t]*boundary=\"?([^\";]+)", re.IGNORECASE)
_FILE_NAME = re.compile(r'filename="([^"]*)"')
_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_LITERALS = re.compile(r"(?<![\w.])(?:true|false|null|-?1[1.eE+-]*)(?![\w.])")


def is_kept(member: Member) -> bool:
    """Whether a member is structure, which is not shaped."""
    if isinstance(member.value, str):
        return is_structure(member.parent, member.name, member.value)
    return not is_content_number(member.name, member.pointer)


def unshaped(what: str, body: bytes, texts: Texts, media_type: str) -> Iterator[str]:
    """The places that still say something.

    Args:
        what: "request" or "response".
        body: decoded.
        texts: what it says.
        media_type: what its head says.
    """
    if body_kind(body) is BodyKind.AWS_EVENTSTREAM:
        yield f"{what} body (frames with checksums, which cannot be shaped)"
        return
    together: dict[tuple[Any, ...], list[Member]] = {}
    for member in texts.members:
        if isinstance(member.value, str) and not is_kept(member):
            together.setdefault((member.parent, member.name, member.ids), []).append(member)
    for members in together.values():
        if _says_something("".join([member.value for member in members])):
            yield members[0].place
    for place, text in texts.lines:
        if not is_marker(text) and any(map(_says_something, _free(text, media_type))):
            yield place


def _free(text: str, media_type: str) -> Iterator[str]:
    """What a text that is no JSON says: of forms the values, the names of files, and what is not of their form."""
    kind = media_type.lower().partition(";")[0]
    boundary = _BOUNDARY.search(media_type, len(kind))
    if "form-urlencoded" in kind:
        for field in text.split("&"):
            name, sign, value = field.partition("=")
            yield unquote_plus(value if sign and is_field_name(name) else field)
    elif kind.startswith("multipart/") and boundary is not None:
        for part in f"\r\n{text}".split(f"\r\n--{boundary[1].strip()}"):
            lines, _, value = part.partition("\r\n\r\n")
            yield value
            yield from (
                line for line in lines.split("\r\n") if not line.lower().startswith("content-") and line != "--"
            )
            yield from _FILE_NAME.findall(lines)
    else:
        yield text


def _says_something(text: str) -> bool:
    if _CONTENT.search(text) is None:
        return False
    text = STAND_IN.sub("", text)
    if text.lstrip()[:1] in ("{", "["):
        return _values_say_something(text)
    return _CONTENT.search(text) is not None


def _values_say_something(text: str) -> bool:
    """Of JSON the values alone, since declared names stay; of a part of it what is no name and no literal."""
    try:
        values = list(_leaves(json.loads(text, strict=False)))
    except (ValueError, RecursionError):
        names_gone = re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"\s*:', "", text)
        return _CONTENT.search(_ESCAPES.sub("", _LITERALS.sub("", names_gone))) is not None
    return any(_says_something(value) for value in values)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member)
