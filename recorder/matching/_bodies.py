"""Whether two bodies ask for the same: as JSON where they are JSON, as a form, as multipart, else byte by byte.

Rule: the stored side is sanitized, so a stand-in in it equals any value at its place; of numbers, which have no form of
their own, only those that the sanitizer replaced on the live side too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from recorder.matching._differences import MISSING, Difference
from recorder.matching._side import NOT_JSON, Side
from recorder.sanitize import MemberTable, fits, is_number_stand_in, pointer_step

_BOUNDARY = re.compile(r'boundary="?([^";\s]+)', re.IGNORECASE)
_FORM = "application/x-www-form-urlencoded"


def body_differences(stored: Side, live: Side, ignored: MemberTable[str]) -> Iterator[Difference]:
    """In what the bodies differ; nothing when they ask for the same."""
    if stored.body == live.body:
        return
    if stored.json is not NOT_JSON and live.json is not NOT_JSON:
        before = live.json if live.before is None else live.before.json
        try:
            yield from _json_differences(stored.json, live.json, before, "", ignored)
        except RecursionError:  # deeper than anybody asks; they are not the same bytes
            yield Difference("body", stored.body, live.body)
    elif _FORM in stored.content_type and _FORM in live.content_type:
        if not same_pairs(_form(stored), _form(live)):
            yield Difference("body", stored.body, live.body)
    elif not fits(_text(stored), _text(live)):
        yield Difference("body", stored.body, live.body)


def same_pairs(stored: list[tuple[str, str]], live: list[tuple[str, str]]) -> bool:
    """Whether two sorted lists of parameters are the same but for stand-ins."""
    if stored == live:
        return True
    if [name for name, _ in stored] != [name for name, _ in live]:
        return False
    return all(map(fits, (value for _, value in stored), (value for _, value in live)))


def _form(side: Side) -> list[tuple[str, str]]:
    return sorted(parse_qsl(side.body.decode("latin-1"), keep_blank_values=True))


def _text(side: Side) -> str:
    """The body as text; the boundary of a multipart body, which is new in each request, always the same."""
    text = side.body.decode("utf-8", "surrogateescape")
    found = _BOUNDARY.search(side.content_type) if "multipart/" in side.content_type else None
    return text.replace(found[1], "boundary") if found else text


def _json_differences(
    stored: Any, live: Any, before: Any, pointer: str, ignored: MemberTable[str]
) -> Iterator[Difference]:
    if isinstance(stored, dict) and isinstance(live, dict):
        was = before if isinstance(before, dict) else {}
        for name in stored | live:
            below = pointer + pointer_step(name)
            if not (ignored and ignored.get(name, below)):
                one, other = stored.get(name, MISSING), live.get(name, MISSING)
                yield from _json_differences(one, other, was.get(name, MISSING), below, ignored)
    elif isinstance(stored, list) and isinstance(live, list) and len(stored) == len(live):
        was_list = before if isinstance(before, list) and len(before) == len(live) else [MISSING] * len(live)
        for index, (one, other, earlier) in enumerate(zip(stored, live, was_list, strict=True)):
            below = f"{pointer}/{index}"
            if not (ignored and ignored.get(str(index), below)):
                yield from _json_differences(one, other, earlier, below, ignored)
    elif not _same_leaf(stored, live, before):
        yield Difference("body", stored, live, pointer)


def _same_leaf(stored: Any, live: Any, before: Any) -> bool:
    if isinstance(stored, str) and isinstance(live, str):
        return fits(stored, live)
    if isinstance(stored, bool) or isinstance(live, bool):
        return stored is live
    replaced = before is not MISSING and before != live
    if replaced and type(stored) is int and type(live) is int and is_number_stand_in(str(stored)):
        return True
    return bool(stored == live)
